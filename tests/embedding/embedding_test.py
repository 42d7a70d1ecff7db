#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The embedded build runs models in memory of its own and gives the bits of
the ordinary one.

  embedding_test.py RUN_EMBEDDED RUN_ORDINARY MAKE_EXAMPLES SOURCE_DIR
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LINE = re.compile(r"^(.*): outputs ([0-9a-f]{16}), memory (\d+), "
                  r"overflow (\d+), heap (\d+), heap calls of runs (\d+)$")
# Small enough for the blocks that the program brings.
EXAMPLES = ("four_operators", "lstm_state", "while_loop", "if_branch",
            "dynamic_shape")
SHARED = ("mlperf_kws_dscnn_int8", "mlperf_resnet8_int8",
          "tflm_person_detect_int8", "tflm_micro_speech_int8", "mww_vad_int8",
          "generated/lstm_gru_resvar_f32", "generated/dynamic_nlp_f32",
          "unit/simple_topk_op_runtime_k")


def rows(program, models):
    result = subprocess.run([program, *map(str, models)], text=True,
                            capture_output=True, timeout=300)
    if result.returncode != 0:
        sys.exit(f"{program}: {result.stdout}{result.stderr}")
    found = [LINE.match(line) for line in result.stdout.splitlines()]
    return {row[1]: [int(row[i], 16 if i == 2 else 10) for i in range(2, 7)]
            for row in found if row}, result.stdout


def main():
    embedded, ordinary, make_examples, source = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([make_examples, "--quiet", folder], check=True)
        models = [pathlib.Path(folder) / f"{name}.tflite"
                  for name in EXAMPLES]
        shared = pathlib.Path(os.environ.get("STOWPLAN_SHARED")
                              or pathlib.Path(source) / ".." / "shared")
        models += [path for name in SHARED
                   if (path := shared / "models" / f"{name}.tflite").exists()]
        ours, text = rows(embedded, models)
        theirs, _ = rows(ordinary, models)
    print(text)
    assert set(ours) == set(map(str, models)) == set(theirs)
    for name, (checksum, memory, overflow, heap, calls) in ours.items():
        assert checksum == theirs[name][0], f"{name}: other outputs"
        assert memory + overflow > 0 and heap > 0, name
        assert calls == 0 or overflow > 0, f"{name}: {calls} heap calls"
    assert "malloc: 0 calls" in text, text


if __name__ == "__main__":
    main()
