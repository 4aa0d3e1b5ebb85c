#!/usr/bin/env python3
"""Judges a run of ctest: verdict.py FOLDER STATUS [absent...]

FOLDER: the build folder, with test_rows.json (what `ctest --show-only=json-v1` says of the chosen
rows), test_results.xml (their JUnit file), test_counts (what the test programs wrote, as
tests/main.cpp says) and row_times (what tests/run/row.py wrote); STATUS: ctest's exit code; absent:
what this machine could not be set up with (torch, torch_cuda, arrow, nvcc, foreign, browser,
packages).

Writes times.tsv, prints on stderr the longest rows, what could not be judged, and what is wrong
beyond the rows that ctest itself calls failed: a program that left before all its cases ran, a skip
that tests/run/may_skip.txt does not allow. The last line on stdout counts cases. Exit 1 where
anything is wrong."""

import fnmatch
import json
import pathlib
import sys
import xml.etree.ElementTree as xml

import times
from counts import all_are_asked_for

FAILED = (0, 1, 0, 0)
MAY_SKIP = pathlib.Path(__file__).resolve().parent / "may_skip.txt"


class Program:
    """The notes of one test program: the number of cases it chose, the reasons of its skips and of
    what it did not judge, and (passed, failed, skipped, not judged), None where it did not end."""

    def __init__(self, chosen):
        self.chosen, self.skips, self.unjudged, self.ended = chosen, [], [], None


def programs_of(lines, strange=None):
    """Returns the last run of each program, where one ran more than once. A line that says nothing
    of a program that has started goes to `strange`."""
    programs = {}
    for line in lines:
        what, _, named = line.rstrip("\n").partition(" ")
        name, _, rest = named.partition(" ")
        numbers = rest.split()
        if what == "started" and rest.isdigit():
            programs[name] = Program(int(rest))
        elif what == "skipped" and name in programs:
            programs[name].skips.append(rest)
        elif what == "unjudged" and name in programs:
            programs[name].unjudged.append(rest)
        elif what == "ended" and name in programs and all(map(str.isdigit, numbers)):
            programs[name].ended = tuple(map(int, numbers))
        elif what != "within" and strange is not None:
            strange.append(line.rstrip("\n"))
    return programs


def skips_within(lines):
    """Returns what cases of scripts were skipped: a script is one case to us, which may pass all
    the same."""
    return [line.rstrip("\n").split(" ", 1)[1] for line in lines if line.startswith("within ")]


