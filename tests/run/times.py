"""The times of the rows of a test run, and those that took more than their budget.

budgets.tsv: "ROW <tab> CPU <tab> CPU of --all", in seconds on a machine on which `reference_work`
takes REFERENCE_S. A row without a line has no budget."""

import pathlib
import time

BUDGETS = pathlib.Path(__file__).resolve().parent / "budgets.tsv"
REFERENCE_S = 0.07
LONGEST = 10


def reference_work():
    """Seconds that a fixed amount of Python takes here: the least of five, as noise only adds."""
    taken = []
    for _ in range(5):
        begin = time.process_time()
        total = 0
        for number in range(1_000_000):
            total += number * number % 7
        taken.append(time.process_time() - begin)
    return min(taken)


def read_times(text):
    """{row: (seconds, CPU)}: the last run of each."""
    times = {}
    for line in text.splitlines():
        row, seconds, cpu = line.split("\t")
        times[row] = float(seconds), float(cpu)
    return times


def read_budgets(text, everything):
    """{row: seconds of CPU}"""
    budgets = {}
    for line in filter(None, (line.split("#")[0].rstrip() for line in text.splitlines())):
        row, sample, whole = line.split("\t")
        budgets[row] = float(whole if everything else sample)
    return budgets


def over_budget(times, budgets, slowness):
    """[(row, CPU, what it may take here)]"""
    rows = (
        (row, cpu, budgets[row] * slowness) for row, (_, cpu) in times.items() if row in budgets
    )
    return [row for row in rows if row[1] > row[2]]


def write_table(file, times, cases):
    """Rows by their time, the longest first: row, seconds, CPU, cases."""
    lines = ["row\tseconds\tcpu\tcases"]
    for row, (seconds, cpu) in sorted(times.items(), key=lambda one: -one[1][0]):
        lines.append(f"{row}\t{seconds:.1f}\t{cpu:.1f}\t{cases.get(row, 0)}")
    file.write_text("\n".join(lines) + "\n")


def summary(times, cases, budgets, slowness):
    """Lines for a person: the longest rows, what all took together, and rows over their budget."""
    width = max(map(len, times), default=3)
    yield f"{'the longest rows':{width}}  seconds      CPU    cases"
    longest = sorted(times.items(), key=lambda one: -one[1][0])[:LONGEST]
    for row, (seconds, cpu) in longest:
        yield f"{row:{width}}  {seconds:7.1f}  {cpu:7.1f}  {cases.get(row, 0):7}"
    cpu = sum(cpu for _, cpu in times.values())
    yield (
        f"{len(times)} rows took {cpu:.0f} s of CPU; "
        f"this machine is {slowness:.2f} times as slow as that of tests/run/budgets.tsv"
    )
    for row, used, may in over_budget(times, budgets, slowness):
        budget = f"its budget of {may:.1f} s (tests/run/budgets.tsv)"
        yield f"{row} took {used:.1f} s of CPU, over {budget}"
