#!/usr/bin/env python3
"""scripts/nightly on mocks in virtual time, with the program that argv names: nights, baseline,
comparison, and what must not be.

test_nightly.py PROGRAM"""

import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "golden" / "history"), str(ROOT / "tests" / "run")]
from counts import all_are_asked_for, run_unittest  # noqa: E402
from made_nights import sealed  # noqa: E402

SCRIPT = ROOT / "scripts" / "nightly"
SCENARIO = """name: {name}
loader: {{use: synthetic, num_workers: 1, batch_size: 4, batch_time: {loader}}}
trainer: {{use: timed, step_time: {step}, device: cpu}}
measure: {{modes: {modes}, rounds: {rounds}, class: selftest, window: 200ms, window_batches: 100}}
"""


class Nights(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="benchbench-night-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.nights = self.folder / "nights"
        self.program = self.folder / "virtual"  # no night is noisy
        self.program.write_text(
            f'#!/bin/sh\n[ "$1" = run ] && set -- "$@" --clock simulated\nexec {sys.argv[1]} "$@"\n'
        )
        self.program.chmod(0o755)
        self.write("canaries", loader="1ms", step="1ms", modes="pipeline", rounds=1)
        self.write("steps", loader="1ms", step="2ms", modes="pipeline", rounds=8)

    def write(self, name, **values):
        (self.folder / "configs").mkdir(exist_ok=True)
        (self.folder / "configs" / f"{name}.yaml").write_text(SCENARIO.format(name=name, **values))

    def night(self, *options):
        command = [
            SCRIPT,
            "--configs",
            self.folder / "configs",
            "--dir",
            self.nights,
            "--wait-idle",
            "0",
            *options,
        ]
        return subprocess.run(
            command,
            cwd=self.folder,
            env={
                **os.environ,
                "BENCHBENCH": str(self.program),
                "BENCHBENCH_CACHE": str(self.folder / "cache"),
            },
            text=True,
            capture_output=True,
            check=False,
            timeout=1200,  # only a night that hangs takes so long
        )

    def copy_of_night(self, night, of):
        """Leaves a night as it is kept, with what another one measured."""
        for part in ("canaries-before", "steps", "canaries-after"):
            run = self.nights / f"{night}-{part}"
            shutil.copytree(self.nights / f"{of}-{part}", run)
            plan = json.loads((run / "plan.json").read_bytes())
            plan["labels"] = [[key, night if key == "night" else v] for key, v in plan["labels"]]
            (run / "plan.json").write_bytes(sealed(plan))

    def kept(self, name):
        return sorted(path.name for path in self.nights.glob(f"{name}*"))

    def test_nights_and_a_baseline(self):
        """The first three nights. What nights differ by is known after ten."""
        first = self.night("--night", "n1", "--label", "driver=570")
        self.assertEqual(0, first.returncode, first.stderr)
        self.assertIn("no baseline yet", first.stderr)
        for part in ("canaries-before", "steps", "canaries-after"):
            for kind in ("", ".json", ".junit.xml", ".prom", ".md", ".txt"):
                self.assertIn(f"n1-{part}{kind}", self.kept("n1"))
        plan = json.loads((self.nights / "n1-steps" / "plan.json").read_text())
        self.assertEqual(
            [["night", "n1"], ["driver", "570"], ["set", "steps"]],
            [list(label) for label in plan["labels"]],
        )

        self.assertEqual(0, self.night("--accept").returncode)
        self.assertEqual("n1\n", (self.nights / "baseline").read_text())
        self.assertEqual(2, self.night("--accept", "n7").returncode)

        second = self.night("--night", "n2")
        self.assertEqual(0, second.returncode, second.stderr)
        self.assertIn("learning, night 2 of 10", second.stderr)
        self.assertEqual([], self.kept("n2-steps.compare"))

        third = self.night("--night", "n3", "--spread", "4%", "--fail-on", "slower:5%")
        self.assertEqual(0, third.returncode, third.stderr)
        self.assertIn("n3-steps.compare.json", self.kept("n3-steps.compare"))

        for number in range(4, 11):
            night = f"n{number}"
            if number < 10 and not all_are_asked_for():
                self.copy_of_night(night, "n2")
                continue
            ran = self.night("--night", night)
            self.assertEqual(0, ran.returncode, ran.stderr)
            learns = f"learning, night {number} of 10;" in ran.stderr
            self.assertEqual(number < 10, learns, ran.stderr)
            compared = self.nights / f"{night}-steps.compare.json"
            self.assertEqual(number == 10, compared.exists(), ran.stderr)
        compared = json.loads((self.nights / "n10-steps.compare.json").read_text())
        self.assertEqual("passed", compared["outcome"])

    def test_another_night_is_running(self):
        self.nights.mkdir()
        with open(self.nights / ".night.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            ran = self.night("--night", "n1")
        self.assertEqual(4, ran.returncode, ran.stderr)
        self.assertIn("another night is running", ran.stderr)
        self.assertEqual([], self.kept("n1"))

    def test_a_device_that_is_not_there(self):
        ran = self.night("--night", "n1", "--expect-device", "cuda:63")
        self.assertEqual(6, ran.returncode, ran.stderr)
        self.assertIn("--expect-device cuda:63: ", ran.stderr)
        self.assertFalse((self.nights / "n1-steps").exists())

    def test_what_is_no_option(self):
        for words in (
            ["--quik"],
            ["--night"],
            ["--wait-idle", "soon"],
            ["--night", "a/b"],
            ["--configs", self.folder / "none"],
        ):
            ran = self.night(*words)
            self.assertEqual(2, ran.returncode, (words, ran.stderr))
            self.assertTrue(ran.stderr.startswith("nightly: "), ran.stderr)

    def test_a_night_whose_scenario_cannot_run_keeps_the_others(self):
        (self.folder / "configs" / "broken.yaml").write_text(
            "name: broken\nloader: {use: nothing}\n"
        )
        ran = self.night("--night", "n1")
        self.assertEqual(2, ran.returncode, ran.stderr)
        for part in ("canaries-before", "steps", "canaries-after"):
            self.assertTrue((self.nights / f"n1-{part}" / "journal.jsonl").exists(), ran.stderr)


class Schedules(unittest.TestCase):
    @unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd-analyze here")
    def test_systemd(self):
        with tempfile.TemporaryDirectory() as folder:
            for unit in (ROOT / "docs" / "nightly").glob("benchbench-nightly.*"):
                (pathlib.Path(folder) / unit.name).write_text(
                    unit.read_text().replace("%h/benchbench", str(ROOT))
                )
            units = sorted(str(path) for path in pathlib.Path(folder).iterdir())
            ran = subprocess.run(
                ["systemd-analyze", "verify", *units], text=True, capture_output=True, check=False
            )
            self.assertEqual((0, ""), (ran.returncode, ran.stderr), ran)
            self.assertEqual(2, len(units))

    def test_the_workflow(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML here")
        steps = yaml.safe_load((ROOT / "docs" / "nightly" / "github-actions.yaml").read_text())
        job = steps["jobs"]["nightly"]
        self.assertIn("self-hosted", job["runs-on"])
        words = " ".join(step.get("run", "") for step in job["steps"])
        self.assertIn("scripts/nightly ", words)
        self.assertIn("schedule", steps[True])  # what YAML makes of "on"


if __name__ == "__main__":
    run_unittest(sys.argv[:1] + sys.argv[2:], verbosity=2)
