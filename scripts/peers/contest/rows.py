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


def row(what, unit, ours, peer, goal, better="more", value=lambda slice: slice.rate):
    """`ours` and `peer` are results of contestants; `better` is "less" where the value is a
    time."""
    for side, name in ((ours, "ours"), (peer, "")):
        if side.failure:
            who = f"{name}: " if name else ""
            return Row(
                what,
                unit,
                median(ours, value),
                median(peer, value),
                None,
                goal,
                f"not shown: {who}{side.failure}",
            )
    a, b = rates(ours, value), rates(peer, value)
    ratio = ratio_of(a, b) if better == "more" else ratio_of(b, a)
    verdict = verdict_of(ratio, goal) if ratio else "not shown: fewer than two rounds have both"
    verdict = with_lost_rounds(verdict, ours, peer)
    return Row(what, unit, median(ours, value), median(peer, value), ratio, goal, verdict)


def rates(result, value):
    return {n: value(slice) for n, slice in result.slices.items()}


def median(result, value):
    return statistics.median(rates(result, value).values()) if result.slices else None


def best_row(what, unit, ours, peers, goal, everyone):
    """Against the fastest of those that ran. While one of `everyone` is missing, nothing is
    reached."""
    ran = [peer for peer in peers if not peer.failure and peer.slices]
    missing = [name for name in everyone if name not in [peer.name for peer in ran]]
    if ours.failure:
        return Row(
            f"{what}: best of all", unit, None, None, None, goal, f"not shown: ours: {ours.failure}"
        )
    if not ran:
        return Row(
            f"{what}: best of all",
            unit,
            median(ours, lambda slice: slice.rate),
            None,
            None,
            goal,
            "not shown: no peer ran",
        )
    best = max(ran, key=lambda peer: median(peer, lambda slice: slice.rate))
    found = row(f"{what}: best of all ({best.name})", unit, ours, best, goal)
    if missing and found.verdict.startswith("reached"):
        return replace(found, verdict=f"not shown: without {', '.join(missing)}")
    return found


def number(value):
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def ratio_text(value):
    return f"{value:.3f}" if value < 10 else f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def cells(found):
    ratio = found.ratio
    return (
        found.what,
        f"{number(found.ours)} {found.unit}" if found.ours is not None else "-",
        f"{number(found.peer)} {found.unit}" if found.peer is not None else "-",
        ratio_text(ratio.value) if ratio else "-",
        f"{ratio_text(ratio.low)}..{ratio_text(ratio.high)}" if ratio else "-",
        f"{found.goal:g}" if found.goal is not None else "-",
        found.verdict,
    )


def table(found):
    lines = [HEAD] + [cells(one) for one in found]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    left = {0, len(HEAD) - 1}
    return "\n".join(
        "  ".join(
            text.ljust(width) if column in left else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )


def markdown(found):
    lines = [HEAD, ("---",) + ("---:",) * (len(HEAD) - 2) + ("---",)] + [
        cells(one) for one in found
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
