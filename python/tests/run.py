#!/usr/bin/env python3
"""Runs the tests of this folder with the interpreter $BENCHBENCH_PYTHON, else /usr/bin/python3;
SKIPPED (exit 77) where it has no torch. Arguments are unittest's: run.py
test_run_replayed.Replayed; --row rates takes the tests that compare times, --row others the rest,
--row wrap the rest of benchbench_wrap's"""

import json
import os
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)


def go_on_in(python):
    if os.environ.get("BENCHBENCH_TESTS_INSIDE") or not os.path.exists(python):
        return
    os.environ["BENCHBENCH_TESTS_INSIDE"] = "1"
    os.execv(python, [python] + sys.argv)


ATTEMPTS = 3
ROW = sys.argv[2] if sys.argv[1:2] == ["--row"] else ""


def note(what, rest):
    """A line for scripts/test, as our test programs write them (tests/main.cpp)."""
    counts = os.environ.get("BENCHBENCH_TEST_COUNTS")
    if counts:
        with open(counts, "a", encoding="utf-8") as file:
            file.write(
                "{} test_python_child{} {}\n".format(
                    what, "" if ROW in ("", "others") else "_" + ROW, rest
                )
            )


def why_not():
    try:
        import torch  # noqa: F401
    except ImportError as error:
        return f"{sys.executable} has no torch ({error})"
    return None


class Counted(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        note("skipped", f"{test.id()}: {reason}")

    def startTest(self, test):
        super().startTest(test)
        self._begun = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        self.stream.writeln(f"{time.monotonic() - self._begun:6.2f} s {test.id()}")


def main(names):
    reason = why_not()
    if reason:
        print("SKIPPED: " + reason)
        note("started", 1)
        note("skipped", "all: " + reason)
        note("ended", "0 0 1")
        return 77
    from rows import ROWS, tests_of

    if ROW and ROW not in ROWS:
        sys.exit("--row is one of {}".format(", ".join(ROWS)))
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(names) if names else loader.discover(HERE, "test_*.py")
    suite = unittest.TestSuite(tests_of(suite, ROW))
    chosen = suite.countTestCases()
    note("started", chosen)
    files = {}
    for test in suite:
        files.setdefault(type(test).__module__, unittest.TestSuite()).addTest(test)
    ran, failed, skipped = map(
        sum, zip((0, 0, 0), *(run_undisturbed(file) for file in files.values()))
    )
    note("ended", f"{ran - failed - skipped} {failed} {skipped}")
    if failed or not chosen or ran != chosen:
        return 1
    return 77 if skipped else 0


def run_undisturbed(file):
    """How many ran, failed and were skipped. Where a test that compares times failed, a machine
    that was taken away for a moment does so too: it is asked twice more, and what is wrong fails
    each time."""
    ran, failed, skipped = run_apart(file)
    for _ in range(ATTEMPTS - 1):
        again = [test for test in file if test.id() in failed]
        if ROW != "rates" or not again:
            break
        print(
            "asked again, for times that a busy machine spoils: "
            + ", ".join(test.id() for test in again)
        )
        _, failed, _ = run_apart(unittest.TestSuite(again))
    return ran, len(failed), skipped


def run_apart(suite):
    """How many ran, which failed and how many were skipped, in a process of their own: what a
    file's loaders leave in theirs (threads, shared memory) reaches no child of another file's,
    which are forks."""
    inner, outer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        result = unittest.TextTestRunner(resultclass=Counted, verbosity=0).run(suite)
        failed = sorted(
            {getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors}
        )
        os.write(outer, json.dumps([result.testsRun, failed, len(result.skipped)]).encode())
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
    os.close(outer)
    with open(inner, "rb") as answer:
        numbers = answer.read()
    os.waitpid(pid, 0)
    return json.loads(numbers) if numbers else (0, ["the process died"], 0)


if __name__ == "__main__":
    go_on_in(os.environ.get("BENCHBENCH_PYTHON") or "/usr/bin/python3")
    sys.exit(main(sys.argv[3 if ROW else 1 :]))
