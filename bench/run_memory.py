#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run takes in memory, beside the real LiteRT on the same model.

  bench/run_memory.py [--shared DIR] [--only PART] [--repeats N]
                      [--csv FILE] [--docs] [--from-csv]

For every model of DIR/models and DIR/models/generated, in turns and each time
in a new process: `stowplan run`, LiteRT without delegates ("plain") and as it
comes ("default"), on the same seeded inputs. Growth is the peak of resident
memory over what was resident just before the model was opened, the engine
loaded and the inputs at hand. LiteRT is ai-edge-litert from PyPI, which is
installed into a cache folder unless STOWPLAN_LITERT_VENV names one.

A second run of ours counts what the heap is asked for and compares the plan,
operator by operator, with a run in which every buffer has memory of its own.

Writes all figures to the CSV; with --docs also the table in docs/running.md.
With --from-csv nothing is measured: the CSV of an earlier run is shown.
"""
import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import docs_table
import run_memory_table

ROOT = docs_table.ROOT
PROGRAM = ROOT / "build/release/stowplan"
LITERT = ROOT / "bench/litert_memory.py"
ENGINES = ("ours", "plain", "default")
PARTS = ("mapped_touched", "arena", "persistent", "overflow", "heap",
         "program", "rest")


def run(command):
    """The last line of what it prints as JSON, or why there is none."""
    result = subprocess.run([str(part) for part in command],
                            capture_output=True, text=True)
    if result.returncode == 0:
        return json.loads(result.stdout.strip().splitlines()[-1]), None
    lines = result.stderr.strip().splitlines() or [
        f"ended by signal {-result.returncode}"]
    return None, lines[-1].removeprefix("stowplan: error: ")


def measure_once(engine, model, inputs):
    """(growth, parts or None, why not)."""
    if engine == "ours":
        document, why = run([PROGRAM, "run", "--json", "--quiet", model])
        memory = document and document["memory"]
    else:
        memory, why = run([sys.executable, LITERT, engine, model, inputs])
    if memory is None:
        return None, None, why
    return memory["peak_rss"] - memory["start"], memory, None


def measure(model, repeats):
    """The row of the model: figures by name, in bytes."""
    row = {}
    with tempfile.TemporaryDirectory() as inputs:
        result = subprocess.run(
            [sys.executable, LITERT, "inputs", model, inputs],
            capture_output=True, text=True)
        blocked = None if result.returncode == 0 else (
            result.stderr.strip().splitlines() or ["ended by a signal"])[-1]
        grown = {engine: [] for engine in ENGINES}
        for turn in range(repeats):
            for engine in ENGINES:
                if blocked and engine != "ours":
                    row[f"{engine}_why_not"] = blocked
                    continue
                growth, memory, why = measure_once(engine, model, inputs)
                if why:
                    row[f"{engine}_why_not"] = why.replace(
                        str(model), model.stem)
                    continue
                grown[engine].append(growth)
                if engine == "ours" and turn == 0:
                    row.update({part: memory[part] for part in PARTS})
    for engine, values in grown.items():
        if len(values) == repeats:
            row[f"{engine}_growth"] = int(statistics.median(values))
            row[f"{engine}_least"] = min(values)
            row[f"{engine}_most"] = max(values)
    return row


def judge(model):
    """Heap calls of a run after the first, and what the audit says."""
    document, _ = run([PROGRAM, "run", "--json", "--quiet", "--audit",
                       "--runs", "2", model])
    if document is None:
        return {}
    return {"per_invoke": document["allocations"]["per_invoke"],
            "audit": document["audit"]["ok"]}


def plan(model, engine):
    result = subprocess.run(
        [PROGRAM, "plan", "--engine", engine, "--json", "--quiet", model],
        capture_output=True, text=True)
    return json.loads(result.stdout) if result.returncode == 0 else None


def place(entry):
    return entry["subgraph"], entry["tensor"]


def plan_of_litert(model):
    """What LiteRT's own rules take; the tests compare them with addresses.

    `litert_heap`: tensors that LiteRT keeps on the heap and ours in the plan,
    such as what a loop carries.
    """
    ours, theirs = plan(model, "stowplan"), plan(model, "litert")
    if ours is None or theirs is None:
        return {}
    on_heap = {place(entry) for entry in theirs["dynamic"]}
    return {"litert_arena": theirs["arena"]["bytes"],
            "litert_persistent": theirs["persistent"]["bytes"],
            "litert_heap": sum(entry["bytes"] for entry in ours["tensors"]
                               if entry["kind"] == "arena" and
                               place(entry) in on_heap),
            "dynamic": len(ours["dynamic"])}


def figures(model, group, repeats):
    row = {"model": model.stem, "group": group}
    row.update(measure(model, repeats))
    if "ours_growth" in row:
        row.update(judge(model))
        row.update(plan_of_litert(model))
        row["over"] = row["ours_growth"] - sum(
            row[part] for part in ("mapped_touched", "arena", "persistent"))
    return row


def models_of(shared, only):
    for group, folder in (("real", "models"),
                          ("generated", "models/generated")):
        for model in sorted((shared / folder).glob("*.tflite")):
            if only in model.stem:
                yield model, group


def write_csv(path, rows):
    names = list(dict.fromkeys(name for row in rows for name in row))
    with open(path, "w", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, names)
        table.writeheader()
        table.writerows(rows)


def read_csv(path):
    def value(text):
        if text.lstrip("-").isdigit():
            return int(text)
        return text == "True" if text in ("True", "False") else text

    with open(path, newline="", encoding="utf-8") as table:
        return [{name: value(text) for name, text in row.items() if text}
                for row in csv.DictReader(table)]


def measure_all(arguments):
    sys.path.insert(0, str(ROOT / "scripts"))
    import litert_engine
    litert_engine.ensure_package()
    rows = []
    for model, group in models_of(pathlib.Path(arguments.shared),
                                  arguments.only):
        rows.append(figures(model, group, arguments.repeats))
        print(run_memory_table.line(rows[-1]), flush=True)
    if not rows:
        sys.exit(f"{arguments.shared}/models has no such model")
    write_csv(arguments.csv, rows)
    return rows


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--shared", type=pathlib.Path,
                        default=os.environ.get("STOWPLAN_SHARED",
                                               ROOT / "../shared"))
    parser.add_argument("--only", default="")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--csv", type=pathlib.Path,
                        default=ROOT / "bench/results/run_memory.csv")
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--from-csv", action="store_true")
    arguments = parser.parse_args()
    rows = (read_csv(arguments.csv) if arguments.from_csv else
            measure_all(arguments))
    print("\n".join(run_memory_table.summary(rows)))
    if arguments.docs:
        docs_table.replace("docs/running.md", "run-memory",
                           run_memory_table.table(rows, arguments.repeats))


if __name__ == "__main__":
    main()
