"""However a wrapped script ends, or is kept from beginning: what is said, with which exit code, and
that nothing of it is left."""

import json
import os

from check_wrap import QUICK, loop, wrap
from place import CASES, full_run

FORMS = os.path.join(CASES, "wrap", "ended.py")


def form(here, *words, options=QUICK, **start):
    return wrap(here, here.python, FORMS, *words, options=options, **start)


@full_run
def check_wrap_loader_without_a_name(here):
    ran = form(here, "unnamed")
    ran.ended(0)
    ran.says(
        r"measuring a DataLoader \(\S*ended.py:\d+\)|measuring \S*ended.py:\d+",
        "was stopped after the last round",
    )
    ran.says_not("json", "defect")


@full_run
def check_wrap_rank_fails(here):
    """While they are measured; and before."""
    for step in ("700", "3"):
        ran = form(here, "ranks", step, options=("--rounds", "50", "--budget", "100s"))
        ran.ended(1)
        ran.says(
            "rank 1 failed: ValueError: this rank is unwell. The command exited with status 1",
            "Traceback",
        )


@full_run
def check_wrap_json_on_standard_output(here):
    """Nothing else is on it."""
    ran = loop(here, options=(*QUICK, "--json", "-"))
    ran.ended(0)
    assert json.loads(ran.out)["points"], ran
    assert "training begins\n" in ran.err, ran
    ran.says("what \\S*loop.py prints there goes to standard error")


@full_run
def check_wrap_evaluation_alone(here):
    ran = form(here, "evaluation")
    ran.ended(72)
    ran.says(
        r"ended by itself. It had batches of \S+.*too few steps of a training",
        "as an evaluation is",
    )


def check_wrap_other_interpreter(here):
    """One without torch, and a shell's words."""
    ran = wrap(here, here.python, "-c", "import sys; sys.exit(3)")
    ran.ended(3)
    ran.says("The interpreter was \\S*python\\S*: is it the one that has torch")
    ran = wrap(here, "bash", "-c", "kill -TERM $$; python3 train.py")
    ran.ended(143)
    ran.says("once the loop of train.py is steady", "The command was killed by SIGTERM")
    ran.says_not("The interpreter")


@full_run
def check_wrap_exception_is_caught(here):
    ran = form(here, "retries", options=(*QUICK, "--stop", "exception"))
    ran.ended(0)
    ran.says("caught the exception that was to end it, and was stopped at its next batch")


@full_run
def check_wrap_no_command(here):
    """Known before anything else is said."""
    ran = wrap(here, "no-such-command", "train.py")
    ran.ended(66)
    ran.says_not("once the loop of")


def check_wrap_hangs(here):
    """Workers that are forked with a lock held, after the first round."""
    ran = form(here, "hangs", options=("--rounds", "1000", "--budget", "10min", "--patience", "5s"))
    ran.ended(74)
    ran.says(
        r"ended.py hangs: no batch, no step and no CPU time for 5 s",
        r"worker 0, process \d+: \S*ended.py:\d+ in __getitem__\(\); it waits for a lock; LOCK is "
        r'locked: thread "holder" held it \(\S+:\d+\) when this process was forked',
        r"worker 1, process \d+: \S*ended.py:\d+ in __getitem__",
        r"process \d+: \S*ended.py:\d+ in \S+, within \S+ in \w+\(\); it waits for data",
        "ended.py hung, and was ended",
    )
    assert {r["trial"]["mode"] for r in ran.records} == {"loader", "trainer", "pipeline"}, ran


def check_wrap_hangs_before_torch(here):
    """A lock that nothing releases; a client that it waits for goes on where that is."""
    waits = "import threading\nLOCK = threading.Lock()\nLOCK.acquire()\nLOCK.acquire()"
    ran = wrap(here, here.python, "-c", waits, options=("--patience", "2s"))
    ran.ended(74)
    ran.says(
        r"hangs: no batch, no step and no CPU time for 2 s\. It is ended",
        r"process \d+: <string>:4; it waits for a lock; LOCK is locked",
    )
    client = "import subprocess\nsubprocess.run(['sleep', '6'])"
    ran = wrap(here, here.python, "-c", client, options=("--patience", "2s"))
    ran.ended(72)
    ran.says_not("hang")


@full_run
def check_wrap_without_torch_does_not_hang(here):
    """A client that waits for what runs elsewhere."""
    ran = wrap(here, "sleep", "6", options=("--patience", "2s"))
    ran.ended(72)
    ran.says("sleep is waited for", "it uses no CPU", "sleep was not seen to import torch")
    ran.says_not("hang")


@full_run
def check_wrap_is_killed(here):
    ran = form(here, "killed")
    ran.ended(137)
    ran.says("ended.py was killed by SIGKILL")
    ran.says_not("without a word")
