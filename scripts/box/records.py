"""Figures from the journals of benchbench: they are there even where a run was cut at its limit."""

import collections
import json
import statistics


def read_records(folder):
    """Returns the records of a run's journal, without a last line that was cut."""
    found = []
    try:
        lines = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    except OSError:
        return found
    for line in lines:
        try:
            found.append(json.loads(line))
        except ValueError:
            break
    return found


def has_window(record):
    """True if it has figures, also where a rule calls them NOISY or INVALID: a row says that."""
    return record["status"] in ("VALID", "NOISY", "INVALID") and record["facts"]["steps"] > 0


def has_settings(record, settings):
    """True if each value is the record's own; a replayed loader has those of its prototype."""
    own = record["trial"]["settings"]
    return all(
        own.get("prototype." + key, own.get(key)) == value for key, value in settings.items()
    )


def select_records(records, mode, settings=None):
    """Returns the records of a mode that have a window, without ablations."""
    return [
        record
        for record in records
        if record["trial"]["mode"] == mode
        and not record["trial"].get("ablation")
        and has_window(record)
        and has_settings(record, settings or {})
    ]


def step_seconds(records):
    """Returns the mean step over the windows of all of them; None of none."""
    return _mean_seconds(records, "steps")


def sample_seconds(records):
    return _mean_seconds(records, "samples")


def _mean_seconds(records, counted):
    count, ns = (sum(one["facts"][name] for one in records) for name in (counted, "window_ns"))
    return ns * 1e-9 / count if count else None


def start_seconds(records):
    """Returns what trials take before their windows, start and warm-up: (mean, longest)."""
    times = [
        1e-9 * ((record["facts"].get("startup_ns") or 0) + (record["facts"].get("warmup_ns") or 0))
        for record in records
        if has_window(record)
    ]
    return (sum(times) / len(times), max(times)) if times else (None, None)


def probe_means(records):
    """Returns {name: mean} of the GPU's probes that were measured."""
    read = {}
    for record in records:
        for probe in (record["facts"] or {}).get("probes", ()):
            if probe["name"].startswith("gpu_") and probe["state"] == "measured":
                read.setdefault(probe["name"], []).append(probe["mean"])
    return {name: statistics.mean(means) for name, means in read.items()}


def shared_processes(records):
    """Returns how many trials ran in a process that had run others, as "3 of 4", and why others did
    not."""
    facts = [(record["facts"] or {}).get("external") or {} for record in records]
    shared = sum(one.get("trials_before", 0) > 0 for one in facts)
    reasons = sorted({one.get("why_fresh", "") for one in facts} - {""})
    return f"{shared} of {len(facts)}", "; ".join(reasons)


def complaints(records):
    """Returns what kept records from being VALID, as "NOISY R06" or "FAILED", each once."""
    found = collections.Counter()
    for record in records:
        if record["status"] not in ("VALID", "SKIPPED", "ABORTED"):
            rules = sorted({reason["rule"] for reason in record["reasons"]} - {""})
            found[" ".join([record["status"], *rules])] += 1
    return found
