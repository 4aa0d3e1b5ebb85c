#!/usr/bin/env python3
"""run.py ECOSYSTEM PROGRAM: files written by ECOSYSTEM are read by us, and ours by it.

ECOSYSTEM is a file beside this one whose functions check_*(place) each make a case; it imports its
packages at its top, and where they cannot be, all is SKIPPED (exit 77). `scripts/test` installs
them; BENCHBENCH_FOREIGN_PYTHON names another python. A new ecosystem is a new file."""

import hashlib
import importlib
import os
import sys
import tempfile
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def own_python():
    """Where scripts/downloads.sh puts it: a folder for each state of requirements.txt."""
    named = os.environ.get("BENCHBENCH_FOREIGN_PYTHON")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    with open(
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "requirements.txt"), "rb"
    ) as file:
        state = hashlib.sha256(file.read()).hexdigest()[:12]
    return named or os.path.join(cache, "benchbench", "foreign-" + state, "bin", "python")


def go_on_in_own_python():
    python = own_python()
    if os.environ.get("BENCHBENCH_FOREIGN_INSIDE") or not os.path.exists(python):
        return
    os.environ["BENCHBENCH_FOREIGN_INSIDE"] = "1"
    os.execv(python, [python, *sys.argv])


def note(what, ecosystem, rest):
    """A line for scripts/test, as our test programs write them (tests/main.cpp)."""
    counts = os.environ.get("BENCHBENCH_TEST_COUNTS")
    if counts:
        with open(counts, "a", encoding="utf-8") as file:
            file.write(f"{what} test_golden_{ecosystem} {rest}\n")


def skip(ecosystem, why):
    print(f"SKIPPED {ecosystem}: {why}")
    note("started", ecosystem, 1)
    note("skipped", ecosystem, f"all: {why}")
    note("ended", ecosystem, "0 0 1 0")
    return 77


def run(ecosystem, program):
    from samples import Place

    try:
        checks = importlib.import_module(ecosystem)
    except ImportError as error:
        return skip(ecosystem, f"{error} (scripts/test installs it)")
    why_not = getattr(checks, "why_not", lambda _: "")(program)
    if why_not:
        return skip(ecosystem, why_not)
    passed = failed = 0
    names = sorted(n for n in dir(checks) if n.startswith("check_"))
    note("started", ecosystem, len(names))
    for name in names:
        with tempfile.TemporaryDirectory(prefix="benchbench-foreign-") as folder:
            try:
                getattr(checks, name)(Place(folder, program))
                passed += 1
                print(f"passed  {ecosystem} {name[6:]}")
            except Exception:
                failed += 1
                print(f"FAILED  {ecosystem} {name[6:]}\n{traceback.format_exc()}")
    note("ended", ecosystem, f"{passed} {failed} 0 0")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    go_on_in_own_python()
    sys.exit(run(sys.argv[1], sys.argv[2]))
