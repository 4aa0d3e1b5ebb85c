"""Findings of a wrapped script: each fault put in with a known cost and named with it, within 20 %;
and its control, where nothing is named."""

import json
import os
import re
import subprocess

from check_faults import core_wait_ms
from check_wrap import wrap
from place import (
    BUSY_CORES,
    CASES,
    NotJudged,
    Skipped,
    alone,
    assert_time,
    between,
    full_run,
    line_of,
    near,
    sleeps,
)

TRAINS = os.path.join(CASES, "wrap", "trains_on.py")
OPTIONS = ("--rounds", "1", "--budget", "12s")
BRIEFLY = ("--rounds", "1", "--budget", "8s")


def found(here, script, call="make_data", loader=None, options=OPTIONS, step=0.001, **arguments):
    """({kind: finding}, what was run)."""
    words = (script, call, json.dumps(arguments), json.dumps(loader or {}), str(step))
    ran = wrap(here, here.python, TRAINS, *words, options=(*options, "--json", "wrap.json"))
    ran.ended(0)
    ran.must_be_believed()
    with open(os.path.join(here.folder, "wrap.json"), encoding="utf-8") as file:
        document = json.load(file)
    os.unlink(os.path.join(here.folder, "wrap.json"))
    return {one["kind"]: one for one in document["external"]["findings"]}, ran


def named(here, kind, script, where="", control=None, **how):
    """The finding, and what was run with it: named with the fault, and not with what `control`
    changes."""
    findings, ran = found(here, script, **how)
    assert_time(kind in findings, f"{kind} is not among {list(findings)}\n{ran}")
    assert where in findings[kind]["where"], f"{where} is not in {findings[kind]}"
    clean, other = found(here, script, **{**how, **control})
    assert_time(kind not in clean, f"named in the control: {clean.get(kind)}\n{other}")
    return findings[kind], ran


def cost(finding):
    return finding["cost_ms_per_step"]["value"]


def check_wrap_several_faults(here):
    """In one run: objects whose pages are copied, 195 of 512 bytes a sample, and a generator that
    both workers have. In another, of an array and a generator each, neither."""
    loader = {"num_workers": 2, "batch_size": 8}
    how = {"loader": loader, "options": ("--rounds", "2", "--budget", "16s")}
    findings, ran = found(here, "several", fault=True, **how)
    assert "same augmentation" in findings, f"{list(findings)}\n{ran}"
    # Workers that wait for a core may copy their pages before the window or after it.
    others = re.search(r"other programs used ([\d.]+) of", ran.text)
    if "copy-on-write" not in findings and others and float(others[1]) >= BUSY_CORES:
        raise NotJudged(others[0])
    assert_time("copy-on-write" in findings, f"{list(findings)}\n{ran}")
    copies, draws = findings["copy-on-write"], findings["same augmentation"]
    assert line_of("faults/several.py", "def __getitem__") in copies["where"], copies
    # Pages that were copied before the window are not seen, on a busy machine over half of them;
    # those of the interpreter itself are, which a short window makes up to a third of.
    whole = 1024 * 195 * 512
    assert 0.2 * whole < copies["cost_bytes_per_epoch"]["value"] < 1.7 * whole, copies
    draw_alike(draws, line_of("faults/several.py", "default_rng(0)"))
    clean, other = found(here, "several", fault=False, **how)
    assert not {"copy-on-write", "same augmentation", "CPU limit misread"} & set(clean), (
        f"{list(clean)}\n{other}"
    )


def draw_alike(finding, where):
    """Both workers do, in each epoch again: half of all draws."""
    assert where in finding["where"], finding
    assert finding["cost_share"] == 0.5, finding
    assert [(same["workers"], same["every_epoch"]) for same in finding["same_draws"]] == [
        (2, True)
    ], finding


@full_run
@sleeps
def check_wrap_workers_without_data(here):
    """As in check_faults, there are 2 shards for 4 workers at 40 ms a batch."""
    finding, _ = named(
        here,
        "workers without data",
        "few_shards",
        line_of("faults/few_shards.py", "def __iter__"),
        {"shards": 4},
        loader={"num_workers": 4, "batch_size": 4},
        shards=2,
    )
    near(cost(finding), 10, 0.2)


@full_run
def check_wrap_copy_on_write(here):
    """800,000 strings of 97.5 bytes, read in order, once an epoch."""
    finding, ran = named(
        here,
        "copy-on-write",
        "copy_on_write",
        line_of("faults/copy_on_write.py", "def __getitem__"),
        {"fault": False},
        loader={"num_workers": 2, "batch_size": 8},
        fault=True,
    )
    near(finding["cost_bytes_per_epoch"]["value"], 800_000 * 97.5, 0.2)


@full_run
@sleeps
def check_wrap_start_up_each_epoch(here):
    """600 ms in worker_init_fn, 24 batches an epoch: 25 ms a step, and the fork."""
    finding, _ = named(
        here,
        "start-up each epoch",
        "epochs",
        line_of("faults/epochs.py", "return DataLoader(Rows()"),
        {"call": "gap", "ms": 0},
        call="start_up",
        step=0.02,
        options=("--rounds", "3", "--budget", "60s"),
    )
    near(cost(finding), 25, 0.2)


@full_run
@sleeps
def check_wrap_epoch_gap(here):
    """300 ms in the worker before the first sample, 24 batches an epoch: 12.5 ms a step. Without
    them an epoch's first batch takes as long as any other, where the loop always waits for one."""
    finding, _ = named(
        here, "epoch gap", "epochs", "", {"ms": 0, "step": 0.001}, call="gap", step=0.02, ms=300
    )
    near(cost(finding), 12.5, 0.2)


