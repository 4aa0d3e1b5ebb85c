"""Numbers of several sides, round by round, and what their ratios are held against."""

import random
import sys

from contest.interval import ratio_of
from sides import Lost


class Figure:
    """`sides`: {name: what makes its number, or its numbers by name}; "ours" and "again" are the
    same. `rows`: (title, the side that ours is compared with, of several numbers the name).
    `limit`: the share that the ratio of the two may be off, or with `at_most` and `at_least` the
    most and the least that it may be."""

    def __init__(self, name, sides, rows, limit=None, at_most=None, at_least=None):
        self.name, self.sides, self.rows = name, sides, rows
        self.limit, self.at_most, self.at_least = limit, at_most, at_least
        self.numbers = {side: {} for side in sides}

    def run_round(self, number, generator):
        for side in generator.sample(list(self.sides), len(self.sides)):
            self.numbers[side][number] = self.sides[side]()

    def of(self, side, key=None):
        """{round: number}"""
        return {
            number: values[key] if key else values for number, values in self.numbers[side].items()
        }

    def lines(self):
        for title, side, *key in self.rows:
            ours, other = self.of("ours", *key), self.of(side, *key)
            ratio, alike = ratio_of(ours, other), ratio_of(ours, self.of("again", *key))
            noise = max(abs(alike.low - 1), abs(alike.high - 1))
            yield (
                title,
                f"{mean(ours):.4g}",
                f"{mean(other):.4g}",
                text_of(ratio),
                text_of(alike),
                *self.judge(ratio.value, noise),
            )

    def judge(self, ratio, noise):
        """(the limit, what came of it)"""
        if self.at_most:
            limit, met, within_noise = (
                f"at most {self.at_most:.5g}",
                ratio <= self.at_most,
                ratio <= 1 + noise,
            )
        elif self.at_least:
            limit, met, within_noise = (
                f"at least {self.at_least:.5g}",
                ratio >= self.at_least,
                ratio >= 1 - noise,
            )
        else:
            limit, met, within_noise = (
                f"within {100 * self.limit:g} %",
                abs(ratio - 1) <= self.limit,
                abs(ratio - 1) <= noise,
            )
        return limit, "met" if met else "met: as like differs" if within_noise else "NOT MET"


HEAD = ("figure", "ours", "other", "ratio (95 %)", "like with like (95 %)", "limit", "")


def text_of(ratio):
    return f"{ratio.value:.4f} ({ratio.low:.4f} to {ratio.high:.4f})"


def mean(values):
    return sum(values.values()) / len(values)


def sides_of(ours, **others):
    return {"ours": ours, "again": ours, **others}


def measured(figures, rounds):
    """The rows of all, which is said as it goes on."""
    rows, generator = [], random.Random(1)
    for figure in figures:
        try:
            for number in range(rounds):
                print(f"{figure.rows[0][0]}: round {number + 1} of {rounds}", file=sys.stderr)
                figure.run_round(number, generator)
            rows += figure.lines()
        except Lost as why:
            print(why, file=sys.stderr)
            rows.append((figure.rows[0][0], "", "", "", "", "", "NOT MEASURED"))
    return rows


def print_table(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def all_met(rows):
    return all(not row[-1].startswith("NOT") for row in rows)
