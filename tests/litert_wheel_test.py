#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs unsound and sound plans in the real LiteRT.

  litert_wheel_test.py HAZARD_FILES

HAZARD_FILES writes the models. Every tensor must lie where our model of
LiteRT says; plans that we call sound must compute what
`experimental_preserve_all_tensors` does; case 03 must come out as 12 where 8
is right, and the skipped normalisation as 12 where 9 is. Exit code 77 (skipped) where ai-edge-litert is not installed and
$STOWPLAN_LITERT_VENV names no environment that has it.
"""
import collections
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import litert_engine  # noqa: E402

SKIPPED = 77


def outputs(path, preserve):
    import numpy
    engine = litert_engine.open_model(path, preserve)
    rows = litert_engine.addresses(engine, path)
    for i, detail in enumerate(engine.get_input_details()):
        values = numpy.full(detail["shape"], 2.0, numpy.float32)
        if "random" in path.name:
            flat = values.reshape(-1)
            flat[:] = 0.5 + 0.07 * (numpy.arange(flat.size) + 3 * i)
        engine.set_tensor(detail["index"], values)
    engine.invoke()
    return [engine.get_tensor(d["index"]).copy()
            for d in engine.get_output_details()], rows


def misplaced(rows, plan):
    """How many tensors are not where they are predicted to be."""
    real = {tensor: (address, size) for tensor, address, size in rows}
    votes = collections.Counter(real[t][0] - o for t, (o, _) in plan.items()
                                if t in real)
    base = votes.most_common(1)[0][0]
    return sum(1 for t, (o, size) in plan.items()
               if t in real and real[t] != (base + o, size))


def judge(path):
    """(is sound, numbers are right, tensors not where predicted, output)."""
    import numpy
    lines = path.with_suffix(".plan").read_text().splitlines()
    plan = {}
    for line in lines[1:]:
        tensor, offset, size = map(int, line.split())
        plan[tensor] = (offset, size)
    plain, rows = outputs(path, False)
    right, _ = outputs(path, True)
    same = all(numpy.array_equal(a, b, equal_nan=True)
               for a, b in zip(plain, right))
    return (lines[0] == "sound", same, misplaced(rows, plan),
            float(plain[0].reshape(-1)[0]))


def main():
    if importlib.util.find_spec("ai_edge_litert") is None:
        if "STOWPLAN_LITERT_VENV" not in os.environ:
            print("skipped: ai-edge-litert is not installed; name an "
                  "environment in STOWPLAN_LITERT_VENV")
            return SKIPPED
        litert_engine.ensure_package()
    faults, wrong, unsound, sound = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder, "20", "100"], check=True)
        for path in sorted(pathlib.Path(folder).glob("*.tflite")):
            is_sound, same, away, first = judge(path)
            if away > 0:
                faults.append(f"{path.name}: {away} tensors are misplaced")
            if path.stem == "case_03" and (is_sound or first != 12.0):
                faults.append(f"case 03 gives {first}")
            if path.stem == "skipped_norm" and (is_sound or first != 12.0):
                faults.append(f"the normalisation gives {first}")
            if path.stem == "case_03_control" and first != 8.0:
                faults.append(f"the control gives {first}")
            if is_sound and not same:
                faults.append(f"{path.name}: sound, and its numbers are wrong")
            if path.stem.startswith("random"):
                unsound += not is_sound
                wrong += not is_sound and not same
                sound += is_sound
    print(f"{unsound} unsound random plans, {wrong} of them give wrong numbers "
          f"in the real engine; {sound} sound ones give right ones")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
