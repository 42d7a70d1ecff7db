#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers with sparse, four-bit and blockwise weights in the real LiteRT.

  litert_weights_test.py WEIGHT_FILES CHECK_OPERATORS

WEIGHT_FILES writes the models; compare_operators.py must run and accept every
one. Exit code 77 (skipped) where ai-edge-litert is not installed and
$STOWPLAN_LITERT_VENV names no environment that has it.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))
import litert_engine  # noqa: E402

SKIPPED = 77


def main():
    if importlib.util.find_spec("ai_edge_litert") is None:
        if "STOWPLAN_LITERT_VENV" not in os.environ:
            print("skipped: ai-edge-litert is not installed; name an "
                  "environment in STOWPLAN_LITERT_VENV")
            return SKIPPED
        litert_engine.ensure_package()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        files = len(list(pathlib.Path(folder).glob("*.tflite")))
        run = subprocess.run(
            [sys.executable, str(SCRIPTS / "compare_operators.py"),
             sys.argv[2], folder], stdout=subprocess.PIPE, text=True,
            check=False)
    print(run.stdout)
    # A model that LiteRT does not run would prove nothing.
    all_ran = f"{files} of {files} models, {2 * files} operators, 0 left out"
    return 0 if run.returncode == 0 and all_ran in run.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
