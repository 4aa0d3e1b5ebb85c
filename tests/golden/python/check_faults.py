"""Each finding put in with a known cost and named with it, within 20 %; and its control, where nothing is named."""
import json
import os
import subprocess

from place import CASES, SLOW, near

ALONE = True
LONGER = {**SLOW, "window": "2s"}


def findings(here, ran):
    """{kind: finding} of the report as JSON."""
    words = [here.program, "report", ran.folder, "--json", "-"]
    document = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    return {one["kind"]: one for one in reversed(document["external"]["findings"])}


def found(here, kind, script, where=None, **scenario):
    """The finding of that kind, named with its line; and all that the run printed."""
    ran = here.run(here.scenario(script, **scenario), "--detail", what=f"{script}, with the fault")
    ran.ended(0)
    all_found = findings(here, ran)
    assert kind in all_found, f"{kind} is not among {sorted(all_found)}\n{ran}"
    if where:
        assert where in json.dumps(all_found[kind]), f"{where} is not in {all_found[kind]}"
        ran.says(where.replace(".", r"\."))
    return all_found[kind], ran


def silent(here, kind, script, **scenario):
    ran = here.run(here.scenario(script, **scenario), what=f"{script}, the control")
    ran.ended(0)
    all_found = findings(here, ran)
    assert kind not in all_found, f"{all_found[kind]}\n{ran}"


def check_workers_without_data(here):
    """2 shards for 4 workers at 40 ms a batch: 20 ms a step where 10 would do."""
    whole = {"num_workers": 4, "batch_size": 4, "measure": SLOW}
    finding, _ = found(here, "workers without data", "faults/few_shards.py", args={"shards": 2}, **whole)
    near(finding["cost_ms_per_step"]["value"], 10, 0.2)
    silent(here, "workers without data", "faults/few_shards.py", args={"shards": 4}, **whole)


def check_copy_on_write(here):
    """800,000 strings of 97 bytes, read once an epoch of 1024 samples: 76 KB a sample."""
    whole = {"num_workers": 2, "batch_size": 8, "measure": LONGER}
    finding, ran = found(here, "copy-on-write", "faults/copy_on_write.py", **whole)
    memory = ran.facts()["external"]["memory"]
    near(memory["private_growth"] / memory["samples"], 800_000 * 97 / 1024, 0.2)
    near(finding["cost_bytes"]["value"], memory["private_growth"], 0.2)
    silent(here, "copy-on-write", "faults/copy_on_write.py", args={"fault": False}, **whole)


def check_start_up_each_epoch(here):
    """300 ms in worker_init_fn, 24 batches an epoch: 12.5 ms a step, and the fork."""
    whole = {"call": "start_up", "measure": LONGER}
    finding, _ = found(here, "start-up each epoch", "faults/epochs.py", "epochs.py:40", **whole)
    near(finding["cost_ms_per_step"]["value"], 12.5, 0.2)
    silent(here, "start-up each epoch", "faults/epochs.py", args={"persistent": True}, **whole)


def check_epoch_gap(here):
    """300 ms in the worker before the first sample, 24 batches an epoch: 12.5 ms a step."""
    whole = {"call": "gap", "measure": LONGER}
    finding, _ = found(here, "epoch gap", "faults/epochs.py", **whole)
    near(finding["cost_ms_per_step"]["value"], 12.5, 0.2)
    silent(here, "epoch gap", "faults/epochs.py", args={"ms": 0}, **whole)


def check_oversubscribed_threads(here):
    """4 workers with 8 threads each, and with one each: named in the first only."""
    found(here, "oversubscribed threads", "faults/threads.py", measure=SLOW)
    silent(here, "oversubscribed threads", "faults/threads.py", args={"fault": False, "workers": 1}, measure=SLOW)


def check_cpu_limit(here):
    """os.cpu_count() workers where the process may use one core."""
    if os.cpu_count() < 2:
        return

    def one_core():
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])

    ran = here.run(here.scenario("faults/cpu_limit.py", measure=SLOW), "--detail", preexec_fn=one_core)
    ran.ended(0)
    assert "CPU limit misread" in findings(here, ran), f"{findings(here, ran)}\n{ran}"
    silent(here, "CPU limit misread", "faults/cpu_limit.py", measure=SLOW)


PLAIN = """
import sys, time, torch
sys.path.insert(0, sys.argv[1])
import in_memory
loader = in_memory.make_data()
rows = loader.dataset.tensors
batches = iter(loader)
next(batches)
begin = time.perf_counter()
for _ in range(40):
    next(batches)
through = (time.perf_counter() - begin) / 40
order = torch.randperm(20_000)
begin = time.perf_counter()
for number in range(40):
    chosen = order[number * 256 : number * 256 + 256]
    [row[chosen] for row in rows]
print(through * 1e3, (time.perf_counter() - begin) / 40 * 1e3)
"""


def check_tensors_in_memory(here):
    """Against a plain script that times both ways."""
    words = [here.python, "-c", PLAIN, os.path.join(CASES, "faults")]
    through, direct = map(float, subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())
    finding, _ = found(here, "tensors in memory", "faults/in_memory.py", "in_memory.py:18")
    near(finding["cost_ms_per_step"]["value"], through - direct, 0.2)
    silent(here, "tensors in memory", "faults/in_memory.py", args={"fault": False})


def check_same_draws(here):
    whole = {"num_workers": 2, "batch_size": 8, "measure": SLOW}
    found(here, "same augmentation", "faults/same_draws.py", "same_draws.py:12", **whole)
    silent(here, "same augmentation", "faults/same_draws.py", args={"fault": False}, **whole)
