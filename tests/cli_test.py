# SPDX-License-Identifier: Apache-2.0
"""The command line as its users meet it: documents, exit codes, manners.

  python3 tests/cli_test.py STOWPLAN MAKE_EXAMPLES OFFLINE_PLAN_FILES \\
      [unittest arguments]
"""
import hashlib
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

STOWPLAN = ""
EXAMPLES = pathlib.Path()
OFFLINE = pathlib.Path()  # Models that bring a plan for TFLM.

GRAPH = {
    "alignment": 64,
    "tensors": [
        {"id": 0, "name": "x", "shape": [64], "dtype": "u8", "kind": "input"},
        {"id": 1, "name": "h", "shape": [128], "dtype": "u8",
         "kind": "intermediate"},
        {"id": 2, "name": "y", "shape": [64], "dtype": "u8",
         "kind": "output"},
    ],
    "ops": [
        {"name": "up", "type": "CONV_2D", "inputs": [0], "outputs": [1]},
        {"name": "down", "type": "CONV_2D", "inputs": [1], "outputs": [2]},
    ],
}
CSV = "id,lower,upper,size\na,0,2,64\nb,1,3,128\nc,2,4,64\n"


def run(*arguments, stdin=None, env=None):
    return subprocess.run([STOWPLAN, *map(str, arguments)], input=stdin,
                          capture_output=True, text=True, timeout=120,
                          env={**os.environ, **(env or {})})


class CliCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.graph = self.path / "graph.json"
        self.graph.write_text(json.dumps(GRAPH))
        self.csv = self.path / "problem.csv"
        self.csv.write_text(CSV)

    def ok(self, *arguments, code=0, **more):
        result = run(*arguments, **more)
        self.assertEqual(result.returncode, code,
                         f"{arguments}: {result.stdout}{result.stderr}")
        return result.stdout

    def refused(self, code, *arguments, **more):
        """One line on stderr, nothing on stdout."""
        result = run(*arguments, **more)
        self.assertEqual(result.returncode, code,
                         f"{arguments}: {result.stdout}{result.stderr}")
        self.assertEqual(result.stdout, "")
        lines = result.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("stowplan: error: "), lines[0])
        return lines[0]


