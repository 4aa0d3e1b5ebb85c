"""The rows of tests/run/quick.txt, and how many wrong versions of the harness they find."""

import importlib.machinery
import importlib.util
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
QUICK = HERE / "quick.txt"


def check_mutants():
    """Returns scripts/check_mutants as a module."""
    path = str(ROOT / "scripts" / "check_mutants")
    loader = importlib.machinery.SourceFileLoader("check_mutants", path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("check_mutants", loader)
    )
    sys.modules["check_mutants"] = module  # its dataclass looks there
    loader.exec_module(module)
    return module


def row_of(program):
    """Returns unit.plan for test_unit_plan; a row of Python is named as it is."""
    if program.startswith("python."):
        return program
    label, area = re.fullmatch(
        r"test_(unit|contract|architecture|known_answer|golden)_(\w+)", program
    ).groups()
    return f"{label}.{area}"


def read_quick():
    lines = (line.split("#")[0].strip() for line in QUICK.read_text().splitlines())
    return list(filter(None, lines))


def found_by(rows):
    """Returns how many wrong versions of the harness the sample of these rows finds, and of how
    many, as tests/mutants says. It finds more: a mutant names only some tests that find it."""
    script = check_mutants()
    mutants = script.all_mutants()
    found = [
        mutant
        for mutant in mutants
        if any(row_of(test[0]) in rows and script.default_filters(test) for test in mutant.tests)
    ]
    return len(found), len(mutants)
