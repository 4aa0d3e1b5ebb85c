"""Lines for scripts/test, as our test programs write them (tests/main.cpp), and how much runs."""

import os

# True where scripts/test --all runs all cases, not a sample of them.
EVERYTHING = bool(os.environ.get("BENCHBENCH_TEST_ALL"))


def note(what, name, rest):
    path = os.environ.get("BENCHBENCH_TEST_COUNTS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{what} test_faults_{name} {rest}\n")


def note_end(name, passed, failed, skipped=0):
    note("ended", name, f"{passed} {failed} {skipped} 0")