class Manners(CliCase):
    def test_help_has_an_example_for_each_command(self):
        for command in ("report", "plan", "pack", "inspect", "verify",
                        "run"):
            text = self.ok(command, "--help")
            self.assertIn("Example", text)
            self.assertIn(f"stowplan {command} ", text)

    def test_version(self):
        self.assertRegex(self.ok("--version"), r"^stowplan \d+\.\d+\.\d+\n$")

    def test_usage_errors_end_with_2(self):
        self.refused(2)
        self.refused(2, "stow")
        self.refused(2, "plan")
        self.refused(2, "plan", self.graph, "--in-place", "maybe")
        self.refused(2, "plan", self.graph, "--alignment", "48")
        self.refused(2, "plan", self.graph, "--alignment", "lots")
        self.refused(2, "plan", self.graph, "--shape", "x")
        self.refused(2, "plan", self.graph, "--shape", "nobody:1")
        self.refused(2, "plan", self.graph, "--keep", "nobody")
        self.refused(2, "plan", self.graph, "--signature", "nobody")
        self.refused(2, "plan", self.graph, "--solver", "magic")
        self.refused(2, "pack", self.csv, "--deadline", "soon")
        self.refused(2, "plan", self.graph, "--engine", "onnx")
        self.refused(2, "plan", self.graph, "--engine", "litert,tflm")
        self.refused(2, "plan", self.graph, "--engine", "tflm",
                     "--pointer-bytes", "2")
        self.refused(2, "plan", self.graph, "--engine", "tflm", "--shape",
                     "x:64")
        self.refused(2, "verify", self.graph, "--engine", "litert", "--plan",
                     self.csv)
        self.refused(2, "verify", self.graph, "--plan", self.csv,
                     "--plan-format", "xml")
        self.refused(2, "pack", self.csv, "--capacity", "-1")
        self.refused(2, "pack", self.csv, "--effort", "-1")
        self.refused(2, "pack", self.csv, "--json", "--format", "csv")
        self.refused(2, "pack", self.csv, "--certificate", "a", "-o", "a")
        self.refused(2, "plan", self.graph, "--json", "--format", "csv")
        self.refused(2, "plan", self.graph, "--shape", "x:64", "--shape",
                     "x:32")

    def test_bad_input_ends_with_3_and_names_the_file(self):
        missing = self.path / "missing.tflite"
        self.assertIn("missing.tflite", self.refused(3, "plan", missing))
        self.assertIn(str(self.path), self.refused(3, "plan", self.path))
        for name, content in (("empty", b""), ("text", b"hello, model"),
                              ("zeros", bytes(4096)), ("brace", b"{"),
                              ("deep", b"{\"a\":" * 100000)):
            bad = self.path / name
            bad.write_bytes(content)
            for command in ("report", "plan", "inspect", "verify"):
                self.assertIn(name, self.refused(3, command, bad))
        for name, content in (("empty.csv", ""), ("head.csv", "id,size\n"),
                              ("row.csv", "id,lower,upper,size\n1,2\n"),
                              ("big.csv", "id,lower,upper,size\n1,0,1,"
                                          + "9" * 30 + "\n")):
            bad = self.path / name
            bad.write_text(content)
            self.assertIn(name, self.refused(3, "pack", bad))

    def test_json_is_one_document_and_nothing_else(self):
        for arguments in (("report", self.graph, "--json"),
                          ("plan", self.graph, "--json"),
                          ("plan", self.graph, "--format", "json"),
                          ("inspect", self.graph, "--json"),
                          ("plan", self.graph, "--engine", "litert", "--json"),
                          ("plan", self.graph, "--engine", "tflm", "--json"),
                          ("report", self.graph, "--engine", "all", "--json"),
                          ("verify", self.graph, "--json"),
                          ("pack", self.csv, "--json")):
            json.loads(self.ok(*arguments))

    def test_reads_stdin(self):
        document = json.loads(self.ok("plan", "-", "--json",
                                      stdin=json.dumps(GRAPH)))
        self.assertEqual(document["arena"]["bytes"], 192)
        document = json.loads(self.ok("pack", "-", "--json", stdin=CSV))
        self.assertEqual(document["peak"], 192)

    def test_never_overwrites_what_is_not_its_own(self):
        precious = self.path / "precious.txt"
        precious.write_text("my notes")
        self.refused(2, "plan", self.graph, "-o", precious)
        self.assertEqual(precious.read_text(), "my notes")
        self.ok("plan", self.graph, "-o", precious, "--force")
        self.assertNotEqual(precious.read_text(), "my notes")

    def test_what_only_mentions_the_program_is_not_its_own(self):
        for content in ("#!/bin/sh\nstowplan plan model.tflite\n", CSV):
            precious = self.path / "precious"
            precious.write_text(content)
            self.refused(2, "plan", self.graph, "-o", precious)
            self.refused(2, "pack", self.csv, "--format", "csv", "-o",
                         precious)
            self.assertEqual(precious.read_text(), content)

    def test_never_overwrites_its_input(self):
        before = self.graph.read_text()
        self.refused(2, "plan", self.graph, "--json", "-o", self.graph,
                     "--force")
        self.assertEqual(self.graph.read_text(), before)

    def test_writes_through_devices_and_links(self):
        self.assertIn("TotalArenaSize: 192",
                      self.ok("plan", self.graph, "--format", "lines", "-o",
                              "/dev/stdout"))
        target = self.path / "target.csv"
        link = self.path / "link.csv"
        link.symlink_to(target)
        self.ok("plan", self.graph, "--format", "csv", "-o", link)
        self.assertTrue(link.is_symlink())
        self.assertIn("subgraph,tensor", target.read_text())

    def test_unwritable_output_ends_with_3(self):
        self.refused(3, "plan", self.graph, "-o", self.path / "no" / "file")
        self.refused(3, "plan", self.graph, "-o", "/dev/full")

    def test_replaces_its_own_documents(self):
        for file_format in ("json", "csv", "svg", "lines", "text"):
            path = self.path / ("plan." + file_format)
            for _ in range(2):
                self.ok("plan", self.graph, "--format", file_format, "-o",
                        path)
        for _ in range(2):
            self.ok("report", self.graph, "-o", self.path / "page.html")
            self.ok("inspect", self.graph, "-o", self.path / "facts.txt")
            self.ok("inspect", self.graph, "--json", "-o",
                    self.path / "facts.json")
            self.ok("pack", self.csv, "-o", self.path / "pack.txt")

    def test_colour_only_when_asked_or_on_a_terminal(self):
        self.assertNotIn("\033", self.ok("report", self.graph))
        self.assertIn("\033", self.ok("report", self.graph, "--color",
                                      "always"))

    def test_same_plan_every_time(self):
        model = EXAMPLES / "mobilenet_v2_224_int8.tflite"
        first = self.ok("plan", model, "--json", "--threads", "1")
        second = self.ok("plan", model, "--json", "--threads", "8")
        self.assertEqual(first, second)


