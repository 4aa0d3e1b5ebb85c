"""`benchbench wrap` where several processes train: together, as ranks, or each for itself."""

import json
import os
import subprocess

from check_wrap import LOOP, wrap
from place import CASES, full_run

RANKS = os.path.join(CASES, "wrap", "ranks.py")


def ranks_of(here, ran):
    """Returns what the report says of each rank, as JSON."""
    report = subprocess.run(
        [here.program, "report", ran.folder, "--json", "-"],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(report.stdout)["ranks"]


@full_run
def check_wrap_spawned_ranks(here):
    """No launcher says that they are ranks."""
    ran = wrap(here, here.python, RANKS, "--slower", "0.004")
    ran.ended(0)
    ran.says(r"the rest\s+of\s+this\s+report\s+is\s+of\s+rank\s+1", "Slowest loader: rank 1, ")
    ranks = ranks_of(here, ran)
    assert ranks["slowest"] == 1 and ranks["quickest"] == 0, ranks
    assert [rank["reported"] for rank in ranks["rates"]] == [False, True], ranks
    again = subprocess.run(
        [here.program, "report", ran.folder], capture_output=True, text=True, check=False
    )
    assert "Slowest loader: rank 1" in " ".join(again.stdout.split()), again


@full_run
def check_wrap_two_trainings_at_once(here):
    """The second one is left alone, and ends by itself; the report of the first says so."""
    one = f"{here.python} {LOOP} --steps 3000"
    ran = wrap(
        here, "sh", "-c", f"{one} & {one} & wait", options=("--rounds", "1", "--budget", "8s")
    )
    ran.ended(0)
    assert ran.out.count("training begins") == 2 and ran.out.count("training ends") == 1, ran
    left = [
        record
        for record in ran.records
        if any(
            "has a loop of its own at the same time" in notice
            for notice in record["facts"]["notices"]
        )
    ]
    ran.says("it is left as it\\s+is, and not measured")
    assert left and len(ran.records) == 3, ran
    again = subprocess.run(
        [here.program, "report", ran.folder], capture_output=True, text=True, check=False
    )
    assert "has a loop of its own at the same time" in again.stdout, again


@full_run
def check_wrap_rank_without_a_loader(here):
    """The rank never comes to where the others wait for it; nothing is left of it either."""
    ran = wrap(here, here.python, RANKS, "--without", "1")
    ran.ended(66)
    ran.says(
        "rank 0 was stopped: rank 1 was not seen to fetch\\s+batches of a DataLoader in a steady "
        "loop, \\d+ s after rank 0"
    )
    assert not os.path.exists(ran.folder), ran
