#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs OmniMalloc's SuperMalloc beside Stowplan on the same problems.

  bench/compare_omnimalloc.py [--timeout SECONDS] [FILE.csv...]

OmniMalloc (https://github.com/fpedd/omnimalloc, Apache-2.0) is the strongest
public rival. It is installed from PyPI into build/omnimalloc-venv on the
first run. Each problem is solved in turn, one solver after the other, by

  stowplan        default options, one thread and two threads
  supermalloc     its normal mode with one, two and twelve threads (below
                  twelve, its ladder of bounds has fewer than four rungs)
  supermalloc at the load   asked for a plan at the load only, three threads:
                  its fastest mode where the load can be reached

Without files, those of the minimalloc set that ../shared/problems holds. The
table goes to bench/results/omnimalloc.json and docs/benchmarks.md. Neither
alignment nor pins exist for SuperMalloc, so only problems without them run.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import time

import docs_table
from quality import BINARY, ROOT, describe_machine, problem_files

VENV = ROOT / "build" / "omnimalloc-venv"
MODES = ["1 thread", "2 threads", "12 threads", "at the load"]


def ensure_installed():
    """The venv's python, with omnimalloc in it."""
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    probe = subprocess.run(
        [str(python), "-c", "import omnimalloc"], capture_output=True
    )
    if probe.returncode != 0:
        subprocess.run(
            [str(python), "-m", "pip", "-q", "install", "omnimalloc"], check=True
        )
    return python


def read_rows(path):
    with open(path, newline="") as file:
        return [
            (row["id"], int(row["size"]), int(row["lower"]), int(row["upper"]))
            for row in csv.DictReader(file)
        ]


def solve_rival(path, mode, timeout):
    """Runs inside the venv: one problem, one mode, as a dict."""
    import omnimalloc
    from omnimalloc.allocators.supermalloc import (
        DEFAULT_HEURISTICS,
        SupermallocAllocator,
    )

    problem = tuple(
        omnimalloc.Allocation(id=name, size=size, start=lower, end=upper)
        for name, size, lower, upper in read_rows(path)
    )
    omnimalloc.set_max_threads(None)
    start = time.perf_counter()
    cpu = time.process_time()
    if mode == "at the load":
        from omnimalloc._cpp import Partition, try_solve_many

        base = Partition.from_allocations(problem)
        members = [
            base.reorder("".join(key)).with_bound(base.lower_bound + 1)
            for key in DEFAULT_HEURISTICS
        ]
        found = try_solve_many(
            members,
            base.lower_bound + 1,
            None,
            canonical=True,
            dominance=True,
            floor_inference=True,
            monotonic_floor=True,
            decompose=True,
            timeout=timeout,
            num_threads=3,
        )
        peak, proved = (found.peak, True) if found else (None, False)
    else:
        threads = int(mode.split()[0])
        result = SupermallocAllocator(timeout=timeout, num_threads=threads).solve(
            problem
        )
        peak, proved = result.peak, result.proved_optimal
    return {
        "peak": peak,
        "proved": proved,
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
    }


def run_rival(python, path, mode, timeout):
    done = subprocess.run(
        [str(python), __file__, "--inside", mode, "--timeout", str(timeout), str(path)],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        return {"peak": None, "proved": False, "error": done.stderr[-300:]}
    return json.loads(done.stdout)


def run_ours(binary, path, threads):
    done = subprocess.run(
        [str(binary), "--threads", str(threads), str(path)],
        capture_output=True,
        check=True,
    )
    entry = json.loads(done.stdout)["problems"][0]
    entry["proved"] = entry["verdict"] == "optimal"
    return entry


def cell(result, bound):
    if result["peak"] is None:
        return "none"
    gap = 100 * (result["peak"] - bound) / bound
    text = f"{1000 * result['seconds']:.0f}" + ("" if result["proved"] else "*")
    return text if gap == 0 else f"{text} (+{gap:.1f} %)"


def table(results):
    columns = ["ours, 1 thread", "ours, 2 threads"] + [f"rival, {m}" for m in MODES]
    lines = ["| problem | " + " | ".join(columns) + " |"]
    lines.append("|---|" + "--:|" * len(columns))
    for result in results:
        cells = [cell(result[column], result["lower_bound"]) for column in columns]
        lines.append(f"| {result['name']} | " + " | ".join(cells) + " |")
    return (
        "Milliseconds of wall time to the answer; `*`: without proof; in brackets"
        " the gap to\nStowplan's proved bound. `none`: no plan within the time.\n\n"
        + "\n".join(lines)
        + "\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=pathlib.Path, default=BINARY)
    parser.add_argument("--timeout", type=float, default=20)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.inside:
        answer = solve_rival(arguments.files[0], arguments.inside, arguments.timeout)
        print(json.dumps(answer))
        return
    files = arguments.files or problem_files(["minimalloc"])
    python = ensure_installed()
    results = []
    for path in files:
        ours = [run_ours(arguments.binary, path, threads) for threads in (1, 2)]
        result = {"name": path.stem, "lower_bound": ours[0]["lower_bound"]}
        result["ours, 1 thread"], result["ours, 2 threads"] = ours
        for mode in MODES:
            result[f"rival, {mode}"] = run_rival(python, path, mode, arguments.timeout)
        results.append(result)
        print(table([result]).splitlines()[-1], file=sys.stderr)
    out = ROOT / "bench" / "results" / "omnimalloc.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    arguments.effort, arguments.threads, arguments.deadline = "default", "1 and 2", None
    version = subprocess.run(
        [str(python), "-c", "from importlib.metadata import version; print(version('omnimalloc'))"],
        capture_output=True,
        text=True,
    ).stdout.strip()
    text = describe_machine(arguments) + f"OmniMalloc {version}, at most {arguments.timeout:g} s per problem.\n\n"
    docs_table.replace("docs/benchmarks.md", "omnimalloc", text + table(results))


if __name__ == "__main__":
    main()
