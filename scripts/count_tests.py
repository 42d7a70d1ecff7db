#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up JUnit result files: 'N passed, N failed, N skipped'.

Ends with 1 if a test failed, a file is missing or no test ran.
"""
import sys
import xml.etree.ElementTree as ElementTree


def main(paths):
    total = failed = skipped = 0
    for path in paths:
        try:
            suite = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 1
        total += int(suite.get("tests", 0))
        failed += int(suite.get("failures", 0))
        skipped += int(suite.get("skipped", 0)) + int(suite.get("disabled", 0))
    passed = total - failed - skipped
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or passed <= 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
