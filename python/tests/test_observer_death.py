"""Workers do not outlive the process that started them, even where they hang in the user's code."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

from rows import HANG_S, only_all, sample

SCRIPT = """
import os, sys, time
sys.path.insert(0, {package!r})
from torch.utils.data import DataLoader
from benchbench_dl.observe.observer import Observer

class Hangs:
    def __len__(self):
        return 8

    def __getitem__(self, index):
        os.write(1, b"%d\\n" % os.getpid())
        time.sleep(1000)

if __name__ == "__main__":
    observer = Observer(False)
    loader = DataLoader(Hangs(), num_workers=2, multiprocessing_context={method!r})
    {attach}
    for batch in loader:
        pass
"""
WAIT_MS = 1000 * HANG_S


def start(method, attached):
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    attach = "loader = observer.attach(loader)" if attached else ""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "hangs.py")
        with open(path, "w") as file:
            file.write(
                textwrap.dedent(SCRIPT).format(package=package, method=method, attach=attach)
            )
        parent = subprocess.Popen(
            [sys.executable, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        workers = [int(parent.stdout.readline()) for _ in range(2)]
    parent.stdout.close()
    return parent, workers


def gone(handle, milliseconds):
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(milliseconds))


@unittest.skipUnless(hasattr(os, "pidfd_open"), "Python 3.9 is needed to wait for another's child")
class Death(unittest.TestCase):
    def test_killed_with_the_parent(self):
        for method in sample(("forkserver", "fork", "spawn")):
            with self.subTest(method):
                parent, workers = start(method, attached=True)
                handles = [os.pidfd_open(worker) for worker in workers]
                parent.kill()
                parent.wait()
                self.assertEqual([gone(handle, WAIT_MS) for handle in handles], [True, True])
                for handle in handles:
                    os.close(handle)

    @only_all
    def test_torchs_own_stay(self):
        """The control: what the above is for."""
        parent, workers = start("forkserver", attached=False)
        handle = os.pidfd_open(workers[0])
        parent.kill()
        parent.wait()
        self.assertFalse(gone(handle, 1000))
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        self.assertTrue(gone(handle, WAIT_MS))
        os.close(handle)


if __name__ == "__main__":
    unittest.main()
