"""Times in __getitem__, collate, hand-over and the pin thread against known sleeps; samples of each
worker."""

import time
import unittest
from unittest import mock

import torch
from observed import (
    NumpyCollate,
    Observer,
    ParcelCollate,
    Sleepy,
    SleepyCollate,
    SleepyStream,
    loader_of,
    milliseconds,
    observe,
    slept,
)
from rows import alone

from benchbench_child.trees import rows_of


class Stages(unittest.TestCase):
    def near(self, time_of, seconds):
        """`seconds`: all of them, as the data set has seen them."""
        self.assertGreater(time_of["ns"], seconds * 1e9 * 0.99)
        self.assertLess(time_of["ns"], seconds * 1e9 * 1.2)

    @alone
    def test_getitem_and_collate(self):
        for workers, method in ((0, None), (2, "fork"), (2, "forkserver"), (2, "spawn")):
            with self.subTest(workers=workers, method=method):
                loader = loader_of(
                    Sleepy(32, 0.01),
                    workers,
                    collate_fn=SleepyCollate(0.03),
                    multiprocessing_context=method,
                )
                facts, batches = observe(loader)
                self.near(facts["getitem_ns"], sum(float(batch[:, 1].sum()) for batch in batches))
                self.near(facts["collate_ns"], sum(float(batch[0, 3]) for batch in batches))
                self.assertEqual(
                    (facts["getitem_ns"]["count"], facts["collate_ns"]["count"]), (32, 4)
                )
                self.assertEqual(facts["start_method"], method)

    @alone
    def test_an_iterable(self):
        for workers in (0, 1):
            facts, batches = observe(
                loader_of(SleepyStream(20, 0.01), workers, collate_fn=SleepyCollate(0.03))
            )
            self.near(facts["getitem_ns"], sum(float(batch[:, 1].sum()) for batch in batches))
            self.near(facts["collate_ns"], sum(float(batch[0, 3]) for batch in batches))
            self.assertEqual((facts["getitem_ns"]["count"], facts["collate_ns"]["count"]), (20, 3))

    @alone
    def test_batches_that_the_data_set_makes(self):
        facts, batches = observe(loader_of(SleepyStream(6, 0.01, batched=True), 1, batch_size=None))
        self.assertEqual((facts["workers"][0]["samples"], facts["workers"][0]["batches"]), (30, 6))
        self.near(facts["getitem_ns"], sum(float(batch[:, 1].sum()) for batch in batches))

    def test_rows_of_batches_that_the_data_set_makes_are_counted_as_the_loop_counts_them(self):
        made = {"path": ["a"] * 5, "image": torch.zeros(5, 2)}
        facts, batches = observe(loader_of([made] * 3, 1, batch_size=None))
        self.assertEqual(facts["workers"][0]["samples"], sum(map(rows_of, batches)))
        self.assertEqual(facts["workers"][0]["samples"], 15)

    def test_indices_of_a_sampler_of_batches(self):
        class Rows(Sleepy):
            def __getitem__(self, indices):
                return torch.tensor(indices)

        loader = loader_of(Rows(12), 1, batch_size=None, sampler=[[0, 1, 2], [3, 4, 5, 6]])
        facts, _ = observe(loader)
        self.assertEqual((facts["workers"][0]["samples"], facts["workers"][0]["batches"]), (7, 2))

    @alone
    def test_getitems(self):
        class Many(Sleepy):
            def __getitems__(self, indices):
                return [
                    torch.tensor([index, slept(0.05) if index == indices[0] else 0.0])
                    for index in indices
                ]

        for workers in (0, 1):
            facts, batches = observe(loader_of(Many(16), workers))
            self.near(facts["getitem_ns"], sum(float(batch[:, 1].sum()) for batch in batches))
            self.assertEqual(facts["getitem_ns"]["count"], 16)

    @alone
    def test_handover_is_pickling_and_rebuilding(self):
        facts, parcels = observe(loader_of(Sleepy(48), 2, collate_fn=ParcelCollate(0.02)))
        self.near(facts["handover_ns"], sum(parcel.took for parcel in parcels))
        self.assertEqual(facts["handover_ns"]["count"], 6)
        self.assertLess(milliseconds(facts["collate_ns"]), 1)

    @alone
    def test_handover_is_not_waiting_for_the_loop(self):
        facts, _ = observe(
            loader_of(Sleepy(64), 2, collate_fn=NumpyCollate()), each=lambda _: time.sleep(0.2)
        )
        self.assertLess(milliseconds(facts["handover_ns"]), 100)

    @alone
    def test_pinning(self):
        """What only a GPU has is put in its place: the thread is torch's own."""

        def pin(batch, device=None):
            pinned.append(slept(0.02))
            return batch

        for workers in (0, 2):
            pinned = []
            loader = loader_of(Sleepy(48), workers, pin_memory=True)
            with mock.patch.object(
                torch.utils.data._utils.pin_memory, "pin_memory", pin
            ), mock.patch.object(torch.cuda, "is_available", lambda: True), mock.patch.object(
                torch.cuda, "current_device", lambda: 0
            ), mock.patch.object(torch.cuda, "set_device", lambda _: None), accelerator():
                facts, _ = observe(loader)
            # The thread may have waited for its first batch before it was hooked.
            self.assertIn(facts["pin_ns"]["count"], (5, 6) if workers else (6,))
            self.near(facts["pin_ns"], sum(pinned[-facts["pin_ns"]["count"] :]))

    def test_without_pinning_nothing_is_said_of_it(self):
        self.assertIsNone(observe(loader_of(Sleepy(8), 0, pin_memory=False))[0]["pin_ns"])
        self.assertIsNone(observe(loader_of(Sleepy(8), 1))[0]["pin_ns"])

    def test_a_worker_without_data(self):
        facts, _ = observe(loader_of(SleepyStream(24, busy=(0, 2)), 3))
        self.assertEqual([worker["samples"] for worker in facts["workers"]], [24, 0, 24])
        self.assertEqual([worker["batches"] for worker in facts["workers"]], [3, 0, 3])
        self.assertEqual(len(facts["workers"]), 3)

    def test_epochs_add_up(self):
        for persistent in (False, True):
            facts, _ = observe(loader_of(Sleepy(32), 2, persistent_workers=persistent), epochs=3)
            self.assertEqual([worker["samples"] for worker in facts["workers"]], [48, 48])
            self.assertEqual(facts["collate_ns"]["count"], 12)

    def test_only_the_segments_count(self):
        observer = Observer(True)
        iterator = iter(observer.attach(loader_of(Sleepy(64, 0.001), 0)))
        observer.iterator_made(iterator)
        for begins, steps in ((True, 2), (False, 1), (True, 3), (False, 2)):
            observer.window(begins)
            for _ in range(steps):
                next(iterator)
        self.assertEqual(observer.facts()["collate_ns"]["count"], 5)

    @alone
    def test_hooks_cost_little(self):
        """A hundredth of a batch of 1 ms, with room for a slow machine."""
        for workers in (0, 2):
            facts, _ = observe(loader_of(Sleepy(32), workers))
            each = facts["hooks_ns"] / facts["collate_ns"]["count"]
            self.assertGreater(each, 100)
            self.assertLess(each, 50000)

    def test_without_hooks_nothing_is_said(self):
        for workers in (0, 2):
            facts, _ = observe(loader_of(Sleepy(16), workers), enabled=False)
            for name in (
                "getitem_ns",
                "collate_ns",
                "handover_ns",
                "pin_ns",
                "hooks_ns",
                "workers",
                "same_draws",
                "direct_ns",
            ):
                self.assertIsNone(facts[name], name)
            self.assertEqual(facts["start_method"], "fork" if workers else None)


def accelerator():
    """Newer torch asks for the device there."""
    if not hasattr(torch, "accelerator"):
        return mock.patch.object(torch, "__doc__", torch.__doc__)
    return mock.patch.multiple(
        torch.accelerator,
        is_available=lambda: True,
        set_device_index=lambda _: None,
        current_device_index=lambda: 0,
        current_accelerator=lambda *_, **__: torch.device("cuda"),
    )


if __name__ == "__main__":
    unittest.main()
