#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near results are to the real LiteRT's, as tables.

  scripts/compare_litert.py ... --json bench/results/outputs.json
  scripts/compare_operators.py ... --json bench/results/operators.json
  bench/right_results.py [--docs]

With --docs the tables replace those in docs/running.md.
"""
import argparse
import collections
import json
import sys

import docs_table

RESULTS = docs_table.ROOT / "bench/results"
NAMES = {"litert": "fixed point", "float": "float (default)"}
ORDER = {"litert": 0, "float": 1}


def read(name):
    path = RESULTS / name
    if not path.exists():
        sys.exit(f"{path} is not there; run the commands above first")
    return json.loads(path.read_text(encoding="utf-8"))


def lines(head, rows):
    return [f"| {' | '.join(head)} |",
            f"|{'---|' * len(head)}"] + \
        [f"| {' | '.join(map(str, row))} |" for row in rows]


def part(value):
    return f"{value:.1e}" if value else "0"


def groups(rows, *names):
    """[(key, rows)] of equal values under `names`, in order."""
    result = collections.defaultdict(list)
    for row in rows:
        result[tuple(row[name] for name in names)].append(row)
    return sorted(result.items(),
                  key=lambda item: (ORDER[item[0][0]], item[0]))


def worst(rows):
    if not rows:
        return ["", ""]
    return [f"{max(row['worst_steps'] for row in rows):g}",
            part(max(row["worst_part"] for row in rows))]


def models(rows):
    """Whole outputs, a row for each family of models; the worst differences
    are those of models that need no explanation."""
    table = []
    for (arithmetic, family), mine in groups(rows, "arithmetic", "family"):
        count = collections.Counter(row["verdict"] for row in mine)
        table.append([
            NAMES[arithmetic], family, len(mine), count["equal"],
            count["within"], count["explained"],
            count["over"] + count["fails"], *worst(
                [row for row in mine if row["verdict"] != "explained"])])
    return lines(["arithmetic", "models", "count", "equal to the bit",
                  "within the rule", "explained", "others", "worst steps",
                  "worst part of the range"], table)


def exceptions(rows):
    """Models that break a rule, with what explains them."""
    table = [[row["model"], NAMES[row["arithmetic"]],
              f"{row['equal']} of {row['outputs']}", *worst([row]),
              row["explanation"]]
             for row in rows if row["verdict"] not in ("equal", "within")]
    return lines(["model", "arithmetic", "outputs equal", "worst steps",
                  "worst part of the range", "because of"], table)


def total(rows, name):
    return sum(row[name] for row in rows)


def kinds(rows):
    """Single operators, a row for each kind of numbers; the worst differences
    are those of operators that need no explanation."""
    table = []
    for (arithmetic, kind), mine in groups(rows, "arithmetic", "kind"):
        table.append([
            NAMES[arithmetic], kind, total(mine, "operators"),
            total(mine, "equal"),
            f"{total(mine, 'differing'):,} of {total(mine, 'elements'):,}",
            *worst([row for row in mine if not row["explained"]]),
            sum(row["explained"] != "" for row in mine), total(mine, "over")])
    return lines(
        ["arithmetic", "numbers", "operators", "equal to the bit",
         "elements that differ", "worst steps", "worst part of the range",
         "explained", "over the rule"], table)


def types(rows):
    """Fixed point: the types of which not all operators are equal."""
    table = [[kind, name, total(mine, "operators"), total(mine, "equal"),
              *worst(mine)]
             for (arithmetic, kind, name), mine in
             groups(rows, "arithmetic", "kind", "type")
             if arithmetic == "litert" and
             total(mine, "equal") < total(mine, "operators")]
    return lines(["numbers", "operator", "count", "equal to the bit",
                  "worst steps", "worst part of the range"], table)


def left_out(operators):
    """Sentences about what was not compared."""
    count = collections.Counter()
    for row in operators["skipped"]:
        if row["arithmetic"] == "litert":
            count[row["type"], row["why"]] += row["count"]
    reasons = ", ".join(f"{number} {name} ({why})" for (name, why), number in
                        sorted(count.items()))
    failed = [row["model"] for row in operators["models"]
              if row["litert_fails"]]
    return [f"Left out: {reasons or 'no operator'}.",
            f"LiteRT itself does not run {', '.join(failed) or 'none'}."]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--docs", action="store_true")
    args = parser.parse_args()
    outputs, operators = read("outputs.json"), read("operators.json")
    integer = [row for row in outputs["rows"] if row["arithmetic"] == "litert"
               and row["family"] in ("integer", "hybrid")]
    equal = sum(row["verdict"] == "equal" for row in integer)
    texts = {
        "right-models": models(outputs["rows"]) + [
            "", f"Of {len(integer)} models with integer operators {equal} are "
            f"equal to the bit ({100 * equal / len(integer):.0f} %)."],
        "right-exceptions": exceptions(outputs["rows"]),
        "right-operators": kinds(operators["rows"]),
        "right-types": types(operators["rows"]) + ["", *left_out(operators)],
    }
    for name, text in texts.items():
        print("\n".join(text), end="\n\n")
        if args.docs:
            docs_table.replace("docs/running.md", name, "\n".join(text))


if __name__ == "__main__":
    main()
