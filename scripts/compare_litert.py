#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares our outputs with recorded ones of the real LiteRT.

compare_litert.py RUN_MODEL SHARED [--only SUBSTRING] [--arithmetic litert]

Runs every model of SHARED/models with seeded inputs and prints a line each:
how many outputs are equal to the bit, and the worst difference (steps for
integers, part of the range for floats) to LiteRT without its delegate, with
LiteRT's own difference between its two arithmetics beside it.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np


def difference(ours, golden):
    """Worst difference: steps for integers, part of the range for floats."""
    if golden.dtype == bool or np.issubdtype(golden.dtype, np.integer):
        return int(np.max(np.abs(ours.astype(np.int64) -
                                 golden.astype(np.int64)), initial=0))
    bad = np.isfinite(ours) != np.isfinite(golden)
    if np.any(bad):
        return float("inf")
    good = np.isfinite(golden)
    if not np.any(good):
        return 0.0
    a, b = ours[good].astype(np.float64), golden[good].astype(np.float64)
    span = float(np.max(np.abs(b)))
    worst = float(np.max(np.abs(a - b)))
    return worst / span if span > 0 else worst


def load(folder, entry, index):
    name = entry.get("file")
    if name is None:
        return load(folder, index[entry["same_as"].rsplit(".", 1)[0]], index)
    return np.load(folder / name).reshape(-1)


def compare(path, folder, binary, arithmetic, timeout):
    index = json.loads((folder / "index.json").read_text())
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.run([binary, path, arithmetic, "3", out],
                             capture_output=True, text=True, timeout=timeout)
        if run.returncode != 0:
            return "FAILS: " + (run.stderr.strip() or
                                f"signal {-run.returncode}")[:400]
        seconds = run.stdout.split()[2]
        memory = run.stdout.strip().splitlines()[-1]
        parts, equal = [], 0
        count = 0
        for key, entry in index.items():
            if key.startswith("default"):
                continue
            count += 1
            raw = pathlib.Path(out, key + ".bin").read_bytes()
            golden = load(folder, entry, index)
            ours = np.frombuffer(raw, dtype=entry["dtype"])
            size = int(np.prod(entry["shape"]))
            if ours.size != size:
                return f"FAILS: {key} has {ours.size} elements, not {size}"
            if golden.size != size:
                ours = ours[np.arange(4096) * size // 4096]
            worst = difference(ours, golden)
            if np.array_equal(ours, golden):
                equal += 1
            elif worst:
                parts.append(f"{key} {worst:.3g}")
        return f"{equal}/{count} equal, {seconds}s, {memory}; " + \
            " ".join(parts[:6])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--folder", default="", choices=["", "unit", "generated"])
    parser.add_argument("--arithmetic", default="litert")
    parser.add_argument("--timeout", type=float, default=300)
    args = parser.parse_args()
    own = {}
    own_file = args.shared / "goldens/litert/plain_vs_default.csv"
    for line in own_file.read_text().splitlines()[1:]:
        name, _, value = line.partition(",")
        own[name] = value
    models = args.shared / "models" / args.folder
    for path in sorted(models.glob("*.tflite")):
        if args.only not in path.name:
            continue
        folder = args.shared / "goldens/litert/outputs" / path.stem
        if not (folder / "index.json").exists():
            print(path.stem, "no golden", flush=True)
            continue
        try:
            result = compare(path, folder, args.binary, args.arithmetic,
                             args.timeout)
        except subprocess.TimeoutExpired:
            result = "FAILS: out of time"
        print(f"{path.stem}: {result} [own {own.get(path.name, '')}]",
              flush=True)


if __name__ == "__main__":
    main()
