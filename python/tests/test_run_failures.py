"""Users whose script goes wrong while it runs see their own traceback, nothing of ours, and a way
out."""

import os
import signal
import textwrap
import threading
import unittest

from child import ChildTest, wait_until

DATA = """
    import os, sys, time
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Failing(Dataset):
        def __init__(self, how):
            self.how = how
        def __len__(self):
            return 50
        def __getitem__(self, index):
            if index == 7:
                self.fail()
            return torch.zeros(2)
        def fail(self):
            if self.how == "raise":
                raise ValueError("row 7 is broken")
            if self.how == "exit":
                sys.exit(3)
            if self.how == "hang":
                print("hangs", flush=True)
                time.sleep(1000)
            if self.how == "list descriptors":
                # Those as high as the protocol's, without the list's own.
                high = [number for number in os.listdir("/proc/self/fd") if int(number) >= 900]
                names = sorted(os.readlink("/proc/self/fd/" + number) for number in high)
                raise ValueError(", ".join(names))
            if self.how == "lines":
                try:
                    raise LookupError("first")
                except LookupError as error:
                    raise ValueError("row 7\\nis broken") from error
            if self.how == "object":
                raise TypeError(("a message", "of two"))

    class Uneven(Failing):
        def __getitem__(self, index):
            return torch.zeros(index + 1)

    def make_data(how="none"):
        return Failing(how)

    def make_uneven():
        return Uneven("none")

    def collate(samples):
        raise KeyError("label")

    def make_collated():
        return DataLoader(Failing("none"), collate_fn=collate)

    def make_with_lambda():
        return DataLoader(Failing("none"), collate_fn=lambda samples: samples)

    def make_uninitialised():
        def start(worker):
            raise OSError("no shard %d" % worker)
        return DataLoader(Failing("none"), worker_init_fn=start)

    def make_empty():
        return DataLoader(Failing("none"), batch_size=64, drop_last=True)

    def make_nothing():
        return iter([])

    def make_objects():
        import numpy
        class Objects(Failing):
            def __getitem__(self, index):
                return numpy.array([{}, None], dtype=object)
        return Objects("none")

    def step(batch):
        return inner(batch)

    def inner(batch):
        return torch.nn.Linear(3, 1)(batch)

    def setup_that_fails(device):
        raise RuntimeError("no checkpoint")

    def step_that_exits(batch):
        sys.exit(0)

    def step_that_stops(batch):
        next(iter([]))
"""


def at(text):
    """Returns the line of the script that holds the text first."""
    lines = textwrap.dedent(DATA).lstrip("\n").split("\n")
    return f"train.py:{1 + next(i for i, line in enumerate(lines) if text in line)}"


