"""Shared by the rows of ctest that run Python: how many of their cases run, and the lines that
tests/run/verdict.py reads. tests/sweep.h and tests/main.cpp are the same for C++."""

import os
import sys
import unittest


def all_are_asked_for():
    """True where scripts/test --all runs all cases, not a sample of them."""
    return bool(os.environ.get("BENCHBENCH_TEST_ALL"))


def note(what, program, rest):
    """Adds a line about a program, with the first line of `rest`, to the file that
    BENCHBENCH_TEST_COUNTS names."""
    counts = os.environ.get("BENCHBENCH_TEST_COUNTS")
    if counts:
        with open(counts, "a", encoding="utf-8") as file:
            file.write(f"{what} {program} {str(rest).partition(chr(10))[0]}\n")


def note_end(program, passed, failed, skipped=0, unjudged=0):
    note("ended", program, f"{passed} {failed} {skipped} {unjudged}")


def skip_all(program, why):
    """Notes that this machine lacks what all cases of a program need. Returns its exit code."""
    print(f"SKIPPED: {why}")
    note("started", program, 1)
    note("skipped", program, f"all: {why}")
    note_end(program, 0, 0, 1)
    return 77


def run_unittest(argv=None, verbosity=1):
    """Runs the cases of the script that calls it, and exits. No case at all is a failure, which
    unittest itself says from Python 3.12 on."""
    result = unittest.main("__main__", argv=argv, verbosity=verbosity, exit=False).result
    for case, why in result.skipped:
        note("within", os.path.basename(sys.argv[0]), f"{case}: {why}")
    sys.exit(not (result.wasSuccessful() and result.testsRun))
