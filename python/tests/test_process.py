"""The process: its descriptors, its output, its end. Nothing of it is left, however it ends."""

import os
import signal
import struct
import unittest

from child import ChildTest, wait_until
from rows import sample

DATA = """
    import os, sys, time
    import multiprocessing
    import torch
    from torch.utils.data import Dataset

    class Slow(Dataset):
        def __len__(self):
            return 1000
        def __getitem__(self, index):
            time.sleep(0.005)
            return torch.zeros(1)

    def make_data(how="none"):
        if how == "noise":
            os.write(1, b"x" * 100000 + b"end of the noise\\n")
            print("printed"); print("to stderr", file=sys.stderr)
            for number in (3, 4):
                try:
                    os.write(number, b"nonsense")
                except OSError:
                    pass
        if how == "limits":
            print("descriptors", sorted(int(n) for n in os.listdir("/proc/self/fd")))
        if how == "path":
            print("path", sys.path[0], "argv", sys.argv, "main", sys.modules["__main__"].__file__)
        return Slow()

    def setup(device):
        process = multiprocessing.Process(target=time.sleep, args=(1000,))
        process.start()

    def step(batch, state):
        return None

    def step_forever(batch):
        time.sleep(1000)
"""


class Ends(ChildTest):
    def running(self, step=None, setup=None, **settings):
        child = self.child(DATA, fresh=settings.get("multiprocessing_context") == "forkserver")
        self.loaded(child, step=step, setup=setup)
        child.send(
            "run",
            way="all in Python" if step else "self-timed",
            settings=settings,
            seed=1,
            trainer_seed=1,
            device="cpu",
            window={"ns": 60e9, "batches": 1},
            warmup={"ns": 0},
        )
        child.answer("window" if step != "step_forever" else "progress")
        return child

    def assert_nothing_left(self, child):
        self.assertTrue(
            wait_until(lambda: not child.processes()),
            f"processes {child.processes()} are left",
        )

    def test_stop_after_a_run_ends_all(self):
        for method in sample(("fork", "forkserver")):
            child = self.child(DATA, fresh=method == "forkserver")
            self.loaded(child, step="step", setup="setup")  # setup starts a process that sleeps
            self.result(
                child,
                "all in Python",
                {"num_workers": 1, "persistent_workers": True, "multiprocessing_context": method},
                window={"ns": 0, "batches": 1},
            )
            self.assertEqual("bye", child.stop()["type"])
            self.assert_nothing_left(child)
            self.assertEqual(0, child.status())
            self.assertNotIn("leaked", child.output())

    def test_closing_the_socket_ends_it_while_it_works(self):
        ways = (
            {"num_workers": 2},
            {"step": "step_forever", "num_workers": 1},
            {"step": "step", "setup": "setup", "num_workers": 0},
            {"num_workers": 1, "multiprocessing_context": "forkserver"},
        )
        for options in sample(ways, 3):
            child = self.running(**options)
            child.socket.close()
            self.assert_nothing_left(child)

    def test_being_killed_ends_the_workers(self):
        child = self.running(num_workers=2)
        self.assertEqual(3, len(child.processes()))
        os.kill(child.pid, signal.SIGKILL)
        self.assert_nothing_left(child)

    def test_end_of_file_between_requests(self):
        child = self.child(DATA)
        child.socket.close()
        self.assert_nothing_left(child)

    def test_half_a_message_and_nonsense(self):
        for data in (
            b"\x05\x00",
            struct.pack("<II", 1 << 31, 0),
            struct.pack("<II", 4, 0) + b"{{{{",
        ):
            child = self.child(DATA)
            child.socket.sendall(data)
            if len(data) < 8:
                child.socket.close()
            self.assert_nothing_left(child)


class Streams(ChildTest):
    def test_the_users_output_is_kept_apart(self):
        child = self.child(DATA)
        self.loaded(child, args={"how": "noise"})
        self.result(child, settings={"num_workers": 1})
        output = child.output()
        for words in ("end of the noise", "printed", "to stderr"):
            self.assertIn(words, output)

    def test_as_python_would_start_it(self):
        """But that the protocol's descriptors are out of reach."""
        child = self.child(DATA, fresh=True)
        self.loaded(child, args={"how": "path"})
        path = os.path.realpath(child.folder)
        self.assertIn(
            "path {} argv ['train.py'] main {}".format(path, os.path.join(path, "train.py")),
            child.output(),
        )
        self.check_descriptors(child)

    def check_descriptors(self, child):
        self.loaded(child, args={"how": "limits"})
        line = next(line for line in child.output().split("\n") if line.startswith("descriptors"))
        numbers = [int(n) for n in line[len("descriptors [") : -1].split(", ")]
        self.assertEqual([0, 1, 2], numbers[:3])
        self.assertNotIn(4, numbers)  # 3 is the folder that is being listed
        ours = [n for n in numbers if n >= 900]
        self.assertEqual(2, len(ours))
        for number in ours:
            with open(f"/proc/{child.pid}/fdinfo/{number}") as file:
                flags = next(line for line in file if line.startswith("flags:"))
            self.assertTrue(int(flags.split()[1], 8) & os.O_CLOEXEC)

    def test_workers_and_processes_of_the_user_do_not_hold_the_socket(self):
        child = self.child(DATA)
        self.loaded(child, step="step", setup="setup")
        child.send(
            "run",
            way="all in Python",
            settings={"num_workers": 1},
            seed=1,
            device="cpu",
            window={"ns": 60e9, "batches": 1},
            warmup={"ns": 0},
        )
        child.answer("window")
        others = set(child.processes()) - {child.pid}
        self.assertEqual(2, len(others))
        for pid in others:
            held = [
                os.readlink(f"/proc/{pid}/fd/{n}")
                for n in os.listdir(f"/proc/{pid}/fd")
                if int(n) > 500
            ]
            self.assertEqual([], [link for link in held if "socket" in link or "memfd" in link])


if __name__ == "__main__":
    unittest.main()
