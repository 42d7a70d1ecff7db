#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares our outputs with recorded ones of the real LiteRT.

compare_litert.py RUN_MODEL SHARED [--arithmetic both] [--only SUBSTRING]
                  [--json FILE] [--csv FILE]

Runs every model of SHARED/models, generated and unit ones included, three
times on seeded inputs and judges the first and the third run against LiteRT
without its delegate (plain):

- With `--arithmetic litert`, models without integer operators have every float
  within 1e-4 of the output's range and all other numbers equal. Of the models
  with integer operators, hybrid ones among them, at least 75 % are equal to
  the bit, and the rest are in the list EXPLAINED below.
- With the default arithmetic no output is farther from plain than twice what
  LiteRT's own default is from it in that run, or 2 steps, or 1e-4 of a float's
  range. (The third run of LiteRT's default is not recorded: it is run.)

Prints a line for each model and a summary. Exit code: 0 if all rules hold or
the model is explained, 1 if not.
"""
import argparse
import collections
import csv
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

import litert_engine

MAX_PART, MAX_STEPS, MIN_EQUAL_SHARE = 1e-4, 2, 0.75
FIELDS = ["arithmetic", "model", "family", "outputs", "equal", "worst_steps",
          "worst_part", "over", "seconds", "verdict", "explanation"]

# Models that break a rule, by arithmetic: the operator that explains it, and
# how far an output may be all the same, in parts of a float's range and in
# steps. LiteRT computes LOGISTIC, TANH, GELU and HARD_SWISH of floats by
# approximations, up to 6 units in the last place off; ours are the C library's.
SUMS = "float sums of MEAN and SOFTMAX in another order, LOGISTIC"
EXPLAINED = {
    "litert": {
        "coco_ssd_mobilenet_v1_u8": (
            "EXP inside of TFLite_Detection_PostProcess", 1e-6, 0),
        "dtln_quant_2_hybrid": ("LOGISTIC, TANH, MEAN", 1e-6, 0),
        "lyra_lyragan": (
            "float sums of TRANSPOSE_CONV in another order", 1e-5, 0),
        "llm_decode_kvio_hybrid": (SUMS, 1e-6, 0),
        "torch_llm_hybrid": (SUMS, 1e-6, 0),
        "torch_llm_int4b32": (SUMS, 1e-6, 0),
        "ocr_keras_dr_while": ("LOGISTIC, TANH", 1e-6, 0),
        "lstm_stream_fused_hybrid": (
            "LOGISTIC, TANH inside of UNIDIRECTIONAL_SEQUENCE_LSTM", 1e-6, 0),
    },
    "float": {  # Faults of LiteRT's kernels, see docs/arithmetic.md.
        "static_w8_a16_quantized_k_einsum": (
            "BATCH_MATMUL with scales by column, which is all zeros in LiteRT",
            0, 32768),
    },
}


def difference(ours, golden):
    """Worst difference: steps for integers, part of the range for floats."""
    import numpy as np
    if golden.dtype == bool or np.issubdtype(golden.dtype, np.integer):
        return int(np.max(np.abs(ours.astype(np.int64) -
                                 golden.astype(np.int64)), initial=0))
    return part_of_range(ours.astype(np.float64), golden.astype(np.float64))


class Output:
    """One output of one run, and how far ours is from it."""

    def __init__(self, ours, entry, golden):
        import numpy as np
        size = int(np.prod(entry["shape"]))
        values = np.frombuffer(ours, dtype=entry["dtype"])
        if values.size != size:
            raise ValueError(f"{values.size} elements, not {size}")
        self.equal = hashlib.sha256(ours).hexdigest() == entry["sha256"]
        self.steps = self.part = 0
        if self.equal:
            return
        if golden.size != size:  # A sample.
            values = values[np.arange(golden.size) * size // golden.size]
        worst = difference(values, golden)
        if isinstance(worst, int):
            self.steps = worst
        else:
            self.part = worst


def part_of_range(values, golden):
    """Worst difference as part of the largest magnitude of `golden`."""
    import numpy as np
    good = np.isfinite(golden)
    same = (values == golden) | (np.isnan(values) & np.isnan(golden))
    if np.any(np.isfinite(values) != good) or np.any(~same & ~good):
        return float("inf")
    if not np.any(good):
        return 0.0
    span = float(np.max(np.abs(golden[good])))
    worst = float(np.max(np.abs(values[good] - golden[good])))
    return worst / span if span > 0 else worst


def load(folder, index, key):
    import numpy as np
    entry = index[key]
    if "same_as" in entry:
        return load(folder, index, entry["same_as"].rsplit(".", 1)[0])
    return np.load(folder / entry["file"]).reshape(-1)


def family_of(kinds):
    """By the words of run_model's last line: "kinds", then pairs."""
    count = dict(zip(kinds[1::2], map(int, kinds[2::2])))
    if count.get("8-bit") or count.get("16-bit"):
        return "integer"
    return "hybrid" if count.get("hybrid") else "float"


def run_model(args, path, arithmetic, out):
    run = subprocess.run(
        [args.binary, str(path), arithmetic, "3", out], capture_output=True,
        text=True, timeout=args.timeout, check=False)
    if run.returncode != 0:
        raise ValueError(run.stderr.strip() or f"signal {-run.returncode}")
    lines = [line.split() for line in run.stdout.splitlines()]
    return float(lines[0][2]), family_of(lines[-1])


def is_over(row, output, own):
    if row["arithmetic"] == "litert":
        if row["family"] == "float":
            return output.part > MAX_PART or output.steps > 0
        return False  # To the bit, or explained.
    own = own if own is not None else 0
    return output.part > max(MAX_PART, 2 * own) or \
        output.steps > max(MAX_STEPS, 2 * own)


def own_third_run(path):
    """How far LiteRT's default is from plain in the third run, by output;
    nothing where it does not run."""
    from ai_edge_litert import interpreter as litert
    import litert_values
    plain = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    results = []
    try:
        for resolver in (plain, litert.OpResolverType.AUTO):
            engine = litert.Interpreter(
                model_path=str(path), num_threads=1,
                experimental_op_resolver_type=resolver)
            engine.allocate_tensors()
            for _ in range(3):
                litert_values.invoke_main(engine)
            results.append([engine.get_tensor(detail["index"]).copy()
                            for detail in engine.get_output_details()])
    except (RuntimeError, ValueError):
        return []
    return [difference(default, golden)
            for golden, default in zip(*results)]


def compare(args, path, arithmetic, own):
    """The row of one model."""
    row = dict.fromkeys(FIELDS, 0)
    row.update(arithmetic=arithmetic, model=path.stem, explanation="")
    folder = args.shared / "goldens/litert/outputs" / path.stem
    index = json.loads((folder / "index.json").read_text())
    with tempfile.TemporaryDirectory() as out:
        try:
            row["seconds"], row["family"] = run_model(args, path, arithmetic,
                                                      out)
            for key, entry in index.items():
                if key.startswith("default"):
                    continue
                raw = pathlib.Path(out, key + ".bin").read_bytes()
                output = Output(raw, entry, load(folder, index, key))
                row["outputs"] += 1
                row["equal"] += output.equal
                row["worst_steps"] = max(row["worst_steps"], output.steps)
                row["worst_part"] = max(row["worst_part"], output.part)
                number = int(key.rsplit("out", 1)[1])
                mine = own[number] if number < len(own) else None
                over = is_over(row, output, mine)
                if over and arithmetic == "float" and key.startswith("run3"):
                    third = own_third_run(path)
                    over = not third or is_over(row, output, third[number])
                row["over"] += over
        except (ValueError, OSError, subprocess.TimeoutExpired) as error:
            row.update(family=row["family"] or "fails", verdict="fails",
                       explanation=str(error)[:300])
            return row
    judge(row)
    return row


def judge(row):
    if row["equal"] == row["outputs"]:
        row["verdict"] = "equal"
        return
    wants_bits = row["arithmetic"] == "litert" and row["family"] != "float"
    row["verdict"] = "over" if row["over"] or wants_bits else "within"
    why, part, steps = EXPLAINED[row["arithmetic"]].get(row["model"],
                                                        (None, 0, 0))
    if row["verdict"] == "over" and why is not None and \
            row["worst_part"] <= part and row["worst_steps"] <= steps:
        row.update(verdict="explained", explanation=why)


def own_differences(shared):
    """How far LiteRT's default is from plain, by model and output."""
    own = {}
    lines = (shared / "goldens/litert/plain_vs_default.csv").read_text()
    for line in lines.splitlines()[1:]:
        name, _, values = line.partition(",")
        try:
            own[name] = [float(value) for value in values.split()]
        except ValueError:  # It does not run.
            own[name] = []
    return own


def print_row(row):
    print(f"{row['arithmetic']}: {row['model']} ({row['family']}): "
          f"{row['verdict']}, {row['equal']} of {row['outputs']} outputs "
          f"equal, worst {row['worst_steps']} steps, "
          f"{row['worst_part']:.3g} of the range, {row['seconds']:.3f} s "
          f"{row['explanation']}", flush=True)


def summary(rows, skipped):
    """Prints counts; whether all rules hold."""
    holds = True
    for arithmetic in sorted({row["arithmetic"] for row in rows}):
        mine = [row for row in rows if row["arithmetic"] == arithmetic]
        count = collections.Counter((row["family"], row["verdict"])
                                    for row in mine)
        for (family, verdict), number in sorted(count.items()):
            print(f"{arithmetic}, {family} models: {number} {verdict}")
        holds &= not any(row["verdict"] in ("over", "fails") for row in mine)
        integer = [row for row in mine if row["family"] in
                   ("integer", "hybrid")]
        if arithmetic == "litert" and integer:
            equal = sum(row["verdict"] == "equal" for row in integer)
            print(f"litert: {equal} of {len(integer)} models with integer "
                  f"operators are equal to the bit "
                  f"({100 * equal / len(integer):.0f} %)")
            holds &= equal >= MIN_EQUAL_SHARE * len(integer)
    for name in skipped:
        print(f"left out: {name}, of which there is no recorded output")
    return holds


def write_files(rows, args):
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    if args.json:
        document = {"limits": {"part": MAX_PART, "steps": MAX_STEPS,
                               "equal_share": MIN_EQUAL_SHARE},
                    "rows": rows}
        pathlib.Path(args.json).write_text(json.dumps(document, indent=1) +
                                           "\n", encoding="utf-8")


def main():
    litert_engine.ensure_package()  # Which brings numpy.
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--arithmetic", default="both",
                        choices=["both", "litert", "float"])
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--json")
    parser.add_argument("--csv")
    args = parser.parse_args()
    own = own_differences(args.shared)
    arithmetics = ["litert", "float"] if args.arithmetic == "both" else \
        [args.arithmetic]
    rows, skipped = [], []
    for folder in ("", "generated", "unit"):
        for path in sorted((args.shared / "models" / folder).glob("*.tflite")):
            if args.only not in path.name:
                continue
            golden = args.shared / "goldens/litert/outputs" / path.stem
            if not (golden / "index.json").exists():
                skipped.append(path.stem)
                continue
            for arithmetic in arithmetics:
                rows.append(compare(args, path, arithmetic,
                                    own.get(path.name, [])))
                print_row(rows[-1])
    holds = summary(rows, skipped)
    write_files(rows, args)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
