# SPDX-License-Identifier: Apache-2.0
"""Writes .tflite models of a few operators, for compare_kernels.py."""
import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TYPES = {
    "f32": (schema.TensorType.FLOAT32, np.float32),
    "i8": (schema.TensorType.INT8, np.int8),
    "u8": (schema.TensorType.UINT8, np.uint8),
    "i16": (schema.TensorType.INT16, np.int16),
    "i32": (schema.TensorType.INT32, np.int32),
    "i64": (schema.TensorType.INT64, np.int64),
    "bool": (schema.TensorType.BOOL, np.bool_),
}


# Name -> function of a generator of random numbers, which gives a model.
CASES = {}


def case(name, /, **named):
    def register(function):
        CASES[name] = lambda random: function(random, **named)
        return function
    return register


class Builder:
    """One subgraph; tensors are known by their index."""

    def __init__(self):
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.operatorCodes = []
        self.model.buffers = [schema.BufferT()]
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.operators = [], []
        self.graph.inputs, self.graph.outputs = [], []
        self.model.subgraphs = [self.graph]

    def tensor(self, kind, shape, data=None, scale=None, zero=0, axis=0,
               variable=False):
        tensor = schema.TensorT()
        tensor.type, dtype = TYPES[kind]
        tensor.shape = [int(size) for size in shape]
        tensor.name = f"t{len(self.graph.tensors)}"
        tensor.isVariable = variable
        tensor.buffer = 0
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(
                np.ascontiguousarray(data, dtype).tobytes(), np.uint8)
            tensor.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        if scale is not None:
            quantization = schema.QuantizationParametersT()
            quantization.scale = np.atleast_1d(scale).astype(np.float32)
            quantization.zeroPoint = np.broadcast_to(
                zero, quantization.scale.shape).astype(np.int64)
            quantization.quantizedDimension = axis
            tensor.quantization = quantization
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def input(self, *args, **named):
        index = self.tensor(*args, **named)
        self.graph.inputs.append(index)
        return index

    def output(self, *args, **named):
        index = self.tensor(*args, **named)
        self.graph.outputs.append(index)
        return index

    def op(self, name, inputs, outputs, options=None, intermediates=()):
        code = schema.OperatorCodeT()
        code.builtinCode = getattr(schema.BuiltinOperator, name)
        code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        # No version is told apart by what is tested here but the newest.
        code.version = 1
        operator = schema.OperatorT()
        operator.opcodeIndex = len(self.model.operatorCodes)
        self.model.operatorCodes.append(code)
        operator.inputs = [-1 if i is None else i for i in inputs]
        operator.outputs = list(outputs)
        operator.intermediates = list(intermediates)
        if options is not None:
            kind = type(options).__name__[:-1]
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, kind)
            operator.builtinOptions = options
        self.graph.operators.append(operator)
        return code

    def pack(self):
        out = flatbuffers.Builder(1 << 16)
        out.Finish(self.model.Pack(out), b"TFL3")
        return bytes(out.Output())
