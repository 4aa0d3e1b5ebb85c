"""Scripts in which something is wrong: the program says so in their own words, before it measures
where it can, and nothing of ours stands in the traceback."""

import os
import re
import resource
import subprocess

from check_cases import python_without_torch
from place import CASES, Skipped, full_run, line_of

OURS = r"benchbench_dl|start_child|multiprocessing/process\.py"
KEY_ERROR = ("bad/raises.py", "raise KeyError")
FAILED = (1, 8)  # a trial failed; where it is the base's only one, none is usable


def refused(here, script, *sentences, codes=(2,), **scenario):
    ran = here.run(here.scenario(script, **scenario), what=f"{script} {scenario.get('args', '')}")
    ran.ended(*codes)
    ran.says(*sentences)
    ran.says_not(OURS)
    return ran


def check_does_not_import(here):
    script = "bad/does_not_import.py"
    line = line_of(script, "undefined_name]")
    ran = refused(here, script, "NameError: name 'undefined_name' is not defined", line)
    assert not ran.records


def check_missing_package(here):
    refused(here, "bad/missing_package.py", "no_such_package", codes=(2, 8))


def check_no_such_script(here):
    refused(here, "bad/is_not_there.py", r"is_not_there\.py")


def check_wrong_names(here):
    script = "bad/names.py"
    refused(here, script, "make_dat\\b", "make_data", call="make_dat")
    refused(here, script, "sise", "did you mean|nearest|size", args={"sise": 5})
    refused(here, script, "not_callable", call="not_callable")
    refused(here, script, "int|42", call="wrong_kind")
    refused(here, script, "trane_step", "train_step", trainer={"call": "trane_step"})


def check_validate_says_what_it_leaves(here):
    ran = here.run(
        here.scenario("bad/names.py", call="make_dat"),
        command="validate",
        what="validate, a wrong name",
    )
    ran.ended(0)
    ran.says(r"names in \S*names\.py are checked by plan and run")


@full_run
def check_pick(here):
    here.run(
        here.scenario("bad/names.py", call="make_three", pick=1, num_workers=0, batch_size=2)
    ).ended(0)
    refused(here, "bad/names.py", "pick", "3", call="make_three", pick=7)
    refused(here, "bad/names.py", "pick", call="make_three")


def check_a_swept_argument_that_fails(here):
    """Every value of an axis is called before anything is measured."""
    sweep = {"loader.args.where": ["nowhere", "init"]}
    ran = refused(
        here, "bad/raises.py", "raised in __init__", args={"where": "nowhere"}, sweep=sweep
    )
    assert not ran.records


def check_raises_in_init(here):
    refused(
        here,
        "bad/raises.py",
        r"ValueError: raised in __init__",
        r"raises\.py",
        args={"where": "init"},
    )


def check_raises_while_loading(here):
    """A worker raises: the reason has the line of the script."""
    file = here.scenario("bad/raises.py", args={"where": "getitem", "workers": 1})
    reason = here.first_reason(file, "a sample raises")
    assert "raised in __getitem__" in reason and line_of(*KEY_ERROR) in reason, reason
    assert not re.search(OURS, reason), reason


@full_run
def check_raises_in_each_place(here):
    """The main process raises, and a worker: in __getitem__, collate_fn and worker_init_fn."""
    file = here.scenario("bad/raises.py", args={"where": "getitem", "workers": 0})
    reason = here.first_reason(file, "a sample raises without workers")
    assert "raised in __getitem__" in reason and line_of(*KEY_ERROR) in reason, reason
    sentences = (
        "raised in __getitem__",
        "RuntimeError: raised in collate",
        "OSError: raised in worker_init_fn",
        line_of(*KEY_ERROR),
    )
    sweep = {"loader.args.where": ["getitem", "collate", "worker"]}
    refused(
        here,
        "bad/raises.py",
        *sentences,
        codes=FAILED,
        args={"where": "getitem", "workers": 1},
        sweep=sweep,
    )


@full_run
def check_fails_each_time(here):
    """More rounds of what fails in each trial would show the same again; of what fails at one point
    only, they show the others."""
    sweep = {"loader.num_workers": [0, 1]}
    ran = refused(
        here,
        "bad/raises.py",
        "raised in __getitem__",
        codes=FAILED,
        args={"where": "getitem"},
        sweep=sweep,
        measure={"rounds": 3},
    )
    ran.says(
        "stopped after 1 round: every trial failed",
        rf"next Fix \S*{line_of(*KEY_ERROR)}: ",
        "num_workers gave nothing usable",
    )
    assert {record["planned"]["round"] for record in ran.records} == {0}, ran
    sweep = {"loader.args.where": ["getitem", "nowhere"]}
    ran = refused(
        here,
        "bad/raises.py",
        "raised in __getitem__",
        codes=FAILED,
        args={"where": "nowhere"},
        sweep=sweep,
        measure={"rounds": 2},
    )
    ran.says_not("stopped after")
    assert {record["planned"]["round"] for record in ran.records} == {0, 1}, ran


def check_raises_in_step(here):
    whole = {"call": "make_batches", "measure": {"modes": ["pipeline"]}}
    for trainer, sentence in (
        ({"call": "train_step"}, "ArithmeticError: raised in the step"),
        ({"call": "train_step", "setup": "setup"}, "LookupError: raised in setup"),
    ):
        refused(here, "bad/raises.py", sentence, codes=FAILED, trainer=trainer, **whole)


