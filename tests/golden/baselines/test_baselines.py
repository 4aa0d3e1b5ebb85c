#!/usr/bin/env python3
"""The project's own baselines (results/baselines), with the program that argv names; and that a
number that moves is told.

test_baselines.py PROGRAM"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "tests" / "run"))
from counts import run_unittest  # noqa: E402


def run(program, *options):
    return subprocess.run(
        [ROOT / "scripts" / "baselines", *options],
        env={**os.environ, "BENCHBENCH": str(program)},
        text=True,
        capture_output=True,
        timeout=1200,
        check=False,
    )


class Baselines(unittest.TestCase):
    def test_every_number_is_the_same(self):
        ran = run(sys.argv[1])
        self.assertEqual(0, ran.returncode, ran.stdout + ran.stderr)
        self.assertIn("virtual_time: ", ran.stdout)
        self.assertIn("numbers are the same as before", ran.stdout)

    def test_a_slower_mock_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            slower = pathlib.Path(folder) / "slower"  # by 0.1 %
            slower.write_text(
                '#!/bin/sh\n[ "$1" = run ] && set -- "$@" --set loader.batch_time=4004us\n'
                f'exec {os.path.abspath(sys.argv[1])} "$@"\n'
            )
            slower.chmod(0o755)
            ran = run(slower)
        self.assertEqual(3, ran.returncode, ran.stdout + ran.stderr)
        self.assertIn("scripts/baselines --accept", ran.stderr)

    def test_it_is_asked_for_in_a_way_it_knows(self):
        self.assertEqual(2, run(shutil.which("false"), "--acept").returncode)


if __name__ == "__main__":
    run_unittest(sys.argv[:1] + sys.argv[2:], verbosity=2)
