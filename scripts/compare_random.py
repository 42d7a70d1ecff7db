#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares random models, operator by operator, with the real LiteRT.

compare_random.py BUILD [--first SEED] [--count N] [--type OPERATOR] [--keep D]

BUILD/tests/random/random_files writes the models, BUILD/tests/litert/
check_operators runs our kernels on what LiteRT (plain, fixed-point
arithmetic) had. A line for each operator that breaks the rule of
compare_operators.py, with its file; then a line for each type and
family. Exit code 1 if there is any. Models that LiteRT refuses, or on which
it crashes, are counted with the reason.
"""
import argparse
import collections
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import litert_engine

litert_engine.ensure_package()
import compare_operators  # noqa: E402
import litert_values  # noqa: E402


def dump_apart(model, path):
    """The reason why LiteRT has no values; None if `path` has them.

    In a process of its own: LiteRT crashes on some valid models. Forked, since
    there are thousands and a new interpreter takes longer than a model.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            litert_values.dump_main(model, path)
            os._exit(0)
        except Exception as error:  # pylint: disable=broad-except
            os.write(write, str(error).encode()[:2000])
            os._exit(1)
    os.close(write)
    _, status = os.waitpid(child, 0)
    reason = os.read(read, 4096).decode(errors="replace")
    os.close(read)
    if os.WIFSIGNALED(status):
        return f"crashes ({signal.Signals(os.WTERMSIG(status)).name})"
    return " ".join(reason.split()) if status else None


class Tally:
    """Operators and their worst difference, by type and family."""

    def __init__(self):
        self.rows = collections.defaultdict(lambda: [0, 0, 0.0])
        self.refused = collections.Counter()
        self.missing = collections.Counter()
        self.offenders = 0

    def add(self, path, line):
        _, _, kind, _, *rest = line.split("\t")
        if rest[0] == "skipped":
            return
        if rest[0] == "fails":
            self.missing[rest[1][:120]] += 1
            return
        worst = list(map(float, rest[:3]))
        row = self.rows[kind, path.stem.split("_")[-1]]
        row[0] += 1
        row[1] += int(rest[3]) > 0
        row[2] = max(row[2], *worst)
        if not compare_operators.is_within(*worst):
            self.offenders += 1
            print(f"{path.name}: {line}", flush=True)

    def show(self):
        for (kind, family), (count, differ, worst) in sorted(
                self.rows.items()):
            print(f"{kind:26} {family:7} {count:5} operators, {differ:4} "
                  f"differ, worst {worst:.3g}")
        for title, counter in (("LiteRT has no values", self.refused),
                               ("ours does not run", self.missing)):
            for reason, count in counter.most_common():
                print(f"{title}: {count} x {reason}")


def compare(path, build, tally):
    with tempfile.NamedTemporaryFile() as file:
        reason = dump_apart(path, file.name)
        if reason:
            tally.refused[reason[:160]] += 1
            return
        run = subprocess.run(
            [build / "tests/litert/check_operators", path, "litert",
             file.name], capture_output=True, text=True, check=False)
    if run.returncode:
        reason = run.stderr.strip() or f"signal {-run.returncode}"
        tally.missing[f"{reason.partition(', ')[2][:160]}"] += 1
        return
    for line in run.stdout.splitlines():
        tally.add(path, line)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--type", default="")
    parser.add_argument("--keep", type=pathlib.Path)
    args = parser.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        folder = args.keep or pathlib.Path(folder)
        folder.mkdir(exist_ok=True)
        files = subprocess.run(
            [args.build / "tests/random/random_files", folder,
             str(args.first), str(args.count)] +
            ([args.type] if args.type else []),
            check=True, capture_output=True, text=True).stdout.splitlines()
        for number, path in enumerate(files, 1):
            compare(pathlib.Path(path), args.build, tally)
            if sys.stderr.isatty():
                print(f"\r{number} of {len(files)} models", end="",
                      file=sys.stderr, flush=True)
    tally.show()
    print(f"{len(files)} models, {tally.offenders} operators too far off")
    return 1 if tally.offenders else 0


if __name__ == "__main__":
    sys.exit(main())
