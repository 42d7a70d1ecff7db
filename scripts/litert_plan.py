#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints where the real LiteRT puts the tensors of a model.

One line "TENSOR ADDRESS BYTES" each, as `stowplan verify MODEL --plan FILE`
reads it. Without the package ai-edge-litert it is installed into a virtual
environment first ($STOWPLAN_LITERT_VENV, else below ~/.cache).

  scripts/litert_plan.py MODEL.tflite > plan.txt
"""
import argparse
import sys

import litert_engine


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    arguments = parser.parse_args()
    litert_engine.ensure_package()
    engine = litert_engine.open_model(arguments.model)
    print(f"# {arguments.model}: tensor, address, bytes; ai-edge-litert, plain")
    for tensor, address, size in litert_engine.addresses(engine,
                                                         arguments.model):
        print(tensor, hex(address), size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
