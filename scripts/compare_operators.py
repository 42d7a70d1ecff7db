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
import struct
import subprocess
import sys
import tempfile

import litert_engine

MAX_STEPS, MAX_PART, MAX_WHOLE = 1, 1e-5, 0
FIELDS = ["arithmetic", "model", "kind", "type", "operators", "equal",
          "worst_steps", "worst_part", "worst_whole", "differing", "elements",
          "over", "explained"]

# Operators that break the rule for a reason, by arithmetic, model and type:
# faults of LiteRT's kernels that only its own arithmetic follows; see
# docs/arithmetic.md.
EXPLAINED = {
    ("float", "lstm_stream_fused_int8", "UNIDIRECTIONAL_SEQUENCE_LSTM"):
        "LiteRT leaves out the tanh of the cell state",
    ("float", "unidirectional_sequence_lstm_quantized",
     "UNIDIRECTIONAL_SEQUENCE_LSTM"):
        "LiteRT clamps before the projection",
    ("float", "static_w8_a16_quantized_k_einsum", "BATCH_MATMUL"):
        "LiteRT reads scales by column as 0",
}


def mix(seed, index, count):
    import numpy as np
    with np.errstate(over="ignore"):
        k = np.arange(1, count + 1, dtype=np.uint64) + \
            np.uint64(index) * np.uint64(2**32)
        z = np.uint64(seed) + k * np.uint64(0x9E3779B97F4A7C15)
        z ^= z >> np.uint64(30)
        z *= np.uint64(0xBF58476D1CE4E5B9)
        z ^= z >> np.uint64(27)
        z *= np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def random_input(seed, index, detail):
    """What `random:SEED` is for input `index`."""
    import numpy as np
    shape, dtype = detail["shape"], np.dtype(detail["dtype"])
    if dtype.kind not in "biuf":
        raise ValueError("there are no seeded strings")
    z = mix(seed, index, int(np.prod(shape)))
    if dtype.kind == "f":
        value = (z >> np.uint64(40)).astype(np.float32) / 2**23 - 1
    elif dtype == bool:
        value = z & np.uint64(1)
    elif dtype.itemsize >= 4:
        value = z % np.uint64(4)
    else:
        value = z & np.uint64(2**(8 * dtype.itemsize) - 1)
        value = value.astype(np.dtype(f"u{dtype.itemsize}")).view(dtype)
    return value.astype(dtype).reshape(shape)


def invoke_main(engine):
    for i, detail in enumerate(engine.get_input_details()):
        engine.set_tensor(detail["index"], random_input(42, i, detail))
    engine.invoke()
    return 0


def invoke_signature(engine, key):
    runner = engine.get_signature_runner(key)
    runner(**{name: random_input(42, i, detail) for i, (name, detail) in
              enumerate(runner.get_input_details().items())})
    return runner._subgraph_index  # pylint: disable=protected-access


def with_first_subgraph(model, index):
    """The file's bytes with subgraph `index` in the place of the first, which
    it must not call; that the first takes its place does not matter then."""
    data = bytearray(pathlib.Path(model).read_bytes())

    def number(kind, at):
        return struct.unpack_from(kind, data, at)[0]
    root = number("<I", 0)
    table = root - number("<i", root)
    field = root + number("<H", table + 4 + 2 * 2)  # Model.subgraphs.
    vector = field + number("<I", field)
    first, other = vector + 4, vector + 4 + 4 * index
    targets = other + number("<I", other), first + number("<I", first)
    for at, target in zip((first, other), targets):
        struct.pack_into("<I", data, at, target - at)
    return bytes(data)


def invoke_callee(engine, values):
    """Runs a branch or a part of a loop; `values` by tensor."""
    for tensor, value in values.items():
        engine.resize_tensor_input(tensor, value.shape)
    engine.allocate_tensors()
    for tensor, value in values.items():
        try:
            engine.set_tensor(tensor, value)
        except ValueError as error:
            if "unallocated" not in str(error):
                raise  # Only an input that nobody reads has no memory.
    engine.invoke()


def calls_of(binary, model):
    run = subprocess.run([binary, str(model), "calls"], capture_output=True,
                         text=True, check=False)
    for line in run.stdout.splitlines():
        caller, callee, *pairs = line.split("\t")
        yield int(caller), int(callee), tuple(
            tuple(map(int, pair.split(":"))) for pair in pairs)


def write_tensors(engine, path, subgraphs):
    """Every value that the engine shows; strings and handles it does not.
    `subgraphs` are pairs: the engine's number and the one to write."""
    import numpy as np
    with open(path, "wb") as out:
        for own, subgraph in subgraphs:
            for detail in engine.get_tensor_details(own):
                if detail["dtype"] in (np.bytes_, np.object_, np.void):
                    continue
                shape = detail["shape"]
                try:
                    value = np.ascontiguousarray(
                        engine.get_tensor(detail["index"], own))
                except (ValueError, RuntimeError):
                    if 0 not in shape:
                        continue
                    value = np.zeros(shape)  # It has no bytes to show.
                raw = value.tobytes()
                out.write(struct.pack("<iiii", subgraph, detail["index"],
                                      len(shape), 0))
                out.write(struct.pack(f"<{len(shape)}q", *shape))
                out.write(struct.pack("<q", len(raw)))
                out.write(raw)


def dump_main(model, path):
    """Values of all tensors after a run of the first subgraph."""
    engine = litert_engine.open_model(model, preserve=True)
    invoke_main(engine)
    write_tensors(engine, path,
                  [(i, i) for i in range(engine.num_subgraphs())])


def read_values(engine, task):
    """What the caller would hand its callee: values by the callee's tensor."""
    import numpy as np
    caller, _, pairs = task["call"]
    types = {d["index"]: d["dtype"] for d in engine.get_tensor_details(0)}
    values = {}
    with open(task["values"], "rb") as file:
        while head := file.read(16):
            subgraph, tensor, rank, _ = struct.unpack("<iiii", head)
            shape = struct.unpack(f"<{rank}q", file.read(8 * rank))
            raw = file.read(struct.unpack("<q", file.read(8))[0])
            for source, to in pairs:
                if (subgraph, tensor) == (caller, source):
                    values[to] = np.frombuffer(raw, types[to]).reshape(shape)
    return values


def child(task):
    """What is done in a process of its own, since some files end LiteRT's."""
    if "path" not in task:
        engine = litert_engine.open_model(task["model"])
        keys = list(engine.get_signature_list())
        print(json.dumps(keys if len(keys) > 1 else [None]))
        return
    if "call" in task:
        callee = task["call"][1]
        alone = pathlib.Path(task["path"] + ".tflite")
        alone.write_bytes(with_first_subgraph(task["model"], callee))
        engine = litert_engine.open_model(alone, preserve=True)
        invoke_callee(engine, read_values(engine, task))
        write_tensors(engine, task["path"], [(0, callee)])
        return
    engine = litert_engine.open_model(task["model"], preserve=True)
    entry = invoke_signature(engine, task["key"]) if task["key"] else \
        invoke_main(engine)
    write_tensors(engine, task["path"],
                  [(i, i) for i in range(engine.num_subgraphs())
                   if i not in task["without"]])
    print(json.dumps(entry))


def run_child(**task):
    command = [sys.executable, __file__, "--child", json.dumps(task)]
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
    if sys.argv[1:2] == ["--child"]:
        child(json.loads(sys.argv[2]))
        return 0
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
    return 1 if results.failures else 0


if __name__ == "__main__":
    sys.exit(main())
