#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares every operator with the real LiteRT on the same inputs.

compare_operators.py CHECK_OPERATORS MODEL... [--arithmetic litert]

LiteRT (ai-edge-litert from PyPI) runs the model without delegates on seeded
inputs and keeps every intermediate value; each of our kernels then gets the
inputs that LiteRT had. Prints the operators that differ, worst first, by type.
"""
import argparse
import collections
import pathlib
import struct
import subprocess
import tempfile

import numpy as np
from ai_edge_litert import interpreter as litert


def mix(seed, index, count):
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
    shape, dtype = detail["shape"], np.dtype(detail["dtype"])
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


def dump(model, path):
    engine = litert.Interpreter(
        str(model), experimental_preserve_all_tensors=True,
        experimental_op_resolver_type=litert.OpResolverType.
        BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    engine.allocate_tensors()
    for i, detail in enumerate(engine.get_input_details()):
        engine.set_tensor(detail["index"], random_input(42, i, detail))
    engine.invoke()
    with open(path, "wb") as out:
        for detail in engine.get_tensor_details():
            if detail["dtype"] in (np.bytes_, np.object_, np.void):
                continue
            try:
                value = np.ascontiguousarray(
                    engine.get_tensor(detail["index"]))
            except ValueError:
                continue
            raw = value.tobytes()
            out.write(struct.pack("<ii", detail["index"], value.ndim))
            out.write(struct.pack(f"<{value.ndim}q", *value.shape))
            out.write(struct.pack("<q", len(raw)))
            out.write(raw)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--arithmetic", default="litert")
    args = parser.parse_args()
    worst = collections.defaultdict(lambda: [0.0, 0, 0, 0])
    for model in args.models:
        with tempfile.NamedTemporaryFile() as file:
            try:
                dump(model, file.name)
            except (RuntimeError, ValueError) as error:
                print(model.stem, "LiteRT fails:", str(error)[:100])
                continue
            run = subprocess.run(
                [args.binary, model, args.arithmetic, file.name],
                capture_output=True, text=True)
        if run.returncode != 0:
            print(model.stem, "FAILS", run.stderr.strip()[:300])
            continue
        for line in run.stdout.splitlines():
            parts = line.split()
            if parts[2] in ("skipped:", "FAILS:"):
                if parts[2] == "FAILS:":
                    print(model.stem, line[:200])
                continue
            entry = worst[parts[1]]
            value, differing, elements = float(parts[2]), int(parts[3]), \
                int(parts[4])
            entry[0] = max(entry[0], value)
            entry[1] += differing
            entry[2] += elements
            entry[3] += 1
            if value > 1e-5:
                print(f"{model.stem}: operator {parts[0]} {parts[1]} worst "
                      f"{value:.3g}, {differing} of {elements}", flush=True)
    for name, (value, differing, elements, count) in sorted(
            worst.items(), key=lambda item: -item[1][0]):
        print(f"{name}: worst {value:.3g}, {differing} of {elements} "
              f"elements, {count} operators")


if __name__ == "__main__":
    main()