class Documents(CliCase):
    def test_worked_example(self):
        document = json.loads(self.ok("plan", EXAMPLES / "four_operators.tflite",
                                      "--json", "--in-place", "off"))
        arena = [t for t in document["tensors"] if t["kind"] == "arena"]
        middle = [t for t in arena if t["producer"] is not None][:3]
        self.assertEqual([t["bytes"] for t in middle], [64, 128, 64])

    def test_pack_worked_example(self):
        document = json.loads(self.ok("pack", self.csv, "--json"))
        self.assertEqual(document["schema"], "stowplan.pack/1")
        self.assertEqual(document["offsets"], [0, 64, 0])
        self.assertEqual(document["peak"], 192)
        self.assertEqual(document["lower_bound"], 192)
        self.assertEqual(document["verdict"], "optimal")
        self.assertEqual(document["buffers"], 3)
        self.assertIn("nodes", document["work"])
        self.assertIsInstance(document["seconds"], float)

    def test_peak_is_where_most_bytes_are_alive(self):
        for example in sorted(EXAMPLES.glob("*.tflite")):
            document = json.loads(self.ok("plan", example, "--json"))
            self.assertEqual(document["peak"]["bytes"],
                             document["arena"]["max_live_bytes"], example)

    def test_report_says_what_open_inputs_are_planned_as(self):
        said = self.ok("report", EXAMPLES / "dynamic_shape.tflite")
        self.assertIn("is declared", said)

    def test_interrupt_gives_the_best_plan_so_far(self):
        # Many buffers of odd sizes: no proof in any time that a test has.
        rows = "".join(f"{i},{i % 37},{i % 37 + 40},{97 + 61 * i % 89}\n"
                       for i in range(400))
        self.csv.write_text("id,lower,upper,size\n" + rows)
        process = subprocess.Popen(
            [STOWPLAN, "pack", str(self.csv), "--json", "--effort",
             "1000000000000"], stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        try:
            time.sleep(3)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=60)
        finally:
            process.kill()
        self.assertEqual(process.returncode, 0)
        self.assertEqual(len(json.loads(said)["offsets"]), 400)

    def test_pack_says_no_with_1(self):
        result = run("pack", self.csv, "--capacity", "128", "--json")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(json.loads(result.stdout)["verdict"], "infeasible")

    def test_pack_names_pins_that_collide(self):
        text = ("id,lower,upper,size,offset\n"
                "a,0,2,64,0\nfree,0,2,8,\nb,1,3,64,32\n")
        said = self.ok("pack", "-", stdin=text, code=1)
        self.assertIn("a and b are both pinned to bytes [32, 64) at step 1",
                      said)

    def test_pack_csv_can_be_read_again(self):
        solved = self.ok("pack", self.csv, "--format", "csv")
        self.assertEqual(solved.splitlines()[0], "id,lower,upper,size,offset")
        again = json.loads(self.ok("pack", "-", "--json", stdin=solved))
        self.assertEqual(again["peak"], 192)

    def test_pack_certificate(self):
        path = self.path / "certificate.json"
        self.ok("pack", self.csv, "--certificate", path)
        self.assertIn("stowplan", path.read_text())

    def test_plan_json_has_the_fields_of_the_contract(self):
        document = json.loads(
            self.ok("plan", EXAMPLES / "detector_640_int8.tflite", "--json"))
        self.assertEqual(document["schema"], "stowplan.plan/1")
        self.assertEqual(document["engine"], "stowplan")
        self.assertEqual(set(document["model"]) & {
            "path", "bytes", "subgraphs", "operators"},
            {"path", "bytes", "subgraphs", "operators"})
        options = document["options"]
        self.assertEqual(
            {k: options[k] for k in ("alignment", "inputs", "outputs",
                                     "in_place", "order", "solver")},
            {"alignment": 64, "inputs": "recycle", "outputs": "keep",
             "in_place": "safe", "order": "file", "solver": "portfolio"})
        arena = document["arena"]
        self.assertEqual(arena["verdict"], "optimal")
        self.assertEqual(arena["bytes"], arena["lower_bound"])
        self.assertGreater(arena["naive_bytes"], 4 * arena["bytes"])
        self.assertGreaterEqual(arena["bytes"], arena["max_live_bytes"])
        peak = document["peak"]
        self.assertAlmostEqual(sum(b["share"] for b in peak["buffers"]), 1,
                               places=3)
        self.assertEqual(sum(b["bytes"] for b in peak["buffers"]),
                         peak["bytes"])
        fields = {"subgraph", "tensor", "name", "kind", "dtype", "shape",
                  "bytes", "offset", "begin", "end", "alias_of", "producer",
                  "last_reader", "owner"}
        for tensor in document["tensors"]:
            self.assertLessEqual(fields, set(tensor))

    def test_plan_offsets_do_not_collide(self):
        for example in sorted(EXAMPLES.glob("*.tflite")):
            document = json.loads(self.ok("plan", example, "--json",
                                          "--in-place", "off"))
            placed = [t for t in document["tensors"]
                      if t["kind"] in ("arena", "scratch") and t["bytes"]]
            for i, a in enumerate(placed):
                self.assertLessEqual(a["offset"] + a["bytes"],
                                     document["arena"]["bytes"])
                for b in placed[:i]:
                    if a["begin"] < b["end"] and b["begin"] < a["end"]:
                        self.assertTrue(
                            a["offset"] + a["bytes"] <= b["offset"]
                            or b["offset"] + b["bytes"] <= a["offset"],
                            f"{example}: {a} {b}")

    def test_lines(self):
        text = self.ok("plan", self.graph, "--format", "lines")
        lines = text.strip().splitlines()
        for line in lines[:-1]:
            self.assertRegex(line,
                             r"^ArenaAlloc: tensor=\d+ size=\d+ offset=\d+$")
        self.assertEqual(lines[-1], "TotalArenaSize: 192")

    def test_csv_has_a_row_a_tensor(self):
        rows = self.ok("plan", self.graph, "--format", "csv").splitlines()
        self.assertEqual(len(rows), 4)

    def test_svg_and_html_are_whole_and_offline(self):
        svg = self.ok("plan", self.graph, "--format", "svg")
        self.assertTrue(svg.lstrip().startswith("<svg"), svg[:80])
        page = self.path / "page.html"
        summary = self.ok("report", self.graph, "-o", page)
        self.assertIn("192 B", summary)
        html = page.read_text()
        self.assertIn("<svg", html)
        # Nothing is loaded from anywhere.
        self.assertIsNone(re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//",
                                    html))

    def test_keep_and_rules_have_their_price(self):
        def arena(*more):
            return json.loads(self.ok("plan", self.graph, "--json",
                                      *more))["arena"]["bytes"]
        self.assertEqual(arena(), 192)
        self.assertEqual(arena("--inputs", "keep"), 256)
        self.assertEqual(arena("--keep", "x"), 256)
        self.assertEqual(arena("--alignment", "256"), 512)

    def test_shape_of_an_input(self):
        model = EXAMPLES / "dynamic_shape.tflite"
        facts = json.loads(self.ok("inspect", model, "--json"))
        self.assertTrue(facts["dynamic"])
        for row in facts["dynamic"]:
            self.assertTrue(row["because"])


