"""However it ends, nothing of it is left; and finished trials are kept, whatever the
standard streams are."""

import json
import os
import signal
import subprocess

from place import SLOW, full_run
from processes import child_with_workers, children_of, comes_true, parent_of

LONG = {**SLOW, "window": "60s"}
CHILD = "start_child.py"


HANDED_OVER = {
    "trainer": {"use": "timed", "step_time": "1ms"},
    "measure": {**LONG, "modes": ["pipeline"]},
}


def begun(here, **parts):
    """A long run whose first trial has been started, and its journal."""
    process = here.start(
        here.scenario("sleeps.py", batch_size=4, num_workers=2, **{"measure": LONG, **parts})
    )
    journal = os.path.join(process.folder_of, "journal.jsonl")
    assert comes_true(lambda: os.path.exists(journal)), "no run was begun"
    return process, journal


def while_it_measures(here, act, **parts):
    """Starts a long run, waits until the user's workers of the first trial are there, and acts. The
    run, and its journal."""
    process, journal = begun(here, **parts)
    act(process, child_with_workers(process.mark, CHILD, 2))
    return process, journal


def ended_by(here, what, act, code, **parts):
    process, _ = while_it_measures(here, act, **parts)
    here.finish(process, what).ended(code)


def check_killed_and_interrupted(here):
    """In the first trial the user's Python is killed; in the second Ctrl-C goes to the whole group,
    as a terminal sends it."""
    process, _ = begun(here)
    first = child_with_workers(process.mark, CHILD, 2)
    os.kill(first, signal.SIGKILL)
    child_with_workers(process.mark, CHILD, 2, but=(first,))
    os.killpg(process.pid, signal.SIGINT)
    ran = here.finish(process, "SIGKILL of the user's Python, then SIGINT to the group")
    ran.ended(130)
    reason = ran.reasons(0)
    assert "the Python process was killed by SIGKILL" in reason, f"{reason}\n{ran}"


@full_run
def check_interrupted(here):
    """The program alone."""
    ended_by(here, "SIGINT", lambda process, _: process.send_signal(signal.SIGINT), 130)


@full_run
def check_terminated(here):
    ended_by(here, "SIGTERM", lambda process, _: process.send_signal(signal.SIGTERM), 143)


@full_run
def check_killed(here):
    ended_by(here, "SIGKILL of the program", lambda process, _: process.kill(), -signal.SIGKILL)


def fails_by(here, what, act, **parts):
    """The trial that runs when `act` is called is FAILED; then the run is interrupted. Its
    reason."""
    process, journal = while_it_measures(here, act, **parts)
    assert comes_true(lambda: os.path.getsize(journal) > 0), "no record was written"
    process.send_signal(signal.SIGINT)
    ran = here.finish(process, what)
    ran.ended(130)
    return ran.reasons(0)


@full_run
def check_ends_of_a_hand_over(here):
    """While batches are handed over."""
    ended_by(
        here,
        "SIGINT of a hand-over",
        lambda process, _: os.killpg(process.pid, signal.SIGINT),
        130,
        **HANDED_OVER,
    )
    reason = fails_by(
        here,
        "SIGKILL of a hand-over's Python",
        lambda _, child: os.kill(child, signal.SIGKILL),
        **HANDED_OVER,
    )
    assert "the Python process was killed by SIGKILL" in reason, reason

    def kill_worker(process, child):
        os.kill(children_of(process.mark, child)[0], signal.SIGKILL)

    reason = fails_by(here, "SIGKILL of a hand-over's worker", kill_worker, **HANDED_OVER)
    assert "worker" in reason and "was killed by SIGKILL" in reason and "defect" not in reason, (
        reason
    )


@full_run
def check_child_stopped(here):
    """Stopped, as by a debugger: its deadline ends it."""
    reason = fails_by(
        here,
        "SIGSTOP of the user's Python",
        lambda _, child: os.kill(child, signal.SIGSTOP),
        measure={**LONG, "window": "4s", "timeout": "5s"},
    )
    assert "5s" in reason or "5 s" in reason, reason


@full_run
def check_trial_killed(here):
    """The process between the program and the user's Python."""

    def kill(process, child):
        trial = parent_of(child)
        assert trial not in (0, process.pid), "the user's Python is a child of the program itself"
        os.kill(trial, signal.SIGKILL)

    reason = fails_by(here, "SIGKILL of the trial's process", kill)
    assert "SIGKILL" in reason or "killed" in reason, reason


@full_run
def check_killed_while_it_imports(here):
    """Before the user's code is loaded."""
    process = here.start(here.scenario("sleeps.py", batch_size=4, num_workers=2, measure=LONG))
    child_with_workers(process.mark, CHILD, 0)
    process.send_signal(signal.SIGINT)
    here.finish(process, "SIGINT while the script is imported").ended(130)


@full_run
def check_server_of_the_script(here):
    """A process that the user's script started in a session of its own and forgot ends with the
    trial."""
    ran = here.run(
        here.scenario("bad/dies.py", call="make_with_server"), what="a script that leaves a process"
    )
    ran.ended(0)


def journal_is_whole(ran):
    with open(os.path.join(ran.folder, "journal.jsonl"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert len(lines) == 3 and all(json.loads(line)["version"] == 2 for line in lines)
    assert ran.facts()["samples"] > 0


@full_run
def check_streams(here):
    """Closed or full standard streams lose nothing."""
    for words in ("<&- >&- 2>&-", "2>/dev/full", ">/dev/full 2>&1"):
        wrapped = os.path.join(here.folder, "program")
        with open(wrapped, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{here.program}" "$@" {words}\n')
        os.chmod(wrapped, 0o755)
        program, here.program = here.program, wrapped
        try:
            ran = here.run(
                here.scenario("numpy_batches.py", args={"ms": 2}),
                what=f"run {words}",
            )
        finally:
            here.program = program
        journal_is_whole(ran)
        ran.ended(0, 5)
        report = subprocess.run([program, "report", ran.folder], capture_output=True)
        assert report.returncode == 0, report.stderr
