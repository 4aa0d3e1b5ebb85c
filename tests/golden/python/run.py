#!/usr/bin/env python3
"""run.py PROGRAM [--row ROW | --only NAME,NAME] [--show]: the real program on the real scripts of
cases/, in a Python with torch.

Each function check_* of the files check_*.py in this folder is a case. The interpreter is
BENCHBENCH_PYTHON, else /usr/bin/python3; where it has no torch, all is SKIPPED (exit 77). --show
prints what each run printed, and in the end what was left running 5 s after each, which has to be
nothing. --row takes the cases of one row of ctest: `rates` those that compare rates or costs, which
nothing else may disturb, `bad_input` and `cases` the others."""

import argparse
import concurrent.futures
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import place  # noqa: E402
from processes import shared_memory_left  # noqa: E402

ROWS = ("rates", "bad_input", "cases")
ATTEMPTS = 3


def row_of(file, function):
    if getattr(function, "alone", False):
        return "rates"
    return "bad_input" if file == "check_bad_input" else "cases"


def note(row, what, rest):
    """A line for scripts/test, as our test programs write them (tests/main.cpp)."""
    counts = os.environ.get("BENCHBENCH_TEST_COUNTS")
    if counts:
        with open(counts, "a", encoding="utf-8") as file:
            file.write(f"{what} test_golden_python_{row or 'all'} {rest}\n")


def lacks(python, packages):
    """Why this interpreter cannot be used, or an empty text."""
    done = subprocess.run([python, "-c", f"import {packages}"], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{python}: {done.stderr.strip().splitlines()[-1]}"


def checks(row, only):
    """[(name, function, its row)]"""
    found = []
    for file in sorted(HERE.glob("check_*.py")):
        module = importlib.import_module(file.stem)
        for name, one in vars(module).items():
            if (
                not name.startswith("check_")
                or not callable(one)
                or (only and not {name[6:], file.stem[6:]} & only)
            ):
                continue
            if row in ("", row_of(file.stem, one)):
                found.append((name[6:], one, row_of(file.stem, one)))
    return found


class Run:
    def __init__(self, program, python, cache, show):
        self.program, self.python, self.cache, self.show = program, python, cache, show
        self.results, self.once_failed, self.left, self.lock = {}, set(), [], threading.Lock()

    def check(self, name, function):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="benchbench-python-") as folder:
            here = place.Place(folder, self.program, self.python, self.cache)
            result, why = "passed", ""
            try:
                function(here)
            except place.Skipped as reason:
                result, why = "skipped", str(reason)
            except Exception:
                result, why = "FAILED", traceback.format_exc()
            finally:
                here.close()
        with self.lock:
            self.results[name] = (result, why)
            if result == "FAILED":
                self.once_failed.add(name)
            self.left += [(name, what, left) for what, left in here.left]
            print(f"{result:8}{name} ({time.monotonic() - begin:.1f} s) {why}", flush=True)
            if self.show and result != "FAILED":
                print("\n".join(here.printed), flush=True)

    def all(self, found, at_once):
        """Rates one at a time, but two of those that sleep. A rate that fails, and what fails where
        the program itself said that other processes were running, is tried again when all others
        have ended: a defect fails each time. So is what was skipped as noisy after it failed, and
        once what was so beside another. The last attempt counts."""
        rates = [one for one in found if one[2] == "rates"]
        asleep = [one for one in rates if getattr(one[1], "sleeps", False)]
        self.beside_each_other([one for one in found if one not in rates], at_once)
        self.beside_each_other(asleep, 2)
        self.beside_each_other([one for one in rates if one not in asleep], 1)
        beside = asleep
        for _ in range(ATTEMPTS - 1):
            again = [one for one in found if self.is_doubtful(one, beside)]
            beside = []
            self.beside_each_other(again, 1)

    def is_doubtful(self, one, beside):
        result, why = self.results[one[0]]
        if result == "skipped":
            return why.startswith("machine too noisy") and (
                one[0] in self.once_failed or one in beside
            )
        return result == "FAILED" and (
            one[2] == "rates" or "R09 (neighbours)" in why or "R16 (interference)" in why
        )

    def beside_each_other(self, found, at_once):
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            list(pool.map(lambda one: self.check(*one[:2]), found))

    def print_left(self):
        print(f"{'left running 5 s later':40}{'runs':>6}{'processes':>11}")
        for name in dict.fromkeys(name for name, _, _ in self.left):
            of = [left for one, _, left in self.left if one == name]
            print(f"{name:40}{len(of):6}{sum(map(len, of)):11}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("--row", default="", choices=("", *ROWS))
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    python = os.environ.get("BENCHBENCH_PYTHON") or "/usr/bin/python3"
    found = checks(given.row, {word for word in given.only.split(",") if word})
    note(given.row, "started", len(found))
    why = lacks(python, "torch, torchvision, numpy, h5py")
    if why:
        print(f"SKIPPED {why}")
        note(given.row, "skipped", f"all: {why}")
        note(given.row, "ended", f"0 0 {len(found)}")
        return 77
    with tempfile.TemporaryDirectory(prefix="benchbench-python-cache-") as cache:
        run = Run(str(pathlib.Path(given.program).resolve()), python, cache, given.show)
        memory = set(shared_memory_left())
        run.all(found, 2)
    if given.show:
        run.print_left()
    counts = {
        word: sum(result == word for result, _ in run.results.values())
        for word in ("passed", "FAILED", "skipped")
    }
    for name, (result, why) in run.results.items():
        if result == "skipped":
            note(given.row, "skipped", f"{name}: {why}")
    # torch makes such a file and unlinks it at once: of all that is killed here one may be killed
    # in between.
    left = set(shared_memory_left()) - memory
    if len(left) > 1:
        print(f"FAILED  files left in /dev/shm: {sorted(left)}")
        counts["FAILED"] += 1
    note(given.row, "ended", f"{counts['passed']} {counts['FAILED']} {counts['skipped']}")
    if counts["FAILED"]:
        return 1
    return 77 if counts["skipped"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
