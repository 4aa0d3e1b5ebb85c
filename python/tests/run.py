#!/usr/bin/env python3
"""Runs the tests of this folder with the interpreter $BENCHBENCH_PYTHON, else /usr/bin/python3;
SKIPPED (exit 77) where it has no torch. A sample of the cases runs; all do under
BENCHBENCH_TEST_ALL. Arguments are unittest's: run.py test_run_replayed.Replayed; --row rates takes
the tests that compare times, --row others the rest, --row wrap the rest of benchbench_dl's"""

import gc
import json
import os
import shutil
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "tests", "run")]

import rows  # noqa: E402
import warm  # noqa: E402
from counts import note, note_end, skip_all  # noqa: E402


def go_on_in(python):
    """Becomes that interpreter, whose heap is of huge pages: a fork then takes half as long."""
    if os.environ.get("BENCHBENCH_TESTS_INSIDE") or not os.path.exists(python):
        return
    inside = {"BENCHBENCH_TESTS_INSIDE": "1", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
    os.execve(python, [python] + sys.argv, dict(os.environ, **inside))


ROW = sys.argv[2] if sys.argv[1:2] == ["--row"] else ""
PROGRAM = "test_python_child" + ("" if ROW in ("", "others") else "_" + ROW)


def why_not():
    try:
        import torch  # noqa: F401
    except ImportError as error:
        return f"{sys.executable} has no torch ({error})"
    return None


def cpu_seconds():
    """Returns what this process, its children that have ended, and the forks of warm.py used."""
    return sum(os.times()[:4]) + warm.spent


class Counted(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if reason.startswith(rows.NOT_JUDGED):
            reason = reason[len(rows.NOT_JUDGED) :]
            self.stream.writeln(f"NOT JUDGED: {test.id()}: {reason}")
            note("unjudged", PROGRAM, f"{test.id()}: {reason}")
        else:
            note("skipped", PROGRAM, f"{test.id()}: {reason}")

    def startTest(self, test):
        super().startTest(test)
        self._begun = time.monotonic(), cpu_seconds()

    def stopTest(self, test):
        super().stopTest(test)
        took = [now - then for now, then in zip((time.monotonic(), cpu_seconds()), self._begun)]
        self.stream.writeln("{:6.2f} s, CPU {:5.2f} s {}".format(*took, test.id()))


def main(names):
    reason = why_not()
    if reason:
        return skip_all(PROGRAM, reason)
    if ROW and ROW not in rows.ROWS:
        sys.exit("--row is one of {}".format(", ".join(rows.ROWS)))
    if names:
        os.environ["BENCHBENCH_TEST_ALL"] = "1"
    folder = tempfile.mkdtemp(prefix="benchbench-tests-")
    try:
        # Without this each of some hundred forks would compile our packages anew.
        sys.pycache_prefix, sys.dont_write_bytecode = os.path.join(folder, "compiled"), False
        # Python's workers leave folders there when they are killed.
        tempfile.tempdir = os.environ["TMPDIR"] = os.path.join(folder, "t")
        os.mkdir(tempfile.tempdir)
        return run_all(names)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_all(names):
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(names) if names else loader.discover(HERE, "test_*.py")
    suite = unittest.TestSuite(rows.tests_of(suite, ROW))
    chosen = suite.countTestCases()
    note("started", PROGRAM, chosen)
    files = {}
    for test in suite:
        files.setdefault(type(test).__module__, unittest.TestSuite()).addTest(test)
    if any(name.startswith("test_wrap_") for name in files):
        warm.server()  # one for the scripts of all files
    gc.freeze()  # else each fork that collects garbage copies all that torch has
    at_once = 2 if ROW == "wrap" else 1  # its scripts sleep half of the time
    counts = [sum(column) for column in zip((0, 0, 0, 0), *run_each_apart(files.values(), at_once))]
    warm.end()
    note_end(PROGRAM, *counts)
    passed, failed, *others = counts
    if failed or not chosen or sum(counts) != chosen:
        return 1
    return 77 if any(others) else 0


def run_each_apart(suites, at_once):
    """Gives how many tests of each suite passed, failed, were skipped and not judged. Runs so many
    suites at once."""
    running = []
    for suite in suites:
        if len(running) == at_once:
            yield result_of(*running.pop(0))
        running.append(run_apart(suite))
    for one in running:
        yield result_of(*one)


def run_apart(suite):
    """Begins the tests of a file in a process of their own: what its loaders leave there (threads,
    shared memory) reaches no child of another file, since children are forks. Returns the process,
    where it writes its numbers, and how many tests it has."""
    inner, outer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        result = unittest.TextTestRunner(resultclass=Counted, verbosity=0).run(suite)
        failed = {
            getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors
        }
        unjudged = sum(reason.startswith(rows.NOT_JUDGED) for _, reason in result.skipped)
        numbers = [result.passed, len(failed), len(result.skipped) - unjudged, unjudged]
        os.write(outer, json.dumps(numbers).encode())
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
    os.close(outer)
    return pid, inner, suite.countTestCases()


def result_of(pid, inner, size):
    """Waits for a suite to end. Where its process dies, all of its tests failed."""
    with open(inner, "rb") as answer:
        numbers = answer.read()
    os.waitpid(pid, 0)
    return json.loads(numbers) if numbers else (0, size, 0, 0)


if __name__ == "__main__":
    go_on_in(os.environ.get("BENCHBENCH_PYTHON") or "/usr/bin/python3")
    sys.exit(main(sys.argv[3 if ROW else 1 :]))
