# SPDX-License-Identifier: Apache-2.0
"""Every value that the real LiteRT computes for a model on seeded inputs.

As a script it does one task, given as JSON: it ends with the process where
LiteRT does, which some files make it do. See `child`.
"""
import json
import pathlib
import struct
import sys

import litert_engine


def mix(seed, index, count):
    import numpy as np
    with np.errstate(over="ignore"):
        k = np.arange(1, count + 1, dtype=np.uint64) + \
            np.uint64(index) * np.uint64(2**32)
        z = np.uint64(seed) + k * np.uint64(0x9E3779B97F4A7C15)
        z ^= z >> np.uint64(30)
        z *= np.uint64(0xBF58476D1CE4E5B9)
        z ^= z >> np.uint64(27)
        z *= np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def random_input(seed, index, detail):
    """What `random:SEED` is for input `index`."""
    import numpy as np
    shape, dtype = detail["shape"], np.dtype(detail["dtype"])
    if dtype.kind not in "biuf":
        raise ValueError("there are no seeded strings")
    z = mix(seed, index, int(np.prod(shape)))
    if dtype.kind == "f":
        value = (z >> np.uint64(40)).astype(np.float32) / 2**23 - 1
    elif dtype == bool:
        value = z & np.uint64(1)
    elif dtype.itemsize >= 4:
        value = z % np.uint64(4)
    else:
        value = z & np.uint64(2**(8 * dtype.itemsize) - 1)
        value = value.astype(np.dtype(f"u{dtype.itemsize}")).view(dtype)
    return value.astype(dtype).reshape(shape)


def invoke_main(engine):
    for i, detail in enumerate(engine.get_input_details()):
        engine.set_tensor(detail["index"], random_input(42, i, detail))
    engine.invoke()
    return 0


def invoke_signature(engine, key):
    runner = engine.get_signature_runner(key)
    runner(**{name: random_input(42, i, detail) for i, (name, detail) in
              enumerate(runner.get_input_details().items())})
    return runner._subgraph_index  # pylint: disable=protected-access


def with_first_subgraph(model, index):
    """The file's bytes with subgraph `index` in the place of the first, which
    it must not call; that the first takes its place does not matter then."""
    data = bytearray(pathlib.Path(model).read_bytes())

    def number(kind, at):
        return struct.unpack_from(kind, data, at)[0]
    root = number("<I", 0)
    table = root - number("<i", root)
    field = root + number("<H", table + 4 + 2 * 2)  # Model.subgraphs.
    vector = field + number("<I", field)
    first, other = vector + 4, vector + 4 + 4 * index
    targets = other + number("<I", other), first + number("<I", first)
    for at, target in zip((first, other), targets):
        struct.pack_into("<I", data, at, target - at)
    return bytes(data)


def invoke_callee(engine, values):
    """Runs a branch or a part of a loop; `values` by tensor."""
    for tensor, value in values.items():
        engine.resize_tensor_input(tensor, value.shape)
    engine.allocate_tensors()
    for tensor, value in values.items():
        try:
            engine.set_tensor(tensor, value)
        except ValueError as error:
            if "unallocated" not in str(error):
                raise  # Only an input that nobody reads has no memory.
    engine.invoke()


def write_tensors(engine, path, subgraphs):
    """Every value that the engine shows; strings and handles it does not.
    `subgraphs` are pairs: the engine's number and the one to write."""
    import numpy as np
    with open(path, "wb") as out:
        for own, subgraph in subgraphs:
            for detail in engine.get_tensor_details(own):
                if detail["dtype"] in (np.bytes_, np.object_, np.void):
                    continue
                shape = detail["shape"]
                try:
                    value = np.ascontiguousarray(
                        engine.get_tensor(detail["index"], own))
                except (ValueError, RuntimeError):
                    if 0 not in shape:
                        continue
                    value = np.zeros(shape)  # It has no bytes to show.
                raw = value.tobytes()
                out.write(struct.pack("<iiii", subgraph, detail["index"],
                                      len(shape), 0))
                out.write(struct.pack(f"<{len(shape)}q", *shape))
                out.write(struct.pack("<q", len(raw)))
                out.write(raw)


def dump_main(model, path):
    """Values of all tensors after a run of the first subgraph."""
    engine = litert_engine.open_model(model, preserve=True)
    invoke_main(engine)
    write_tensors(engine, path,
                  [(i, i) for i in range(engine.num_subgraphs())])


def read_values(engine, task):
    """What the caller would hand its callee: values by the callee's tensor."""
    import numpy as np
    caller, _, pairs = task["call"]
    types = {d["index"]: d["dtype"] for d in engine.get_tensor_details(0)}
    values = {}
    with open(task["values"], "rb") as file:
        while head := file.read(16):
            subgraph, tensor, rank, _ = struct.unpack("<iiii", head)
            shape = struct.unpack(f"<{rank}q", file.read(8 * rank))
            raw = file.read(struct.unpack("<q", file.read(8))[0])
            for source, to in pairs:
                if (subgraph, tensor) == (caller, source):
                    values[to] = np.frombuffer(raw, types[to]).reshape(shape)
    return values


def child(task):
    """What is done in a process of its own, since some files end LiteRT's."""
    if "path" not in task:
        engine = litert_engine.open_model(task["model"])
        keys = list(engine.get_signature_list())
        print(json.dumps(keys if len(keys) > 1 else [None]))
        return
    if "call" in task:
        callee = task["call"][1]
        alone = pathlib.Path(task["path"] + ".tflite")
        alone.write_bytes(with_first_subgraph(task["model"], callee))
        engine = litert_engine.open_model(alone, preserve=True)
        invoke_callee(engine, read_values(engine, task))
        write_tensors(engine, task["path"], [(0, callee)])
        return
    engine = litert_engine.open_model(task["model"], preserve=True)
    entry = invoke_signature(engine, task["key"]) if task["key"] else \
        invoke_main(engine)
    write_tensors(engine, task["path"],
                  [(i, i) for i in range(engine.num_subgraphs())
                   if i not in task["without"]])
    print(json.dumps(entry))


if __name__ == "__main__":
    child(json.loads(sys.argv[1]))
