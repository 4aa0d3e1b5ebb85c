"""A script that hangs says where, asked from outside, and ends when benchbench says so."""

import os
import signal
import sys
import unittest

from rows import HANG_S
from wrap_driver import WrapTest, wait_for
from wrap_scripts import plain

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from benchbench_dl.wrap import signals  # noqa: E402

# A thread that never lets go of a lock, and workers that are forked meanwhile.
FORKED = """
    import threading, time, torch
    from torch.utils.data import DataLoader, Dataset

    LOCK = threading.Lock()

    class Samples(Dataset):
        def __len__(self):
            return 64

        def __getitem__(self, index):
            with LOCK:
                return torch.ones(8)

    def report(held):
        with LOCK:
            held.set()
            threading.Event().wait()

    held = threading.Event()
    threading.Thread(target=report, args=(held,), daemon=True, name="report").start()
    held.wait()
    print("forks", flush=True)
    for batch in DataLoader(Samples(), num_workers=2, multiprocessing_context="{method}"):
        print("a batch", flush=True)
"""
IN_C = """
    import ctypes, torch, torch.utils.data

    def waits():
        print("waits", flush=True)
        ctypes.PyDLL(None).pause()  # holds Python's lock

    ctypes.PyDLL(None).signal({number}, ctypes.c_void_p(1))
    waits()
"""


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def catches(pid, number):
    try:
        with open(f"/proc/{pid}/status") as file:
            line = next(line for line in file if line.startswith("SigCgt"))
    except (OSError, StopIteration):
        return False
    return bool(int(line.split()[1], 16) >> (number - 1) & 1)


