#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that a released engine loads and runs the example models.

  scripts/check_examples.py FOLDER     (made by stowplan_make_examples)

Each model is allocated and invoked in ai-edge-litert's built-in kernels, on
seeded inputs; outputs must be finite, those of int8 networks must follow
their float twins', and the loop must run as often as it is told. Without the package
a virtual environment with it is made. Exit code 0: all do.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_schema import ensure_package  # noqa: E402

# Rounding at every layer adds up in networks with random weights (0.32 to 0.85
# measured), but unrelated outputs of this size correlate by less than 0.05.
LEAST_CORRELATION = 0.25


def run(path, inputs=None):
    """The outputs by name, as real numbers; inputs by name override."""
    import numpy as np
    from ai_edge_litert.interpreter import Interpreter, OpResolverType
    interpreter = Interpreter(
        str(path), experimental_op_resolver_type=(
            OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES))
    interpreter.allocate_tensors()
    random = np.random.default_rng(42)
    for detail in interpreter.get_input_details():
        value = random.uniform(-1, 1, detail["shape"])
        scale, zero = detail["quantization"]
        if scale:
            value = np.clip(np.rint(value / scale) + zero, -128, 127)
        value = (inputs or {}).get(detail["name"], value)
        interpreter.set_tensor(detail["index"],
                               np.asarray(value).astype(detail["dtype"]))
    interpreter.invoke()
    outputs = {}
    for detail in interpreter.get_output_details():
        value = interpreter.get_tensor(detail["index"]).astype("float64")
        scale, zero = detail["quantization"]
        outputs[detail["name"]] = (value - zero) * scale if scale else value
    return outputs


def check(folder):
    import numpy as np
    models = {path.stem: path for path in sorted(folder.glob("*.tflite"))}
    results = {}
    for name, path in models.items():
        results[name] = run(path)
        for key, value in results[name].items():
            if not np.isfinite(value).all():
                yield f"{name}: {key} is not finite"
    for name in models:
        twin = name.replace("_int8", "_f32")
        if twin == name:
            continue
        for key, value in results[name].items():
            same = np.corrcoef(value.ravel(), results[twin][key].ravel())[0, 1]
            print(f"{name}: {key} correlates with the twin's by {same:.3f}")
            if not same >= LEAST_CORRELATION:
                yield f"{name}: {key} differs from its float twin"
    for limit in (0, 1, 5):
        count = run(models["while_loop"], {"limit": limit})["count"]
        if count != limit:
            yield f"while_loop: ran {count} times, not {limit}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    if not list(folder.glob("*.tflite")):
        sys.exit(f"{folder}: no models; run stowplan_make_examples first")
    ensure_package()
    faults = list(check(folder))
    print("\n".join(faults) if faults else "all models load and run")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
