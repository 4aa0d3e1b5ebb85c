"""However a wrapped script ends, or is kept from beginning: what is said, with which exit code, and that nothing of it is left."""
import os

from check_wrap import QUICK, loop, wrap
from place import CASES

FORMS = os.path.join(CASES, "wrap", "ended.py")


def form(here, *words, options=QUICK, **start):
    return wrap(here, here.python, FORMS, *words, options=options, **start)


def check_wrap_loader_without_a_name(here):
    ran = form(here, "unnamed")
    ran.ended(0)
    ran.says(r"measuring a DataLoader \(\S*ended.py:\d+\)|measuring \S*ended.py:\d+", "was stopped after the last round")
    ran.says_not("json", "defect")


def check_wrap_rank_fails(here):
    """While they are measured; and before."""
    for step in ("700", "3"):
        ran = form(here, "ranks", step, options=("--rounds", "50", "--budget", "100s"))
        ran.ended(1)
        ran.says("rank 1 failed: ValueError: this rank is unwell. The command exited with status 1", "Traceback")
