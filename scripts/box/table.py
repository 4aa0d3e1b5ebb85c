"""The table of scripts/gpu_box: figures of ours next to the truth, and their limits."""

from typing import NamedTuple

MOST_ROWS = 60
WIDTHS = (56, 13, 13, 7)  # what, ours, truth, ratio
MOST_REASON = 64
PASS, FAIL, SEEN = "PASS", "FAIL", "SEEN"
SCALES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


class Limit(NamedTuple):
    """The ratios of ours to the truth that are right: `least` to `most`."""

    least: float
    most: float

    def text(self):
        if self.most == float("inf"):
            return f"at least {self.least:g}"
        if self.least == 0:
            return f"at most {self.most:g}"
        return f"{self.least:g} to {self.most:g}"


class Row(NamedTuple):
    """One line of the table: three cells of text, and a verdict with its reason."""

    what: str
    ours: str = ""
    truth: str = ""
    ratio: str = ""
    verdict: str = SEEN
    reason: str = ""


def within(share):
    return Limit(1 - share, 1 + share)


def at_least(ratio):
    return Limit(ratio, float("inf"))


def at_most(ratio):
    return Limit(0, ratio)


def amount(value, unit):
    """Returns a number as the table prints it: `s` in ms or us, other units with a prefix."""
    if value is None:
        return "-"
    if unit == "s":
        return f"{1e3 * value:.4g} ms" if 1e-3 <= value < 10 else small_time(value)
    for scale, prefix in SCALES:
        if abs(value) >= scale:
            return f"{value / scale:.4g} {prefix}{unit}".rstrip()
    return f"{value:.4g} {unit}".rstrip()


def small_time(value):
    return f"{value:.4g} s" if value >= 10 else f"{1e6 * value:.4g} us"


def judged(what, ours, truth, unit, limit=None, not_judged="", ratio=None):
    """Returns the row of two numbers, None where there is none. `not_judged` says why the limit
    does not count here, such as "not run on a GPU"; a figure of ours that has a limit must be there
    all the same. `ratio`: of the two where they were paired, else their quotient."""
    if ratio is None and ours is not None and truth:
        ratio = ours / truth
    cells = (what, amount(ours, unit), amount(truth, unit), "" if ratio is None else f"{ratio:.4f}")
    if limit and ours is None:
        return Row(*cells, FAIL, "not measured")
    if not_judged or not limit:
        return Row(*cells, SEEN, not_judged)
    if ratio is None:
        return Row(*cells, FAIL, "the truth was not measured")
    if limit.least <= ratio <= limit.most:
        return Row(*cells, PASS)
    return Row(*cells, FAIL, limit.text())


def judged_in_turns(row, estimate, least_low):
    """Returns the row with the interval of its ratio, {low, high, n} over n rounds. FAIL where its
    lower end is below `least_low`, or where there is none and one is asked for."""
    interval = estimate if estimate and estimate.get("n", 0) > 1 else None
    said = f"{interval['low']:.4f} to {interval['high']:.4f}" if interval else ""
    low = row.verdict == PASS and least_low is not None
    low = low and not (interval and interval["low"] >= least_low)
    why = f"its lower end at least {least_low:g}" if low else row.reason
    reason = "; ".join(filter(None, (said, why)))
    return row._replace(verdict=FAIL if low else row.verdict, reason=reason)


def line(row):
    cells = (cell[:width].ljust(width) for cell, width in zip(row[:4], WIDTHS))
    reason = " ".join(row.reason.split())[:MOST_REASON]
    verdict = f"{row.verdict}: {reason}" if reason else row.verdict
    return " | ".join((*cells, verdict))


def importance(row):
    return 2 if row.verdict != SEEN else 1 if row.ours not in ("", "-") else 0


def lines(rows):
    """Returns the table, of MOST_ROWS lines at most: of too many rows, those that were only seen
    and have nothing of ours go first, then the others that were only seen."""
    later = sorted(range(len(rows)), key=lambda at: (importance(rows[at]), -at))
    dropped = set(later[: max(0, len(rows) - MOST_ROWS + 2)])
    kept = [row for at, row in enumerate(rows) if at not in dropped]
    counts = ", ".join(
        f"{sum(row.verdict == verdict for row in rows)} {verdict}" for verdict in (PASS, FAIL, SEEN)
    )
    left_out = f"; {len(rows) - len(kept)} rows are only in the archive" if kept != rows else ""
    head = Row("what", "ours", "truth", "ratio", "verdict")
    return [line(head), *map(line, kept), counts + left_out]