class RunFailures(ChildTest):
    def failed(
        self,
        call="make_data",
        workers=0,
        way="self-timed",
        step=None,
        setup=None,
        context=None,
        fresh=False,
        batch_size=2,
        **args,
    ):
        child = self.child(DATA, fresh=fresh)
        self.loaded(child, call, step=step, setup=setup, args=args)
        message = child.run(
            way,
            {"num_workers": workers, "multiprocessing_context": context, "batch_size": batch_size},
            window={"ns": 0, "batches": 90},
            distinct=2,
        )
        child.stop()
        self.assertTrue(wait_until(lambda: not child.processes()))
        return message

    def test_getitem(self):
        message = self.error(
            self.failed(how="raise"),
            "user",
            "ValueError: row 7 is broken",
            "in __getitem__",
            "in fail",
        )
        self.assertEqual(at("raise ValueError"), message["where"])
        self.assertNotIn("torch", message["traceback"])

    def test_a_message_of_several_lines(self):
        for workers, where in ((0, ""), (2, " (in DataLoader worker process 1)")):
            message = self.error(
                self.failed(how="lines", workers=workers), "user", "is broken", "LookupError: first"
            )
            self.assertEqual("ValueError: row 7" + where, message["message"])

    def test_getitem_in_a_worker(self):
        message = self.error(
            self.failed(how="raise", workers=2),
            "user",
            "ValueError: row 7 is broken",
            "in DataLoader worker process 1",
            "in __getitem__",
            "in fail",
        )
        self.assertEqual(at("raise ValueError"), message["where"])
        self.assertNotIn("worker.py", message["traceback"])
        self.assertNotIn("dataloader.py", message["traceback"])

    def test_workers_do_not_hold_the_protocols_descriptors(self):
        """A worker that held the socket would keep it open after the child. Their numbers stay in
        use, by /dev/null."""
        self.error(
            self.failed(how="list descriptors", workers=1),
            "user",
            "ValueError: /dev/null, /dev/null",
        )
        self.error(
            self.failed(how="list descriptors"),
            "user",
            "ValueError: /memfd:ring (deleted), socket:",
        )

    def test_collate(self):
        for workers in (0, 1):
            message = self.error(
                self.failed("make_collated", workers), "user", "KeyError", "label", "in collate"
            )
            self.assertEqual(at("raise KeyError"), message["where"])

    def test_torchs_own_collate(self):
        for workers in (0, 1):
            self.error(
                self.failed("make_uneven", workers), "user", "collate", "stack expects each tensor"
            )

    def test_object_arrays(self):
        self.error(self.failed("make_objects"), "user", "TypeError", "object")

    def test_worker_init(self):
        self.error(self.failed("make_uninitialised", 1), "user", "OSError: no shard 0", "in start")

    def test_worker_that_exits(self):
        self.error(
            self.failed(how="exit", workers=1),
            "user",
            "worker 0 of the DataLoader (process ",
            ") ended with exit status 3",
            "look for sys.exit",
        )

    def test_worker_that_is_killed(self):
        child = self.child(DATA)
        self.loaded(child, args={"how": "hang"})
        killer = threading.Thread(target=self.kill_worker, args=(child,))
        killer.start()
        message = child.run(settings={"num_workers": 1}, window={"ns": 0, "batches": 90})
        killer.join()
        self.error(
            message,
            "user",
            "worker 0 of the DataLoader",
            "was killed by SIGKILL",
            "use fewer workers",
        )

    def kill_worker(self, child):
        wait_until(lambda: "hangs" in child.output())
        for pid in set(child.processes()) - {child.pid}:
            os.kill(pid, signal.SIGKILL)

    def test_a_lambda_is_not_spawned(self):
        message = self.failed("make_with_lambda", 1, context="spawn")
        self.error(message, "user", "pickle", "a lambda", "multiprocessing_context: fork")

    def test_step(self):
        message = self.error(
            self.failed(way="all in Python", step="step"),
            "user",
            "RuntimeError",
            "in step",
            "in inner",
        )
        self.assertEqual(at("torch.nn.Linear"), message["where"])
        self.assertNotIn("linear.py", message["traceback"])

    def test_step_replayed(self):
        self.error(self.failed(way="replayed", step="step"), "user", "RuntimeError", "in inner")

    def test_setup(self):
        self.error(
            self.failed(way="all in Python", step="step", setup="setup_that_fails"),
            "user",
            "RuntimeError: no checkpoint",
            "in setup_that_fails",
        )

    def test_step_that_exits(self):
        self.error(
            self.failed(way="all in Python", step="step_that_exits"),
            "user",
            "step_that_exits calls sys.exit(0)",
            at("sys.exit(0)"),
        )

    def test_stop_iteration_of_a_step_is_no_end_of_an_epoch(self):
        self.error(
            self.failed(way="all in Python", step="step_that_stops"),
            "user",
            "StopIteration",
            "in step_that_stops",
        )

    def test_no_batches(self):
        self.error(
            self.failed("make_empty", batch_size=None),
            "scenario",
            "an epoch has no batches: 50 samples, batch_size 64, drop_last",
            "train.py:",
        )
        self.error(self.failed("make_nothing"), "scenario", "an epoch has no batches")


if __name__ == "__main__":
    unittest.main()
