"""Rates against known sleeps: workers x samples / time."""
from place import SLOW, near

ALONE = True


def check_sleep_sweep(here):
    """20 ms a sample with 0, 1, 2 and 4 workers."""
    sweep = {"loader.num_workers": [0, 1, 2, 4]}
    ran = here.run(here.scenario("sleeps.py", batch_size=4, num_workers=0, measure=SLOW, sweep=sweep))
    ran.ended(0)
    for workers in (0, 1, 2, 4):
        near(ran.rate(loader__num_workers=workers), max(1, workers) * 50, 0.05)


def check_three_rates(here):
    """Loader 40 ms a batch with one worker, step 50 ms: L 100, T 80, F 80 samples a second."""
    trainer = {"call": "train_step"}
    measure = {**SLOW, "modes": ["loader", "trainer", "pipeline"]}
    ran = here.run(here.scenario("sleeps.py", args={"ms": 10}, batch_size=4, num_workers=1, trainer=trainer, measure=measure))
    ran.ended(0)
    for mode, rate in (("loader", 100), ("trainer", 80), ("pipeline", 80)):
        near(ran.rate(mode), rate, 0.05)


def check_changed_batches(here):
    """A step that changes its batch in place gets a new copy each time, and it is noticed."""
    trainer = {"call": "change_step"}
    file = here.scenario("sleeps.py", args={"ms": 1}, batch_size=4, num_workers=1, trainer=trainer, measure={**SLOW, "modes": ["trainer"]})
    ran = here.run(file, "--detail")
    ran.ended(0)
    external = ran.facts("trainer")["external"]
    assert external["distinct"] >= 16 and external["changed"] == external["distinct"], external
    near(ran.rate("trainer"), 80, 0.05)


def check_handed_over(here):
    """Batches of the user's loader in a mock trainer of ours: the slower side sets the rate."""
    for step, rate in (("20ms", 100), ("80ms", 50)):
        trainer = {"use": "timed", "step_time": step}
        measure = {**SLOW, "modes": ["pipeline"]}
        ran = here.run(here.scenario("sleeps.py", args={"ms": 10}, batch_size=4, num_workers=1, trainer=trainer, measure=measure))
        ran.ended(0)
        near(ran.rate("pipeline"), rate, 0.05)


def check_handed_over_in_rounds(here):
    """4 workers of 80 ms a batch: what was prefetched is discarded, and whole rounds of a batch each are counted."""
    trainer = {"use": "timed", "step_time": "1ms"}
    measure = {**SLOW, "window_batches": 7, "modes": ["pipeline"]}
    ran = here.run(here.scenario("sleeps.py", batch_size=4, num_workers=4, trainer=trainer, measure=measure))
    ran.ended(0)
    facts = ran.facts("pipeline")
    assert facts["steps"] % 4 == 0, facts["steps"]
    assert facts["warmup_steps"] > 4 * 2 + 4, facts["warmup_steps"]
    near(ran.rate("pipeline"), 200, 0.05)


def check_their_step_with_a_loader_of_ours(here):
    """Batches of a mock loader in the user's step of 50 ms."""
    file = here.scenario("sleeps.py", trainer={"call": "train_step"}, measure={**SLOW, "modes": ["pipeline"]})
    words = ["use=synthetic", "batch_time=20ms", "batch_size=4", "num_workers=1", "height=8", "width=8"]
    for word in ("script", "call", "python"):
        words.append(f"{word}=none")
    ran = here.run(file, *[one for word in words for one in ("--set", f"loader.{word}")])
    ran.ended(0)
    near(ran.rate("pipeline"), 80, 0.05)


def check_hooks_off(here):
    """measure.observer: 0 leaves the user's process alone: the same rate, and nothing seen within."""
    ran = here.run(here.scenario("sleeps.py", batch_size=4, num_workers=1, measure={**SLOW, "observer": 0}))
    ran.ended(0)
    near(ran.rate(), 50, 0.05)
    assert ran.facts()["external"]["getitem"] is None
