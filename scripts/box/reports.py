"""Figures from what benchbench writes with --json: rates of points, and ratios of two of them that
ran in turns."""

import json
import math


def read_report(path):
    """Returns the report, {} where a run wrote none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def as_text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def point_of(report, settings, prefix="trainer."):
    """Returns the point with all these settings, None where there is none."""
    for point in report.get("points", ()):
        own = point["settings"]
        if all(own.get(prefix + key) == as_text(value) for key, value in settings.items()):
            return point
    return None


def rate_of(point, mode="trainer"):
    """Returns samples a second; None of a point that was not measured."""
    return ((point or {}).get(f"{mode}_rate_samples_per_second") or {}).get("value")


def over_base(report):
    """Returns {name of a point: its comparison with the base}."""
    return {one["point"]: one for one in (report.get("over_base") or {}).get("points", ())}


def by_round(report, point):
    """Returns {round: ratio to the base}."""
    found = over_base(report).get((point or {}).get("name"), {})
    return {one["round"]: one["ratio"] for one in found.get("by_round", ())}


def ratio_of(report, point, other):
    """Returns the ratio of two points' rates over the rounds that both have: {value, low, high} to
    the base, {value} to another; None where there is none."""
    if (other or {}).get("base"):
        return over_base(report).get((point or {}).get("name"), {}).get("ratio")
    one, two = by_round(report, point), by_round(report, other)
    logs = [math.log(one[at] / two[at]) for at in one if at in two]
    return {"value": math.exp(sum(logs) / len(logs))} if logs else None


def trial_memory(records, probe, count):
    """Returns the bytes that a probe read in the count-th trial; None where it read none."""
    if len(records) < count or not records[count - 1]["facts"]:
        return None
    probes = records[count - 1]["facts"].get("probes", ())
    return next(
        (one["mean"] for one in probes if one["name"] == probe and one["state"] == "measured"), None
    )
