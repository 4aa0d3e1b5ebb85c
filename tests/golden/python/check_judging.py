"""Cases of rates conclude from a control whose figures are given here."""

import itertools

from noise import Control
from place import NotJudged, Place, TimeOff, failure_of, judge

NOW = 3.3
ON_TIME = (1.009,) * 20  # the last of these batches comes at 3.2 s


class Here(Place):
    """A place whose one window began and ended at known times, without a run."""

    def __init__(self, overs, steps):
        self.control = Control.__new__(Control)
        self.control._process = self
        ends = itertools.accumulate(0.16 * over for over in overs)
        self.control._batches = [
            (end, 0.16 * over, over, step) for end, over, step in zip(ends, overs, steps)
        ]

    def poll(self):
        return None

    def windows(self):
        return [(0, 2.5, 1)]


def judged(why, error):
    try:
        judge(why, error)
    except NotJudged:
        return "not judged"
    except AssertionError:
        return "FAILED"
    return "passed"


def concludes(rate, wanted, overs=ON_TIME, steps=(1.004,) * 20):
    here = Here(overs, steps)
    error = failure_of(lambda here: here.near_rate(rate, wanted), here)
    return judged(here.control.why(here.windows(), NOW), error)


def check_judging_finds_a_fault_on_a_quiet_machine(here):
    assert concludes(49.6, 50) == "passed"
    assert concludes(50 / 1.05, 50) == "FAILED", "sleeps are 5 % longer than said"
    assert concludes(75, 100) == "FAILED", "a worker of four is not counted"
    assert concludes(4 / 0.165, 4 / 0.16) == "passed"
    assert concludes(4 / 0.28, 4 / 0.16) == "FAILED", "a step of 120 ms is not hidden"
    assert concludes(50 * 1.07, 50) == "FAILED", "a batch is counted twice"


def check_judging_never_passes_a_fault_of_5_percent(here):
    """However late the control is while the case is in time."""
    for late in range(40):
        assert concludes(50 / 1.05, 50, overs=(1 + late / 1000,) * 20) != "passed", late
    assert concludes(50, 50, overs=(1.012,) * 20) == "passed"


def check_judging_says_nothing_on_a_busy_machine(here):
    """Seven batches in a row take a window of 1 s: one late batch among them is enough."""
    one_late = (1.009,) * 10 + (1.2,) + (1.009,) * 9
    for rate in (50, 50 / 1.05, 25):
        assert concludes(rate, 50, overs=one_late) == "not judged"
        assert concludes(rate, 50, steps=one_late) == "not judged"
        assert concludes(rate, 50, overs=(), steps=()) == "not judged", "the control did not run"


def check_judging_says_nothing_where_the_control_is_held_up(here):
    """It is held up for the last part of the window: its next batch comes later, or not yet."""
    for overs in (ON_TIME[:8] + (10,), ON_TIME[:8], ON_TIME[:1]):
        assert concludes(25, 50, overs=overs) == "not judged", overs


def check_judging_finds_on_a_busy_machine_what_is_no_time(here):
    why = "other processes used 0.20 cores"
    assert judged(why, AssertionError("exit code 139, not (0,)")) == "FAILED"
    assert judged(why, TimeOff("25 a second")) == "not judged"
    assert judged(why, None) == "not judged"
    assert judged("", TimeOff("25 a second")) == "FAILED"
    assert judged("", None) == "passed"