@full_run
@alone
def check_wrap_oversubscribed_threads(here):
    """The cost is held against what the records say of the wait for a core, as in check_faults."""
    finding, ran = named(
        here,
        "oversubscribed threads",
        "threads",
        line_of("faults/threads.py", "return DataLoader("),
        {"fault": False},
        fault=True,
    )
    facts = [
        one["facts"]
        for one in ran.records
        if one["trial"]["mode"] == "pipeline" and one["status"] in ("VALID", "NOISY")
    ]
    near(cost(finding), sum(map(core_wait_ms, facts)) / len(facts), 0.2)


def check_wrap_cpu_limit(here):
    """The script may use one core, as in check_faults. Where it may use all, nothing names this."""
    if os.cpu_count() < 2:
        raise Skipped("one CPU only")
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [min(allowed)])
    try:
        findings, ran = found(here, "cpu_limit", options=("--rounds", "1", "--budget", "5s"))
    finally:
        os.sched_setaffinity(0, allowed)
    assert "CPU limit misread" in findings, f"{findings}\n{ran}"
    finding = findings["CPU limit misread"]
    facts = [one["facts"] for one in ran.records if one["trial"]["mode"] == "pipeline"]
    near(cost(finding), sum(map(core_wait_ms, facts)) / len(facts), 0.2)
    assert 0 < cost(finding) <= finding["step_ms"]["value"], f"{finding}\n{ran}"


WAITS = """
import sys, time, torch
sys.path.insert(0, sys.argv[1])
import in_memory
loader = in_memory.make_data()
weight = torch.zeros((), requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=1e-6)
waits = []
for epoch in range(16):
    asked = time.perf_counter()
    for batch in loader:
        waits.append(time.perf_counter() - asked)
        (weight * 0.5).backward()
        optimizer.step()
        time.sleep(0.001)
        asked = time.perf_counter()
print(sum(waits[100:]) / len(waits[100:]) * 1e3)
"""


@full_run
@alone
def check_wrap_tensors_in_memory(here):
    """A plain loop with the step of trains_on.py shows the wait before and after. Both are means:
    on a machine that stalls now and then, a median is less. Indexing takes next to nothing."""
    words = [here.python, "-c", WAITS, os.path.join(CASES, "faults")]

    def waited():
        return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)

    before = waited()
    finding, _ = named(
        here,
        "tensors in memory",
        "in_memory",
        line_of("faults/in_memory.py", "return DataLoader("),
        {"fault": False},
        fault=True,
    )
    between("ms of waiting a batch", cost(finding) + finding["direct_ms"], (before, waited()), 0.2)


@full_run
def check_wrap_same_draws(here):
    where = line_of("faults/same_draws.py", "default_rng(0)")
    finding, _ = named(
        here,
        "same augmentation",
        "same_draws",
        where,
        {"fault": False},
        loader={"num_workers": 2, "batch_size": 8},
        fault=True,
    )
    draw_alike(finding, where)


@full_run
@sleeps
def check_wrap_uneven_samples(here):
    """Two workers in turn, one with 40 ms a batch, the other with 10: two come every 40 ms. As they
    are ready, each makes slow and quick ones, 25 ms on average: one every 12.5 ms instead of 20."""
    finding, ran = named(
        here,
        "uneven samples",
        "uneven",
        line_of("faults/uneven.py", "return DataLoader("),
        {"fault": False},
        fault=True,
    )
    ran.says("in_order=False")
    near(cost(finding), 7.5, 0.2)


@full_run
@alone
def check_wrap_four_faults(here):
    ran = wrap(
        here,
        here.python,
        os.path.join(CASES, "wrap", "four_faults.py"),
        options=("--rounds", "5", "--budget", "120s", "--json", "wrap.json"),
    )
    ran.answered()
    with open(os.path.join(here.folder, "wrap.json"), encoding="utf-8") as file:
        findings = {one["kind"]: one for one in json.load(file)["external"]["findings"]}
    wanted = {
        "workers without data",
        "oversubscribed threads",
        "start-up each epoch",
        "uneven samples",
    }
    assert_time(wanted <= set(findings), f"{wanted - set(findings)} is not named\n{ran}")
    assert all(cost(findings[kind]) > 0 for kind in wanted), findings


def job_of(here, *arguments):
    """(what the script prints of itself, the point in the report, its findings by kind)."""
    script = os.path.join(CASES, "wrap", "validates.py")
    ran = wrap(
        here, here.python, script, "10", *arguments, options=("--keep-going", "--json", "wrap.json")
    )
    ran.ended(0)
    with open(os.path.join(here.folder, "wrap.json"), encoding="utf-8") as file:
        external = json.load(file)["external"]
    os.unlink(os.path.join(here.folder, "wrap.json"))
    printed = json.loads(next(line for line in ran.out.splitlines() if line.startswith("{")))
    return printed, external["points"][0], {one["kind"]: one for one in external["findings"]}


@full_run
def check_wrap_time_outside_the_steps(here):
    """The share of validations and the job's rate are as the script itself prints them, which it
    measures in the same run: how busy the machine is does not matter."""
    printed, point, findings = job_of(here)
    job = point["job_time"]
    rows = [row for row in job["rows"] if row["loader"] == "valid_loader"]
    share = sum(row["ns"] for row in rows) / sum(row["ns"] for row in job["rows"])
    assert abs(share - printed["share"]) < 0.03, (share, printed)
    near(job["samples_per_second_with_start"], printed["rate"], 0.05)
    finding = findings["time outside the steps"]
    assert line_of("wrap/validates.py", "in valid_loader:") in finding["where"], finding
    assert finding["what"] == "valid_loader" and finding["num_workers"] == 2, finding
    assert "time outside the steps" not in job_of(here, "--stays")[2]
