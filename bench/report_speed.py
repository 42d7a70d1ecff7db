#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `stowplan report --json` on models, as a process, from outside.

  bench/report_speed.py [--runs N] [--docs] MODEL...

Prints a table: wall time (median, least, most of N runs after a warm-up) and
the peak of resident memory against the file's size. With --docs the table
replaces the one in docs/benchmarks.md.
"""
import argparse
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

import docs_table

ROOT = pathlib.Path(__file__).resolve().parent.parent


# A process starts with the memory of the one it was forked from, and the
# kernel counts that too. This launcher is smaller than what it measures.
LAUNCHER = """
import os, sys, time
null = os.open(os.devnull, os.O_WRONLY)
start = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ,
                     file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
_, status, usage = os.wait4(pid, 0)
print(time.perf_counter() - start, usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def measure(stowplan, model, runs):
    """Wall seconds of each run, and the largest peak RSS in bytes."""
    times, peak = [], 0
    for run in range(runs + 1):
        result = subprocess.run(
            [sys.executable, "-I", "-S", "-c", LAUNCHER, stowplan, "report",
             "--json", "--quiet", model], capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{model}: {result.stderr}")
        elapsed, kilobytes = result.stdout.split()
        if run > 0:  # The first warms up.
            times.append(float(elapsed))
        peak = max(peak, int(kilobytes) * 1024)
    return times, peak


def machine():
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    compiler = "unknown compiler"
    cache = ROOT / "build/release/CMakeFiles"
    for found in cache.glob("*/CMakeCXXCompiler.cmake"):
        text = found.read_text()
        name = re.search(r'CMAKE_CXX_COMPILER_ID "([^"]*)"', text)
        version = re.search(r'CMAKE_CXX_COMPILER_VERSION "([^"]*)"', text)
        compiler = f"{name.group(1)} {version.group(1)}"
    return (f"{model}, {os.cpu_count()} cores, {platform.system()} "
            f"{platform.release()}, {compiler}, Release build")


def table(stowplan, models, runs):
    lines = [f"{runs} runs each; {machine()}", "",
             "| model | file KiB | operators | wall ms, median (least to most)"
             " | peak RSS MiB | of 3 x file + 16 MiB |",
             "|---|---|---|---|---|---|"]
    for model in models:
        times, peak = measure(stowplan, model, runs)
        size = os.path.getsize(model)
        facts = subprocess.run([stowplan, "plan", "--json", model],
                               capture_output=True, text=True, check=True)
        operators = re.search(r'"operators": ?(\d+)', facts.stdout).group(1)
        ms = [1000 * t for t in times]
        limit = 3 * size + (16 << 20)
        lines.append(
            f"| {pathlib.Path(model).stem} | {size / 1024:.0f} | {operators} "
            f"| {statistics.median(ms):.1f} ({min(ms):.1f} to {max(ms):.1f}) "
            f"| {peak / (1 << 20):.1f} | {100 * peak / limit:.0f} % |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--stowplan",
                        default=str(ROOT / "build/release/stowplan"))
    arguments = parser.parse_args()
    text = table(arguments.stowplan, arguments.models, arguments.runs)
    print(text)
    if arguments.docs:
        docs_table.replace("docs/benchmarks.md", "report-speed", text)


if __name__ == "__main__":
    main()
