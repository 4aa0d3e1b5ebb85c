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

from sides import Lost, Order
from wrapped import Wrapped

HERE = os.path.dirname(os.path.abspath(__file__))
FAULTS = os.path.join(HERE, "faults.py")
FAULTS_HEAD = ("fault", "costs of its step", "named as", "other findings", "")
CLEAN_HEAD = ("script without a fault", "binds", "findings", "")
STEP_MS, STEPS = 20, 200


class Kind:
    """`cases`: [what distinguishes the script from `clean`], from light to severe."""

    def __init__(self, name, findings, words, clean, cases, step_ms=STEP_MS):
        self.name, self.findings, self.words, self.clean, self.cases, self.step_ms = (
            name,
            findings,
            words,
            clean,
            cases,
            step_ms,
        )

    def order(self, given):
        return order_of({**self.clean, **given}, self.step_ms)


def order_of(args, step_ms):
    args = {"num_workers": 2, "batch_size": 4, **args}
    prefetch, known = args.get("prefetch_factor", 2), {"STEP_MS": str(step_ms)}
    return Order(
        FAULTS,
        "make",
        args["num_workers"],
        args["batch_size"],
        args,
        "step",
        "model",
        prefetch,
        known,
    )


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
    return [found["kind"] for found in (report["external"] or {}).get("findings", [])]


def sentences_of(report):
    found = (report["external"] or {}).get("findings", [])
    return [line["text"] for line in report["conclusion_values"]["lines"]] + [
        one["text"] for one in found
    ]


def named(kind, report):
    """By which word, or None."""
    texts = sentences_of(report)
    found = [word for word in kind.findings if word in findings_of(report)]
    return (found + [word for word in kind.words if any(word in text for text in texts)] + [None])[
        0
    ]


def costs(plain, kind, given):
    """The share of its loop that the fault takes."""
    loop = lambda order: plain.ask("training", order, steps=STEPS)["loop"]  # noqa: E731
    if not hasattr(kind, "took"):
        kind.took = loop(kind.order({}))
    return 1 - kind.took / loop(kind.order(given))


def of_fault(wrapped, kind, number):
    given = kind.cases[number]
    cost = costs(wrapped.plain, kind, given)
    report = wrapped.report(kind.order(given))
    word = named(kind, report)
    others = ", ".join(found for found in findings_of(report) if found not in kind.findings)
    return f"{100 * cost:.0f} %", word or "", others, "met" if word else "NOT NAMED"


def clean_scripts():
    """[(what it is, its order)]: the loader takes a fifth to two thirds of the step's time, and an
    epoch's first batch, which nothing prefetches, under 1 % of an epoch. Without workers a batch
    takes at most a tenth of the step, which waits for it: 16 samples that take no time took 1.2
    ms."""
    draw, scripts = random.Random(7), []
    for number in range(20):
        workers, batch = draw.choice((0, 1, 2, 4, 8)), draw.choice((1, 4, 16))
        step, share, short = draw.choice((5, 10, 20, 40)), draw.uniform(0.2, 0.67), number % 4 == 3
        step = step if workers else max(20, step)
        ms = 0 if workers == 0 else round(share * step * workers / batch, 2)
        args = {"ms": ms, "num_workers": workers, "batch_size": batch}
        if short:
            args["samples"] = batch * draw.choice((100, 200)) * max(1, workers)
        if workers:
            args.update(prefetch_factor=draw.choice((2, 4)), persistent_workers=short)
        epoch = args.get("samples", 65536) // batch
        what = (
            f"{workers} workers, batches of {batch} x {ms} ms, steps of {step} ms, "
            f"{epoch} batches an epoch"
        )
        scripts.append((what, order_of(args, step)))
    return scripts


def of_clean(wrapped, order):
    report = wrapped.report(order)
    binds, findings = report["conclusion_values"]["binds"], findings_of(report)
    words = [
        word
        for kind in KINDS
        for word in kind.words
        if any(word in text for text in sentences_of(report))
    ]
    accused = findings or words or binds == "loader"
    return binds, ", ".join(findings + words), "NOT MET" if accused else "met"


def rows_of(cases, head):
    """`cases`: [(title, what makes the rest of its row)]"""
    rows = []
    for title, look in cases:
        print(title, file=sys.stderr)
        try:
            rows.append((title, *look()))
        except Lost as why:
            print(why, file=sys.stderr)
            rows.append((title, *[""] * (len(head) - 2), "NOT MEASURED"))
    return [head] + rows if rows else []


def told(program, python, chosen):
    """The tables of those that are chosen."""
    wrapped = Wrapped(program, python, 6.0)
    faults = [
        (
            f"{kind.name} {number + 1}",
            lambda kind=kind, number=number: of_fault(wrapped, kind, number),
        )
        for kind in KINDS
        for number in range(len(kind.cases))
        if chosen(f"faults.{kind.name}.{number + 1}")
    ]
    clean = [
        (what, lambda order=order: of_clean(wrapped, order))
        for number, (what, order) in enumerate(clean_scripts())
        if chosen(f"clean.{number + 1}")
    ]
    return [rows_of(faults, FAULTS_HEAD), rows_of(clean, CLEAN_HEAD)]
