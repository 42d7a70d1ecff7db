#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one run of a model takes in the real LiteRT; for run_memory.py.

  bench/litert_memory.py inputs MODEL FOLDER           writes input-0.npy, ...
  bench/litert_memory.py (plain|default) MODEL FOLDER  runs with them once

The second form prints a line of JSON: the process's resident bytes before the
model was opened, with the engine's library loaded and the inputs in memory,
and its peak until the first run was over. One process, one measurement.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent /
                       "scripts"))

import litert_engine  # noqa: E402

litert_engine.ensure_package()

import numpy as np  # noqa: E402
from ai_edge_litert import interpreter as litert  # noqa: E402

import litert_values  # noqa: E402

SEED = 42


def open_model(model, mode):
    types = litert.OpResolverType
    resolver = (types.AUTO if mode == "default" else
                types.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    return litert.Interpreter(model_path=model, num_threads=1,
                              experimental_op_resolver_type=resolver)


def write_inputs(model, folder):
    engine = open_model(model, "plain")
    for i, detail in enumerate(engine.get_input_details()):
        np.save(folder / f"input-{i}.npy",
                litert_values.random_input(SEED, i, detail))


def field(name):
    """A figure of /proc/self/status in bytes."""
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    raise KeyError(name)


def measure(model, mode, folder):
    files = sorted(folder.glob("input-*.npy"),
                   key=lambda path: int(path.stem.split("-")[1]))
    inputs = [np.load(path) for path in files]
    with open("/proc/self/clear_refs", "w", encoding="ascii") as refs:
        refs.write("5")  # The peak begins anew.
    start = field("VmRSS")
    engine = open_model(model, mode)
    engine.allocate_tensors()
    for detail, value in zip(engine.get_input_details(), inputs):
        engine.set_tensor(detail["index"], value)
    engine.invoke()
    print(json.dumps({"start": start, "peak_rss": field("VmHWM")}))


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("inputs", "plain", "default"):
        sys.exit(__doc__)
    mode, model, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    try:
        if mode == "inputs":
            write_inputs(model, folder)
        else:
            measure(model, mode, folder)
    except (RuntimeError, ValueError) as error:
        sys.exit(" ".join(str(error).split()))


if __name__ == "__main__":
    main()
