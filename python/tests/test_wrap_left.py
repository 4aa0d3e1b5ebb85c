"""A measured script leaves what the same script does that is killed at the same fetch: temporary
files, shared memory, processes, and files that no known saver writes."""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

from rows import HANG_S, only_all
from wrap_driver import WrapTest, wait_for

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from benchbench_dl import shared_memory, workers  # noqa: E402
from benchbench_dl.wrap import stop  # noqa: E402

QUICK = {"stretch": {"ns": 30_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}

# The script dies by itself at the step KILLED_AT. It runs `{makes}` before its loop and `{step}` in
# each step, whose number is in `steps`.
TRAINS = """
    import atexit, os, signal, subprocess, sys, tempfile, time, torch
    from torch.utils.data import DataLoader, Dataset
    {imports}

    class Samples(Dataset):
        def __len__(self):
            return 100000

        def __getitem__(self, index):
            return torch.full((8,), float(index))

    def main():
        model = torch.nn.Linear(8, 1)
        steps = 0
        {makes}
        for x in DataLoader(Samples(), batch_size=4, num_workers=2):
            model(x).mean().backward()
            steps += 1
            {step}
            with open("log", "w") as log:
                log.write(str(steps))
            time.sleep(0.002)
            if steps == int(os.environ.get("KILLED_AT", -1)):
                os.kill(os.getpid(), signal.SIGKILL)

    if __name__ == "__main__":
        main()
"""


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, value in (
            ("MEMORY", self.folder),
            ("INITIAL_PIDS", os.readlink(shared_memory.PIDS)),
        ):
            patch = mock.patch.object(shared_memory, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def start(self, target):
        child = multiprocessing.get_context("fork").Process(target=target)
        child.start()
        self.addCleanup(child.join)
        self.addCleanup(child.kill)
        return child

    def make(self, pid):
        path = os.path.join(self.folder, f"torch_{pid}_7_0")
        open(path, "w").close()
        return path

    def ended(self):
        child = self.start(int)
        self.assertIn(child.pid, workers.list_pids())
        child.join()
        return child.pid

    def test_what_a_killed_worker_has_not_unlinked_is_removed(self):
        pid = self.ended()
        os.mkdir(os.path.join(self.folder, f"torch_{pid}_folder"))  # cannot be unlinked
        paths = [self.make(pid), self.make(f"{pid}0")]
        shared_memory.unlink({pid})
        self.assertEqual([False, True], [os.path.exists(path) for path in paths])

    def test_what_cannot_be_unlinked_keeps_nothing_else(self):
        pid = self.ended()
        paths = [self.make(f"{pid}_{number}") for number in range(3)]
        real, seen = os.unlink, []

        def unlink(path):
            seen.append(path)
            if len(seen) == 1:
                raise PermissionError(path)
            real(path)

        with mock.patch.object(os, "unlink", unlink):
            shared_memory.unlink({pid})
        self.assertEqual(seen[:1], [path for path in paths if os.path.exists(path)])

    def test_of_one_that_runs_nothing_is_removed(self):
        child = self.start(signal.pause)
        path = self.make(child.pid)
        shared_memory.unlink({child.pid}, patience_s=0)
        self.assertTrue(os.path.exists(path))
        child.kill()  # it may be there for a moment, and is a zombie then
        shared_memory.unlink({child.pid}, patience_s=HANG_S)
        self.assertFalse(os.path.exists(path))

    def test_in_a_container_numbers_may_be_those_of_others(self):
        pid = self.ended()
        path = self.make(pid)
        with mock.patch.object(shared_memory, "INITIAL_PIDS", "pid:[7]"):
            shared_memory.unlink({pid})
        self.assertTrue(os.path.exists(path))

    def test_what_another_user_or_an_older_process_made_stays(self):
        pid = self.ended()
        path = self.make(pid)
        with mock.patch.object(os, "getuid", lambda: os.stat(path).st_uid + 1):
            shared_memory.unlink({pid})
        self.assertTrue(os.path.exists(path))
        made = os.stat(path).st_mtime
        os.utime(path, (made, made - 10**6))
        shared_memory.unlink({pid})
        self.assertTrue(os.path.exists(path))

    def test_a_forked_process_has_none_of_its_parents_children(self):
        child, (reads, writes) = self.start(signal.pause), os.pipe()
        forked = os.fork()
        if not forked:
            try:
                os.write(writes, repr(workers.list_pids()).encode())
            finally:
                os._exit(0)
        os.waitpid(forked, 0)
        self.assertEqual(b"set()", os.read(reads, 1000))
        self.assertIn(child.pid, workers.list_pids())
        for end in (reads, writes):
            os.close(end)


class Iterator:
    """One of the user's own, whose workers are none of multiprocessing's."""

    def __init__(self, workers):
        self._workers = workers


class Raises:
    @property
    def _workers(self):
        raise ValueError

    _shutdown_workers = _workers


class OwnIterators(unittest.TestCase):
    def test_workers_that_are_no_processes(self):
        thread = types.SimpleNamespace(name="thread")
        for one in (Iterator(None), Iterator(3), Iterator([thread]), Raises()):
            workers.noted(one)
            self.assertEqual(set(), workers.list_pids())
            self.assertIsNone(workers.ended(one, 0.01))
            workers.shut_down()

    def test_a_clean_up_that_fails_does_not_keep_the_process(self):
        forked = os.fork()
        if not forked:
            stop.clean_up = lambda: 1 / 0
            try:
                stop.hard(7)
            finally:
                os._exit(1)
        self.assertEqual(7, os.WEXITSTATUS(os.waitpid(forked, 0)[1]))


class Sockets(unittest.TestCase):
    """A worker's folder of sockets, where it has its own, is left if it is killed."""

    SCRIPT = """
import multiprocessing.util, signal, sys
sys.path.insert(0, sys.argv[1])
from benchbench_dl import workers
from benchbench_dl.wrap import stop

def work(found):
    found.put(multiprocessing.util.get_temp_dir())
    signal.pause()

workers.share_folder()
context = multiprocessing.get_context("fork")
found = context.SimpleQueue()
context.Process(target=work, args=(found,)).start()
print(found.get() == multiprocessing.util.get_temp_dir())
stop.hard()
"""

    def test_none_is_left(self):
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run(
                [sys.executable, "-c", self.SCRIPT, package],
                env={**os.environ, "TMPDIR": folder},
                stdout=subprocess.PIPE,
                timeout=HANG_S,
            )
            self.assertEqual((0, b"True\n"), (ran.returncode, ran.stdout))
            self.assertEqual([], os.listdir(folder))


class Left(WrapTest):
    def both(self, makes="pass", step="pass", imports=""):
        """(wrapped, killed): what was measured, and the same killed at the fetch at which that was
        stopped."""
        script = TRAINS.format(makes=makes, step=step, imports=imports)
        wrapped = self.wrapped(script, QUICK, environment={"TMPDIR": "."})
        self.assertEqual(0, wrapped.wait(), wrapped.errors())
        self.assertEqual("answer", wrapped.main.end["reason"])
        killed = self.wrapped(
            script,
            wrap=False,
            environment={"TMPDIR": ".", "KILLED_AT": wrapped.files()["log"].decode()},
        )
        self.assertEqual(-signal.SIGKILL, killed.wait())
        return wrapped, killed

    @staticmethod
    def kinds(wrapped):
        """Returns its files, without what is random in the names of temporary ones."""
        return {
            re.sub(r"(tmp|pymp-|listener-)[a-z0-9_]{8}", r"\1", name) for name in wrapped.files()
        }

    def test_temporary_files_that_python_would_delete_at_its_end(self):
        """A kill leaves more: torch's own sockets."""
        wrapped, killed = self.both(
            imports="from tempfile import NamedTemporaryFile as File, TemporaryDirectory as Folder",
            makes="file, folder = File(suffix='-file'), Folder(suffix='-folder')",
        )
        self.assertEqual({"train.py", "log", "tmp-file", "tmp-folder/"}, self.kinds(wrapped))
        self.assertLessEqual(self.kinds(wrapped), self.kinds(killed))

    @only_all
    def test_clean_up_of_the_scripts_own(self):
        wrapped, killed = self.both(makes="atexit.register(lambda: open('atexit', 'w').close())")
        self.assertEqual({"train.py", "log"}, self.kinds(wrapped))
        self.assertLessEqual(self.kinds(wrapped), self.kinds(killed))

    @only_all
    def test_what_no_known_saver_writes_is_written(self):
        """From the first replayed batch on it holds other numbers than without us."""
        wrapped, killed = self.both(
            step="steps % 16 or open('%d.txt' % steps, 'w').write(str(x[0, 0].item()))"
        )
        texts = [
            {name: text for name, text in of.files().items() if name.endswith(".txt")}
            for of in (wrapped, killed)
        ]
        self.assertEqual(set(texts[1]), set(texts[0]))
        self.assertGreater(len(texts[0]), 1)  # how many steps a script has is a matter of time
        self.assertEqual(texts[1]["16.txt"], texts[0]["16.txt"])

    @only_all
    def test_a_process_of_the_scripts_own(self):
        """The process outlives a kill, too."""
        for of in self.both(
            makes="open('pid', 'w').write(str(subprocess.Popen(['sleep', '600']).pid))"
        ):
            self.assertIn(int(of.files()["pid"]), of.left())

    @only_all
    def test_shared_memory_with_names(self):
        wrapped = self.answered(
            TRAINS.format(
                makes="torch.multiprocessing.set_sharing_strategy('file_system')",
                step="pass",
                imports="",
            ),
            QUICK,
            environment={"TMPDIR": "."},
        )
        workers = {pid for edge in wrapped.main.of("window") for pid in edge["workers"]}
        theirs = tuple(f"torch_{pid}_" for pid in workers)
        left = lambda: [name for name in os.listdir("/dev/shm") if name.startswith(theirs)]  # noqa: E731
        self.assertTrue(workers and wait_for(lambda: not left(), HANG_S), left())
        self.assertTrue(
            wait_for(lambda: self.kinds(wrapped) == {"train.py", "log"}, HANG_S), wrapped.files()
        )


if __name__ == "__main__":
    unittest.main()
