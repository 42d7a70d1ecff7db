# SPDX-License-Identifier: Apache-2.0
"""Other engines, and verify."""
import json
import os
import pathlib

from cli_case import EXAMPLES, GRAPH, OFFLINE, CliCase, run


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
