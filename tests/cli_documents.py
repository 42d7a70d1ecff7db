# SPDX-License-Identifier: Apache-2.0
"""What report, plan, pack and inspect say."""
import json
import re
import signal
import subprocess
import time

from cli_case import EXAMPLES, STOWPLAN, CliCase, run


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