def chain(names):
    """x -> a, views of it, d = MUL(last view, k), y = ADD(d, b).

    With two views, b and c, LiteRT writes d over b; with one it cannot.
    """
    def tensor(index, name):
        kind = {"x": "input", "k": "constant",
                "y": "output"}.get(name, "intermediate")
        shape = [1] if name == "k" else [64, 16]
        return {"id": index, "name": name, "shape": shape, "dtype": "f32",
                "kind": kind}

    at = {name: index for index, name in enumerate(["x", "a", *names, "k",
                                                    "d", "y"])}
    ops = [{"name": "abs", "type": "ABS", "inputs": [0], "outputs": [1]}]
    for index in range(1, 1 + len(names)):
        ops.append({"name": f"view{index}", "type": "RESHAPE",
                    "inputs": [index], "outputs": [index + 1]})
    ops.append({"name": "mul", "type": "MUL",
                "inputs": [at[names[-1]], at["k"]], "outputs": [at["d"]]})
    ops.append({"name": "add", "type": "ADD", "inputs": [at["d"], at["b"]],
                "outputs": [at["y"]]})
    return {"alignment": 64, "ops": ops,
            "tensors": [tensor(i, name) for name, i in at.items()]}


class Engines(CliCase):
    def json(self, *arguments, code=0):
        return json.loads(self.ok(*arguments, "--json", code=code))

    def file(self, name, content):
        path = self.path / name
        path.write_text(content if isinstance(content, str)
                        else json.dumps(content))
        return path

    def shared(self, *parts):
        folder = pathlib.Path(os.environ.get(
            "STOWPLAN_SHARED",
            pathlib.Path(__file__).resolve().parents[1] / ".." / "shared"))
        path = folder.joinpath(*parts)
        if not path.exists():
            self.skipTest(f"{path} is not there")
        return path

    def hazard(self, control=False):
        return self.file("hazard.json", chain(["b"] if control else
                                              ["b", "c"]))

    def test_verify_fails_litert_where_a_view_is_overwritten(self):
        graph = self.hazard()
        document = self.json("verify", graph, "--engine", "litert", code=1)
        self.assertEqual(document["schema"], "stowplan.verify/1")
        self.assertEqual(document["engine"], "litert")
        self.assertFalse(document["ok"])
        violation, = document["violations"]
        self.assertEqual(violation["reader"]["op"], "ADD")
        self.assertEqual(violation["overwritten_by"]["op"], "MUL")
        self.assertEqual(violation["tensor"]["name"], "b")
        self.assertEqual(violation["overwritten_by"]["name"], "d")
        begin, end = violation["bytes"]
        self.assertEqual(end - begin, 4096)
        text = self.ok("verify", graph, "--engine", "litert", code=1)
        for word in ("unsound", "MUL", "ADD", "(b)", f"[{begin}, {end})"):
            self.assertIn(word, text)
        plain = json.loads(graph.read_text())
        plain["ops"][-1]["name"] = "ADD"
        self.assertIn("operator 4 (ADD) reads",
                      self.ok("verify", self.file("plain.json", plain),
                              "--engine", "litert", code=1))
        self.assertTrue(self.json("verify", graph)["ok"])
        self.assertTrue(self.json("verify", graph, "--engine", "tflm")["ok"])
        self.assertIn("litert: operator 4",
                      self.ok("report", graph, "--engine", "all"))

    def test_verify_passes_the_control(self):
        graph = self.hazard(control=True)
        self.assertTrue(self.json("verify", graph, "--engine", "litert")["ok"])

    def test_case_03_names_writer_reader_tensor_and_range(self):
        case = self.shared("cases", "03-view-chain-inplace-hazard.json")
        text = self.ok("verify", case, "--engine", "litert", code=1)
        for word in ("MUL", "ADD", "(b)", "[4096, 8192)"):
            self.assertIn(word, text)

    def test_case_22_keeps_its_input_in_litert(self):
        case = self.shared("cases", "22-fpn-640.json")
        document = self.json("report", case, "--engine", "all")
        ours, litert, _ = document["engines"]
        self.assertEqual(ours["arena_bytes"], 2867200)
        self.assertEqual(litert["arena_bytes"], 3686400)
        reason, = litert["differences"]
        self.assertEqual((reason["cause"], reason["bytes"]),
                         ("kept inputs", 819200))
        self.assertIn("img", reason["text"])

    def test_edsr_is_mostly_scratch_in_litert(self):
        model = self.shared("models", "mlperfmobile_edsr_f32b5_int8.tflite")
        document = self.json("plan", model, "--engine", "litert")
        self.assertEqual(document["arena"]["bytes"], 217209600)
        reasons = {r["cause"]: r["bytes"]
                   for r in document["engines"][0]["reasons"]}
        self.assertEqual(reasons["live tensors"], 66355200)
        self.assertEqual(reasons["scratch"], 149299200)
        self.assertIn("217,209,600",
                      self.ok("report", model, "--engine", "litert"))

    def test_an_output_that_nobody_reads_is_kept_and_said(self):
        graph = json.loads(json.dumps(GRAPH))
        graph["tensors"] += [
            {"id": 3, "name": "unread", "shape": [4096], "dtype": "u8",
             "kind": "intermediate"},
            {"id": 4, "name": "late", "shape": [4096], "dtype": "u8",
             "kind": "intermediate"}]
        graph["ops"][0]["outputs"] = [1, 3]
        graph["ops"][1:] = [
            {"name": "mid", "type": "CONV_2D", "inputs": [1], "outputs": [4]},
            {"name": "down", "type": "CONV_2D", "inputs": [4],
             "outputs": [2]}]
        document = self.json("report", self.file("unread.json", graph),
                             "--engine", "litert")
        ours, litert = document["engines"]
        reasons = {r["cause"]: r for r in litert["differences"]}
        self.assertEqual(reasons["unread outputs"]["bytes"], 4096)
        self.assertIn("nobody reads", reasons["unread outputs"]["text"])
        self.assertIn("unread", reasons["unread outputs"]["text"])
        self.assertEqual(sum(r["bytes"] for r in litert["differences"]),
                         litert["arena_bytes"] - ours["arena_bytes"])

    def test_documents_of_the_engines_have_the_fields_of_the_contract(self):
        model = EXAMPLES / "detector_640_int8.tflite"
        document = self.json("plan", model, "--engine", "litert")
        self.assertEqual(document["schema"], "stowplan.plan/1")
        self.assertEqual(document["engine"], "litert")
        self.assertEqual(sum(a["bytes"] for a in document["arenas"]),
                         document["arena"]["bytes"])
        self.assertLessEqual(document["arena"]["lower_bound"],
                             document["arena"]["bytes"])
        document = self.json("plan", model, "--engine", "tflm")
        tflm = document["tflm"]
        self.assertEqual(tflm["pointer_bytes"], 4)
        self.assertEqual(tflm["build"], "plain")
        self.assertEqual(max(p["bytes"] for p in tflm["phases"]),
                         tflm["least_arena_bytes"])
        self.assertEqual(document["arena"]["bytes"], tflm["head_bytes"])
        host = self.json("plan", model, "--engine", "tflm",
                         "--pointer-bytes", "8", "--tflm-build",
                         "wheel")["tflm"]
        self.assertGreater(host["least_arena_bytes"],
                           tflm["least_arena_bytes"])
        self.assertEqual(host["head_bytes"], tflm["head_bytes"])

    def test_every_format_shows_every_engine(self):
        model = EXAMPLES / "mobilenet_v2_224_int8.tflite"
        for engine in ("stowplan", "litert", "tflm"):
            for file_format in ("text", "json", "csv", "svg", "lines"):
                self.assertTrue(self.ok("plan", model, "--engine", engine,
                                        "--format", file_format))
        page = self.path / "page.html"
        text = self.ok("report", model, "--engine", "all", "-o", page)
        for content in (text, page.read_text()):
            self.assertIn("What the engines would take", content)
            self.assertIn("litert takes", content)
        self.assertEqual(
            [e["engine"] for e in self.json("report", model, "--engine",
                                            "tflm,litert")["engines"]],
            ["stowplan", "tflm", "litert"])

    def test_a_plan_passes_the_judge_when_it_is_read_back(self):
        for example in sorted(EXAMPLES.glob("*.tflite")):
            for engine in ("stowplan", "litert", "tflm"):
                result = run("plan", example, "--engine", engine, "--json")
                if result.returncode != 0:  # A size that TFLM needs.
                    self.assertEqual(engine, "tflm")
                    self.assertEqual(result.returncode, 3)
                    continue
                plan = self.file("plan.json", result.stdout)
                document = self.json("verify", example, "--plan", plan)
                self.assertTrue(document["ok"], f"{example} {engine}")
                self.assertIsNone(document["engine"])

    def test_a_corrupted_plan_is_caught(self):
        model = EXAMPLES / "four_operators.tflite"
        document = self.json("plan", model)
        for tensor in document["tensors"]:
            if tensor["offset"] is not None:
                tensor["offset"] = 0
        plan = self.file("plan.json", document)
        verdict = self.json("verify", model, "--plan", plan, code=1)
        self.assertTrue(verdict["violations"])
        document["tensors"][0]["tensor"] = 1000
        plan = self.file("plan.json", document)
        self.assertIn("plan.json",
                      self.refused(3, "verify", model, "--plan", plan))

    def test_plans_of_other_tools(self):
        csv = self.file("plan.csv", "id,lower,upper,size,offset\n"
                        "x,0,1,64,0\nh,0,2,128,64\ny,1,2,64,0\n")
        self.assertTrue(self.json("verify", self.graph, "--plan", csv)["ok"])
        addresses = self.file("plan.txt", "# tensor address bytes\n"
                              "0 0x1000 64\n1 0x1040 128\n2 0x1000 64\n")
        self.assertTrue(self.json("verify", self.graph, "--plan",
                                  addresses)["ok"])
        bad = self.file("bad.txt", "0 4096 64\n1 4096 128\n2 4160 64\n")
        verdict = self.json("verify", self.graph, "--plan", bad,
                            "--plan-format", "addresses", code=1)
        self.assertEqual(verdict["violations"][0]["tensor"]["name"], "x")
        words = b"".join(w.to_bytes(4, "little", signed=True)
                         for w in (1, 1, 3, 0, 64, 0))
        offline = self.path / "offline.bin"
        offline.write_bytes(words)
        self.assertTrue(self.json("verify", self.graph, "--plan",
                                  offline)["ok"])
        self.refused(3, "verify", self.graph, "--plan", offline,
                     "--plan-format", "json")
        self.refused(3, "verify", self.graph, "--plan", "metadata")
        self.refused(3, "verify", self.graph, "--plan", self.path / "no")

    def test_a_plan_that_says_nothing_of_the_model_is_refused(self):
        def refusal(name, content, *words):
            error = self.refused(3, "verify", self.graph, "--plan",
                                 self.file(name, content))
            for word in (name, *words):
                self.assertIn(word, error)

        refusal("empty.txt", "", "it is empty", "plan --json")
        refusal("list.json", "[1, 2]", "looks like a JSON list")
        for form in ("csv", "lines"):
            refusal("plan." + form, self.ok("plan", self.graph, "--format",
                                            form), f"--format {form}")
        refusal("words.txt", "hello\n", "looks like no plan")
        refusal("comment.txt", "# nothing\n", "it is empty")
        refusal("other.txt", "9 0 64\n", "none of the 3 tensors")
        document = self.json("plan", self.graph)
        refusal("none.json", {**document, "tensors": []}, "has no place")
        small = {**document["arena"], "bytes": 128}
        refusal("small.json", {**document, "arena": small}, "tensor 0 (x)",
                "arena of 128 bytes")
        for part in ("model", "arena", "options"):
            refusal("part.json", {**document, part: 7}, f"plan.{part}",
                    "no object")
        other = self.json("plan", self.hazard())
        refusal("model.json", other, "plan.model.operators")
        for bad in ("0", 1.5, 1e30, None):
            plan = json.loads(json.dumps(document))
            plan["tensors"][1]["offset"] = bad
            refusal("offset.json", plan, "plan.tensors[1]", "offset")
        part = self.file("part.txt", "0 0 64\n1 64 128\n")
        self.assertIn("2 of 3 tensors are placed by the plan",
                      self.ok("verify", self.graph, "--plan", part))

    def test_options_that_cannot_go_together_are_refused(self):
        self.refused(2, "verify", "-", "--plan", "-")
        for command in ("plan", "verify"):
            for engine in ("litert", "tflm"):
                for option in (("--inputs", "recycle"), ("--keep", "h"),
                               ("--outputs", "keep"), ("--alignment", "64"),
                               ("--in-place", "off"),
                               ("--fold-constants", "on")):
                    error = self.refused(2, command, self.graph, "--engine",
                                         engine, *option)
                    self.assertIn("the engine's own rules apply", error)
                    self.assertIn(option[0], error)
        self.ok("plan", self.graph, "--engine", "stowplan", "--inputs", "keep")

    def test_verify_says_that_tflm_has_no_kernel(self):
        graph = json.loads(json.dumps(GRAPH))
        graph["ops"][0] = {"name": "TOPK_V2", "type": "TOPK_V2",
                           "inputs": [0], "outputs": [1]}
        text = self.ok("verify", self.file("topk.json", graph), "--engine",
                       "tflm")
        self.assertEqual(
            text.splitlines()[0],
            "TFLM would not run this model: no kernel for TOPK_V2")

    def test_the_plan_that_a_file_brings_for_tflm(self):
        sound, unsound = OFFLINE / "sound.tflite", OFFLINE / "unsound.tflite"
        self.assertTrue(self.json("verify", sound, "--plan",
                                  "metadata")["ok"])
        self.assertTrue(self.json("verify", sound, "--engine", "tflm")["ok"])
        offsets = {t["name"]: t["offset"]
                   for t in self.json("plan", sound, "--engine",
                                      "tflm")["tensors"]}
        self.assertEqual(offsets, {"x": 0, "h": 64, "y": 128})
        for plan in (("--plan", "metadata"), ("--engine", "tflm")):
            violation, = self.json("verify", unsound, *plan,
                                   code=1)["violations"]
            self.assertEqual(violation["tensor"]["name"], "x")
            self.assertEqual(violation["overwritten_by"]["op"], "ABS")
        self.assertIn("--plan metadata", self.ok("verify", unsound))

    def test_lint_says_what_is_refused_and_until_when_tensors_are_valid(self):
        graph = self.hazard()
        text = self.ok("verify", graph, "--lint")
        self.assertIn("operator 3 (MUL) cannot write over", text)
        litert = self.json("verify", graph, "--engine", "litert", "--lint",
                           code=1)["lint"]
        readable = {r["tensor"]["name"]: r for r in litert["readable"]}
        self.assertEqual(readable["b"]["until"], 2)
        self.assertFalse(readable["b"]["after_run"])
        self.assertEqual(readable["b"]["overwritten_by"]["op"], "MUL")
        self.assertTrue(readable["y"]["after_run"])
        self.assertEqual(litert["in_place"][0]["blocker"]["name"], "b")


