# SPDX-License-Identifier: Apache-2.0
"""Random LSTMs for compare_kernels.py."""
from ai_edge_litert import schema_py_generated as schema

from kernel_model import Builder, case


def weights(b, random, shape, low=0.001, high=0.01):
    data = random.integers(-127, 128, shape)
    return b.tensor("i8", shape, data, scale=random.uniform(low, high))


def lstm_int8(random, norm=False, projection=False, peephole=False,
              coupled=False, bits=None, clip=False, batches=None,
              kind="UNIDIRECTIONAL_SEQUENCE_LSTM", same_size=False):
    b = Builder()
    batch = batches or int(random.integers(1, 4))
    times = int(random.integers(1, 6))
    inputs = int(random.integers(1, 40))
    cells = int(random.integers(1, 40))
    outputs = cells
    if projection and not same_size:
        outputs = int(random.integers(1, cells + 1))
    time_major = bool(random.integers(2))
    if bits is None:
        bits = int(random.integers(0, 7))
    sequence = kind != "LSTM"
    shape = [batch, inputs]
    if sequence:
        shape = [times, batch, inputs] if time_major else [batch, times, inputs]
    x = b.input("i8", shape, scale=random.uniform(0.005, 0.05),
                zero=int(random.integers(-128, 128)))
    gates = range(1 if coupled else 0, 4)

    def per_gate(make):
        return [make() if g in gates else None for g in range(4)]

    ins = [x]
    ins += per_gate(lambda: weights(b, random, [cells, inputs]))
    ins += per_gate(lambda: weights(b, random, [cells, outputs]))
    for g in (0, 1, 3):
        ins.append(b.tensor("i16", [cells],
                            random.integers(-32767, 32768, cells),
                            scale=random.uniform(1e-5, 1e-4))
                   if peephole and g in gates else None)
    bound = 300000 if norm else 3000
    ins += per_gate(lambda: b.tensor(
        "i32", [cells], random.integers(-bound, bound, cells), scale=1e-5))
    ins += [None, None]
    if projection:
        ins[16] = weights(b, random, [outputs, cells])
        ins[17] = b.tensor("i32", [outputs],
                           random.integers(-3000, 3000, outputs), scale=1e-5)
    out_scale = random.uniform(0.002, 0.01)
    out_zero = int(random.integers(-20, 21))
    ins.append(b.tensor("i8", [batch, outputs], scale=out_scale, zero=out_zero,
                        variable=True))
    ins.append(b.tensor("i16", [batch, cells], scale=2.0 ** (bits - 15),
                        variable=True))
    ins += per_gate(lambda: b.tensor(
        "i16", [cells], random.integers(-32767, 32768, cells),
        scale=random.uniform(1e-5, 1e-4)) if norm else None)
    shape = shape[:-1] + [outputs]
    y = b.output("i8", shape, scale=out_scale, zero=out_zero)
    hidden = (out_scale, out_zero)
    if projection:
        hidden = (random.uniform(0.004, 0.01), int(random.integers(-60, 61)))
    middle = [b.tensor("i16", [0], scale=random.uniform(0.0005, 0.005)
                       if norm else 2.0 ** -12) for _ in range(4)]
    middle.append(b.tensor("i8", [0], scale=hidden[0], zero=hidden[1]))
    if sequence:
        options = schema.UnidirectionalSequenceLSTMOptionsT()
        options.timeMajor = time_major
    else:
        options = schema.LSTMOptionsT()
    options.fusedActivationFunction = schema.ActivationFunctionType.TANH
    if clip:
        options.cellClip = float(random.uniform(0.3, 2.0))
        options.projClip = float(random.uniform(0.05, 0.5))
    b.op(kind, ins, [y], options, middle)
    return b.pack()


for _suffix, _named in {
        "plain": {}, "one integer bit too few": {"bits": -1},
        "coupled": {"coupled": True}, "peephole": {"peephole": True},
        "projection": {"projection": True}, "norm": {"norm": True},
        "clip": {"clip": True, "projection": True},
        "peephole projection": {"peephole": True, "projection": True},
        "all": {"norm": True, "projection": True, "peephole": True,
                "clip": True, "same_size": True},
        "all coupled": {"norm": True, "projection": True, "peephole": True,
                        "coupled": True, "same_size": True}}.items():
    case(f"sequence lstm i8 {_suffix}", **_named)(lstm_int8)
    case(f"lstm i8 {_suffix}", kind="LSTM", **_named)(lstm_int8)


