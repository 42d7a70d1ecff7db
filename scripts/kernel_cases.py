# SPDX-License-Identifier: Apache-2.0
"""Random elementwise operators and products for compare_kernels.py: those whose
options or types other comparisons of random models do not have."""
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from kernel_model import TYPES, Builder, case


# --- Elementwise ----------------------------------------------------------
INTEGERS = ("i8", "u8", "i16")
LIMITS = {"i8": (-128, 127), "u8": (0, 255), "i16": (-32768, 32767)}


def scale_of(random, kind, low=0.005, high=0.1):
    scale = random.uniform(low, high)
    return scale / 256 if kind == "i16" else scale


def zero_of(random, kind):
    low, high = LIMITS[kind]
    return 0 if kind == "i16" else int(random.integers(low, high + 1))


def quantized(random, kind, **named):
    return {"scale": scale_of(random, kind, **named),
            "zero": zero_of(random, kind)}


def shape_of(random, rank=4, high=8):
    return [int(n) for n in random.integers(1, high, rank)]


def options_of(name, **values):
    options = getattr(schema, name + "OptionsT")()
    for key, value in values.items():
        setattr(options, key, value)
    return options


BINARY = {"ADD": "Add", "SUB": "Sub", "MUL": "Mul"}


def binary(random, op, kind, broadcast=False, activation=0, pot=False,
           high=8):
    b = Builder()
    shape = shape_of(random, high=high)
    other = [1 if random.integers(2) else n for n in shape] if broadcast \
        else shape
    if pot:
        qs = [{"scale": 2.0 ** -int(random.integers(9, 15))}
              for _ in range(3)]
    else:
        qs = [quantized(random, kind) for _ in range(3)]
    x, y = b.input(kind, shape, **qs[0]), b.input(kind, other, **qs[1])
    if random.integers(2):
        x, y = y, x
    out = b.output(kind, shape, **qs[2])
    options = options_of(BINARY[op])
    if hasattr(options, "fusedActivationFunction"):
        options.fusedActivationFunction = activation
    if hasattr(options, "potScaleInt16"):
        options.potScaleInt16 = pot
    b.op(op, [x, y], [out], options)
    return b.pack()


for _op in BINARY:
    for _kind in INTEGERS:
        case(f"{_op} {_kind} large", op=_op, kind=_kind, high=40)(binary)
        case(f"{_op} {_kind} large broadcast", op=_op, kind=_kind,
             broadcast=True, high=40)(binary)
for _op in ("ADD", "SUB"):
    case(f"{_op} i16 powers of two", op=_op, kind="i16", pot=True)(binary)


UNARY = {"LOGISTIC": None, "TANH": None, "EXP": "Exp", "GELU": "Gelu",
         "ABS": "Abs"}


def unary(random, op, power=False):
    b = Builder()
    shape = shape_of(random)
    x = b.input("i16", shape, scale=2.0 ** -int(random.integers(9, 16))
                if power else scale_of(random, "i16"))
    q_out = {"scale": 1 / 32768 if op in ("LOGISTIC", "TANH") else
             scale_of(random, "i16")}
    b.op(op, [x], [b.output("i16", shape, **q_out)],
         options_of(UNARY[op]) if UNARY[op] else None)
    return b.pack()


for _op in UNARY:
    case(f"{_op} i16", op=_op)(unary)
    case(f"{_op} i16 power of two", op=_op, power=True)(unary)


# --- Products with weights ------------------------------------------------
def filters(b, random, shape, channels, axis, kind="i8", per_channel=True):
    low, high = LIMITS[kind]
    zero = 0 if kind == "i8" else int(random.integers(100, 150))
    scale = random.uniform(0.002, 0.02, channels if per_channel else 1)
    data = random.integers(max(low, -127), high + 1, shape)
    return b.tensor(kind, shape, data, scale=scale, zero=zero, axis=axis), \
        scale


def say_bias(options, bias):
    """16-bit operators must be told that a bias has 32 bits."""
    if bias and hasattr(options, "quantizedBiasType"):
        options.quantizedBiasType = TYPES[bias][0]


def bias_of(b, random, channels, scale, kind):
    return b.tensor("i64" if kind == "i64" else "i32", [channels],
                    random.integers(-20000, 20000, channels), scale=scale)


