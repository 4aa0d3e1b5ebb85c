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
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "run")]

from counts import note, note_end, skip_all  # noqa: E402


def own_python():
    """Where scripts/downloads.sh puts it: a folder for each state of requirements.txt."""
    named = os.environ.get("BENCHBENCH_FOREIGN_PYTHON")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    with open(os.path.join(HERE, "requirements.txt"), "rb") as file:
        state = hashlib.sha256(file.read()).hexdigest()[:12]
    return named or os.path.join(cache, "benchbench", "foreign-" + state, "bin", "python")


def go_on_in_own_python():
    python = own_python()
    if os.environ.get("BENCHBENCH_FOREIGN_INSIDE") or not os.path.exists(python):
        return
    os.environ["BENCHBENCH_FOREIGN_INSIDE"] = "1"
    os.execv(python, [python, *sys.argv])


def run(ecosystem, program):
    from samples import Place

    row = f"test_golden_{ecosystem}"
    try:
        checks = importlib.import_module(ecosystem)
    except ImportError as error:
        return skip_all(row, f"{error} (scripts/test installs it)")
    why_not = getattr(checks, "why_not", lambda _: "")(program)
    if why_not:
        return skip_all(row, why_not)
    passed = failed = 0
    names = sorted(n for n in dir(checks) if n.startswith("check_"))
    note("started", row, len(names))
    for name in names:
        with tempfile.TemporaryDirectory(prefix="benchbench-foreign-") as folder:
            try:
                getattr(checks, name)(Place(folder, program))
                passed += 1
                print(f"passed  {ecosystem} {name[6:]}")
            except Exception:
                failed += 1
                print(f"FAILED  {ecosystem} {name[6:]}\n{traceback.format_exc()}")
    note_end(row, passed, failed)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    go_on_in_own_python()
    sys.exit(run(sys.argv[1], sys.argv[2]))
