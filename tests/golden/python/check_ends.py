"""However it ends, nothing of it is running 5 s later; and finished trials are kept, whatever the standard streams are."""
import json
import os
import signal
import subprocess
import time

from place import SLOW, near
from processes import marked, waits_for

LONG = {**SLOW, "window": "60s"}
CHILD = "start_child.py"


def long_run(here, **more):
    return here.scenario("sleeps.py", batch_size=4, num_workers=2, measure=LONG, **more)


def ended_by(here, what, act, file=None, *codes):
    """Starts a long run, waits until the user's workers are there, acts, and looks at what is left."""
    process = here.start(file or long_run(here))
    child = waits_for(process.mark, CHILD)
    end = time.monotonic() + 60
    while sum(CHILD in command for command in marked(process.mark).values()) < 3 and time.monotonic() < end:
        time.sleep(0.02)
    act(process, child)
    ran = here.finish(process, what)
    if codes:
        ran.ended(*codes)
    return ran


def check_ctrl_c(here):
    """Of the whole group, as a terminal sends it, and of the program alone."""
    ended_by(here, "SIGINT to the group", lambda process, _: os.killpg(process.pid, signal.SIGINT), None, 130)
    ended_by(here, "SIGINT", lambda process, _: process.send_signal(signal.SIGINT), None, 130)


def check_terminated(here):
    ended_by(here, "SIGTERM", lambda process, _: process.send_signal(signal.SIGTERM), None, 143)


def check_killed(here):
    ended_by(here, "SIGKILL of the program", lambda process, _: process.kill(), None, -signal.SIGKILL)


def check_child_killed(here):
    ran = ended_by(here, "SIGKILL of the user's Python", lambda _, child: os.kill(child, signal.SIGKILL), None, 1, 8)
    ran.says("SIGKILL|killed")


def check_child_stopped(here):
    """Stopped, as by a debugger: its deadline ends it."""
    file = here.scenario("sleeps.py", batch_size=4, num_workers=2, measure={**LONG, "timeout": "5s"})
    ended_by(here, "SIGSTOP of the user's Python", lambda _, child: os.kill(child, signal.SIGSTOP), file, 1, 8)


def check_trial_killed(here):
    """The process between the program and the user's Python."""

    def kill(process, child):
        with open(f"/proc/{child}/stat", encoding="utf-8") as file:
            parent = int(file.read().rpartition(")")[2].split()[1])
        assert parent != process.pid or len(marked(process.mark)) > 1
        if parent != process.pid:
            os.kill(parent, signal.SIGKILL)
        else:
            os.kill(child, signal.SIGKILL)

    ended_by(here, "SIGKILL of the trial's process", kill, None, 1, 8)


def check_killed_while_it_imports(here):
    """Before the user's code is loaded."""
    process = here.start(long_run(here))
    waits_for(process.mark, CHILD)
    process.send_signal(signal.SIGINT)
    here.finish(process, "SIGINT while the script is imported").ended(130)


def check_server_of_the_script(here):
    """A process that the user's script started in a session of its own and forgot ends with the trial."""
    ran = here.run(here.scenario("bad/dies.py", call="make_with_server"), what="a script that leaves a process")
    ran.ended(0)


def journal_is_whole(ran):
    with open(os.path.join(ran.folder, "journal.jsonl"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert lines and all(json.loads(line)["version"] == 1 for line in lines)
    near(ran.rate(), 50, 0.1)


def check_streams(here):
    """Closed or full standard streams lose nothing."""
    for words in ("<&- >&- 2>&-", ">&-", "2>&-", "2>/dev/full", ">/dev/full 2>&1"):
        wrapped = os.path.join(here.folder, "program")
        with open(wrapped, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{here.program}" "$@" {words}\n')
        os.chmod(wrapped, 0o755)
        program, here.program = here.program, wrapped
        try:
            ran = here.run(here.scenario("sleeps.py", batch_size=4, num_workers=1, measure=SLOW), what=f"run {words}")
        finally:
            here.program = program
        journal_is_whole(ran)
        ran.ended(0, 5)
        report = subprocess.run([program, "report", ran.folder], capture_output=True)
        assert report.returncode == 0, report.stderr
