#!/usr/bin/env python3
"""run.py PROGRAM [--only NAME,NAME] [--show]: the real program on the real scripts of cases/, in a Python with torch.

Each function check_* of the files check_*.py beside this one is a case. The interpreter is BENCHBENCH_PYTHON, else
/usr/bin/python3; where it has no torch, all is SKIPPED (exit 77). --show prints what each run printed, and in the end what
was left running 5 s after each, which has to be nothing."""
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


def note(what, rest):
    """A line for scripts/test, as our test programs write them (tests/main.cpp)."""
    counts = os.environ.get("BENCHBENCH_TEST_COUNTS")
    if counts:
        with open(counts, "a", encoding="utf-8") as file:
            file.write(f"{what} test_golden_python {rest}\n")


def lacks(python, packages):
    """Why this interpreter cannot be used, or an empty text."""
    done = subprocess.run([python, "-c", f"import {packages}"], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{python}: {done.stderr.strip().splitlines()[-1]}"


def checks(only):
    """[(name, function, whether it runs alone)]"""
    found = []
    for file in sorted(HERE.glob("check_*.py")):
        module = importlib.import_module(file.stem)
        for name, one in vars(module).items():
            if name.startswith("check_") and callable(one) and (not only or name[6:] in only or file.stem[6:] in only):
                found.append((name[6:], one, getattr(one, "alone", False)))
    return found


class Run:
    def __init__(self, program, python, cache, show):
        self.program, self.python, self.cache, self.show = program, python, cache, show
        self.results, self.left, self.lock = {}, [], threading.Lock()

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
            self.left += [(name, what, left) for what, left in here.left]
            print(f"{result:8}{name} ({time.monotonic() - begin:.1f} s) {why}", flush=True)
            if self.show and result == "passed":
                print("\n".join(here.printed), flush=True)

    def all(self, found):
        """What measures nothing runs two at a time."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda one: self.check(*one[:2]), [one for one in found if not one[2]]))
        for one in found:
            if one[2]:
                self.check(*one[:2])

    def print_left(self):
        print(f"{'left running 5 s later':40}{'runs':>6}{'processes':>11}")
        for name in dict.fromkeys(name for name, _, _ in self.left):
            of = [left for one, _, left in self.left if one == name]
            print(f"{name:40}{len(of):6}{sum(map(len, of)):11}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    python = os.environ.get("BENCHBENCH_PYTHON") or "/usr/bin/python3"
    found = checks([word for word in given.only.split(",") if word])
    note("started", len(found))
    why = lacks(python, "torch, torchvision, numpy, h5py")
    if why:
        print(f"SKIPPED {why}")
        note("skipped", f"all: {why}")
        note("ended", f"0 0 {len(found)}")
        return 77
    with tempfile.TemporaryDirectory(prefix="benchbench-python-cache-") as cache:
        run = Run(str(pathlib.Path(given.program).resolve()), python, cache, given.show)
        memory = set(shared_memory_left())
        run.all(found)
    if given.show:
        run.print_left()
    counts = {word: sum(result == word for result, _ in run.results.values()) for word in ("passed", "FAILED", "skipped")}
    for name, (result, why) in run.results.items():
        if result == "skipped":
            note("skipped", f"{name}: {why}")
    left = set(shared_memory_left()) - memory
    if left:
        print(f"FAILED  files left in /dev/shm: {sorted(left)}")
        counts["FAILED"] += 1
    note("ended", f"{counts['passed']} {counts['FAILED']} {counts['skipped']}")
    if counts["FAILED"]:
        return 1
    return 77 if counts["skipped"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
