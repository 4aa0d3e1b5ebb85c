"""Rates against known sleeps: workers x samples / time, held against a loop of sleeps without
benchbench. A worker's batch, or the step, sleeps for over 100 ms where it may: a slow machine adds
some milliseconds to each."""

import json
import math
import os

from place import SLOW, alone, assert_time, full_run, near, sleeps


@full_run
@sleeps
def check_sleep_sweep(here):
    """40 ms a sample with 0, 1, 2 and 4 workers."""
    sweep = {"loader.num_workers": [0, 1, 2, 4]}
    ran = here.run(
        here.scenario(
            "sleeps.py", args={"ms": 40}, batch_size=4, num_workers=0, measure=SLOW, sweep=sweep
        )
    )
    ran.ended(0)
    for workers in (0, 1, 2, 4):
        here.near_rate(ran.rate(loader__num_workers=workers), max(1, workers) * 25)


@full_run
@sleeps
def check_three_rates(here):
    """Loader 160 ms a batch with one worker, step 200 ms: L 25, T 20, F 20 samples a second. The
    step changes its batch in place: it gets a new copy each time, and that is noticed."""
    measure = {**SLOW, "window_batches": 16, "modes": ["loader", "trainer", "pipeline"]}
    whole = {"args": {"ms": 40}, "batch_size": 4, "num_workers": 1, "measure": measure}
    file = here.scenario("sleeps.py", trainer={"call": "change_step"}, **whole)
    ran = here.first(file, "--detail", records=4)  # two of them of the trainer
    external = ran.facts("trainer")["external"]
    assert external["distinct"] >= 16 and external["changed"] == external["distinct"], external
    for mode, rate in (("loader", 25), ("trainer", 20), ("pipeline", 20)):
        here.near_rate(ran.rate(mode), rate)


@full_run
@alone
def check_depth_is_foretold(here):
    """From the times of one setting the steps of the others, which the recurrence has not seen:
    within 10 %, and printed."""
    sweep = {"loader.prefetch_factor": [1, 2, 8]}
    measure = {**SLOW, "window": "2s", "modes": ["pipeline"]}
    result = os.path.join(here.folder, "depth.json")
    ran = here.run(
        here.scenario(
            "uneven.py",
            trainer={"call": "train_step"},
            batch_size=4,
            num_workers=2,
            prefetch_factor=1,
            measure=measure,
            sweep=sweep,
        ),
        "--json",
        result,
    )
    ran.ended(0)
    for depth in (1, 2, 8):
        ran.rate("pipeline", loader__prefetch_factor=depth)
    with open(result, encoding="utf-8") as file:
        depths = json.load(file)["depth"]
    seen = {depth["foretold"]["prefetch_factor"]: depth["measured_step_ms"] for depth in depths}
    assert set(seen) == {1, 2, 8}, seen
    for depth in depths:
        assert_time(abs(depth["off_share"]) < 0.1, ran)
        for step in depth["steps"]:
            if step["num_workers"] == 2 and step["in_order"] and step["prefetch_factor"] in seen:
                measured = seen[step["prefetch_factor"]]
                here.printed.append(
                    f"of prefetch_factor={depth['foretold']['prefetch_factor']}: "
                    f"{step['prefetch_factor']} is foretold "
                    f"{step['step_ms']:.2f} ms, measured {measured:.2f} ms, "
                    f"{100 * (step['step_ms'] / measured - 1):+.1f} %"
                )
                near(step["step_ms"], measured, 0.1)
    assert_time(seen[1] > seen[8], seen)


@full_run
@sleeps
def check_handed_over(here):
    """Batches of the user's loader, 120 ms each, in a mock trainer of ours of 60 ms."""
    trainer, measure = {"use": "timed", "step_time": "60ms"}, {**SLOW, "modes": ["pipeline"]}
    ran = here.first(
        here.scenario(
            "sleeps.py",
            args={"ms": 30},
            batch_size=4,
            num_workers=1,
            trainer=trainer,
            measure=measure,
        )
    )
    here.near_rate(ran.rate("pipeline"), 100 / 3)


@sleeps
def check_handed_over_in_rounds(here):
    """4 workers of 160 ms a batch, behind which steps of 5 ms are hidden: what was prefetched is
    discarded, and whole rounds of a batch each are counted. While the window begins, some 40 ms
    pass in which batches are made and none is fetched: it is so long that this is below 1 %."""
    trainer = {"use": "timed", "step_time": "5ms"}
    measure = {**SLOW, "window": "6s", "window_batches": 7, "modes": ["pipeline"]}
    ran = here.first(
        here.scenario(
            "sleeps.py",
            args={"ms": 40},
            batch_size=4,
            num_workers=4,
            trainer=trainer,
            measure=measure,
        )
    )
    facts = ran.facts("pipeline")
    assert facts["steps"] % 4 == 0, facts["steps"]
    assert facts["warmup_steps"] > 4 * 2 + 4, facts["warmup_steps"]
    here.near_rate(ran.rate("pipeline"), 100)


