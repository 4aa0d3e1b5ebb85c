"""Scripts with a known fault, each of which `benchbench wrap` is to name, and scripts without, none
of which it may accuse.

A fault counts as named where a finding of the report is of that kind, or one of its sentences names
the cause with the words below: a number in a table is no name, nor is the advice to try more
workers. Its cost is the script's own: its loop with the fault and without, run bare. A script
without a fault is accused by any finding, by such a sentence, and where the report says that the
loader holds it back."""

import os
import random
import sys
from typing import NamedTuple

from contest.contestant import Failed
from sides import HERE, Order

FAULTS = os.path.join(HERE, "faults.py")
FAULTS_HEAD = ("fault", "costs of its step", "named as", "other findings", "")
CLEAN_HEAD = ("script without a fault", "binds", "findings", "")
STEPS = 200


class Kind(NamedTuple):
    """`cases`: [what distinguishes the script from `clean`], from light to severe."""

    name: str
    findings: tuple
    words: tuple
    clean: dict
    cases: list
    step_ms: float = 20


def order_of(args, step_ms):
    args = {"num_workers": 2, "batch_size": 4, **args}
    sizes = (args["num_workers"], args["batch_size"], args)
    known, prefetch = {"STEP_MS": str(step_ms)}, args.get("prefetch_factor", 2)
    return Order(FAULTS, "make", *sizes, "step", "model", prefetch, known)


# Two workers that take 16 ms for a batch, and a step of 20 ms. A batch that takes them 40 / (1 - s)
# ms costs a share s of the step.
KINDS = (
    Kind(
        "getitem",
        ("slow __getitem__",),
        ("make __getitem__",),
        {"ms": 4},
        [{"ms": ms} for ms in (11.5, 13, 16, 21)],
    ),
    Kind(
        "collate",
        ("slow collate",),
        ("collate function",),
        {"ms": 4},
        [{"collate_ms": ms} for ms in (30, 36, 48, 68)],
    ),
    Kind(
        "uneven",
        ("uneven samples",),
        ("uneven", "in_order"),
        {"ms": 8, "num_workers": 4},
        [{"every": 40, "more_ms": ms} for ms in (150, 180, 240, 350)],
    ),
    Kind(
        "startup",
        ("start-up each epoch",),
        ("persistent_workers",),
        {"samples": 100, "persistent_workers": True},
        [{"persistent_workers": False, "start_ms": ms} for ms in (30, 100, 240, 480)],
    ),
    Kind(
        "threads",
        ("oversubscribed threads", "CPU limit misread"),
        ("set_num_threads", "OMP_NUM_THREADS"),
        {"size": 400_000, "batch_size": 2},
        [{"threads": threads} for threads in (8, 16, 32, 64)],
        step_ms=2,
    ),
)


def findings_of(report):
    """Returns the kinds of the findings, and all sentences of the report."""
    found = (report["external"] or {}).get("findings", [])
    lines = report["conclusion_values"]["lines"] + found
    return [one["kind"] for one in found], " ".join(line["text"] for line in lines)


class Campaign:
    def __init__(self, wrapped):
        self.wrapped = wrapped
        self.clean_loops = {}  # by kind, the seconds without a fault

    def loop_seconds(self, order):
        return self.wrapped.plain.ask("training", order, steps=STEPS)["loop"]

    def cost(self, kind, order):
        """Returns the share of its loop that the fault takes."""
        if kind.name not in self.clean_loops:
            self.clean_loops[kind.name] = self.loop_seconds(order_of(kind.clean, kind.step_ms))
        return 1 - self.clean_loops[kind.name] / self.loop_seconds(order)

    def fault(self, kind, given):
        order = order_of({**kind.clean, **given}, kind.step_ms)
        cost = self.cost(kind, order)
        found, text = findings_of(self.wrapped.report(order))
        named = [one for one in kind.findings if one in found]
        named += [word for word in kind.words if word in text]
        others = ", ".join(one for one in found if one not in kind.findings)
        verdict = "met" if named else "NOT NAMED"
        return f"{100 * cost:.0f} %", "".join(named[:1]), others, verdict

    def clean(self, order):
        report = self.wrapped.report(order)
        binds, (found, text) = report["conclusion_values"]["binds"], findings_of(report)
        found += [word for kind in KINDS for word in kind.words if word in text]
        return binds, ", ".join(found), "NOT MET" if found or binds == "loader" else "met"


def clean_scripts():
    """[(what it is, its order)]: the loader takes a fifth to two thirds of the step's time, and an
    epoch's first batch, which nothing prefetches, under 1 % of an epoch. Without workers a batch
    takes at most a tenth of the step, which waits for it: 16 samples that take no time took 1.2
    ms."""
    draw = random.Random(7)
    for number in range(20):
        workers, batch = draw.choice((0, 1, 2, 4, 8)), draw.choice((1, 4, 16))
        step, share, short = draw.choice((5, 10, 20, 40)), draw.uniform(0.2, 0.67), number % 4 == 3
        step = step if workers else max(20, step)
        ms = round(share * step * workers / batch, 2)
        args = {"ms": ms, "num_workers": workers, "batch_size": batch}
        if short:
            args["samples"] = batch * draw.choice((100, 200)) * max(1, workers)
        if workers:
            args.update(prefetch_factor=draw.choice((2, 4)), persistent_workers=short)
        epoch = args.get("samples", 65536) // batch
        what = f"{workers} workers, batches of {batch} x {ms} ms, steps of {step} ms"
        yield f"{what}, {epoch} batches an epoch", order_of(args, step)


def row_of(head, title, look, *words):
    """Returns the title, and what `look` says of the words."""
    print(title, file=sys.stderr)
    try:
        return (title, *look(*words))
    except Failed as why:
        print(why, file=sys.stderr)
        return (title, *[""] * (len(head) - 2), "NOT MEASURED")


def tables(wrapped, is_chosen):
    """Returns the tables of those that are chosen."""
    campaign = Campaign(wrapped)
    faults = [
        row_of(FAULTS_HEAD, f"{kind.name} {number + 1}", campaign.fault, kind, given)
        for kind in KINDS
        for number, given in enumerate(kind.cases)
        if is_chosen(f"faults.{kind.name}.{number + 1}")
    ]
    clean = [
        row_of(CLEAN_HEAD, what, campaign.clean, order)
        for number, (what, order) in enumerate(clean_scripts())
        if is_chosen(f"clean.{number + 1}")
    ]
    return [[head, *rows] for head, rows in ((FAULTS_HEAD, faults), (CLEAN_HEAD, clean)) if rows]
