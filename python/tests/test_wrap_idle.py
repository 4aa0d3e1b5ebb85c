"""Idle workers are known as such on a machine that has no time for them."""

import os
import queue
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from rows import HANG_S  # noqa: E402
from wrap_driver import wait_for  # noqa: E402

from benchbench_dl.wrap import idle  # noqa: E402

SPIN = "import os; os.write(1, b'.')\nwhile True: pass"
SLEEP = "import os, time; os.write(1, b'.')\ntime.sleep(1000)"


class FullQueue:
    """An iterator whose workers have made all that was asked of them."""

    _tasks_outstanding = 0
    _worker_result_queue = _data_queue = queue.Queue()


class Starved(unittest.TestCase):
    """One CPU, which another process keeps: the wait for it is counted when it has ended, long
    after a look."""

    def begun(self, words, policy=os.SCHED_OTHER):
        def on_one_cpu():
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

        process = subprocess.Popen(
            [sys.executable, "-c", words], stdout=subprocess.PIPE, preexec_fn=on_one_cpu
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        process.stdout.read(1)
        os.sched_setscheduler(process.pid, policy, os.sched_param(0))
        return process.pid

    def found_idle(self, words):
        pid = self.begun(words, os.SCHED_IDLE)
        if words is SLEEP:  # from now on it gets hardly any of the processor
            self.assertTrue(wait_for(lambda: not idle._one_runs([pid]), HANG_S))
        self.begun(SPIN)
        limit_ns = HANG_S * 10**9 if words is SLEEP else 200_000_000
        return [idle.wait(FullQueue, [pid], limit_ns) for _ in range(3)]

    def test_one_that_has_work_is_not_idle(self):
        self.assertEqual([False] * 3, self.found_idle(SPIN))

    def test_one_that_sleeps_is(self):
        self.assertEqual([True] * 3, self.found_idle(SLEEP))


if __name__ == "__main__":
    unittest.main()
