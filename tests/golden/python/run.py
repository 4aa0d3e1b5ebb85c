#!/usr/bin/env python3
"""run.py PROGRAM [--row ROW | --only NAME,NAME] [--show]: the real program on the real scripts of
cases/, in a Python with torch.

Each function check_* of the files check_*.py in this folder is a case. The interpreter is
BENCHBENCH_PYTHON, else /usr/bin/python3; where it has no torch, all is SKIPPED (exit 77). A
case marked full_run runs only where BENCHBENCH_TEST_ALL is set or --only names it. --show prints
what each run printed, and in the end what was left running after each, which has to be nothing.
--row takes the cases of one row of ctest: `rates` those that compare rates or costs, which nothing
else may disturb, `reported` and `healthy` the scripts of these folders of cases, likewise,
`bad_input` and `cases` the others."""

import argparse
import concurrent.futures
import contextlib
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
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "run")]

import place  # noqa: E402
from counts import all_are_asked_for, note, note_end, skip_all  # noqa: E402
from noise import Control  # noqa: E402
from processes import shared_memory_left  # noqa: E402

ROWS = ("rates", "bad_input", "reported", "healthy", "cases")
PACKAGES = ("torch", "torchvision", "numpy", "h5py")
NOTES = {"skipped": "skipped", "not judged": "unjudged"}
RESULTS = ("passed", "FAILED", "skipped", "not judged")


def is_marked(function, mark):
    return getattr(function, mark, False)


def row_of(file, function):
    if file in ("check_reported", "check_healthy"):
        return file.partition("_")[2]
    if is_marked(function, "alone") or is_marked(function, "sleeps"):
        return "rates"
    return "bad_input" if file == "check_bad_input" else "cases"


def lacks(python):
    """Why this interpreter cannot be used, or an empty text. Importing torch takes seconds, and a
    torch that cannot be imported is a failure."""
    asks = (
        f"import importlib.util\nprint(*(n for n in {PACKAGES} if not importlib.util.find_spec(n)))"
    )
    done = subprocess.run([python, "-c", asks], capture_output=True, text=True)
    if done.returncode:
        return f"{python}: {done.stderr.strip().splitlines()[-1]}"
    return f"{python} has no {done.stdout.strip()}" if done.stdout.strip() else ""


def checks(row, only):
    """[(name, function, its row)]"""
    found = []
    for file in sorted(HERE.glob("check_*.py")):
        module = importlib.import_module(file.stem)
        for name, one in vars(module).items():
            if name.startswith("check_") and callable(one) and one.__module__ == module.__name__:
                if is_chosen(name[6:], file.stem[6:], one, only):
                    found.append((name[6:], one, row_of(file.stem, one)))
    return [one for one in found if row in ("", one[2])]


def is_chosen(name, file, function, only):
    if only:
        return bool({name, file} & only)
    return not is_marked(function, "full_run") or all_are_asked_for()


class Run:
    def __init__(self, program, python, cache, show):
        self.program, self.python, self.cache, self.show = program, python, cache, show
        self.results, self.left, self.lock = {}, [], threading.Lock()

    def check(self, name, function, control):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="benchbench-python-") as folder:
            here = place.Place(folder, self.program, self.python, self.cache, control)
            result, why = "passed", ""
            try:
                function(here)
            except place.Skipped as reason:
                result, why = "skipped", str(reason)
            except place.NotJudged as reason:
                result, why = "not judged", str(reason)
            except Exception:
                result, why = "FAILED", traceback.format_exc()
            finally:
                here.close()
        with self.lock:
            self.results[name] = (result, why)
            self.left += [(name, what, left) for what, left in here.left]
            print(f"{result:11}{name} ({time.monotonic() - begin:.1f} s) {why}", flush=True)
            if self.show and result != "FAILED":
                print("\n".join(here.printed), flush=True)

    def all(self, found):
        """Runs checks that compare with sleeps in pairs and with a control, and those that keep
        cores busy one at a time, without it."""
        sleeping = [one for one in found if is_marked(one[1], "sleeps")]
        alone = [one for one in found if is_marked(one[1], "alone")]
        self.run_at_once([one for one in found if one not in sleeping + alone], 2)
        if sleeping:
            with contextlib.closing(Control(self.python)) as control:
                self.run_at_once(sleeping, 2, control)
        self.run_at_once(alone, 1)

    def run_at_once(self, found, count, control=None):
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            list(pool.map(lambda one: self.check(*one[:2], control), found))

    def print_left(self):
        print(f"{'left running afterwards':40}{'runs':>6}{'processes':>11}")
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
    program = f"test_golden_python_{given.row or 'all'}"
    why = lacks(python)
    if why:
        return skip_all(program, why)
    found = checks(given.row, {word for word in given.only.split(",") if word})
    note("started", program, len(found))
    with tempfile.TemporaryDirectory(prefix="benchbench-python-cache-") as cache:
        run = Run(str(pathlib.Path(given.program).resolve()), python, cache, given.show)
        memory = set(shared_memory_left())
        run.all(found)
    if given.show:
        run.print_left()
    counts = [sum(one == word for one, _ in run.results.values()) for word in RESULTS]
    for name, (result, why) in run.results.items():
        if result in NOTES:
            note(NOTES[result], program, f"{name}: {why}")
    # torch makes such a file and unlinks it at once: one of all the processes that are killed here
    # may be killed in between.
    left = set(shared_memory_left()) - memory
    if len(left) > 1:
        print(f"FAILED  files left in /dev/shm: {sorted(left)}")
        counts[1] += 1
    note_end(program, *counts)
    passed, failed, *others = counts
    if failed:
        return 1
    return 77 if any(others) or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
