# SPDX-License-Identifier: Apache-2.0
"""How the figures of run_memory.py are shown."""
import math
import re

import report_speed

ALLOWED = 6 * 2**20
PARTS = ("mapped_touched", "arena", "persistent")
HEAD = (
    "| model | weights touched | arena | persistent | LiteRT's arena | of it |"
    " growth | allowed | plain | default | of default |",
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")


def kib(value):
    return "" if value is None else f"{value / 1024:,.0f}"


def share(value):
    return "" if value is None else f"{value:.2f}"


def ratio(row, top, bottom):
    a, b = row.get(top), row.get(bottom)
    return a / b if a is not None and b else None


def arena_ratio(row):
    """Nothing where LiteRT has no arena, or neither has."""
    return ratio(row, "arena", "litert_arena")


def allowed(row):
    return sum(row[part] for part in PARTS) + ALLOWED


def larger(rows):
    """Arenas larger than LiteRT's, and what LiteRT keeps outside its own."""
    names = [f"{row['model']} (there LiteRT keeps {kib(row['litert_heap'])} "
             f"KiB of the same tensors on the heap)" for row in rows
             if row["arena"] > row["litert_arena"]]
    return f"larger on {len(names)}" + (
        f": {', '.join(names)}" if names else "")


def geometric_mean(values):
    values = [value for value in values if value]
    if not values:
        return None
    return math.exp(sum(map(math.log, values)) / len(values))


def ran(rows):
    return [row for row in rows if "ours_growth" in row]


def line(row):
    """For those who wait."""
    if "ours_growth" not in row:
        return f"{row['model']}: {row.get('ours_why_not')}"
    over = row["over"] / 2**20
    return (f"{row['model']}: growth {kib(row['ours_growth'])} KiB, "
            f"{over:.2f} MiB over the three, "
            f"{share(ratio(row, 'ours_growth', 'default_growth'))} of default, "
            f"arena {share(arena_ratio(row))} of LiteRT's")


def cells(row):
    return " | ".join([
        row["model"], *(kib(row[part]) for part in PARTS),
        kib(row.get("litert_arena")), share(arena_ratio(row)),
        kib(row["ours_growth"]), kib(allowed(row)),
        kib(row.get("plain_growth")), kib(row.get("default_growth")),
        share(ratio(row, "ours_growth", "default_growth"))])


def brief(why):
    """One word or a few of a long message."""
    custom = re.search(r"unresolved custom op: (\w+)", why)
    if custom:
        return f"unknown operator {custom.group(1)}"
    kernels = re.search(r"without a kernel: (.*); register", why)
    if kernels:
        types = dict.fromkeys(re.findall(r"\d+ x (\w+)", kernels.group(1)))
        return f"no kernel for {', '.join(types)}"
    return why if len(why) <= 80 else why[:77].rstrip() + "..."


def missing(rows):
    """What does not run here or there, and why."""
    table = ["| model | ours | plain | default |", "|---|---|---|---|"]
    for row in rows:
        reasons = [row.get(f"{engine}_why_not") for engine in
                   ("ours", "plain", "default")]
        if any(reasons):
            cells = [brief(why) if why else "runs" for why in reasons]
            table.append(f"| {row['model']} | {' | '.join(cells)} |")
    return table


def spread(rows, engine):
    """How far repeats of one model lie apart, in the median and at most."""
    parts = sorted(
        (row[f"{engine}_most"] - row[f"{engine}_least"]) /
        row[f"{engine}_growth"] for row in rows
        if row.get(f"{engine}_growth"))
    if not parts:
        return "none"
    return f"{parts[len(parts) // 2]:.1%} (at most {parts[-1]:.1%})"


def group_summary(name, rows):
    good = ran(rows)
    within = [row for row in good if row["ours_growth"] <= allowed(row)]
    both = [row for row in good if row.get("default_growth")]
    plain = [row for row in good if row.get("plain_growth")]
    arenas = [row for row in good if arena_ratio(row) is not None]
    static = [row for row in good if not row.get("dynamic")]
    values = {
        "default": geometric_mean(
            ratio(row, "ours_growth", "default_growth") for row in both),
        "plain": geometric_mean(
            ratio(row, "ours_growth", "plain_growth") for row in plain),
        "arena": geometric_mean(map(arena_ratio, arenas))}
    return [
        f"- {name}: {len(good)} of {len(rows)} run. Growth is within weights "
        f"touched + arena + persistent + 6 MiB on {len(within)} of "
        f"{len(good)}, at most {max(row['over'] for row in good) / 2**20:.2f} "
        f"MiB over the three; in the geometric mean "
        f"{share(values['default'])} of LiteRT's default ({len(both)} models) "
        f"and {share(values['plain'])} of plain ({len(plain)}). The arena is "
        f"{share(values['arena'])} of LiteRT's ({len(arenas)}), "
        f"{larger(arenas)}. "
        f"{sum(row.get('per_invoke') == 0 for row in static)} of "
        f"{len(static)} models without dynamic tensors ask the heap for "
        f"nothing after the first run; the audit finds "
        f"{sum(row.get('audit') is True for row in good)} of {len(good)} "
        f"bit-identical."]


def summary(rows):
    result = []
    for group in ("real", "generated"):
        members = [row for row in rows if row["group"] == group]
        if ran(members):
            result += group_summary(group, members)
    return result


def table(rows, repeats):
    good = ran(rows)
    spreads = ", ".join(f"{engine} {spread(good, engine)}"
                        for engine in ("ours", "plain", "default"))
    return "\n".join([
        f"{report_speed.machine()}; median of {repeats} processes each, "
        f"most less least as a part of the median: {spreads}.", "",
        *summary(rows), "", "In KiB:", "", *HEAD,
        *(f"| {cells(row)} |" for row in good), "",
        "What does not run:", "", *missing(rows)])
