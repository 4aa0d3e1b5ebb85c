"""What the cases of rates conclude from a control whose figures are given."""

from noise import Control
from place import NotJudged, Place, judge


class Here(Place):
    """A place whose one window began and ended at known times, without a run."""

    def __init__(self, overs, steps):
        self.control = Control.__new__(Control)
        self.control._process = self
        self.control._batches = [
            (0.16 * number, 0.16, over, step)
            for number, (over, step) in enumerate(zip(overs, steps))
        ]

    def poll(self):
        return None

    def windows(self):
        return [(0, 10, 1)]


def concludes(rate, wanted, overs=(1.009,) * 20, steps=(1.004,) * 20):
    here, error = Here(overs, steps), None
    try:
        here.near_rate(rate, wanted)
    except AssertionError as failed:
        error = failed
    try:
        judge(here.control.why(here.windows()), error)
    except NotJudged:
        return "not judged"
    except AssertionError:
        return "FAILED"
    return "passed"


def check_judging_finds_a_fault_on_a_quiet_machine(here):
    assert concludes(49.6, 50) == "passed"
    assert concludes(50 / 1.05, 50) == "FAILED", "sleeps are 5 % longer than said"
    assert concludes(75, 100) == "FAILED", "a worker of four is not counted"
    assert concludes(4 / 0.165, 4 / 0.16) == "passed"
    assert concludes(4 / 0.28, 4 / 0.16) == "FAILED", "a step of 120 ms is not hidden"
    assert concludes(50 * 1.07, 50) == "FAILED", "a batch is counted twice"


def check_judging_never_passes_a_fault_of_5_percent(here):
    """However late the control is, and the case is not."""
    for late in range(0, 40):
        assert concludes(50 / 1.05, 50, overs=(1 + late / 1000,) * 20) != "passed", late
    assert concludes(50, 50, overs=(1.012,) * 20) == "passed"


def check_judging_says_nothing_on_a_busy_machine(here):
    """Seven batches in a row take a window of 1 s: one late batch among them is enough."""
    one_late = (1.009,) * 10 + (1.2,) + (1.009,) * 9
    for rate in (50, 50 / 1.05, 25):
        assert concludes(rate, 50, overs=one_late) == "not judged"
        assert concludes(rate, 50, steps=one_late) == "not judged"
        assert concludes(rate, 50, overs=(), steps=()) == "not judged", "the control did not run"
