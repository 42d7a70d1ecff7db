#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares our model of LiteRT with the real one, tensor by tensor.

Runs each model in ai-edge-litert without its delegate and compares the
addresses with `stowplan plan MODEL --engine litert --json`. The start of an
arena is not known: it is the most frequent difference of its tensors. Exit
code 0: all agree; 1: differences are listed.

  scripts/compare_engines.py [--stowplan PROGRAM] MODEL.tflite...
"""
import argparse
import collections
import json
import subprocess
import sys

import litert_engine


def predicted(program, model):
    """{arena: {tensor: (offset, bytes)}} of the first subgraph.

    Temporaries of kernels count as tensors, by the engine's number; what a
    run places later has no address yet.
    """
    text = subprocess.run(
        [program, "plan", model, "--engine", "litert", "--json"], check=True,
        stdout=subprocess.PIPE).stdout
    arenas = collections.defaultdict(dict)
    for entry in json.loads(text)["tensors"]:
        tensor = entry["tensor"]
        if tensor is None:
            tensor = entry.get("engine_tensor")
        if (entry["subgraph"] == 0 and tensor is not None
                and entry["offset"] is not None and entry["bytes"] > 0
                and (entry["shape"] or entry["tensor"] is None)
                and "phase" not in entry):
            arena = "persistent" if entry["kind"] == "persistent" else "arena"
            arenas[arena][tensor] = (entry["offset"], entry["bytes"])
    return arenas


def differences(arenas, real):
    """Sentences on what differs, and how many tensors were compared."""
    found, compared = [], 0
    for tensors in arenas.values():
        votes = collections.Counter(
            real[t][0] - offset for t, (offset, _) in tensors.items()
            if t in real)
        if not votes:
            continue
        base = votes.most_common(1)[0][0]
        for tensor, (offset, size) in tensors.items():
            if tensor not in real:
                continue
            compared += 1
            at, bytes_ = real[tensor][0] - base, real[tensor][1]
            if (at, bytes_) != (offset, size):
                found.append(f"tensor {tensor}: predicted {offset} + {size}, "
                             f"is {at} + {bytes_}")
    return found, compared


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stowplan", default="stowplan")
    parser.add_argument("models", nargs="+")
    arguments = parser.parse_args()
    litert_engine.ensure_package()
    worst = 0
    for model in arguments.models:
        try:
            engine = litert_engine.open_model(model)
        except (RuntimeError, ValueError) as error:
            first = str(error).splitlines()[0]
            print(f"{model}: the engine does not take it: {first}")
            continue
        real = {t: (a, b)
                for t, a, b in litert_engine.addresses(engine, model)}
        found, compared = differences(predicted(arguments.stowplan, model),
                                      real)
        print(f"{model}: {compared - len(found)} of {compared} tensors agree")
        for line in found:
            print("  " + line)
        worst = max(worst, 1 if found else 0)
    return worst


if __name__ == "__main__":
    sys.exit(main())
