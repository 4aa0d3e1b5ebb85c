#!/usr/bin/env python3
"""`benchbench history` and its `--prune` on made nights, with the program that argv names.

test_history.py PROGRAM"""

import datetime
import fcntl
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "run"))
from counts import all_are_asked_for, run_unittest  # noqa: E402
from made_nights import FirstRun, Nights  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])


def day(n):
    return (datetime.date(2026, 8, 1) + datetime.timedelta(days=n)).isoformat()


def changes(n):
    """What each mode's time is stretched by: three changes in sixty nights."""
    return {
        "loader": 1.10 if n >= 25 else 1,
        "trainer": 1.05 if n >= 40 else 1,
        "pipeline": (1.10 if n >= 25 else 1) / (1.12 if n >= 50 else 1),
    }


class Shared:
    """What the tests have in common: the run that all nights are made from, and nights that
    several of them begin with."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="benchbench-history-"))
        self.first = FirstRun(PROGRAM, self.folder)
        self.filled = {}


def setUpModule():
    global shared
    shared = Shared()
    unittest.addModuleCleanup(shutil.rmtree, shared.folder, True)


def fill(nights, *how):
    """So many nights, made as by fill_anew where no test has asked for the like before."""
    if how not in shared.filled:
        shared.filled[how] = shared.folder / str(len(shared.filled))
        fill_anew(Nights(shared.first, shared.filled[how]), *how)
    shutil.copytree(shared.filled[how], nights.runs, dirs_exist_ok=True)


def fill_anew(nights, count, change=changes, seed=11):
    rng = random.Random(seed)
    for n in range(count):
        night = rng.lognormvariate(0, 0.01)
        slower = {mode: by * night * rng.lognormvariate(0, 0.005) for mode, by in change(n).items()}
        nights.add(
            day(n),
            slower,
            [("driver", "570" if n < 40 else "575")],
            build="benchbench 0.1.0" if n < 25 else "benchbench 0.1.1",
        )


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="benchbench-history-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.nights = Nights(shared.first, self.folder / "runs")
        self.runs = self.nights.runs

    def ask(self, command, *options, env=None):
        return subprocess.run(
            [PROGRAM, command, self.runs, *options],
            text=True,
            capture_output=True,
            check=False,
            timeout=300,
            env={**os.environ, **(env or {})},
        )

    def history(self, *options, code=0, env=None):
        ran = self.ask("history", *options, env=env)
        self.assertEqual(code, ran.returncode, ran.stdout + ran.stderr)
        return ran


class Changes(Case):
    def test_sixty_nights_with_three_changes(self):
        fill(self.nights, 60)
        told = self.history(code=3).stdout
        self.assertIn("60 nights on ", told)
        self.assertRegex(
            told,
            rf"REGRESSION night/base/loader_rate: slower by (8|9|10)\.\d %, "
            rf"from night {day(25)} on \({day(24)} was the last before\)",
        )
        self.assertRegex(
            told,
            r"change     night/base/pipeline_rate: faster by 1[0-4]\.\d %, "
            rf"from night {day(50)} on",
        )
        self.assertRegex(
            told,
            rf"REGRESSION night/base/trainer_rate: slower by [3-7]\.\d %, from night {day(40)} on",
        )
        self.assertIn("changed that night: build: benchbench 0.1.0 -> benchbench 0.1.1", told)
        self.assertIn("changed that night: label driver: 570 -> 575", told)
        self.assertIn("2 regressions not accepted", told)
        self.assertEqual(4, told.count("first reported in"))
        self.assertRegex(
            told,
            r"loader_rate: slower.*\n    where: collate \+[4-6]\d\d us \[.*\] of the loader's "
            r"work per step\n",
        )
        self.assertRegex(
            told,
            r"trainer_rate: slower.*\n    where: forward \+(9\d|1[0-3]\d) us \[.*\] per step\n",
        )
        self.assertRegex(told, r"pipeline_rate: slower.*\n    where: get_blocked \+")
        self.assertRegex(told, r"pipeline_rate: faster.*\n    where: get_blocked -")

    def test_a_change_whose_stores_are_gone_has_no_stage(self):
        fill(self.nights, 60)
        self.history(code=3)
        for n in range(20, 26):
            shutil.rmtree(self.runs / f"night-{day(n)}")
        for n in range(18, 25):
            shutil.rmtree(self.runs / f"night-{day(n)}", ignore_errors=True)
        told = self.history(code=3).stdout
        self.assertNotRegex(told, r"loader_rate: slower.*\n    where: ")
        self.assertRegex(told, r"trainer_rate: slower.*\n    where: forward ")

    def test_unchanged_nights_say_nothing(self):
        fill(self.nights, 40, lambda n: {"loader": 1, "trainer": 1, "pipeline": 1}, 5)
        told = self.history().stdout
        self.assertNotIn("REGRESSION", told)
        self.assertIn("3 series: 0 with a change, 3 without", told)

    def test_nine_nights_are_silent_whatever_they_show(self):
        fill(self.nights, 9, lambda n: {"loader": 1 if n < 5 else 2})
        self.assertIn("learning, night 9 of 10", self.history().stdout)

    def test_accepted_with_a_note(self):
        fill(self.nights, 60)
        self.history(
            "--accept", f"night/base/loader_rate@{day(25)}", "--note", "new <decoder>", code=3
        )
        told = self.history(code=3).stdout
        self.assertIn("new <decoder>", told)
        self.assertIn("1 regression not accepted", told)
        self.history("--accept", f"night@{day(40)}")
        self.assertEqual(0, json.loads(self.history("--json", "-").stdout)["open_regressions"])
        self.assertIn('night: "' + day(25) + '"', (self.runs / "history.yaml").read_text())

    def test_a_remark_is_shown_with_its_change(self):
        fill(self.nights, 60)
        self.history("--annotate", f"{day(25)} new shelf", code=3)
        self.assertIn("new shelf", self.history(code=3).stdout)

    def test_an_unknown_series_or_night(self):
        fill(self.nights, 12)
        for what, words in (
            (f"night/base/loader_rate@{day(3)}", "no series has a change"),
            ("night", "POINT@NIGHT"),
        ):
            ran = self.history("--accept", what, code=2)
            self.assertIn(words, ran.stderr)
            self.assertFalse((self.runs / "history.yaml").exists())
        fill_more = [self.nights.add(day(n), {"loader": 1.2}) for n in range(12, 24)]
        self.assertEqual(12, len(fill_more))
        self.assertIn(
            "night/base/loader_rate@" + day(12),
            self.history("--accept", f"night/base/loader_rte@{day(12)}", code=2).stderr,
        )

    def test_as_json(self):
        fill(self.nights, 60)
        document = json.loads(self.history("--json", "-", code=3).stdout)
        self.assertEqual(2, document["open_regressions"])
        text = json.dumps(document)
        for word in (day(25), day(40), day(50), "575"):
            self.assertIn(word, text)


NOISY = {"steal_share": 0.09}  # R09


class Silence(Case):
    def add(self, first, end, **how):
        for n in range(first, end):
            self.nights.add(day(n), **how)

    def test_sixteen_noisy_nights_with_a_change(self):
        self.add(0, 11, facts=NOISY)
        self.add(11, 16, facts=NOISY, slower={"loader": 1.2, "pipeline": 1.2})
        told = self.history(code=3).stdout
        self.assertRegex(
            told,
            rf"REGRESSION night/base/loader_rate: slower by 16\.\d %, from night {day(11)} on",
        )
        self.assertIn("    NOISY: 5 of 5 nights judged from there on\n", told)
        self.assertRegex(
            told,
            r"  wide in 16 of 16 nights, 3 of 3 series: .*\n"
            rf"    R09 neighbours: 16 nights from {day(0)} to {day(15)}, 3 series\n"
            r"      the last: night/base/\w+: R09 neighbours in 1 of 1 round: "
            r"other guests of this host took 9\.0 % of the CPUs",
        )


class Damage(Case):
    def told(self, **options):
        return self.history(code=3, **options).stdout

    def test_the_same_bytes_anywhere(self):
        fill(self.nights, 60)
        first = self.told()
        for env in (
            {"TZ": "Asia/Kolkata", "LC_ALL": "C"},
            {"TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8"},
        ):
            (self.runs / "history.index.jsonl").unlink()
            self.assertEqual(first, self.told(env=env))

    def test_an_index_that_is_lost_or_damaged_is_made_again(self):
        fill(self.nights, 60)
        first, index = self.told(), self.runs / "history.index.jsonl"
        whole = index.read_bytes()
        self.assertGreater(len(whole), 5000)
        damages = (
            whole[: len(whole) // 2],
            whole.replace(b'"run"', b'"rum"', 3),
            b"",
            b"\x00" * 4096,
            whole[:-20] + b"x" * 20,
        )
        for damaged in damages if all_are_asked_for() else damages[:2]:
            index.write_bytes(damaged)
            told = self.told().splitlines(keepends=True)
            self.assertEqual(first, "".join(line for line in told if not line.startswith("note: ")))
            self.assertEqual(first, self.told())
            self.assertEqual(sorted(whole.splitlines()), sorted(index.read_bytes().splitlines()))

    def test_a_night_cut_by_power_loss(self):
        fill(self.nights, 60)
        first = self.told()
        journal = self.nights.add(day(60), changes(60)) / "journal.jsonl"
        journal.write_bytes(journal.read_bytes()[:4000])
        (self.runs / f"night-{day(61)}").mkdir()
        (self.runs / f"night-{day(61)}" / "plan.json").write_bytes(b'{"version":1,"dig')
        told = self.history(code=3)
        self.assertIn("REGRESSION night/base/loader_rate", told.stdout)
        self.assertIn("2 regressions not accepted", told.stdout)
        self.assertEqual(first.count("REGRESSION"), told.stdout.count("REGRESSION"))

    def test_a_history_yaml_that_cannot_be_read(self):
        fill(self.nights, 12)
        for text in (
            "- accept: [",
            "<<<<<<< ours\n- accept: a\n  night: b\n=======\n>>>>>>> theirs\n",
            "- acept: night\n  night: x\n",
            "just words\n",
            "\x00\x01",
        ):
            (self.runs / "history.yaml").write_text(text)
            ran = self.history(code=2)
            self.assertIn("history.yaml", ran.stderr)
            self.assertEqual("", ran.stdout)
            self.assertEqual(text, (self.runs / "history.yaml").read_text())

    def test_two_at_once(self):
        fill(self.nights, 60)
        first = self.told()
        index = self.runs / "history.index.jsonl"
        for _ in range(3 if all_are_asked_for() else 1):
            index.write_bytes(b"damaged\n")
            at_once = [
                subprocess.Popen(
                    [PROGRAM, "history", self.runs],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                for _ in range(6 if all_are_asked_for() else 3)
            ]
            for one in at_once:
                out, err = one.communicate(timeout=300)
                told = [
                    line for line in out.splitlines(keepends=True) if not line.startswith("note: ")
                ]
                self.assertEqual((3, first), (one.returncode, "".join(told)), err)
            self.assertEqual(first, self.told())
        self.assertEqual(
            [],
            [
                path.name
                for path in self.runs.iterdir()
                if ".part" in path.name or ".tmp" in path.name or path.name.endswith("~")
            ],
        )

    def test_control_characters_of_labels(self):
        fill(self.nights, 12)
        self.nights.add(day(12), labels=[("driver", "\x1b[31m<b>")])
        ran = self.history()
        self.assertNotIn("\x1b", ran.stdout + ran.stderr)

    def test_no_runs(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for folder in (empty, self.folder / "nowhere"):
            ran = subprocess.run(
                [PROGRAM, "history", folder], text=True, capture_output=True, check=False
            )
            self.assertEqual(2, ran.returncode, ran.stdout)
            self.assertIn(str(folder), ran.stderr)


class Prune(Case):
    def setUp(self):
        super().setUp()
        for n in range(4):
            self.nights.add(day(n))
        today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        self.young = self.nights.add(today)
        self.old = [self.runs / f"night-{day(n)}" for n in range(4)]

    def left(self):
        return {path.name for path in self.runs.iterdir() if path.is_dir() or path.is_symlink()}

    def prune(self, *options, code=0):
        ran = self.ask("history", "--prune", *options)
        self.assertEqual(code, ran.returncode, ran.stdout + ran.stderr)
        return ran.stdout

    def test_old_ones_go_and_young_ones_stay(self):
        told = self.prune("1d", "--dry-run")
        self.assertEqual(5, len(self.left()))
        self.assertIn(self.old[0].name, told)
        self.assertIn("4 runs", self.prune("1d"))
        self.assertEqual({self.young.name}, self.left())

    def test_a_run_that_is_being_written_stays(self):
        with open(self.old[1] / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.prune("1d")
        self.assertEqual({self.young.name, self.old[1].name}, self.left())

    def test_what_is_no_run_stays(self):
        notes = self.runs / "notes"
        notes.mkdir()
        (notes / "text").write_text("mine")
        elsewhere = self.folder / "elsewhere"
        shutil.copytree(self.old[0], elsewhere)
        (self.runs / "link").symlink_to(elsewhere)
        self.prune("1d")
        self.assertEqual({self.young.name, "notes", "link"}, self.left())
        self.assertTrue((elsewhere / "journal.jsonl").exists())

    def test_accepted_nights_stay(self):
        (self.runs / "history.yaml").write_text(f'- accept: night\n  night: "{day(2)}"\n')
        self.prune("1d", "--keep-accepted")
        self.assertEqual({self.young.name, self.old[2].name}, self.left())

    def test_an_age_that_is_none(self):
        for age in ("90", "d", "-3d", "3 fortnights"):
            self.assertIn(f"--prune {age}: expected", self.ask("history", "--prune", age).stderr)
        self.assertEqual(5, len(self.left()))

    def test_what_does_not_go_together(self):
        for words, error in (
            (("--keep-accepted",), "--keep-accepted is of --prune: give both"),
            (("--dry-run",), "--dry-run is of --prune: give both"),
            (("--prune", "1d", "--json", "-"), "--prune and --json exclude each other"),
            (("--prune", "1d", "--accept", "night@x"), "--prune and --accept exclude each other"),
        ):
            ran = self.ask("history", *words)
            self.assertEqual((2, ""), (ran.returncode, ran.stdout))
            self.assertIn(error, ran.stderr)
        bare = subprocess.run([PROGRAM, "history", "--prune", "1d"], text=True, capture_output=True)
        self.assertEqual(2, bare.returncode)
        self.assertIn("DIR... is missing", bare.stderr)
        self.assertEqual(5, len(self.left()))


if __name__ == "__main__":
    run_unittest(sys.argv[:1] + sys.argv[2:])
