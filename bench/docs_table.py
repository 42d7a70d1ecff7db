# SPDX-License-Identifier: Apache-2.0
"""Tables in docs/, replaced between their marks."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def replace(document, name, text):
    """Puts `text` between <!-- name --> and <!-- /name --> of the document."""
    path = ROOT / document
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    old = path.read_text()
    if begin not in old or end not in old:
        sys.exit(f"{path} has no place for the table {name}")
    head, rest = old.split(begin, 1)
    path.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}")
