#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the include graph of stowplan/ against the table below.

Ends with 1 and one line per offence. Also refuses files that break the
house's plain rules: no SPDX line, no #pragma once in a header, a header's own
include not first, lines that are not ASCII.

  scripts/check_layers.py [ROOT]
"""
import pathlib
import re
import sys

# Folder -> the folders it may include besides itself.
ABOVE_KERNELS = {"base", "plan", "solve", "graph", "schedule", "optimize",
                 "engines", "tflite", "model"}
EVERYTHING = ABOVE_KERNELS | {"kernels", "runtime", "profile", "report",
                              "testing"}
MAY_INCLUDE = {
    "base": set(),
    "plan": {"base"},
    "solve": {"base", "plan"},
    "graph": {"base"},
    "schedule": {"base", "plan", "graph"},
    "optimize": {"base", "graph", "schedule", "plan", "solve"},
    "engines": {"base", "plan", "solve", "graph", "schedule"},
    "tflite": {"base"},
    "model": {"base", "graph", "tflite"},
    "kernels": {"base"},
    "runtime": {"base", "plan", "graph", "schedule", "tflite", "model",
                "kernels"},
    "profile": {"base", "runtime"},
    "report": ABOVE_KERNELS | {"runtime", "profile"},
    "testing": EVERYTHING - {"testing"},
    "cli": EVERYTHING - {"testing"},
}
# Libraries that an engine embeds use the standard library and tl-expected
# alone.
STANDARD_ONLY = {"base", "plan", "solve"}
ALLOWED_THERE = re.compile(r"^(tl/expected\.hpp|[a-z_0-9]+|c[a-z]+)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def is_test(path):
    return path.stem.endswith("_test")


def check(path, folder, text):
    lines = text.splitlines()
    if not lines or "SPDX-License-Identifier: Apache-2.0" not in lines[0]:
        yield 1, "the first line must be the SPDX licence line"
    if path.suffix == ".h" and "#pragma once" not in text:
        yield 1, "a header needs #pragma once"
    includes = []
    for number, line in enumerate(lines, 1):
        if not line.isascii():
            yield number, "is not ASCII"
        found = INCLUDE.match(line)
        if found:
            includes.append((number, found.group(1)))
    own = f"stowplan/{folder}/{path.stem.removesuffix('_test')}.h"
    if path.suffix == ".cc" and any(name == own for _, name in includes):
        if includes[0][1] != own:
            yield includes[0][0], f"must include its own header {own} first"
    for number, name in includes:
        if name.startswith("stowplan/"):
            target = name.split("/")[1]
            if target == folder or (is_test(path) and target == "testing"):
                continue
            allowed = EVERYTHING if is_test(path) else MAY_INCLUDE[folder]
            if target not in allowed:
                yield number, f"{folder} must not include {target} ({name})"
        elif (folder in STANDARD_ONLY and not is_test(path)
              and not ALLOWED_THERE.match(name)):
            yield number, f"{folder} must not depend on {name}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    offences = 0
    files = 0
    for path in sorted((root / "stowplan").rglob("*")):
        if path.suffix not in {".h", ".cc", ".def"}:
            continue
        files += 1
        folder = path.relative_to(root / "stowplan").parts[0]
        if folder not in MAY_INCLUDE:
            print(f"{path}:1: folder {folder} is not in the table")
            offences += 1
            continue
        if path.suffix == ".def":
            continue
        for number, what in check(path, folder, path.read_text()):
            print(f"{path.relative_to(root)}:{number}: {what}")
            offences += 1
    print(f"{files} files, {offences} offences", file=sys.stderr)
    return 1 if offences or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
