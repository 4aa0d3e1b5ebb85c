#!/usr/bin/env python3
"""What a run of ctest came to: verdict.py ROWS RESULTS COUNTS STATUS [absent...]

ROWS: what `ctest --show-only=json-v1` says of the chosen rows; RESULTS: their JUnit file; COUNTS:
what the test programs wrote (tests/main.cpp); STATUS: ctest's exit code; absent: what this machine
could not be set up with (torch, arrow, nvcc, foreign, browser, packages). Says on stderr what is
wrong beyond the rows that ctest itself calls failed: a program that left before all its cases ran,
a skip that tests/run/may_skip.txt does not allow. The last line on stdout counts cases. Exit 1
where anything is wrong."""

import fnmatch
import json
import pathlib
import sys
import xml.etree.ElementTree as xml

MAY_SKIP = pathlib.Path(__file__).resolve().parent / "may_skip.txt"


class Program:
    """What one test program wrote: cases it chose, its skips, and passed, failed, skipped, None
    where it did not end."""

    def __init__(self, chosen):
        self.chosen, self.skips, self.ended = chosen, [], None


def programs_of(lines):
    """The last run of each, where one ran more than once."""
    programs = {}
    for line in lines:
        what, name, rest = line.rstrip("\n").split(" ", 2)
        if what == "started":
            programs[name] = Program(int(rest))
        elif what == "skipped":
            programs[name].skips.append(rest)
        elif what == "ended":
            programs[name].ended = tuple(map(int, rest.split()))
    return programs


def rows_of(told):
    """{row: whether it is a script, one case to us} of ctest's JSON."""
    rows = {}
    for test in told["tests"]:
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
    """(passed, failed, skipped) cases and what is wrong."""
    passed, failed, skipped = (program and program.ended) or (0, 0, 0)
    if result == "failed":
        return (passed, max(failed, 1), skipped), []
    if program is None:
        return (0, 1, 0), [
            f"{row}: its program never began to run cases, and exited as if all was well"
        ]
    if program.ended is None:
        return (0, 1, 0), [
            f"{row}: its program left before its {program.chosen} cases had run, and exited as if "
            f"all was well"
        ]
    wrong = []
    if program.chosen == 0 or passed + failed + skipped != program.chosen:
        wrong.append(f"{row}: {passed + failed + skipped} of {program.chosen} cases ran")
    if failed:
        wrong.append(f"{row}: {failed} cases failed, and its program exited as if all was well")
    if skipped != len(program.skips):
        wrong.append(f"{row}: {skipped} cases were skipped, {len(program.skips)} gave a reason")
    may_not = list(skips_that_may_not(row, program.skips, patterns))
    if wrong and not failed:
        failed = 1
    return (passed, failed + len(may_not), skipped - len(may_not)), wrong + may_not


def judge_script(row, result):
    if result == "skipped":
        return (0, 1, 0), [f"{row} was skipped: a script may not be"]
    return ((1, 0, 0) if result == "passed" else (0, 1, 0)), []


def judge(rows, results, programs, patterns):
    """Totals, and what is wrong."""
    totals, wrong = [0, 0, 0], []
    if not rows:
        wrong.append("no row of ctest was chosen")
    for row, script in rows.items():
        program = programs.get("test_" + row.replace(".", "_", 1))
        if row not in results:
            cases, said = (0, 1, 0), [f"{row} did not run"]
        elif script:
            cases, said = judge_script(row, results[row])
        else:
            cases, said = judge_row(row, results[row], program, patterns)
        totals = [total + more for total, more in zip(totals, cases)]
        wrong += said
    return totals, wrong


def main(rows, results, counts, status, *absent):
    rows = rows_of(json.loads(pathlib.Path(rows).read_text()))
    results = results_of(xml.parse(results)) if pathlib.Path(results).exists() else {}
    with open(counts, encoding="utf-8", errors="replace") as lines:
        programs = programs_of(lines)
    totals, wrong = judge(rows, results, programs, read_may_skip(MAY_SKIP.read_text(), absent))
    for text in wrong:
        print(f"benchbench: {text}", file=sys.stderr)
    print("{} passed, {} failed, {} skipped".format(*totals))
    return int(status) or (1 if wrong or totals[1] else 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