def lstm_float(random, hybrid=False, norm=False, projection=False,
               peephole=False, coupled=False, clip=False, asymmetric=False,
               kind="UNIDIRECTIONAL_SEQUENCE_LSTM"):
    b = Builder()
    batch, times, inputs, cells = (int(n) for n in random.integers(1, 30, 4))
    outputs = int(random.integers(1, cells + 1)) if projection else cells
    time_major = bool(random.integers(2))
    sequence = kind != "LSTM"
    shape = [batch, inputs]
    if sequence:
        shape = [times, batch, inputs] if time_major else [batch, times, inputs]
    x = b.input("f32", shape)

    def floats(size, scale=0.5):
        return b.tensor("f32", size, random.uniform(-scale, scale, size))

    def matrix(*size):
        return weights(b, random, size) if hybrid else floats(size)

    def per_gate(make):
        return [None if coupled and g == 0 else make() for g in range(4)]

    ins = [x] + per_gate(lambda: matrix(cells, inputs))
    ins += per_gate(lambda: matrix(cells, outputs))
    holes = per_gate(lambda: matrix(cells) if peephole else None)
    ins += [holes[0], holes[1], holes[3]]
    ins += per_gate(lambda: floats([cells]))
    ins += [matrix(outputs, cells), floats([outputs])] if projection else \
        [None, None]
    ins += [b.tensor("f32", [batch, outputs], variable=True),
            b.tensor("f32", [batch, cells], variable=True)]
    ins += per_gate(lambda: floats([cells]) if norm else None)
    y = b.output("f32", shape[:-1] + [outputs])
    options = schema.UnidirectionalSequenceLSTMOptionsT() if sequence else \
        schema.LSTMOptionsT()
    if sequence:
        options.timeMajor = time_major
    options.asymmetricQuantizeInputs = asymmetric
    options.fusedActivationFunction = schema.ActivationFunctionType.TANH
    if clip:
        options.cellClip, options.projClip = 0.7, 0.3
    b.op(kind, ins, [y], options)
    return b.pack()


for _hybrid in ("f32", "hybrid"):
    for _suffix, _named in {
            "plain": {}, "coupled": {"coupled": True},
            "asymmetric": {"asymmetric": True},
            "all": {"norm": True, "projection": True, "peephole": True,
                    "clip": True},
            "all coupled": {"norm": True, "projection": True,
                            "peephole": True, "coupled": True}}.items():
        for _kind in ("UNIDIRECTIONAL_SEQUENCE_LSTM", "LSTM"):
            _name = "lstm" if _kind == "LSTM" else "sequence lstm"
            case(f"{_name} {_hybrid} {_suffix}", hybrid=_hybrid == "hybrid",
                 kind=_kind, **_named)(lstm_float)


@case("lstm basic f32", variable=False)
@case("lstm basic f32 variable", variable=True)
def lstm_basic(random, variable):
    b = Builder()
    batch, inputs, cells = (int(n) for n in random.integers(1, 20, 3))
    x = b.input("f32", [batch, inputs])
    make = b.tensor if variable else b.input
    named = {"variable": True} if variable else {}
    state = make("f32", [batch, cells], **named)
    matrix = b.tensor("f32", [4 * cells, inputs + cells],
                      random.uniform(-0.5, 0.5, [4 * cells, inputs + cells]))
    bias = b.tensor("f32", [4 * cells], random.uniform(-0.5, 0.5, 4 * cells))
    cell = make("f32", [batch, cells], **named)
    outs = [b.output("f32", [batch, cells]), b.output("f32", [batch, cells]),
            b.output("f32", [batch, inputs + cells]),
            b.output("f32", [batch, 4 * cells])]
    options = schema.LSTMOptionsT()
    options.kernelType = schema.LSTMKernelType.BASIC
    options.fusedActivationFunction = schema.ActivationFunctionType.TANH
    b.op("LSTM", [x, state, matrix, bias, cell], outs, options)
    return b.pack()
