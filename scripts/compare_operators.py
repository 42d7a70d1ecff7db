#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares every operator with the real LiteRT on the same inputs.

compare_operators.py CHECK_OPERATORS MODEL... [--arithmetic both]
                     [--json FILE] [--csv FILE]

MODEL is a file or a folder of them. LiteRT (ai-edge-litert from PyPI) runs
the model without delegates on seeded inputs and keeps every intermediate
value. A condition's branches and a loop's parts are run by themselves, once,
on what their caller would hand them. Each of our kernels gets the inputs that
LiteRT had. The rule: quantised integers within 1 step, floats within 1e-5 of
the range, all other numbers equal.

Prints the operators that break it and a summary by type, with what was left
out or is explained (EXPLAINED below) and why. Exit code: 0 if none does, 1 if
one does or a kernel fails.
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import litert_engine
import litert_values

MAX_STEPS, MAX_PART, MAX_WHOLE = 1, 1e-5, 0
FIELDS = ["arithmetic", "model", "kind", "type", "operators", "equal",
          "worst_steps", "worst_part", "worst_whole", "differing", "elements",
          "over", "explained"]

# Operators that break the rule for a reason, by arithmetic, model and type:
# faults of LiteRT's kernels that only its own arithmetic follows; see
# docs/arithmetic.md.
EXPLAINED = {
    ("float", "static_w8_a16_quantized_k_einsum", "BATCH_MATMUL"):
        "LiteRT reads scales by column as 0",
}


def calls_of(binary, model):
    run = subprocess.run([binary, str(model), "calls"], capture_output=True,
                         text=True, check=True)
    for line in run.stdout.splitlines():
        caller, callee, *pairs = line.split("\t")
        yield int(caller), int(callee), tuple(
            tuple(map(int, pair.split(":"))) for pair in pairs)


def run_child(**task):
    command = [sys.executable, litert_values.__file__, json.dumps(task)]
    try:
        return subprocess.run(command, capture_output=True, text=True,
                              check=False, timeout=300)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", "out of time")


def answer(run):
    return json.loads(run.stdout.splitlines()[-1])


def dump(binary, model, key, path, results):
    """Values of one entry and of what it calls; the entry, or None."""
    calls = {}
    for caller, callee, pairs in calls_of(binary, model):
        calls.setdefault(callee, (caller, callee, pairs))
    run = run_child(model=str(model), key=key, path=path, without=list(calls))
    if run.returncode != 0:
        results.models.append((model.stem, why_it_ended(run)))
        return None
    for callee, call in calls.items():
        part = run_child(model=str(model), values=path, path=path + ".part",
                         call=call)
        if part.returncode == 0:
            with open(path, "ab") as whole:
                whole.write(pathlib.Path(path + ".part").read_bytes())
        else:
            results.callees.append((model.stem, callee, why_it_ended(part)))
    return answer(run)


def why_it_ended(run):
    lines = [line for line in run.stderr.strip().splitlines() if line.strip()]
    if run.returncode < 0:
        return f"ends with signal {-run.returncode}"
    return lines[-1][:160] if lines else f"exit code {run.returncode}"


def is_within(steps, part, whole):
    return steps <= MAX_STEPS and part <= MAX_PART and whole <= MAX_WHOLE


class Results:
    """Rows by arithmetic, model, kind and type, and what was left out."""

    def __init__(self):
        self.rows = {}
        self.skipped = collections.Counter()
        self.failures = []
        self.explained = []
        self.models = []  # (model, why LiteRT does not run it or None)
        self.callees = []  # (model, subgraph, why it does not run alone)

    def add(self, arithmetic, model, line):
        subgraph, operator, kind_of, kind, *rest = line.split("\t")
        where = f"{model}: subgraph {subgraph}, operator {operator} {kind_of}"
        if rest[0] == "skipped":
            self.skipped[arithmetic, kind_of, rest[1]] += 1
            return
        if rest[0] == "fails":
            self.fail(f"{arithmetic}: {where} fails: {rest[1][:200]}")
            return
        steps, part, whole = map(float, rest[:3])
        differing, elements = map(int, rest[3:])
        row = self.rows.setdefault(
            (arithmetic, model, kind, kind_of),
            dict(zip(FIELDS, [arithmetic, model, kind, kind_of] + [0] * 8 +
                     [""])))
        row["operators"] += 1
        row["equal"] += differing == 0
        row["differing"] += differing
        row["elements"] += elements
        for name, value in (("steps", steps), ("part", part),
                            ("whole", whole)):
            row[f"worst_{name}"] = max(row[f"worst_{name}"], value)
        if not is_within(steps, part, whole):
            why = EXPLAINED.get((arithmetic, model, kind_of))
            if why is not None:
                row["explained"] = why
                self.explained.append(f"{arithmetic}: {where}: {why}")
                return
            row["over"] += 1
            self.fail(f"{arithmetic}: {where} ({kind}) is {steps:g} steps, "
                      f"{part:.3g} of the range, {whole:g} off; {differing} "
                      f"of {elements} elements differ")

    def fail(self, text):
        self.failures.append(text)
        print(text, flush=True)