def rows_of(shown):
    """{row: whether it is a script, one case to us} of ctest's JSON."""
    rows = {}
    for test in shown["tests"]:
        labels = [p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"]
        rows[test["name"]] = any("script" in label for label in labels)
    return rows


def results_of(junit):
    """{row: passed, failed or skipped}"""
    results = {}
    for case in junit.iter("testcase"):
        skipped = case.find("skipped")
        if skipped is not None and "SKIP" in skipped.get("message", ""):
            results[case.get("name")] = "skipped"
        else:
            results[case.get("name")] = "passed" if case.get("status") == "run" else "failed"
    return results


def read_may_skip(text, absent):
    """The patterns that hold here: those behind `without X: ` only where X is absent."""
    patterns = []
    for line in filter(None, (line.split("#")[0].strip() for line in text.splitlines())):
        if line.startswith("without "):
            what, line = line[len("without ") :].split(": ", 1)
            if what not in absent:
                continue
        patterns.append(line)
    return patterns


def skips_that_may_not(row, skips, patterns):
    """Each of `skips` is "CASE: REASON"; a pattern is of "ROW: REASON" or of "ROW: CASE:
    REASON"."""
    for skip in skips:
        said = [f"{row}: {skip}"] + [
            f"{row}: {skip[at + 2 :]}" for at in range(len(skip)) if skip.startswith(": ", at)
        ]
        if not any(fnmatch.fnmatchcase(one, pattern) for pattern in patterns for one in said):
            yield f"{row} skipped what may not be skipped here (tests/run/may_skip.txt): {skip}"


def judge_row(row, result, program, patterns):
    """(passed, failed, skipped, not judged) cases and what is wrong."""
    ended = (program and program.ended) or (0, 0, 0, 0)
    passed, failed, skipped, unjudged = ended
    if result == "failed":
        said = []
        if program and program.ended is None:
            said = [f"{row}: its program died; none of its {program.chosen} cases counts as passed"]
        return (passed, max(failed, 1), skipped, unjudged), said
    if program is None:
        return FAILED, [f"{row}: its program never began to run cases, and exited with 0 or 77"]
    if program.ended is None:
        return FAILED, [
            f"{row}: its program left before its {program.chosen} cases had run, and exited with "
            "0 or 77"
        ]
    wrong = []
    if program.chosen == 0 or sum(ended) != program.chosen:
        wrong.append(f"{row}: {sum(ended)} of {program.chosen} cases ran")
    if failed:
        cases = f"{failed} case{'s' * (failed != 1)} failed"
        wrong.append(f"{row}: {cases}, and its program exited with 0 or 77")
    for count, reasons, left in (
        (skipped, program.skips, "skipped"),
        (unjudged, program.unjudged, "not judged"),
    ):
        if count != len(reasons):
            wrong.append(f"{row}: {count} cases were {left}, {len(reasons)} gave a reason")
    may_not = list(skips_that_may_not(row, program.skips, patterns))
    if wrong and not failed:
        failed = 1
    return (passed, failed + len(may_not), skipped - len(may_not), unjudged), wrong + may_not


def judge_script(row, result):
    if result == "skipped":
        return FAILED, [f"{row} was skipped, and a row that is a script must not be"]
    return ((1, 0, 0, 0) if result == "passed" else FAILED), []


def judge(rows, results, programs, patterns):
    """{row: (passed, failed, skipped, not judged)}, and what is wrong."""
    cases, wrong = {}, []
    if not rows:
        wrong.append("no row of ctest was chosen")
    for row, script in rows.items():
        program = programs.get("test_" + row.replace(".", "_", 1))
        if row not in results:
            cases[row], said = FAILED, [f"{row} did not run"]
        elif script:
            cases[row], said = judge_script(row, results[row])
        else:
            cases[row], said = judge_row(row, results[row], program, patterns)
        wrong += said
    return cases, wrong


def seconds_of(junit):
    """{row: (seconds, CPU)} as ctest knows them: without the CPU."""
    return {case.get("name"): (float(case.get("time", 0)), 0.0) for case in junit.iter("testcase")}


def print_times(folder, cases, junit):
    """The table of all rows, and the words on it for a person. A row that ctest ended, as one that
    hangs, has measured nothing: its seconds are ctest's."""
    taken = {**seconds_of(junit), **times.read_times((folder / "row_times").read_text())}
    counts = {row: sum(counted) for row, counted in cases.items()}
    times.write_table(folder / "times.tsv", taken, counts)
    budgets = times.read_budgets(times.BUDGETS.read_text(), all_are_asked_for())
    slowness = times.reference_work() / times.REFERENCE_S
    for line in times.summary(taken, counts, budgets, slowness):
        print(f"benchbench: {line}", file=sys.stderr)


def main(folder, status, *absent):
    folder = pathlib.Path(folder)
    rows = rows_of(json.loads((folder / "test_rows.json").read_text()))
    results = folder / "test_results.xml"
    junit = xml.parse(results) if results.exists() else xml.ElementTree(xml.Element("none"))
    lines = (folder / "test_counts").read_text(encoding="utf-8", errors="replace").splitlines()
    strange = []
    programs = programs_of(lines, strange)
    patterns = read_may_skip(MAY_SKIP.read_text(), absent)
    cases, wrong = judge(rows, results_of(junit), programs, patterns)
    wrong += [f"test_counts has a line that is not known: {line}" for line in strange]
    print_times(folder, cases, junit)
    for skip in skips_within(lines):
        print(f"benchbench: skipped within a script that passed: {skip}", file=sys.stderr)
    for program in programs.values():
        for reason in program.unjudged:
            print(f"benchbench: not judged: {reason}", file=sys.stderr)
    for text in wrong:
        print(f"benchbench: {text}", file=sys.stderr)
    totals = [sum(column) for column in zip(*cases.values())] or [0, 0, 0, 0]
    print("{} passed, {} failed, {} skipped, {} not judged".format(*totals))
    return int(status) or (1 if wrong or totals[1] else 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
