"""Each finding put in with a known cost and named with it, within 20 %; and its control, where
nothing is named."""

import json
import os
import subprocess

from place import (
    CASES,
    SLOW,
    Skipped,
    alone,
    assert_time,
    between,
    full_run,
    line_of,
    near,
    sleeps,
)

LONGER = {**SLOW, "window": "2s"}


def findings(here, ran):
    """{point: {kind: finding}} of the report as JSON."""
    ran.must_be_believed()
    words = [here.program, "report", ran.folder, "--json", "-"]
    document = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    found = {}
    for one in document["external"]["findings"]:
        found.setdefault(
            "base" if "(base)" in one["point"] or one["point"] == "base" else "control", {}
        )[one["kind"]] = one
    return found


def named(here, kind, script, control, where=None, below="args.", **scenario):
    """Runs the script with the fault, and, as a second point, with what `control` changes,
    arguments of the call or keys of the loader: named in the first alone, with its line. The
    finding, and all that the run printed."""
    sweep = {f"loader.{below}{key}": values for key, values in control.items()}
    base = {key: values[0] for key, values in control.items()}
    base = {"args": base} if below else base
    ran = here.run(here.scenario(script, sweep=sweep, **base, **scenario), "--detail", what=script)
    ran.ended(0)
    all_found = findings(here, ran)
    assert_time(kind in all_found.get("base", {}), f"{kind} is not among {all_found}\n{ran}")
    assert_time(
        kind not in all_found.get("control", {}), f"named in the control: {all_found}\n{ran}"
    )
    assert "CPU limit misread" not in {**all_found["base"], **all_found.get("control", {})}, (
        f"{all_found}\n{ran}"
    )
    if where:
        assert where in json.dumps(all_found["base"][kind]), (
            f"{where} is not in {all_found['base'][kind]}"
        )
        ran.says(where.replace(".", r"\."))
    return all_found["base"][kind], ran


@full_run
@sleeps
def check_workers_without_data(here):
    """2 shards for 4 workers at 40 ms a batch: 20 ms a step where 10 would do."""
    whole = {"num_workers": 4, "batch_size": 4, "measure": SLOW}
    finding, _ = named(
        here, "workers without data", "faults/few_shards.py", {"shards": [2, 4]}, **whole
    )
    near(finding["cost_ms_per_step"]["value"], 10, 0.2)


def of_unsplit_data(here, fault):
    """Returns a run of it, and what is said where both workers make all of it."""
    said = (
        r"2 of 2 workers make the same batches, so that each sample comes 2 times in an epoch: "
        r"split .* Numbers \(\S*" + line_of("faults/unsharded.py", "class Numbers")
    )
    file = here.scenario("faults/unsharded.py", args={"fault": fault})
    return here.first(file, "--detail", what="unsharded.py"), said


def check_data_that_are_not_split(here):
    ran, said = of_unsplit_data(here, True)
    ran.says(said)


@full_run
def check_data_that_are_split(here):
    ran, said = of_unsplit_data(here, False)
    ran.says_not(said)


@full_run
def check_copy_on_write(here):
    """800,000 strings of 97.5 bytes, read in order, once an epoch of 4096 samples: 19 KB a
    sample."""
    whole = {"num_workers": 2, "batch_size": 8, "shuffle": False, "measure": LONGER}
    finding, ran = named(
        here, "copy-on-write", "faults/copy_on_write.py", {"fault": [True, False]}, **whole
    )
    seen = memory_of_each(ran, "loader.args.fault", True)
    growth = sum(memory["private_growth"] for memory in seen) / len(seen)
    near(
        growth / (sum(memory["samples"] for memory in seen) / len(seen)), 800_000 * 97.5 / 4096, 0.2
    )
    near(finding["cost_bytes"]["value"], growth, 0.2)


def memory_of_each(ran, key, value):
    """Returns the memory of each trial at that value, if it was read twice while it was measured: a
    slow reading is not repeated at once."""
    facts = [one["facts"] for one in ran.records if one["trial"]["settings"].get(key) == value]
    seen = [
        one["external"]["memory"] for one in facts if one["external"] and one["external"]["memory"]
    ]
    assert seen, f"the workers' memory was not measured\n{ran}"
    return seen


@full_run
@sleeps
def check_start_up_each_epoch(here):
    """600 ms in worker_init_fn, 24 batches an epoch: 25 ms a step, and the fork."""
    whole = {"call": "start_up", "measure": LONGER, "below": ""}
    control = {"persistent_workers": [False, True]}
    finding, ran = named(
        here,
        "start-up each epoch",
        "faults/epochs.py",
        control,
        line_of("faults/epochs.py", "return DataLoader(Rows()"),
        **whole,
    )
    near(finding["cost_ms_per_step"]["value"], 25, 0.2)
    assert_time(
        "epoch gap" not in findings(here, ran)["base"],
        f"what workers do when they start is a gap\n{ran}",
    )


