#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a program that embeds the libraries takes, as a table.

  bench/embedding_table.py [--docs] [MODEL...]

Without models, the small ones of stowplan_make_examples and, where they are at
hand, some of ../shared/models (or $STOWPLAN_SHARED). With --docs the table
replaces the one in docs/embedding.md.
"""
import argparse
import os
import pathlib
import re
import subprocess
import tempfile

import docs_table

RELEASE = docs_table.ROOT / "build/release"
EXAMPLES = ("four_operators", "lstm_state", "while_loop", "if_branch",
            "dynamic_shape")
SHARED = ("mlperf_kws_dscnn_int8", "mlperf_resnet8_int8",
          "tflm_person_detect_int8", "tflm_micro_speech_int8", "mww_vad_int8",
          "generated/lstm_gru_resvar_f32", "generated/dynamic_nlp_f32",
          "unit/simple_topk_op_runtime_k")


def default_models(folder):
    subprocess.run([RELEASE / "examples/stowplan_make_examples", "--quiet",
                    folder], check=True)
    shared = pathlib.Path(os.environ.get("STOWPLAN_SHARED",
                                         docs_table.ROOT / "../shared"))
    models = [pathlib.Path(folder, f"{name}.tflite") for name in EXAMPLES]
    models += [shared / "models" / f"{name}.tflite" for name in SHARED]
    return [model for model in models if model.exists()]


def row(model):
    """One process a model: what one leaves behind is not the next one's."""
    text = subprocess.run([RELEASE / "tests/embedding/run_embedded", model],
                          capture_output=True, text=True, check=True).stdout
    def figure(name):
        return int(re.search(rf"{name} (\d+)", text).group(1))
    figures = [figure("memory") + figure("overflow"), figure("heap"),
               figure("heap calls of runs")]
    return f"| {pathlib.Path(model).stem} | " + " | ".join(
        f"{value:,}" for value in figures) + " |"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--docs", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        models = arguments.models or default_models(folder)
        text = "\n".join(
            ["| model | one block | heap | heap calls of three runs |",
             "|---|---:|---:|---:|", *map(row, models)])
    print(text)
    if arguments.docs:
        docs_table.replace("docs/embedding.md", "embedding", text)


if __name__ == "__main__":
    main()
