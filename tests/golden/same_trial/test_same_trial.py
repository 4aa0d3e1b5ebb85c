#!/usr/bin/env python3
"""One trial has one rate: of each loader and each trainer, several trials of one process, all the
same, and one in a process of its own.

  tests/golden/same_trial/test_same_trial.py BENCHBENCH

In scripts/test one trainer, which frees much memory at each step; over scripts/test --all each
part. Trials that differ while other processes use the cores, or by what their own windows vary, are
not judged."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
for folder in ("tests/run", "tests/golden/python", "scripts"):
    sys.path.insert(0, os.path.join(ROOT, folder))
sys.dont_write_bytecode = True
from counts import all_are_asked_for, note, note_end  # noqa: E402
from noise import Noise  # noqa: E402
from parts import parts  # noqa: E402

ROW = "test_golden_same_trial"
SAMPLE = ("mlp",)
# The first trial of a process and one in a process of its own may be this far outside what the
# others reached. Between the two limits only windows that are VALID can say that they are.
ALIKE, CLEARLY_UNLIKE = 1.1, 1.5
TINY = {
    "loader": {"num_workers": 0, "batch_size": 8},
    "trainer": {"hidden_size": 64, "hidden_layers": 1, "intra_op_threads": 1},
}
COMMON = ("num_workers", "batch_size", "intra_op_threads")  # keys of every part
SKIPPED = 77


class Skipped(Exception):
    pass


def is_ours(part):
    """False for the user's own code and for what replays a file of theirs."""
    return not any(key.required for key in part.keys.values()) and part.name != "cached_batch"


def scenario(part, trials, isolation):
    given = {k: v for k, v in TINY[part.kind].items() if k in part.keys or k in COMMON}
    loader = {"use": "libtorch_mock", "num_workers": 0, "batch_size": 8, "height": 64, "width": 64}
    trainer = {"use": "discard"}
    if part.kind == "loader":
        loader = {"use": part.name, **given}
    else:
        trainer = {"use": part.name, **given}
    measure = {"modes": [part.kind], "rounds": 1, "window": "1s", "isolation": isolation}
    again = {"sweep": {"loader.batch_size": [8] * (trials - 1)}} if trials > 1 else {}
    lines = {
        "dataset": {"synthesize": {"samples": 256}},
        "loader": loader,
        "trainer": trainer,
        "measure": measure,
        **again,  # with the base itself
    }
    return "\n".join(f"{key}: {json.dumps(value)}" for key, value in lines.items()) + "\n"


def run_trials(benchbench, folder, part, trials, isolation):
    """Returns (samples/s, status) of each trial in the order in which they ran. Raises Skipped
    where this build lacks the part."""
    path, run = (os.path.join(folder, isolation + end) for end in (".yaml", ".run"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(scenario(part, trials, isolation))
    ran = subprocess.run(
        [benchbench, "run", path, "--out", run], cwd=folder, capture_output=True, text=True
    )
    with open(os.path.join(run, "journal.jsonl"), encoding="utf-8") as file:
        records = [json.loads(line[line.index("{") :]) for line in file]
    records = [record for record in records if "facts" in record]
    for record in records:
        if record["status"] == "SKIPPED":
            raise Skipped(record["reasons"][0]["text"])
        assert record["facts"]["window_ns"] > 0, f"{part.name}: {ran.stdout}{ran.stderr}"
    return [(1e9 * r["facts"]["samples"] / r["facts"]["window_ns"], r["status"]) for r in records]


def distance(rate, others):
    """Returns 1 within the range of the others, and outside of it the ratio to its end."""
    return max(1, rate / max(others), min(others) / rate)


def judge(first, others, alone, why):
    """Returns "passed", "failed" or "not judged"; `why`: what disturbed the trials, if anything."""
    rates = [rate for rate, _ in others]
    worst = max(distance(first[0], rates), distance(alone[0], rates))
    if worst <= ALIKE:
        return "passed"
    if why or (worst <= CLEARLY_UNLIKE and any(s != "VALID" for _, s in (first, alone, *others))):
        return "not judged"
    return "failed"


def outcome(benchbench, part):
    """Returns "passed", "failed", "skipped" or "not judged", and the rates or the reason."""
    with tempfile.TemporaryDirectory(prefix="benchbench-same-") as folder, Noise() as noise:
        try:
            first, *others = run_trials(benchbench, folder, part, 3, "round")
            alone = run_trials(benchbench, folder, part, 1, "trial")[0]
        except Skipped as skipped:
            return "skipped", str(skipped)
    seen = " ".join(f"{rate:.4g} {status}" for rate, status in (first, *others))
    text = f"{seen}, alone {alone[0]:.4g} {alone[1]}"
    return judge(first, others, alone, noise.why()), f"{text} {noise.why()}".strip()


def main():
    benchbench = os.path.abspath(sys.argv[1])
    all_parts = [
        p for kind in ("loader", "trainer") for p in parts(benchbench, kind, kind + ".use")
    ]
    chosen = [
        part for part in all_parts if is_ours(part) and (all_are_asked_for() or part.name in SAMPLE)
    ]
    note("started", ROW, len(chosen))
    count = dict.fromkeys(("passed", "failed", "skipped", "not judged"), 0)
    for part in chosen:
        kind, text = outcome(benchbench, part)
        count[kind] += 1
        if kind != "passed":
            note({"not judged": "unjudged"}.get(kind, kind), ROW, f"{part.name}: {text}")
        print(f"{part.kind:8} {part.name:14} {kind:10} {text}", flush=True)
    note_end(ROW, *(count[k] for k in ("passed", "failed", "skipped", "not judged")))
    if count["failed"] or not chosen:
        return 1
    return SKIPPED if not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