@full_run
@sleeps
def check_epoch_gap(here):
    """300 ms in the worker before the first sample, 24 batches an epoch: 12.5 ms a step."""
    finding, _ = named(
        here, "epoch gap", "faults/epochs.py", {"ms": [300, 0]}, call="gap", measure=LONGER
    )
    near(finding["cost_ms_per_step"]["value"], 12.5, 0.2)


def core_wait_ms(facts):
    """Returns the wait for a core in a step: of the workers' main threads, which make their batches
    at once, and of the main process."""
    seen, steps = facts["external"], facts["steps"]
    waited = seen["core_wait_loader_ns"] / len(seen["workers"]) + seen["core_wait_main_ns"]
    return min(facts["window_ns"], waited) / steps * 1e-6


@full_run
@alone
def check_oversubscribed_threads(here):
    """2 workers with 8 threads each, and with one. How long their main threads wait for a core
    depends on how the kernel takes turns and on how torch's threads wait for each other: the cost
    is held against what the record says of that."""
    finding, ran = named(
        here, "oversubscribed threads", "faults/threads.py", {"fault": [True, False]}, measure=SLOW
    )
    records = [
        one
        for one in ran.records
        if one["trial"]["settings"]["loader.args.fault"] and one["status"] in ("VALID", "NOISY")
    ]
    waited = [core_wait_ms(one["facts"]) for one in records]  # a noisy round's trial is repeated
    near(finding["cost_ms_per_step"]["value"], sum(waited) / len(waited), 0.01)


@full_run
def check_cpu_limit(here):
    """os.cpu_count() workers where the process may use one core: one of W runs, the others wait, so
    that each waits for all but a W-th of a step. Others wait for that core too: at least that.
    Where it may use all, no other check has this named."""
    if os.cpu_count() < 2:
        raise Skipped("one CPU only")

    def one_core():
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])

    file = here.scenario("faults/cpu_limit.py", measure=SLOW)
    ran = here.run(file, "--detail", preexec_fn=one_core)
    ran.ended(0)
    found = findings(here, ran).get("base", {})
    assert "CPU limit misread" in found, f"{findings(here, ran)}\n{ran}"
    cost, step = (
        found["CPU limit misread"][name]["value"] for name in ("cost_ms_per_step", "step_ms")
    )
    assert 0.8 * (1 - 1 / os.cpu_count()) * step <= cost <= step, f"{cost} of {step}\n{ran}"


PLAIN = """
import sys, time, torch
sys.path.insert(0, sys.argv[1])
import in_memory
loader = in_memory.make_data()
rows = loader.dataset.tensors
spent, batches = 0, 0
while spent < 1:
    begin = time.perf_counter()
    for batch in loader:
        batches += 1
    spent += time.perf_counter() - begin
order = torch.randperm(20_000)
begin = time.perf_counter()
for number in range(40):
    chosen = order[number * 256 : number * 256 + 256]
    [row[chosen] for row in rows]
print(spent / batches * 1e3, (time.perf_counter() - begin) / 40 * 1e3)
"""


@full_run
@alone
def check_tensors_in_memory(here):
    """A plain script times both ways before and after, which shows the machine's own speed: the
    cost is within 20 % of the two differences. The script takes the mean, since a median of epochs
    would leave out Python's garbage collections, which are 1 ms in 10."""
    words = [here.python, "-c", PLAIN, os.path.join(CASES, "faults")]

    def plain():
        through, direct = map(
            float, subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
        )
        return through - direct

    before = plain()
    finding, _ = named(
        here,
        "tensors in memory",
        "faults/in_memory.py",
        {"fault": [True, False]},
        line_of("faults/in_memory.py", "return DataLoader("),
        measure=SLOW,
    )
    between("ms a batch", finding["cost_ms_per_step"]["value"], (before, plain()), 0.2)


@full_run
def check_same_draws(here):
    """Both workers draw alike, in each epoch again: half of all draws; of a generator that each
    worker makes for itself nothing is said."""
    whole = {"num_workers": 2, "batch_size": 8, "measure": SLOW}
    finding, ran = named(
        here,
        "same augmentation",
        "faults/same_draws.py",
        {"fault": [True, False]},
        line_of("faults/same_draws.py", "default_rng(0)"),
        **whole,
    )
    assert finding["cost_share"] == 0.5, finding
    assert [(same["workers"], same["every_epoch"]) for same in finding["same_draws"]] == [
        (2, True)
    ], finding
    ran.says(
        "2 workers draw the same random numbers",
        "1 of 2 augmentations repeat another worker's, and every epoch repeats the last",
    )
