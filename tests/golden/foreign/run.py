#!/usr/bin/env python3
"""run.py ECOSYSTEM PROGRAM: files written by ECOSYSTEM are read by us, and ours by it.

ECOSYSTEM is a file beside this one whose functions check_*(place) each make a case; it imports its packages at its top, and
where they cannot be, all is SKIPPED (exit 77). `scripts/foreign_setup` installs them; BENCHBENCH_FOREIGN_PYTHON names another
python. A new ecosystem is a new file."""
import importlib
import os
import sys
import tempfile
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def own_python():
    named = os.environ.get("BENCHBENCH_FOREIGN_PYTHON")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return named or os.path.join(cache, "benchbench", "foreign", "bin", "python")


def go_on_in_own_python():
    python = own_python()
    if os.environ.get("BENCHBENCH_FOREIGN_INSIDE") or not os.path.exists(python):
        return
    os.environ["BENCHBENCH_FOREIGN_INSIDE"] = "1"
    os.execv(python, [python, *sys.argv])


def count(ecosystem, passed, failed, skipped):
    """A line for scripts/test, as each of our test programs writes one."""
    counts = os.environ.get("BENCHBENCH_TEST_COUNTS")
    if counts:
        with open(counts, "a", encoding="ascii") as file:
            file.write(f"test_golden_{ecosystem} {passed} {failed} {skipped}\n")


def skip(ecosystem, why):
    print(f"SKIPPED {ecosystem}: {why}")
    count(ecosystem, 0, 0, 1)
    return 77


def run(ecosystem, program):
    from samples import Place

    try:
        checks = importlib.import_module(ecosystem)
    except ImportError as error:
        return skip(ecosystem, f"{error} (scripts/foreign_setup installs it)")
    why_not = getattr(checks, "why_not", lambda _: "")(program)
    if why_not:
        return skip(ecosystem, why_not)
    passed = failed = 0
    for name in sorted(n for n in dir(checks) if n.startswith("check_")):
        with tempfile.TemporaryDirectory(prefix="benchbench-foreign-") as folder:
            try:
                getattr(checks, name)(Place(folder, program))
                passed += 1
                print(f"passed  {ecosystem} {name[6:]}")
            except Exception:
                failed += 1
                print(f"FAILED  {ecosystem} {name[6:]}\n{traceback.format_exc()}")
    count(ecosystem, passed, failed, 0)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    go_on_in_own_python()
    sys.exit(run(sys.argv[1], sys.argv[2]))