class Hang(WrapTest):
    def asked(self, wrapped, pid, at, number=signals.WAKES):
        """Returns the stacks that it says once its innermost frame is in the function `at`."""
        found = []

        def says():
            before = len(wrapped.heard)
            os.kill(pid, number)
            # One that comes while a worker is being forked is lost.
            wait_for(lambda: any(h.of("stacks") for h in wrapped.heard[before:]), 1)
            found[:] = [h.of("stacks")[0] for h in wrapped.heard[before:] if h.of("stacks")]
            return bool(found) and found[0]["threads"][0]["frames"][0][1] == at

        self.assertTrue(wait_for(lambda: catches(pid, number), HANG_S))
        self.assertTrue(wait_for(says, HANG_S), (found, wrapped.errors()))
        return found[0]

    def hanging(self, script, says, plan=None, **members):
        wrapped = self.wrapped(script, plan, **members)
        self.assertTrue(wait_for(lambda: says in wrapped.output(), HANG_S), wrapped.errors())
        return wrapped

    def test_a_worker_names_the_lock_that_was_held_when_it_was_forked(self):
        wrapped = self.hanging(FORKED.format(method="fork"), "forks")
        self.assertTrue(wait_for(lambda: len(children_of(wrapped.process.pid)) == 2, HANG_S))
        for number, worker in enumerate(sorted(children_of(wrapped.process.pid))):
            said = self.asked(wrapped, worker, "__getitem__")
            self.assertEqual((worker, number), (said["pid"], said["worker"]))
            self.assertEqual(["train.py:11", "__getitem__", True], said["threads"][0]["frames"][0])
            where = said["lock"].pop("where")
            self.assertEqual({"name": "LOCK", "thread": "report", "forked": True}, said["lock"])
            self.assertIs(False, said["kept"])
            self.assertIs(False, said["guarded"])
            self.assertIn(where, ("train.py:16", "train.py:17"))

    def test_a_worker_says_if_it_is_kept_and_its_script_guarded(self):
        """A variable of its own that has the same name is no word of torch's."""
        kept = FORKED.replace("num_workers=2,", "num_workers=2, persistent_workers=True,").replace(
            "            with LOCK:\n                return torch",
            "            persistent_workers = 'no'\n"
            "            with LOCK:\n                return torch",
        )
        guarded = kept.replace(
            "    held = threading",
            '    if __name__ == "__main__":\n        pass\n    held = threading',
        )
        wrapped = self.hanging(guarded.format(method="fork"), "forks")
        self.assertTrue(wait_for(lambda: len(children_of(wrapped.process.pid)) == 2, HANG_S))
        said = self.asked(wrapped, children_of(wrapped.process.pid)[0], "__getitem__")
        self.assertEqual((True, True), (said["kept"], said["guarded"]))

    def test_the_main_process_names_the_users_frame_and_those_of_its_threads(self):
        wrapped = self.hanging(FORKED.format(method="fork"), "forks")
        self.assertTrue(wait_for(lambda: len(children_of(wrapped.process.pid)) == 2, HANG_S))
        said = self.asked(wrapped, wrapped.process.pid, "select", signals.ASKS)
        self.assertIsNone(said["worker"])
        self.assertIsNone(said["kept"])
        users = [frame for frame in said["threads"][0]["frames"] if frame[2]]
        self.assertEqual(["train.py:23", "<module>", True], users[0])
        others = {thread["name"]: thread["frames"] for thread in said["threads"][1:]}
        self.assertEqual({"report", "QueueFeederThread"}, set(others))
        self.assertEqual(["report"], [f[1] for f in others["report"] if f[2]])

    def test_a_process_that_has_not_imported_torch_says_where_it_stands(self):
        script = """
            import threading
            LOCK = threading.Lock()
            LOCK.acquire()
            print("waits", flush=True)
            LOCK.acquire()
        """
        wrapped = self.hanging(script, "waits", fresh=True)
        self.assertFalse(catches(wrapped.process.pid, signals.ASKS))
        said = self.asked(wrapped, wrapped.process.pid, "<module>")
        self.assertEqual(["train.py:5", "<module>", True], said["threads"][0]["frames"][0])
        self.assertEqual(("LOCK", None), (said["lock"]["name"], said["worker"]))
        self.assertEqual([], [heard for heard in wrapped.heard if heard.of("hello")])

    def test_it_ends_where_benchbench_says_so(self):
        """Workers that wait for good too, at once."""
        plan = {"of_stacks": {"type": "stop", "reason": "hangs"}}
        wrapped = self.hanging(FORKED.format(method="fork"), "forks", plan)
        self.assertTrue(wait_for(lambda: catches(wrapped.process.pid, signals.ASKS), HANG_S))
        self.assertTrue(wait_for(lambda: len(children_of(wrapped.process.pid)) == 2, HANG_S))
        os.kill(wrapped.process.pid, signals.ASKS)
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("hangs", wrapped.heard[0].end["reason"])
        self.assertEqual([], wrapped.left_in_the_end())

    def test_a_worker_does_not_end_where_its_process_is_to(self):
        plan = {"of_stacks": {"type": "stop", "reason": "hangs"}}
        wrapped = self.hanging(FORKED.format(method="fork"), "forks", plan)
        self.assertTrue(wait_for(lambda: len(children_of(wrapped.process.pid)) == 2, HANG_S))
        worker = children_of(wrapped.process.pid)[0]
        for _ in range(2):
            self.asked(wrapped, worker, "__getitem__")
            with open(f"/proc/{worker}/stat") as file:
                self.assertNotIn(file.read().rsplit(")", 1)[1].split()[0], "ZX")
        self.assertIn(worker, children_of(wrapped.process.pid))

    def test_at_the_budgets_end_it_stops_within_a_step(self):
        waits = "__import__('threading').Event().wait()"
        step = f"number == 50 and (print('stands', flush=True), {waits})"
        plan = {"of_stacks": {"type": "stop", "reason": "budget over"}, "rounds": 1000}
        wrapped = self.hanging(plain(step=step), "stands", plan)
        os.kill(wrapped.process.pid, signals.WAKES)
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("budget over", wrapped.main.end["reason"])
        self.assertEqual([], wrapped.left_in_the_end())

    def test_a_checkpoint_is_written_first(self):
        step = """
                if number == 5:
                    class Slow:
                        def __reduce__(self):
                            print("writes", flush=True)
                            open("go").read()
                            return (int, (7,))
                    torch.save(Slow(), "saved.pt")
                    print("written", flush=True)"""
        plan = {"of_stacks": {"type": "stop", "reason": "budget over"}, "warmup": {"ns": 10**12}}
        script = plain(step=step.strip()).replace(
            "def main", "__import__('os').mkfifo('go')\n\n    def main"
        )
        wrapped = self.hanging(script, "writes", plan)
        said = len(wrapped.heard)
        os.kill(wrapped.process.pid, signals.WAKES)
        answers = lambda: [m for heard in wrapped.heard[said:] for m in heard.of("stacks")]  # noqa: E731
        self.assertTrue(wait_for(answers, HANG_S))
        self.assertTrue(answers()[0]["saves"])
        with open(os.path.join(wrapped.work, "go"), "w"):
            pass
        self.assertTrue(wait_for(lambda: "written" in wrapped.output(), HANG_S), wrapped.errors())

    def test_a_handler_of_the_scripts_own_is_left_alone(self):
        script = """
            import signal
            signal.signal(signal.SIGURG, lambda *_: print("its own", flush=True))
            import torch, torch.utils.data
            print("waits", flush=True)
            signal.pause()
        """
        wrapped = self.hanging(script, "waits")
        self.assertTrue(wait_for(lambda: any(h.of("hello") for h in wrapped.heard), HANG_S))
        self.assertEqual(
            "the script has a handler of SIGURG of its own", wrapped.heard[0].of("hello")[0]["mute"]
        )
        os.kill(wrapped.process.pid, signal.SIGURG)
        self.assertEqual(0, wrapped.wait())
        self.assertEqual("its own\n", wrapped.output().split("waits\n")[1])

    def test_code_in_c_that_keeps_pythons_lock(self):
        """Its stack is written by C code, into a file in memory that can be read from outside."""
        wrapped = self.hanging(IN_C.format(number=int(signal.SIGUSR2)), "waits")
        pid = wrapped.process.pid
        links = {
            f"/proc/{pid}/fd/{name}": os.readlink(f"/proc/{pid}/fd/{name}")
            for name in os.listdir(f"/proc/{pid}/fd")
        }
        path = next(path for path, to in links.items() if signals.FILE in to)
        for number in (signals.ASKS, signals.WAKES, signals.LAST):
            os.kill(pid, number)

        def text():
            with open(path) as file:
                return file.read()

        self.assertTrue(wait_for(lambda: " in waits" in text(), HANG_S), text())


if __name__ == "__main__":
    unittest.main()
