"""The test run itself: what it concludes from a control that is held up, and how it counts cases,
those too whose process dies."""

import contextlib
import io
import os
import signal
import time
import unittest
from unittest import mock

import rows
import run


def sleeps_then_stops(turns, sleep=time.sleep):
    """Returns a sleep that after so many turns does not end, as on a machine that is busy then."""
    left = iter(range(turns))
    return lambda seconds: sleep(seconds) if next(left, None) is not None else signal.pause()


class Quiet(unittest.TestCase):
    def judge(self, turns):
        sleep = time.sleep
        with mock.patch("time.sleep", sleeps_then_stops(turns)), rows.quiet():
            sleep(0.1)

    def test_a_control_that_is_held_up(self):
        """From its beginning on, or for its last part."""
        for turns in (0, 4):
            with self.assertRaisesRegex(unittest.SkipTest, "^not judged: a bare loop"):
                self.judge(turns)

    def test_what_fails_in_the_block_fails_on_a_busy_machine(self):
        with self.assertRaises(AssertionError), rows.quiet(most=-1):
            self.fail("exit code 139")

    def test_how_late_it_was(self):
        self.assertAlmostEqual(0, rows.lateness(2 + rows.TURN, 2))
        self.assertAlmostEqual(0.5, rows.lateness(3 + rows.TURN, 2))


class OneOfEach(unittest.TestCase):
    """No case of the run itself: `tests` makes a suite of it."""

    def passes(self):
        pass

    def fails(self):
        self.fail("as it should")

    def is_skipped(self):
        self.skipTest("nothing here")

    def is_not_judged(self):
        rows.cannot_judge("busy")

    def dies(self):
        os._exit(9)


class Apart(unittest.TestCase):
    def counts(self, *names):
        suite = unittest.TestSuite(map(OneOfEach, names))
        with mock.patch.dict(os.environ), contextlib.redirect_stderr(io.StringIO()):
            os.environ.pop("BENCHBENCH_TEST_COUNTS", None)
            return tuple(run.result_of(*run.run_apart(suite)))

    def test_each_case_counts_once(self):
        names = ("passes", "passes", "fails", "is_skipped", "is_not_judged")
        self.assertEqual((2, 1, 1, 1), self.counts(*names))

    def test_all_of_a_process_that_dies_fail(self):
        self.assertEqual((0, 3, 0, 0), self.counts("passes", "dies", "passes"))


if __name__ == "__main__":
    unittest.main()
