"""Lines for scripts/test, as our test programs write them (tests/main.cpp)."""

import os

ATTEMPTS = 3


def note(what, name, rest):
    path = os.environ.get("BENCHBENCH_TEST_COUNTS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{what} test_faults_{name} {rest}\n")


def was_disturbed(text):
    """Whether the program itself said that other processes were running: such a check is made
    again, ATTEMPTS times in all."""
    return "R09 (neighbours)" in text or "R16 (interference)" in text
