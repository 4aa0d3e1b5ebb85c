"""Checks what must hold of every scenario, whatever its parts and settings, by its report."""

# Rules that only a defect of the program breaks: what every trial adds up to, no sample lost, no
# impossible value. On the real clock the others may be the machine's.
ALWAYS = ("I01", "I02", "I03", "I04", "R01", "R02", "R18")
RATE = "{}_rate_samples_per_second"
ROUNDING = 0.005
NO_LIMIT = float("inf")


class Interval:
    """A rate: 95 % of it between `low` and `high`, which include a batch more or less at the
    window's ends."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __str__(self):
        return f"{self.low:,.5g} to {self.high:,.5g}"


def rate(report, mode):
    """Returns the rate of a mode, None where it is not known well enough to be held to anything:
    not measured, or disturbed on the real clock. That of a side without a limit is only known to be
    at least what was measured, and infinite where the report has no rate of it."""
    point = report["points"][0]
    no_limit = mode in point["no_limit"]
    found = point[RATE.format(mode)]
    if no_limit and not found:
        return Interval(NO_LIMIT, NO_LIMIT)
    usable = ("VALID", "NOISY") if report["simulated"] else ("VALID",)
    if not found or point["mode_status"][mode] not in usable:
        return None
    steps = [r["steps"] for r in report["records"] if r["mode"] == mode and not r["ablation"]]
    off = ROUNDING + 1 / min(s for s in steps if s)
    return Interval(found["low"] * (1 - off), NO_LIMIT if no_limit else found["high"] * (1 + off))


def in_turns(a, b):
    def both(one, other):
        time = 1 / one + 1 / other
        return 1 / time if time else NO_LIMIT

    return Interval(both(a.low, b.low), both(a.high, b.high))


def broken_trials(report):
    for record in report["records"]:
        where = f"{record['mode']} {record['ablation']} round {record['round'] + 1}"
        if record["status"] in ("FAILED", "ABORTED"):
            yield f"{where} {record['status']}: {record['reasons'][0]['text']}"
            continue
        for reason in record["reasons"]:
            if reason["rule"] in ALWAYS or (reason["invalid"] and report["simulated"]):
                yield f"{where} {reason['rule']}: {reason['text']}"


def broken_bounds(report, turns):
    loader, trainer, pipeline = (rate(report, m) for m in ("loader", "trainer", "pipeline"))
    if not pipeline:
        return
    for name, side in (("L", loader), ("T", trainer)):
        if side and pipeline.low > side.high:
            yield f"F, {pipeline}, is above {name}, {side}"
    if not (turns and loader and trainer):
        return
    both = in_turns(loader, trainer)
    if pipeline.low > both.high or pipeline.high < both.low:
        yield f"F, {pipeline}, is not L {loader} and T {trainer} in turns: {both}"


def broken(report, turns):
    """Returns a sentence for each thing that does not hold. `turns`: loader and trainer work in one
    thread."""
    if not report["points"]:
        return ["the report has no point"]
    return [*broken_trials(report), *broken_bounds(report, turns)]
