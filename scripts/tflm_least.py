#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the least arena in which the real TFLM can build a model.

    python3 -m venv venv && venv/bin/pip install --pre tflite-micro
    venv/bin/python scripts/tflm_least.py MODEL.tflite ...
    venv/bin/python scripts/tflm_least.py --stowplan build/release/stowplan \\
        MODEL.tflite ...

Prints one line of CSV a model: its path, the least arena in bytes (empty if
TFLM does not take the model), and with --stowplan what that program says and
the difference. Exit status 1 if the program says less than the real need.

Each attempt is a process of its own, since too small an arena may crash TFLM.
"""

import argparse
import json
import os
import subprocess
import sys

LARGE = 512 << 20
FIRST = 4096


def builds(model: bytes, size: int) -> bool:
    """Whether TFLM builds the model in an arena of that size."""
    from tflite_micro.python.tflite_micro import runtime

    child = os.fork()
    if child == 0:
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        status = 1
        try:
            runtime.Interpreter.from_bytes(model, arena_size=size)
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def least_arena(model: bytes) -> int | None:
    """The least size that works, or None if none does."""
    fails, works = 0, FIRST
    while not builds(model, works):
        if works >= LARGE:
            return None
        fails, works = works, works * 4
    while works - fails > 1:
        middle = (fails + works) // 2
        if builds(model, middle):
            works = middle
        else:
            fails = middle
    return works


def predicted(program: str, path: str) -> int | None:
    """What Stowplan says of the package's build, or None if it refuses."""
    command = [program, "plan", path, "--engine", "tflm", "--pointer-bytes",
               "8", "--tflm-build", "wheel", "--json"]
    result = subprocess.run(command, capture_output=True, check=False)
    if result.returncode != 0:
        return None
    return json.loads(result.stdout)["tflm"]["least_arena_bytes"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--stowplan", metavar="PROGRAM",
                        help="compare with what this program says")
    options = parser.parse_args()
    print("model,least_arena_bytes" +
          (",predicted,difference" if options.stowplan else ""))
    below = 0
    for path in options.models:
        with open(path, "rb") as file:
            least = least_arena(file.read())
        fields = [path, "" if least is None else str(least)]
        if options.stowplan:
            said = predicted(options.stowplan, path)
            known = said is not None and least is not None
            fields += ["" if said is None else str(said),
                       str(said - least) if known else ""]
            below += known and said < least
        print(",".join(fields), flush=True)
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
