"""A line of the table, its verdict, and the table as text."""

import statistics
from dataclasses import dataclass, replace

from contest.interval import Ratio, ratio_of

HEAD = ("what", "ours", "peer", "ratio", "95 % interval", "goal", "verdict")


@dataclass(frozen=True)
class Row:
    what: str
    unit: str
    ours: float | None
    peer: float | None
    ratio: Ratio | None
    goal: float | None
    verdict: str


def rate_of(slice):
    return slice.rate


def verdict_of(ratio, goal):
    """The whole interval has to be past the goal: what a few more rounds could turn is not
    shown."""
    if goal is None:
        return ""
    if ratio.low >= goal:
        return "reached"
    if ratio.high < goal:
        return "missed"
    return f"not shown: the interval contains the goal ({ratio.rounds} rounds)"


def with_lost_rounds(verdict, ours, peer):
    """What either side lost is told; while ours lost any, nothing is reached: a slow round may be
    the one it lost."""
    told = [
        f"{name}: {len(side.slices)} of {len(side.slices) + side.lost_rounds} rounds; lost: "
        f"{side.lost}"
        for side, name in ((ours, "ours"), (peer, peer.name))
        if side.lost_rounds
    ]
    if ours.lost_rounds and verdict == "reached":
        verdict = "not shown: ours lost rounds"
    return f"{verdict} ({'; '.join(told)})".lstrip() if told else verdict


def row(what, unit, ours, peer, goal, better="more", value=rate_of):
    """`ours` and `peer` are results of contestants; `better` is "less" where the value is a
    time."""
    a, b = rates(ours, value), rates(peer, value)
    failure = f"ours: {ours.failure}" if ours.failure else peer.failure
    ratio = ratio_of(a, b) if better == "more" else ratio_of(b, a)
    if failure:
        ratio, verdict = None, f"not shown: {failure}"
    elif ratio:
        verdict = with_lost_rounds(verdict_of(ratio, goal), ours, peer)
    else:
        verdict = with_lost_rounds("not shown: fewer than two rounds have both", ours, peer)
    return Row(what, unit, median(ours, value), median(peer, value), ratio, goal, verdict)


def rates(result, value):
    return {n: value(slice) for n, slice in result.slices.items()}


def median(result, value=rate_of):
    return statistics.median(rates(result, value).values()) if result.slices else None


def best_row(what, unit, ours, peers, goal, everyone):
    """Against the fastest of those that ran. While one of `everyone` is missing, nothing is
    reached."""
    what += ": best of all"
    ran = [peer for peer in peers if not peer.failure and peer.slices]
    names = [peer.name for peer in ran]
    missing = [name for name in everyone if name not in names]
    if ours.failure or not ran:
        why = f"ours: {ours.failure}" if ours.failure else "no peer ran"
        return Row(what, unit, median(ours), None, None, goal, f"not shown: {why}")
    best = max(ran, key=median)
    found = row(f"{what} ({best.name})", unit, ours, best, goal)
    if missing and found.verdict.startswith("reached"):
        return replace(found, verdict=f"not shown: without {', '.join(missing)}")
    return found


def number(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def ratio_text(value):
    return f"{value:.3f}" if value < 10 else f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def cells(found):
    ratio, unit = found.ratio, found.unit
    return (
        found.what,
        f"{number(found.ours)} {unit}" if found.ours is not None else "-",
        f"{number(found.peer)} {unit}" if found.peer is not None else "-",
        ratio_text(ratio.value) if ratio else "-",
        f"{ratio_text(ratio.low)}..{ratio_text(ratio.high)}" if ratio else "-",
        f"{found.goal:g}" if found.goal is not None else "-",
        found.verdict,
    )


def table(found):
    lines = [HEAD, *map(cells, found)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    sides = (str.ljust, *[str.rjust] * (len(HEAD) - 2), str.ljust)
    return "\n".join(
        "  ".join(side(text, width) for side, text, width in zip(sides, line, widths)).rstrip()
        for line in lines
    )


def markdown(found):
    rule = ("---", *["---:"] * (len(HEAD) - 2), "---")
    lines = [HEAD, rule, *map(cells, found)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