def convolution(random, op, kind, bias=None, per_channel=True, groups=1):
    b = Builder()
    batch, height, width = shape_of(random, 3, 8)
    channels, count = shape_of(random, 2, 20)
    size = int(random.integers(1, 4))
    stride = int(random.integers(1, 3))
    height, width = height + 2, width + 2
    multiplier = int(random.integers(1, 4))
    q = quantized(random, kind)
    weight_kind = "u8" if kind == "u8" else "i8"
    per_channel = per_channel and kind != "u8"
    channels *= groups
    x = b.input(kind, [batch, height, width, channels], **q)
    if op == "DEPTHWISE_CONV_2D":
        count = channels * multiplier
        w, scale = filters(b, random, [1, size, size, count], count, 3,
                           weight_kind, per_channel)
        options = options_of("DepthwiseConv2D", depthMultiplier=multiplier)
    else:
        count *= groups
        w, scale = filters(
            b, random, [count, size, size, channels // groups], count, 0,
            weight_kind, per_channel)
        options = options_of("Conv2D")
    options.strideH = options.strideW = stride
    options.dilationHFactor = options.dilationWFactor = \
        int(random.integers(1, 3)) if stride == 1 and size == 3 else 1
    options.padding = schema.Padding.SAME
    ins = [x, w]
    if bias:
        ins.append(bias_of(b, random, count, scale * q["scale"], bias))
    say_bias(options, bias)
    shape = [batch, -(-height // stride), -(-width // stride), count]
    options.fusedActivationFunction = int(random.choice([0, 1, 3]))
    b.op(op, ins, [b.output(kind, shape, **quantized(
        random, kind, low=0.05, high=0.3))], options)
    return b.pack()


for _kind, _bias in (("i8", "i32"), ("i16", "i32"), ("i16", "i64")):
    case(f"CONV_2D {_kind} groups bias {_bias}", op="CONV_2D", kind=_kind,
         bias=_bias, groups=3)(convolution)


def transpose_conv(random, kind, bias=None, per_channel=True):
    b = Builder()
    batch, height, width, channels = shape_of(random, 4, 8)
    count = int(random.integers(1, 40))
    size, stride = int(random.integers(1, 4)), int(random.integers(1, 3))
    shape = [batch, height * stride, width * stride, count]
    q = quantized(random, kind)
    weight_kind = "u8" if kind == "u8" else "i8"
    per_channel = per_channel and kind != "u8"
    sizes = b.tensor("i32", [4], shape)
    w, scale = filters(b, random, [count, size, size, channels], count, 0,
                       weight_kind, per_channel)
    x = b.input(kind, [batch, height, width, channels], **q)
    ins = [sizes, w, x]
    if bias:
        ins.append(bias_of(b, random, count, scale * q["scale"], bias))
    options = options_of("TransposeConv", strideH=stride, strideW=stride,
                         padding=schema.Padding.SAME)
    say_bias(options, bias)
    code = b.op("TRANSPOSE_CONV", ins, [b.output(kind, shape, **quantized(
        random, kind, low=0.05, high=0.3))], options)
    code.version = 3 if bias else 1
    return b.pack()


def fully_connected(random, kind, bias=None, per_channel=False, keep=False):
    b = Builder()
    depth, units = shape_of(random, 2, 70)
    outer = shape_of(random, int(random.integers(1, 4)), 6)
    q = quantized(random, kind)
    weight_kind = "u8" if kind == "u8" else "i8"
    x = b.input(kind, outer + [depth], **q)
    w, scale = filters(b, random, [units, depth], units, 0, weight_kind,
                       per_channel)
    ins = [x, w, None]
    if bias:
        ins[2] = bias_of(b, random, units, scale * q["scale"], bias)
    options = options_of("FullyConnected", keepNumDims=keep,
                         fusedActivationFunction=int(random.choice([0, 1, 3])))
    say_bias(options, bias)
    shape = outer + [units] if keep else [int(np.prod(outer)), units]
    b.op("FULLY_CONNECTED", ins, [b.output(kind, shape, **quantized(
        random, kind, low=0.05, high=0.3))], options)
    return b.pack()


for _kind in INTEGERS:
    for _bias in (None, "i32", "i64") if _kind == "i16" else (None, "i32"):
        for _channels in (True, False):
            if _channels and _kind == "u8":
                continue
            _end = f"{_kind} {'per channel' if _channels else 'per tensor'}" \
                f" bias {_bias}"
            _named = {"kind": _kind, "bias": _bias, "per_channel": _channels}
            case(f"CONV_2D {_end}", op="CONV_2D", **_named)(convolution)
            case(f"DEPTHWISE_CONV_2D {_end}", op="DEPTHWISE_CONV_2D",
                 **_named)(convolution)
            case(f"TRANSPOSE_CONV {_end}", **_named)(transpose_conv)
            case(f"FULLY_CONNECTED {_end}", keep=_channels,
                 **_named)(fully_connected)


def batch_matmul(random, kind, right=None, constant=False, per_channel=False,
                 rank=3):
    b = Builder()
    right = right or kind
    rows, depth, columns = shape_of(random, 3, 30)
    outer = shape_of(random, rank - 2, 4)
    adj_x, adj_y = (bool(n) for n in random.integers(0, 2, 2))
    if per_channel:
        adj_x = False
    left = [depth, rows] if adj_x else [rows, depth]
    other = [columns, depth] if adj_y else [depth, columns]
    x = b.input(kind, outer + left, **({} if kind == "f32" else
                                       quantized(random, kind)))
    q = quantized(random, right)
    if right == "i8" and kind != "i8":
        q["zero"] = 0
    if per_channel:
        q = {"scale": random.uniform(0.002, 0.02, columns), "zero": 0,
             "axis": rank - (2 if adj_y else 1)}
    low, high = LIMITS[right]
    shape = outer + other
    y = b.tensor(right, shape, random.integers(low, high + 1, shape), **q) \
        if constant else b.input(right, shape, **q)
    out = b.output(kind, outer + [rows, columns], **(
        {} if kind == "f32" else quantized(random, kind, low=0.05, high=0.3)))
    b.op("BATCH_MATMUL", [x, y], [out],
         options_of("BatchMatMul", adjX=adj_x, adjY=adj_y))
    return b.pack()


for _constant in (False, True):
    _end = " constant" if _constant else ""
    case(f"BATCH_MATMUL i8{_end}", kind="i8",
         constant=_constant)(batch_matmul)
    case(f"BATCH_MATMUL i16{_end}", kind="i16",
         constant=_constant)(batch_matmul)
    case(f"BATCH_MATMUL i16 x i8{_end}", kind="i16", right="i8",
         constant=_constant)(batch_matmul)
    case(f"BATCH_MATMUL f32 x i8{_end}", kind="f32", right="i8",
         constant=_constant)(batch_matmul)
for _kind in ("f32", "i8", "i16"):
    case(f"BATCH_MATMUL {_kind} x i8 per channel", kind=_kind, right="i8",
         constant=True, per_channel=True, rank=2)(batch_matmul)