@full_run
@alone
def check_handed_over_cost(here):
    """The loader's cost is what the user's process and its worker use: 5 ms of a core a sample, and
    200 MiB."""
    trainer, measure = {"use": "timed", "step_time": "1ms"}, {**SLOW, "modes": ["pipeline"]}
    ran = here.first(
        here.scenario("burns.py", batch_size=4, num_workers=1, trainer=trainer, measure=measure)
    )
    facts = ran.facts("pipeline")
    assert math.isclose(
        facts["cpu_user_s"] + facts["cpu_system_s"],
        facts["cpu_loader_s"] + facts["cpu_trainer_s"],
        rel_tol=1e-6,
    ), facts
    assert facts["peak_memory_bytes"] > 200 << 20, facts["peak_memory_bytes"]
    assert not {"memory", "cpu_trainer", "cpu_loader"} & {
        probe["name"] for probe in facts["probes"]
    }
    each = facts["cpu_loader_s"] / facts["samples"]
    assert_time(0.0045 < each < 0.0075, each)
    assert_time(facts["cpu_trainer_s"] < 0.2 * facts["cpu_loader_s"], facts["cpu_trainer_s"])


@full_run
@sleeps
def check_handed_over_between_epochs(here):
    """Epochs of 10 batches of 120 ms, with steps of 30 ms, and a pause of 400 ms before each: it is
    no part of the rate, and noted."""
    trainer, measure = (
        {"use": "timed", "step_time": "30ms"},
        {**SLOW, "window": "2s", "modes": ["pipeline"]},
    )
    ran = here.first(
        here.scenario(
            "burns.py",
            call="make_pauses",
            args={"batches": 10, "ms": 120},
            trainer=trainer,
            measure=measure,
        )
    )
    here.near_rate(ran.rate("pipeline"), 80 / 3)
    near(ran.facts("pipeline")["epoch_gap_ns"], 400e6, 0.1)


@full_run
def check_handed_over_in_short_epochs(here):
    """Two batches each: one of them is counted, and that is said."""
    trainer, measure = {"use": "timed", "step_time": "1ms"}, {**SLOW, "modes": ["pipeline"]}
    short = {"args": {"samples": 8, "ms": 50}, "batch_size": 4, "num_workers": 1}
    ran = here.first(here.scenario("sleeps.py", trainer=trainer, measure=measure, **short))
    ran.says(
        "an epoch has 2 batches: the first 1 of each are discarded, not 3 as prefetching asks for"
    )
    facts = ran.record("pipeline")["facts"]
    assert facts["steps"] >= 5 and facts["epochs_completed"] >= 5 and not facts["steady"], facts


@full_run
def check_handed_over_start(here):
    """The start is that of the user's process, not of the program, where the first batch waits
    before the trainer is made."""
    trainer, measure = (
        {"use": "timed", "step_time": "1ms"},
        {"modes": ["pipeline"], "window_batches": 20},
    )
    ran = here.first(
        here.scenario("burns.py", call="make_pauses", trainer=trainer, measure=measure)
    )
    facts = ran.record("pipeline")["facts"]
    external = facts["external"]
    assert 400e6 < facts["first_batch_ns"] < facts["startup_ns"], facts
    whole = sum(external[key] for key in ("spawn_ns", "import_ns", "call_ns", "workers_start_ns"))
    assert external["call_ns"] > 300e6 and facts["startup_ns"] == whole, (
        facts["startup_ns"],
        external,
    )


@full_run
@sleeps
def check_their_step_with_a_loader_of_ours(here):
    """Batches of a mock loader in the user's step of 200 ms."""
    ours = {
        "use": "synthetic",
        "batch_time": "80ms",
        "batch_size": 4,
        "num_workers": 1,
        "height": 8,
        "width": 8,
    }
    measure = {**SLOW, "modes": ["pipeline"]}
    ran = here.first(
        here.scenario("sleeps.py", trainer={"call": "long_step"}, ours=ours, measure=measure)
    )
    here.near_rate(ran.rate("pipeline"), 20)


@full_run
def check_hooks_off(here):
    """measure.observer: 0 leaves the user's process alone: nothing is seen within."""
    ran = here.first(
        here.scenario(
            "sleeps.py", args={"ms": 1}, batch_size=2, num_workers=1, measure={"observer": 0}
        )
    )
    assert ran.record()["facts"]["external"]["getitem"] is None
