# SPDX-License-Identifier: Apache-2.0
"""The command line as its users meet it: documents, exit codes, manners.

  python3 tests/cli_test.py STOWPLAN MAKE_EXAMPLES OFFLINE_PLAN_FILES \\
      [unittest arguments]

The cases are in cli_manners.py, cli_documents.py, cli_engines.py, cli_run.py.
"""
import os
import subprocess
import sys
import tempfile
import unittest


def main():
    program, make_examples, offline_plan_files = sys.argv[1:4]
    with (tempfile.TemporaryDirectory() as folder,
          tempfile.TemporaryDirectory() as offline):
        subprocess.run([make_examples, "--quiet", folder], check=True)
        subprocess.run([offline_plan_files, offline], check=True)
        os.environ["STOWPLAN_TEST_PROGRAM"] = program
        os.environ["STOWPLAN_TEST_EXAMPLES"] = folder
        os.environ["STOWPLAN_TEST_OFFLINE"] = offline
        # The cases read these when they are imported.
        from cli_documents import Documents
        from cli_engines import Engines
        from cli_manners import Manners
        from cli_run import Run
        globals().update(Documents=Documents, Engines=Engines,
                         Manners=Manners, Run=Run)
        unittest.main(argv=[sys.argv[0], *sys.argv[4:]])


if __name__ == "__main__":
    main()
