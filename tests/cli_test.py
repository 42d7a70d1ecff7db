# SPDX-License-Identifier: Apache-2.0
"""The command line as its users meet it: documents, exit codes, manners.

  python3 tests/cli_test.py STOWPLAN MAKE_EXAMPLES [unittest arguments]
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

STOWPLAN = ""
EXAMPLES = pathlib.Path()

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
        for command in ("report", "plan", "pack", "inspect"):
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
            for command in ("report", "plan", "inspect"):
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


def main():
    global STOWPLAN, EXAMPLES
    STOWPLAN, make_examples = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([make_examples, "--quiet", folder], check=True)
        EXAMPLES = pathlib.Path(folder)
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
