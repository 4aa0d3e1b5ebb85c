#!/usr/bin/env python3
"""test_page.py: each numbered fault of docs/faults.md names tests that are there, or says that it
is not done here; and no check of tests/faults/surroundings.py is missing from it."""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import surroundings  # noqa: E402
import sweep  # noqa: E402

# A long name stands in several literals, one after the other.
CASES = {
    "".join(re.findall(r'"([^"]*)"', literals))
    for path in (HERE.parent).rglob("*.cpp")
    for literals in re.findall(r'TEST_CASE\(\s*((?:"[^"]*"\s*)+)', path.read_text())
}
CHECKS = {name[6:] for name in vars(surroundings) if name.startswith("check_")}


def is_there(test):
    word, _, rest = test.partition(" ")
    if word == "sweep":
        call, action = rest.split()
        return action in sweep.ACTIONS[call] + sweep.WHOLE_ACTIONS.get(call, ())
    if word == "surroundings":
        return rest in CHECKS
    return test in ("media", "reread") or test in CASES or test.startswith("not here")


def main():
    rows = re.findall(
        r"^\| (\d+) \| (.*) \| (.*) \| (.*) \|$",
        (HERE.parent.parent / "docs" / "faults.md").read_text(),
        re.M,
    )
    wrong = (
        []
        if [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
        else ["the numbers are not 1, 2, 3, ..."]
    )
    named = set()
    for number, _, promised, tests in rows:
        for test in re.split(r"; (?=sweep|surroundings|media|reread|\w[\w -]*: )", tests):
            named.add(test)
            if not is_there(test):
                wrong.append(f"{number}: there is no test '{test}'")
        if tests == "not here" and not promised.startswith("not here: "):
            wrong.append(f"{number}: why is it not here?")
    wrong += [
        f"surroundings {name} is not on the page"
        for name in sorted(CHECKS)
        if "surroundings " + name not in named
    ]
    print(*wrong, f"{len(rows)} faults, {len(named)} tests named", sep="\n")
    return 1 if wrong or len(rows) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