def npy(values, code, descr, shape):
    """A file of NumPy's format; the tests need no NumPy."""
    text = repr({"descr": descr, "fortran_order": False, "shape": shape})
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text))
            + text.encode() + struct.pack(f"<{len(values)}{code}", *values))


class Run(CliCase):
    IF = "if_branch.tflite"  # condition (bool), x (float32 1x32x32x8).
    STATIC = ("mobilenet_v2_224_int8.tflite", "while_loop.tflite", IF,
              "lstm_state.tflite")

    def document(self, model, *options, code=0):
        return json.loads(self.ok("run", EXAMPLES / model, "--json", *options,
                                  code=code))

    def counts(self):
        return self.document(self.IF)["allocations"]["counted"]

    def test_the_document_has_the_fields_of_the_contract(self):
        document = self.document("while_loop.tflite", "--runs", "3")
        self.assertEqual(document["schema"], "stowplan.run/1")
        self.assertEqual((document["runs"], document["threads"]), (3, 1))
        latency = document["latency_us"]
        self.assertLessEqual(latency["min"], latency["median"])
        self.assertLessEqual(latency["median"], latency["p95"])
        self.assertLessEqual({"prepare", "first_invoke", "per_invoke",
                              "bytes_per_invoke"},
                             set(document["allocations"]))
        memory = document["memory"]
        self.assertEqual(memory["peak_rss"], sum(
            memory[key] for key in (
                "mapped_touched", "arena", "persistent", "packed_weights",
                "overflow", "heap", "rest", "start")))
        self.assertGreater(memory["arena"], 0)
        self.assertIn("WHILE", {o["op"] for o in document["operators"]})
        for operator in document["operators"]:
            self.assertEqual(operator["kernel"], "reference")
            self.assertGreaterEqual(operator["us"], 0)
        self.assertEqual([(o["name"], o["dtype"], o["shape"])
                          for o in document["outputs"]],
                         [("count", "int32", []),
                          ("result", "float32", [1, 32, 32, 8])])
        self.assertIsNone(document["audit"])

    def test_no_run_after_the_first_uses_the_heap(self):
        if not self.counts():
            self.skipTest("this build does not count allocations")
        for model in self.STATIC:
            document = self.document(model, "--assert-no-alloc")
            self.assertEqual(document["runs"], 2)
            self.assertEqual(document["allocations"]["per_invoke"], 0, model)
            self.assertEqual(document["allocations"]["bytes_per_invoke"], 0)

    def test_who_uses_the_heap_is_named_and_ends_with_1(self):
        if not self.counts():
            self.skipTest("this build does not count allocations")
        result = run("run", EXAMPLES / "dynamic_shape.tflite",
                     "--assert-no-alloc")
        self.assertEqual(result.returncode, 1)
        self.assertIn("operator 2 (WHERE) of subgraph 0", result.stderr)
        self.refused(2, "run", EXAMPLES / self.IF, "--assert-no-alloc",
                     "--runs", "1")

    def test_audit_finds_the_same_bits(self):
        for model in ("dynamic_shape.tflite", *self.STATIC):
            audit = self.document(model, "--audit")["audit"]
            self.assertEqual(audit, {"ok": True, "first_difference": None})

    def test_results_are_the_same_every_time(self):
        def digests(*options):
            return [o["sha256"] for o in self.document(
                "mobilenet_v2_224_int8.tflite", *options)["outputs"]]
        first = digests("--input", "random:7")
        self.assertEqual(first, digests("--input", "random:7", "--runs", "2"))
        self.assertEqual(first, digests("--input", "random:7", "--in-place",
                                        "off", "--inputs", "keep"))
        self.assertNotEqual(first, digests())

    def test_files_go_in_and_come_out(self):
        x = self.path / "x.npy"
        values = [i / 8192 for i in range(8192)]
        x.write_bytes(npy(values, "f", "<f4", (1, 32, 32, 8)))
        condition = self.path / "condition.npy"
        condition.write_bytes(npy([0], "B", "|b1", ()))
        out = self.path / "out"
        document = self.document(self.IF, "--input", condition, "--input",
                                 f"x={x}", "--output-dir", out)
        self.assertEqual([i["source"] for i in document["inputs"]],
                         [str(condition), str(x)])
        self.assertEqual([p.name for p in out.iterdir()], ["output-0.npy"])
        written = (out / "output-0.npy").read_bytes()
        data = written[-4 * 8192:]
        self.assertEqual(hashlib.sha256(data).hexdigest(),
                         document["outputs"][0]["sha256"])
        # The cheap branch is a product with one number.
        y = struct.unpack("<8192f", data)
        for i in (1, 100, 8191):
            self.assertAlmostEqual(y[i] / values[i], y[8000] / values[8000],
                                   places=4)
        again = self.document("while_loop.tflite", "--input",
                              f"x={out / 'output-0.npy'}", "--input",
                              "random:1")
        self.assertEqual(again["inputs"][1]["source"],
                         str(out / "output-0.npy"))

    def test_other_shapes_run_and_are_audited(self):
        document = self.document("dynamic_shape.tflite", "--shape", "x:4,16",
                                 "--audit")
        self.assertEqual(document["inputs"][0]["shape"], [4, 16])
        self.assertEqual(document["outputs"][0]["shape"], [4, 8])
        self.assertTrue(document["audit"]["ok"])

    def test_outputs_are_never_overwritten_unasked(self):
        model = EXAMPLES / self.IF
        self.ok("run", model, "--output-dir", self.path)
        target = self.path / "output-0.npy"
        target.write_text("mine")
        self.assertIn("--force", self.refused(2, "run", model, "--output-dir",
                                              self.path))
        self.assertEqual(target.read_text(), "mine")
        self.ok("run", model, "--output-dir", self.path, "--force")
        self.assertTrue(target.read_bytes().startswith(b"\x93NUMPY"))

    def test_wrong_inputs_are_told_what_is_expected(self):
        model = EXAMPLES / self.IF
        expected = "input 1 'x' (float32, 1x32x32x8)"
        for content in (npy([0.5] * 8, "f", "<f4", (1, 8)),
                        npy([1] * 8192, "b", "|i1", (1, 32, 32, 8))):
            bad = self.path / "bad.npy"
            bad.write_bytes(content)
            line = self.refused(3, "run", model, "--input", f"x={bad}",
                                "--input", "random:1")
            self.assertIn(expected, line)
        self.assertIn("input 0 'condition' (bool, scalar)",
                      self.refused(3, "run", model, "--input", f"x={bad}"))
        self.assertIn("2 inputs", self.refused(
            3, "run", model, "--input", bad, "--input", bad, "--input", bad))
        bad.write_text("no array")
        self.assertIn("bad.npy", self.refused(3, "run", model, "--input",
                                              f"condition={bad}"))
        self.assertIn("condition, x", self.refused(
            3, "run", model, "--input", f"nobody={bad}"))
        self.refused(2, "run", model, "--input", "random:many")
        self.refused(2, "run", model, "--runs", "0")
        self.refused(2, "run", model, "--threads", "2")
        self.assertIn("weights", self.refused(3, "run", self.graph))


def main():
    global STOWPLAN, EXAMPLES, OFFLINE
    STOWPLAN, make_examples, offline_plan_files = sys.argv[1:4]
    with (tempfile.TemporaryDirectory() as folder,
          tempfile.TemporaryDirectory() as offline):
        subprocess.run([make_examples, "--quiet", folder], check=True)
        subprocess.run([offline_plan_files, offline], check=True)
        EXAMPLES = pathlib.Path(folder)
        OFFLINE = pathlib.Path(offline)
        unittest.main(argv=[sys.argv[0], *sys.argv[4:]])


if __name__ == "__main__":
    main()
