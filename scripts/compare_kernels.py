#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares single operators on random shapes with the real LiteRT.

compare_kernels.py RUN_MODEL [--only SUBSTRING] [--rounds N] [--arithmetic A]

Builds models of one operator (schema from ai-edge-litert), runs each three
times in a row, so that states count, in LiteRT without delegates and in ours
on the same seeded inputs, and prints for every case of lstm_cases.py and
kernel_cases.py how many models are equal to the bit, and the worst difference
(steps, or part of the range for floats). Exit code 1 if none could be
compared, or one of ours fails or is more than a step off. Where compare_random.py has random
shapes of all operators, this has the options and mixed types of a few.
"""
import argparse
import importlib
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile

import litert_engine

litert_engine.ensure_package()
import numpy as np  # noqa: E402
from ai_edge_litert import interpreter as litert  # noqa: E402

from compare_litert import difference  # noqa: E402
from litert_values import random_input  # noqa: E402
from kernel_model import CASES  # noqa: E402

RUNS = 3
TOO_FAR = 3  # How the process of a case ends if it is.


def theirs(path):
    engine = litert.Interpreter(
        str(path), experimental_op_resolver_type=litert.OpResolverType.
        BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    engine.allocate_tensors()
    results = []
    for _ in range(RUNS):
        for i, detail in enumerate(engine.get_input_details()):
            engine.set_tensor(detail["index"], random_input(42, i, detail))
        engine.invoke()
        results.append([engine.get_tensor(detail["index"]).copy()
                        for detail in engine.get_output_details()])
    return results


def ours(binary, path, folder, arithmetic, like):
    run = subprocess.run([binary, path, arithmetic, str(RUNS), folder],
                         capture_output=True, text=True)
    if run.returncode != 0:
        raise ValueError(run.stderr.strip() or f"signal {-run.returncode}")
    return [[np.fromfile(f"{folder}/run{r + 1}_out{i}.bin", value.dtype)
             for i, value in enumerate(values)]
            for r, values in enumerate(like)]


def compare(binary, path, folder, arithmetic):
    """The worst difference over all runs and outputs."""
    expected = theirs(path)
    got = ours(binary, path, folder, arithmetic, expected)
    worst = 0
    for mine, golden in zip(sum(got, []), sum(expected, [])):
        golden = golden.reshape(-1)
        if mine.size != golden.size:
            raise ValueError(f"{mine.size} elements, not {golden.size}")
        if not np.array_equal(mine, golden, equal_nan=mine.dtype.kind == "f"):
            worst = max(worst, difference(mine, golden))
    return worst


def check(case, name, args):
    equal, worst, refused, failed, errors = 0, 0, 0, 0, []
    for seed in range(args.rounds):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.tflite")
            path.write_bytes(case(np.random.default_rng(seed)))
            try:
                value = compare(args.binary, path, folder, args.arithmetic)
            except RuntimeError as error:  # LiteRT takes no such model.
                refused += 1
                errors.append(str(error)[:120])
                continue
            except ValueError as error:
                errors.append(str(error)[:250])
                failed += 1
                continue
        worst = max(worst, value)
        equal += value == 0
    ran = args.rounds - refused
    line = f"{name}: {equal} of {ran} equal, worst {worst:.3g}"
    if refused:
        line += f", LiteRT refuses {refused}"
    if errors:
        line += "; " + errors[0].replace("\n", " ")
    print(line, flush=True)
    if failed or worst > 1:
        sys.exit(TOO_FAR)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--arithmetic", default="litert")
    args = parser.parse_args()
    for module in ("lstm_cases", "kernel_cases"):
        importlib.import_module(module)  # Fills CASES.
    ran = off = 0
    for name, case in CASES.items():
        if args.only not in name:
            continue
        # LiteRT ends the process on some models that it does not expect.
        child = multiprocessing.get_context("fork").Process(
            target=check, args=(case, name, args))
        child.start()
        child.join()
        ran += child.exitcode in (0, TOO_FAR)
        off += child.exitcode == TOO_FAR
        if child.exitcode not in (0, TOO_FAR):
            print(f"{name}: LiteRT crashes ({child.exitcode})", flush=True)
    print(f"{ran} cases, {off} of them with models that are too far off")
    return 1 if off or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
