#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run takes what it says, and little more, on every public model.

  memory_rule_test.py STOWPLAN BUILD_TYPE

On each model of ../shared/models (or $STOWPLAN_SHARED) that runs: the parts of
the document add up to the peak, the peak rises over the start by no more than
weights touched + arena + persistent + 6 MiB, and the part that nothing names
is small. Exit code 77 (skipped) where the models are not at hand, or in builds
whose code is not of the size that users get.
"""
import json
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
ALLOWED = 6 * 2**20
# What reading and planning took and gave back, at most.
REST = 2**20
TRIES = 3
ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMED = ("mapped_touched", "arena", "persistent", "packed_weights",
         "overflow", "heap", "program")


def memory_of(stowplan, model):
    """The account; None for a model that does not run."""
    result = subprocess.run([stowplan, "run", "--json", "--quiet", model],
                            capture_output=True, text=True)
    if result.returncode != 0:
        return None
    return json.loads(result.stdout)["memory"]


def offences(name, memory):
    growth = memory["peak_rss"] - memory["start"]
    named = sum(memory[part] for part in NAMED)
    over = growth - sum(memory[part] for part in NAMED[:3])
    if growth != named + memory["rest"]:
        yield f"{name}: the parts do not add up to the peak: {memory}"
    if over > ALLOWED:
        yield f"{name}: {over} bytes over weights, arena and persistent"
    if memory["rest"] > REST:
        yield f"{name}: {memory['rest']} bytes that nothing names"


def main():
    stowplan, build_type = sys.argv[1:]
    shared = pathlib.Path(os.environ.get("STOWPLAN_SHARED",
                                         ROOT / "../shared"))
    models = [*sorted((shared / "models").glob("*.tflite")),
              *sorted((shared / "models/generated").glob("*.tflite"))]
    if not models or build_type != "Release":
        print("skipped: needs a Release build and ../shared/models")
        return SKIPPED
    found, ran = [], 0
    for model in models:
        memory = memory_of(stowplan, model)
        if memory is None:
            continue
        ran += 1
        wrong = list(offences(model.stem, memory))
        # How many pages of the program a fault brings in is the kernel's.
        for _ in range(TRIES - 1):
            if wrong:
                memory = memory_of(stowplan, model)
                wrong = list(offences(model.stem, memory))
        found += wrong
    if ran < 80:
        found.append(f"only {ran} of {len(models)} models ran")
    print("\n".join(found) or f"{ran} models keep the rule")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
