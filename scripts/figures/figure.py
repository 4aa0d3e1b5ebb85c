"""Numbers of several sides, round by round, and what their ratios are held against."""

import random
import statistics
import sys

from contest.contestant import Failed
from contest.interval import ratio_of

HEAD = ("figure", "ours", "other", "ratio (95 %)", "like with like (95 %)", "limit", "")
# The excess of a ratio that is 1 + x.
EXCESS = {"off": abs, "more": lambda x: x, "less": lambda x: -x}


class Figure:
    """`sides`: {name: what makes its number, or its numbers by name}; ours are measured twice.
    `rows`: (title, the side that ours is compared with, of several numbers the name). `limit`: a
    share, and whether the ratio of the two may be off, more or less by it."""

    def __init__(self, name, rows, limit, ours=None, **sides):
        self.name, self.rows, self.limit = name, rows, limit
        self.sides = {"ours": ours, "again": ours, **sides}
        self.numbers = {side: {} for side in self.sides}

    def run_round(self, number, generator):
        for side in generator.sample(list(self.sides), len(self.sides)):
            self.numbers[side][number] = self.sides[side]()

    def of(self, side, *key):
        """Returns {round: number}."""
        values = self.numbers[side]
        return {number: one[key[0]] for number, one in values.items()} if key else values

    def mean(self, side, *key):
        return statistics.mean(self.of(side, *key).values())

    def lines(self):
        for title, side, *key in self.rows:
            ours = self.of("ours", *key)
            ratio, alike = (ratio_of(ours, self.of(one, *key)) for one in (side, "again"))
            noise = max(abs(alike.low - 1), abs(alike.high - 1))
            means = (f"{self.mean(one, *key):.4g}" for one in ("ours", side))
            yield (title, *means, text_of(ratio), text_of(alike), *self.judge(ratio.value, noise))

    def judge(self, ratio, noise):
        """Returns the limit, and what came of it."""
        share, word = self.limit
        excess = EXCESS[word](ratio - 1)
        met = "met" if excess <= share else "met: as like differs" if excess <= noise else "NOT MET"
        return f"{100 * share:.3g} % {word}", met


def text_of(ratio):
    return f"{ratio.value:.4f} ({ratio.low:.4f} to {ratio.high:.4f})"


def measured(figures, rounds):
    """Returns the rows of all, and says what goes on."""
    rows, generator = [], random.Random(1)
    for figure in figures:
        title = figure.rows[0][0]
        try:
            for number in range(rounds):
                print(f"{title}: round {number + 1} of {rounds}", file=sys.stderr)
                figure.run_round(number, generator)
            rows += figure.lines()
        except Failed as why:
            print(why, file=sys.stderr)
            rows.append((title, *[""] * 5, "NOT MEASURED"))
    return [HEAD, *rows]


def print_table(rows):
    """Returns the exit code: 1 where a figure is NOT MET or NOT MEASURED."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(map(str.ljust, row, widths)).rstrip())
    return int(any(row[-1].startswith("NOT") for row in rows))
