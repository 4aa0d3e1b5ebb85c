#!/usr/bin/env python3
"""sweep.py PROGRAM SHIM [--whole] [--only CALL,CALL] [--case CALL:N:ACTION] [--jobs N]: each call
of a short sweep fails once.

Without --whole a sample: each action on each kind of call, spread over the run. With
BENCHBENCH_TEST_ALL every write, sync and rename, and some of the other calls. --case shows one,
with all that was printed. Exit 1 where something was lost, or was not said as documented
(docs/faults.md)."""

import argparse
import concurrent.futures
import os
import pathlib
import random
import sys
import threading
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "run")]

from counts import all_are_asked_for, note, note_end  # noqa: E402
from one_case import Case  # noqa: E402

ACTIONS = {
    "write": ("ENOSPC", "short", "kill"),
    "sync": ("EIO", "kill"),
    "rename": ("EIO", "kill"),
    "pwrite": ("ENOSPC", "kill"),
    "send": ("EPIPE", "short", "kill"),
    "ftruncate": ("EIO", "kill"),
    "mkdir": ("ENOSPC", "kill"),
    "fork": ("EAGAIN", "kill"),
    "pipe": ("EMFILE", "kill"),
    "open": ("EMFILE", "ENFILE"),
    "read": ("EIO", "short", "kill"),
    "malloc": ("ENOMEM", "kill"),
}
WHOLE_ACTIONS = {"write": ("EDQUOT",), "open": ("EROFS",)}
EVERY = ("write", "sync", "rename")  # BENCHBENCH_TEST_ALL takes each of these calls
SAMPLES = 3
# The sample has so many places of these calls, spread evenly over the run, and one place for each
# action of the other calls.
SPREAD = {"write": 6, "sync": 4, "rename": 4}
# The sample has these places too. Most opens and reads are of /proc, which the program can do
# without; the last ones are of its own files. The number of reads differs from run to run, so that
# each action comes earlier too.
PLACES = {"open": (8, -2), "read": (2, -1, -10)}
WHOLE = {"read": 200, "malloc": 150, "open": 200, "pwrite": 150}
SEED = 17


def numbers(call, count, whole):
    """Returns which of `count` calls are hit."""
    most = count if call in EVERY else WHOLE.get(call, count) if whole else SAMPLES
    every = range(1, count + 1)
    return list(every) if most >= count else sorted(random.Random(SEED).sample(every, most))


def sample(call, count):
    """Some places of the run, with actions that take turns. Each turn through the actions begins
    one further, since the kinds of files take turns too."""
    actions = ACTIONS[call]
    places = [n if n > 0 else count + 1 + n for n in PLACES.get(call, ())]
    spread = min(count, SPREAD.get(call, len(actions)))
    places += [min(count, 1 + (2 * k + 1) * count // (2 * spread)) for k in range(spread)]
    for turn, n in enumerate(places):
        yield f"{call}:{n}:{actions[(turn + turn // len(actions)) % len(actions)]}"


def faults(counts, whole, only):
    for call, actions in ACTIONS.items():
        if only and call not in only:
            continue
        if not (whole or all_are_asked_for()):
            yield from sample(call, counts[call])
            continue
        for action in actions + (WHOLE_ACTIONS.get(call, ()) if whole else ()):
            for n in numbers(call, counts[call], whole):
                yield f"{call}:{n}:{action}"


class Table:
    """Counts what became of the faults of each call and action."""

    COLUMNS = ("cases", "not reached", "went on", "said", "killed", "wrong")

    def __init__(self):
        self.rows = {}
        self.lock = threading.Lock()
        self.wrong = 0

    def add(self, fault, outcome):
        call, _, action = fault.split(":")
        if outcome.problems:
            column = "wrong"
        elif not outcome.hit:
            column = "not reached"
        else:
            column = {0: "went on", -9: "killed"}.get(outcome.code, "said")
        with self.lock:
            row = self.rows.setdefault((call, action), dict.fromkeys(self.COLUMNS, 0))
            row["cases"] += 1
            row[column] += 1
            self.wrong += column == "wrong"

    def never_reached(self):
        """The calls and actions of which no case came to its call."""
        return [
            f"{call} {action}"
            for (call, action), row in self.rows.items()
            if row["cases"] == row["not reached"]
        ]

    def text(self):
        lines = ["{:<18}".format("") + "".join(f"{name:>13}" for name in self.COLUMNS)]
        total = dict.fromkeys(self.COLUMNS, 0)
        for (call, action), row in self.rows.items():
            lines.append(
                "{:<18}".format(call + " " + action)
                + "".join(f"{row[name]:>13,}" for name in self.COLUMNS)
            )
            for name in self.COLUMNS:
                total[name] += row[name]
        lines.append(
            "{:<18}".format("all") + "".join(f"{total[name]:>13,}" for name in self.COLUMNS)
        )
        return "\n".join(lines)


def campaign(arguments, clocks):
    cases = []
    for clock in clocks:
        _, state = Case(arguments.program, arguments.shim, clock, "none:0:count").run()
        cases += [(clock, fault) for fault in faults(state.counts, arguments.whole, arguments.only)]
    table, began, done = Table(), time.monotonic(), [0]
    note("started", "test_faults_sweep", len(cases))

    def one(clock, fault):
        outcome = Case(arguments.program, arguments.shim, clock, fault).run()
        table.add(fault, outcome)
        for problem in outcome.problems:
            print(f"{clock} clock, {fault} ({outcome.where}): {problem}\n", flush=True)
        done[0] += 1
        if sys.stderr.isatty():
            left = (time.monotonic() - began) / done[0] * (len(cases) - done[0])
            print(
                f"\r[{done[0]}/{len(cases)}] {left:.0f} s left \033[K",
                end="",
                file=sys.stderr,
                flush=True,
            )

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for each in [pool.submit(one, *case) for case in cases]:
            each.result()
    print(table.text())
    for one in table.never_reached():
        print(f"{one}: no case came to its call")
    wrong = table.wrong + len(table.never_reached())
    print(f"{len(cases)} cases in {time.monotonic() - began:.0f} s, {wrong} wrong")
    note_end("test_faults_sweep", len(cases) - wrong, wrong)
    return 1 if wrong or not cases else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("shim")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--only", type=lambda text: set(text.split(",")), default=set())
    parser.add_argument("--case")
    parser.add_argument("--clock", default="")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    arguments = parser.parse_args()
    clocks = (
        [arguments.clock]
        if arguments.clock
        else ["simulated", "real"]
        if arguments.whole
        else ["simulated"]
    )
    if not arguments.case:
        return campaign(arguments, clocks)
    outcome = Case(arguments.program, arguments.shim, clocks[0], arguments.case).run()
    print(
        f"exit {outcome.code}, process {outcome.hit} at {outcome.where!r}",
        *outcome.problems,
        sep="\n",
    )
    return 1 if outcome.problems else 0


if __name__ == "__main__":
    sys.exit(main())