@full_run
def check_worker_dies(here):
    sweep = {"loader.args.how": ["killed", "exits", "exits_hard"]}
    sentences = ("worker 0 .* killed by SIGKILL", "exit status 3", "exit status 4")
    refused(here, "bad/dies.py", *sentences, codes=FAILED, args={"how": "killed"}, sweep=sweep)


@full_run
def check_main_dies(here):
    """The main process dies where there are no workers."""
    sweep = {"loader.args.how": ["killed", "exits"]}
    sentences = ("process was killed by SIGKILL", r"sys\.exit\(3\)")
    refused(
        here,
        "bad/dies.py",
        *sentences,
        codes=FAILED,
        args={"how": "killed", "workers": 0},
        sweep=sweep,
    )


@full_run
def check_worker_hangs(here):
    """Ended by its deadline, though it ignores SIGTERM."""
    measure = {"timeout": "8s", "window": "6s"}
    reason = here.first_reason(
        here.scenario("bad/dies.py", args={"how": "hangs", "at": 2048}, measure=measure),
        "a worker hangs",
    )
    assert "timed out after 8s" in reason, reason


@full_run
def check_empty(here):
    refused(
        here, "bad/shapes.py", "without samples", args={"what": "empty"}, batch_size=4, codes=(2, 8)
    )


@full_run
def check_objects(here):
    """Anything goes through all in Python, nothing but tensors can be handed over."""
    trainer = {"call": "train_step"}
    here.run(
        here.scenario(
            "bad/shapes.py",
            args={"what": "objects"},
            trainer=trainer,
            measure={"modes": ["pipeline"]},
        )
    ).ended(0)
    whole = {"codes": (2, *FAILED), "measure": {"modes": ["pipeline"]}}
    refused(
        here,
        "bad/shapes.py",
        "cannot be handed over: one is a list of 4 objects",
        "python|discard",
        args={"what": "objects"},
        trainer={"use": "timed"},
        **whole,
    )


@full_run
def check_shrinks(here):
    whole = {"codes": (2, *FAILED), "measure": {"modes": ["pipeline"], "window_batches": 40}}
    refused(
        here, "bad/shapes.py", "8", "4", args={"what": "shrinks"}, trainer={"use": "timed"}, **whole
    )


@full_run
def check_trains_on_import(here):
    refused(here, "bad/trains_on_import.py", '__name__ == "__main__"')


def check_leaves_on_import(here):
    refused(here, "bad/leaves.py", "no data here")


@full_run
def check_noise(here):
    """Kept apart from the report; its last lines are shown where something failed."""
    ran = here.run(here.scenario("bad/noisy.py", measure={"observer": 0}))
    ran.ended(0)
    ran.says_not("a warning for sample", "noise noise", "a sample [0-9]")
    ran = here.run(here.scenario("bad/noisy.py", args={"fails": True}))
    ran.ended(*FAILED)
    ran.says("a sample is broken", "the last line before it failed")


def check_interpreter(here):
    refused(here, "sleeps.py", "no/such/python", python="no/such/python")
    refused(here, "sleeps.py", "torch", codes=(8,), python=python_without_torch(here))
    refused(here, "sleeps.py", "python", python="/etc/passwd")


@full_run
def check_nonsense(here):
    """Something that is no Python, or only says so."""
    babbles = os.path.join(CASES, "bad", "babbles.py")
    for what in ("nonsense", "half", "huge"):
        ran = here.run(
            here.scenario("sleeps.py", python=babbles),
            env={"BABBLE": what},
            what=f"an interpreter: {what}",
        )
        ran.ended(1, 2, 8)
        ran.says(r"babbles\.py|Python")
    file = here.scenario("sleeps.py", python=babbles, measure={"timeout": "3s"})
    ran = here.run(file, env={"BABBLE": "nothing"}, what="a silent interpreter")
    ran.ended(1, 2, 8)


@full_run
def check_few_descriptors(here):
    """Batches of 256 tensors, each a descriptor. torch's worker prints why, and waits for ever:
    what it printed is shown."""

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (96, 96))

    args = {"tensors": 64, "batch": 4}
    file = here.scenario("bad/large_batches.py", args=args, measure={"timeout": "15s"})
    reason = here.first_reason(file, "96 descriptors", preexec_fn=few)
    assert re.search("ancdata|[Tt]oo many open files", reason), reason


@full_run
def check_little_shared_memory(here):
    """64 MiB of /dev/shm for batches of 80 MB. A worker of torch 1.13 dies of it; one of 2.15 says
    so and never answers."""
    wrapped = os.path.join(here.folder, "program")
    with open(wrapped, "w", encoding="utf-8") as file:
        inner = f'mount -t tmpfs -o size=64m tmpfs /dev/shm && exec "{here.program}" "$@"'
        file.write(f"#!/bin/sh\nexec unshare -m sh -c '{inner} || exit 77' sh \"$@\"\n")
    os.chmod(wrapped, 0o755)
    if subprocess.run([wrapped, "--version"], capture_output=True).returncode:
        raise Skipped("no /dev/shm of one's own can be mounted")
    here.program = wrapped
    refused(
        here,
        "bad/large_batches.py",
        "shared memory|shm|Bus error",
        codes=FAILED,
        args={"megabytes": 80},
        measure={"timeout": "25s"},
    )
