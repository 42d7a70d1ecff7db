# SPDX-License-Identifier: Apache-2.0
"""stowplan run."""
import hashlib
import json
import pathlib
import struct
import subprocess
import time

from cli_case import EXAMPLES, STOWPLAN, CliCase, run


def npy(values, code, descr, shape):
    """A file of NumPy's format; the tests need no NumPy."""
    text = repr({"descr": descr, "fortran_order": False, "shape": shape})
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text))
            + text.encode() + struct.pack(f"<{len(values)}{code}", *values))


def resident_bytes(pid, file):
    """Of the mapped file, and of the process."""
    of_file, total, inside = 0, 0, False
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if "-" in line.split(maxsplit=1)[0]:  # A mapping begins.
            inside = line.endswith(str(file))
        elif line.startswith("Rss:"):
            size = 1024 * int(line.split()[1])
            total += size
            of_file += size if inside else 0
    return of_file, total


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
                "overflow", "heap", "program", "rest", "start")))
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

    def test_the_account_agrees_with_what_the_kernel_says(self):
        if not self.counts() or not pathlib.Path("/proc/self/smaps").exists():
            self.skipTest("under sanitizers memory is another thing")
        model = EXAMPLES / "mobilenet_v2_224_int8.tflite"
        memory = self.document(model.name, "--runs", "2")["memory"]
        expected = memory["peak_rss"] - memory["rest"]
        process = subprocess.Popen(
            [STOWPLAN, "run", "--quiet", "--runs", "1000000", model],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            limit = time.monotonic() + 20
            while time.monotonic() < limit:
                mapped, resident = resident_bytes(process.pid, model)
                near = abs(resident - expected) < 2**20
                if near and mapped == memory["mapped_touched"]:
                    return
                time.sleep(0.02)
        finally:
            process.kill()
            process.wait()
        self.fail(f"{mapped} of {memory['mapped_touched']} bytes of the file, "
                  f"{resident} of {expected} in all")

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

    def test_other_shapes_reach_all_tensors_of_a_model_of_fixed_shapes(self):
        for shape, end in (("1,8,8,1", [1, 4, 4, 1]),
                           ("3,8,16,1", [3, 4, 8, 1])):
            arguments = ("four_operators.tflite", "--shape", f"image:{shape}")
            document = self.document(*arguments, "--audit")
            self.assertEqual(document["outputs"][0]["shape"], end)
            self.assertTrue(document["audit"]["ok"])
            planned = json.loads(self.ok("plan", EXAMPLES / arguments[0],
                                         *arguments[1:], "--json"))
            self.assertEqual(document["memory"]["arena"],
                             planned["arena"]["bytes"])

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

    def test_arrays_of_foreign_types_are_told_what_to_convert_to(self):
        for descr in (">f4", "|O", "<U3"):
            file = self.path / "x.npy"
            file.write_bytes(npy([0.0], "f", descr, (1,)))
            told = self.refused(3, "run", EXAMPLES / self.IF, "--input", file,
                                "--input", "random:1")
            self.assertIn("astype", told)

    def test_a_folder_without_a_name_is_refused(self):
        self.refused(2, "run", EXAMPLES / self.IF, "--output-dir", "")

    def test_a_folder_below_a_file_is_refused(self):
        told = self.refused(3, "run", EXAMPLES / self.IF, "--output-dir",
                            self.graph / "x")
        self.assertIn("Not a directory", told)

    def test_errors_that_cannot_be_told_keep_their_code(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            for code, *arguments in ((3, "run", self.path / "missing"),
                                     (2, "plan"), (2, "no-such-command")):
                ended = subprocess.run([STOWPLAN, *map(str, arguments)],
                                       stderr=full, stdout=subprocess.PIPE,
                                       timeout=60, check=False)
                self.assertEqual(ended.returncode, code, arguments)

    def test_tensors_outside_of_the_plan_are_named(self):
        memory = self.document("dynamic_shape.tflite")["memory"]
        self.assertGreater(memory["overflow"], 0)
        self.assertGreater(memory["overflow_growths"], 0)
        self.assertTrue(memory["overflow_tensors"])
        self.assertEqual(self.document(self.IF)["memory"]["overflow_tensors"],
                         [])