def check(binary, model, arithmetics, results):
    keys = run_child(model=str(model))
    if keys.returncode != 0:
        results.models.append((model.stem, why_it_ended(keys)))
        return
    with tempfile.TemporaryDirectory() as folder:
        for key in answer(keys):
            path = f"{folder}/values"
            entry = dump(binary, model, key, path, results)
            if entry is None:
                return
            for arithmetic in arithmetics:
                own = subprocess.run(
                    [binary, str(model), arithmetic, path, str(entry)],
                    capture_output=True, text=True, check=False)
                if own.returncode != 0:
                    results.fail(f"{arithmetic}: {model.stem} cannot be "
                                 f"checked: {why_it_ended(own)}")
                for line in own.stdout.splitlines():
                    results.add(arithmetic, model.stem, line)
    results.models.append((model.stem, None))


def summary(results):
    by_type = {}
    for row in results.rows.values():
        key = row["arithmetic"], row["kind"], row["type"]
        total = by_type.setdefault(key, collections.Counter())
        for name in FIELDS[4:-1]:
            if name.startswith("worst"):
                total[name] = max(total[name], row[name])
            else:
                total[name] += row[name]
    for key, total in sorted(by_type.items()):
        print(f"{' '.join(key)}: {total['operators']} operators, "
              f"{total['equal']} equal, worst {total['worst_steps']:g} steps, "
              f"{total['worst_part']:.3g} of the range, "
              f"{total['worst_whole']:g} whole; {total['differing']} of "
              f"{total['elements']} elements differ")
    for (arithmetic, kind_of, why), count in sorted(results.skipped.items()):
        print(f"left out, {arithmetic}: {count} x {kind_of}, {why}")
    for model, why in results.models:
        if why is not None:
            print(f"left out: {model}, which LiteRT does not run: {why}")
    for model, callee, why in results.callees:
        print(f"left out: subgraph {callee} of {model}, which LiteRT does not "
              f"run by itself: {why}")
    for text in results.explained:
        print(f"explained, {text}")
    ran = sum(why is None for _, why in results.models)
    operators = sum(row["operators"] for row in results.rows.values())
    print(f"{ran} of {len(results.models)} models, {operators} operators, "
          f"{sum(results.skipped.values())} left out, "
          f"{len(results.explained)} explained, "
          f"{len(results.failures)} over the limits")


def write_files(results, args):
    rows = sorted(results.rows.values(),
                  key=lambda row: [row[name] for name in FIELDS[:4]])
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    if args.json:
        document = {
            "limits": {"steps": MAX_STEPS, "part": MAX_PART,
                       "whole": MAX_WHOLE},
            "models": [{"model": model, "litert_fails": why}
                       for model, why in results.models],
            "rows": rows,
            "skipped": [{"arithmetic": a, "type": t, "why": w, "count": n}
                        for (a, t, w), n in sorted(results.skipped.items())],
            "explained": results.explained,
            "failures": results.failures,
        }
        pathlib.Path(args.json).write_text(json.dumps(document, indent=1) +
                                           "\n", encoding="utf-8")


def files_of(paths):
    for path in paths:
        yield from sorted(path.glob("*.tflite")) if path.is_dir() else [path]


def main():
    litert_engine.ensure_package()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--arithmetic", default="both",
                        choices=["both", "litert", "float"])
    parser.add_argument("--json")
    parser.add_argument("--csv")
    args = parser.parse_args()
    arithmetics = ["litert", "float"] if args.arithmetic == "both" else \
        [args.arithmetic]
    results = Results()
    models = list(files_of(args.models))
    for i, model in enumerate(models):
        print(f"{i + 1}/{len(models)} {model.stem}", file=sys.stderr,
              flush=True)
        check(args.binary, model, arithmetics, results)
    summary(results)
    write_files(results, args)
    if not results.rows:
        print("no operator was compared", file=sys.stderr)
        return 1
    return 1 if results.failures else 0


if __name__ == "__main__":
    sys.exit(main())
