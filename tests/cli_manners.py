# SPDX-License-Identifier: Apache-2.0
"""Exit codes, errors, files: how the program behaves."""
import json

from cli_case import CSV, EXAMPLES, GRAPH, CliCase


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
