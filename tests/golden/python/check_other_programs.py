"""Two busy loops of another program next to each of nine kinds of run: every report names them, and
no trial whose rate they put off by over 10 % is VALID."""

import contextlib
import os
import subprocess
import sys

from check_wrap import LOOP, wrap
from place import NotJudged, alone, assert_time, full_run

NAMED = r"other programs used \d\.\d of \d cores"
OFF = 0.10
WINDOW = {"class": "normal", "window": "1s", "window_batches": 5, "rounds": 1}
BURNS = {"args": {"ms": 4}, "batch_size": 4}
MOCKS = {
    "ours": {"use": "synthetic", "num_workers": 2, "batch_size": 4, "batch_time": "4ms"},
    "trainer": {"use": "timed", "step_time": "2ms"},
}
NATIVE = {
    "ours": {
        "use": "native",
        "num_workers": 2,
        "batch_size": 8,
        "transform": {"random_resized_crop": 32},
    },
    "trainer": {"use": "discard"},
    "dataset": {
        "format": "raw",
        "synthesize": {"samples": 64, "seed": 3, "image": {"mean_width": 64, "mean_height": 64}},
    },
}


@contextlib.contextmanager
def on_two_cores():
    """What this thread starts may use two cores: of 64, two loops are nothing."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:2])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def busy_loops():
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for one in loops:
            one.kill()
            one.wait()


def valid_rates(ran):
    """[(mode, samples a second)] of the trials that the program believes."""
    return [
        (one["trial"]["mode"], one["facts"]["samples"] / (one["facts"]["window_ns"] * 1e-9))
        for one in ran.records
        if one["status"] == "VALID"
    ]


def runs(*modes, script="burns.py", **scenario):
    """Returns the run of that scenario as a function of the place."""
    measure = {**WINDOW, "modes": list(modes)}
    return lambda here: here.run(here.scenario(script, measure=measure, **scenario))


def names_loops(run):
    """Returns the check that runs it alone, and next to the loops."""

    def check(here):
        with on_two_cores():
            control = dict(valid_rates(run(here)))
            with busy_loops():
                ran = run(here)
        ran.says(NAMED)
        for mode, rate in valid_rates(ran):
            if mode not in control:
                raise NotJudged(f"{mode} is VALID next to the loops, and not alone")
            assert_time(
                abs(rate / control[mode] - 1) <= OFF,
                f"{mode} is VALID at {rate:.4g} a second, and {control[mode]:.4g} alone\n{ran}",
            )

    return alone(check)


SLEEPS = {"script": "sleeps.py", "trainer": {"call": "train_step"}}

KINDS = {
    "a_native_loader": runs("loader", **NATIVE),
    "a_python_loader": runs("loader", num_workers=1, **BURNS),
    "mocks": runs("loader", "trainer", "pipeline", **MOCKS),
    "a_hand_over": runs("pipeline", num_workers=1, trainer=MOCKS["trainer"], **BURNS),
    "a_step_in_python": runs("pipeline", ours={**MOCKS["ours"], "batch_time": "1ms"}, **SLEEPS),
    "all_in_python": runs("pipeline", args={"ms": 1}, batch_size=4, num_workers=1, **SLEEPS),
    "a_wrapped_script": lambda here: wrap(here, here.python, LOOP),
}
for _kind, _run in KINDS.items():
    globals()[f"check_names_loops_next_to_{_kind}"] = names_loops(_run)
    if _kind != "a_native_loader":
        full_run(globals()[f"check_names_loops_next_to_{_kind}"])


@full_run
@alone
def check_names_loops_next_to_tune(here):
    file = here.scenario("burns.py", measure=WINDOW, **MOCKS)
    with on_two_cores(), busy_loops():
        ran = here.run(file, "--budget", "10s", command="tune")
    ran.says(NAMED)


@full_run
@alone
def check_names_loops_next_to_compare(here):
    file = here.scenario("burns.py", measure={**WINDOW, "modes": ["pipeline"]}, **MOCKS)
    words = ("--interleave", "--b-set", "trainer.step_time=3ms", "--quiet")
    with on_two_cores(), busy_loops():
        ran = here.run(file, *words, "--out", os.path.join(here.folder, "c"), command="compare")
    ran.says(NAMED)
