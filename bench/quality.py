#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs stowplan_bench_quality on every problem there is and writes it down.

  bench/quality.py                      everything, default options
  bench/quality.py --sets minimalloc    one folder of the problems only
  bench/quality.py --scale              only the generated ones up to 1,000,000

Problems are read from ../shared/problems beside the repository, or from the
folder that STOWPLAN_SHARED names; where there are none, only generated ones
run. Results go to bench/results/<name>.json and, as tables between markers,
to docs/benchmarks.md.
"""

import argparse
import json
import math
import os
import pathlib
import platform
import subprocess
import sys

import docs_table
from docs_table import ROOT

BINARY = ROOT / "build" / "release" / "bench" / "stowplan_bench_quality"
SETS = ["minimalloc", "idealloc", "generated", "gap", "models"]


def problem_files(sets):
    """The CSV files of `sets`, each folder in the order of names."""
    shared = pathlib.Path(os.environ.get("STOWPLAN_SHARED", ROOT / ".." / "shared"))
    files = []
    for name in sets:
        # The iree_* files have an inclusive end without saying so; their
        # *.halfopen.csv twins are the same problems.
        files += [
            path
            for path in sorted((shared / "problems" / name).glob("*.csv"))
            if not (path.name.startswith("iree_") and ".halfopen" not in path.name)
        ]
    return files


def run(arguments, files, generated):
    """The binary's document; each file in a process of its own, so that its
    memory is its own too."""
    command = [str(arguments.binary), "--effort", str(arguments.effort)]
    command += ["--solver", arguments.solver]
    command += ["--threads", str(arguments.threads)]
    if arguments.deadline:
        command += ["--deadline", str(arguments.deadline)]
    document = None
    jobs = [[str(path)] for path in files]
    if generated:
        jobs.append(["--generated", str(generated)])
    for job in jobs:
        done = subprocess.run(command + job, capture_output=True, check=True)
        part = json.loads(done.stdout)
        if document is None:
            document = part
        else:
            document["problems"] += part["problems"]
        for entry in part["problems"]:
            print(row(entry), file=sys.stderr)
    return document


def run_scale(arguments):
    """Heavy-tailed problems by the portfolio without search, and by the
    simplest solver, whose time shows how the data structures grow."""
    document = None
    arguments.effort = 0
    for solver in ("portfolio", "first_fit"):
        arguments.solver = solver
        part = run(arguments, [], 1000000)
        part["problems"] = [e for e in part["problems"] if e["set"] == "heavy"]
        for entry in part["problems"]:
            entry["set"] = f"heavy, {solver}"
        if document is None:
            document = part
        else:
            document["problems"] += part["problems"]
    return document


def gap_text(entry):
    gap = entry["peak"] - entry["lower_bound"]
    if gap == 0:
        return "0"
    percent = 100 * gap / entry["lower_bound"]
    return f"{gap} B" if percent < 0.001 else f"{percent:.3f} %"


def row(entry):
    return (
        f"| {entry['name']} | {entry['buffers']} | {entry['lower_bound']} "
        f"| {entry['peak']} | {gap_text(entry)} | {entry['verdict']} "
        f"| {entry['solver']} | {entry['nodes']} | {1000 * entry['seconds']:.1f} "
        f"| {1000 * entry['cpu_seconds']:.1f} |"
    )


def tables(document):
    head = (
        "| problem | buffers | bound | peak | gap | verdict | found by "
        "| nodes | ms | CPU ms |\n|---|--:|--:|--:|--:|---|---|--:|--:|--:|"
    )
    text = []
    by_set = {}
    for entry in document["problems"]:
        by_set.setdefault(entry["set"], []).append(entry)
    for name, entries in by_set.items():
        optimal = sum(entry["verdict"] == "optimal" for entry in entries)
        cpu = sum(entry["cpu_seconds"] for entry in entries)
        seconds = sum(entry["seconds"] for entry in entries)
        text.append(
            f"### {name}: {optimal} of {len(entries)} proved optimal, "
            f"{seconds:.2f} s in all, {cpu:.2f} s of CPU\n"
        )
        text.append("\n".join([head] + [row(entry) for entry in entries]) + "\n")
    return "\n".join(text)


def slope(document, name):
    """How time grows with size: the slope of the line through the logarithms."""
    entries = [entry for entry in document["problems"] if entry["set"] == name]
    points = [
        (math.log(entry["buffers"]), math.log(entry["cpu_seconds"]))
        for entry in entries
    ]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    rise = sum((x - mean_x) * (y - mean_y) for x, y in points)
    square = sum((x - mean_x) ** 2 for x, _ in points)
    largest = max(entries, key=lambda entry: entry["buffers"])
    return (
        f"{name}: CPU time grows with the number of buffers to the power of "
        f"{rise / square:.2f}; {largest['buffers']} buffers take "
        f"{largest['cpu_seconds']:.2f} s of CPU and "
        f"{largest['max_rss_kib'] / 1024:.0f} MiB.\n"
    )


def describe_machine(arguments):
    commit = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
    ).stdout.strip()
    deadline = f", deadline {arguments.deadline} ms" if arguments.deadline else ""
    return (
        f"Machine: {platform.machine()}, {os.cpu_count()} cores; commit {commit}; "
        f"effort {arguments.effort}, threads {arguments.threads}{deadline}.\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=pathlib.Path, default=BINARY)
    parser.add_argument("--solver", default="portfolio")
    parser.add_argument("--effort", type=int, default=200000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--deadline", type=int, help="milliseconds per problem")
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--no-docs", action="store_true")
    arguments = parser.parse_args()
    if not arguments.binary.exists():
        sys.exit(
            f"{arguments.binary} is missing; build it with\n  cmake --preset release"
            " && cmake --build --preset release --target stowplan_bench_quality"
        )
    name = "scale" if arguments.scale else "quality"
    document = (
        run_scale(arguments)
        if arguments.scale
        else run(arguments, problem_files(arguments.sets), 1000)
    )
    results = ROOT / "bench" / "results"
    results.mkdir(exist_ok=True)
    with open(results / f"{name}.json", "w") as file:
        json.dump(document, file, indent=1, sort_keys=True)
        file.write("\n")
    if not arguments.no_docs:
        text = describe_machine(arguments) + "\n" + tables(document)
        if arguments.scale:
            for solver in ("portfolio", "first_fit"):
                text += "\n" + slope(document, f"heavy, {solver}")
        docs_table.replace("docs/benchmarks.md", name, text)


if __name__ == "__main__":
    main()
