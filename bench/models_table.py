#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What models take in memory, as a table.

  bench/models_table.py [--docs] [MODEL...]

Without models, those of stowplan_make_examples. With --docs the table
replaces the one in docs/benchmarks.md. Every figure is in bytes or KiB and
the same on every machine.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import docs_table

RELEASE = docs_table.ROOT / "build/release"


def row(model):
    result = subprocess.run(
        [RELEASE / "stowplan", "plan", "--json", "--quiet", model],
        capture_output=True, text=True)
    name = pathlib.Path(model).stem
    if result.returncode != 0:
        return f"| {name} | {result.stderr.strip()} |||||||"
    plan = json.loads(result.stdout)
    arena = plan["arena"]
    apart = subprocess.run(
        [RELEASE / "stowplan", "plan", "--json", "--quiet", "--in-place",
         "off", model], capture_output=True, text=True, check=True)
    off = json.loads(apart.stdout)["arena"]["bytes"]
    verdict = arena["verdict"]
    if verdict == "optimal" and arena["bytes"] != arena["load_bound"]:
        verdict += f", {arena['bytes'] - arena['load_bound']} B over one step"
    kib = [plan["mapped"]["bytes"], arena["naive_bytes"], off, arena["bytes"],
           plan["persistent"]["bytes"]]
    figures = " | ".join(f"{value / 1024:,.1f}" for value in kib)
    dynamic = len(plan["dynamic"])
    return f"| {name} | {figures} | {dynamic} | {verdict} |"


def table(models):
    return "\n".join(
        ["| model | weights KiB | no reuse KiB | arena, nothing shared KiB |"
         " arena KiB | persistent KiB | dynamic tensors | verdict |",
         "|---|---|---|---|---|---|---|---|", *map(row, models)])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--docs", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        models = arguments.models
        if not models:
            subprocess.run([RELEASE / "examples/stowplan_make_examples",
                            "--quiet", folder], check=True)
            models = sorted(pathlib.Path(folder).glob("*.tflite"))
        text = table(models)
    print(text)
    if arguments.docs:
        docs_table.replace("docs/benchmarks.md", "models", text)


if __name__ == "__main__":
    main()
