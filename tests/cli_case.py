# SPDX-License-Identifier: Apache-2.0
"""What all cases of the command line share. cli_test.py sets the paths."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

STOWPLAN = os.environ["STOWPLAN_TEST_PROGRAM"]
EXAMPLES = pathlib.Path(os.environ["STOWPLAN_TEST_EXAMPLES"])
# Models that bring a plan for TFLM.
OFFLINE = pathlib.Path(os.environ["STOWPLAN_TEST_OFFLINE"])

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
