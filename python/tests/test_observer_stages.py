"""Times in __getitem__, collate, hand-over and the pin thread against known sleeps; samples of each
worker."""

import multiprocessing
import time
import unittest
from unittest import mock

import torch
import virtual
from child import wait_until
from observed import (
    NumpyCollate,
    Observer,
    ParcelCollate,
    Sleepy,
    SleepyCollate,
    SleepyStream,
    handover,
    loader_of,
    observe,
    slept,
    times_of,
)
from rows import HANG_S, only_all

from benchbench_dl.trees import rows_of


class Known(unittest.TestCase):
    """Times that are exact: the clock is advanced by these data sets' sleeps alone, in each process
    on its own."""

    def setUp(self):
        times = times_of(virtual.ClockOfEach())
        times.__enter__()
        self.addCleanup(times.__exit__, None, None, None)

    def spent(self, time_of, seconds, count):
        self.assertEqual((round(seconds * 1e9), count), (time_of["ns"], time_of["count"]))

    def test_getitem_and_collate(self):
        for workers in (0, 2):
            loader = loader_of(Sleepy(32, 0.01), workers, collate_fn=SleepyCollate(0.03))
            facts, _ = observe(loader)
            self.spent(facts["getitem_ns"], 0.32, 32)
            self.spent(facts["collate_ns"], 0.12, 4)

    def test_fills(self):
        observer = Observer(True)
        loader = loader_of(Sleepy(32, 0.01), 2, collate_fn=SleepyCollate(0.03))
        observe(loader, observer=observer)
        fills = list(observer.fills())
        self.assertEqual([0, 0, 1, 1], fills[::3])
        self.assertEqual([110_000_000] * 4, fills[2::3])
        self.assertEqual([110_000_000] * 2, [fills[4] - fills[1], fills[10] - fills[7]])

    def test_no_workers_no_fills(self):
        observer = Observer(True)
        observe(loader_of(Sleepy(8, 0.01), 0), observer=observer)
        self.assertIsNone(observer.fills())

    def test_an_iterable(self):
        for workers in (0, 1):
            facts, _ = observe(
                loader_of(SleepyStream(20, 0.01), workers, collate_fn=SleepyCollate(0.03))
            )
            self.spent(facts["getitem_ns"], 0.2, 20)
            self.spent(facts["collate_ns"], 0.09, 3)

    def test_batches_that_the_data_set_makes(self):
        facts, _ = observe(loader_of(SleepyStream(6, 0.01, batched=True), 1, batch_size=None))
        self.assertEqual((facts["workers"][0]["samples"], facts["workers"][0]["batches"]), (30, 6))
        self.spent(facts["getitem_ns"], 0.06, 30)

    def test_getitems(self):
        class Many(Sleepy):
            def __getitems__(self, indices):
                return [
                    torch.tensor([index, slept(0.05) if index == indices[0] else 0.0])
                    for index in indices
                ]

        for workers in (0, 1):
            facts, _ = observe(loader_of(Many(16), workers))
            self.spent(facts["getitem_ns"], 0.1, 16)

    def test_handover_is_pickling_and_rebuilding(self):
        facts, parcels = observe(loader_of(Sleepy(48), 2, collate_fn=ParcelCollate(0.02)))
        self.spent(facts["handover_ns"], sum(parcel.took for parcel in parcels), 6)
        self.assertEqual(0, facts["collate_ns"]["ns"])

    def test_pinning(self):
        """The thread that pins is torch's own; this test puts in what only a GPU has."""

        def pin(batch, device=None):
            slept(0.02)
            return batch

        for workers in (0, 2):
            loader = loader_of(Sleepy(48), workers, pin_memory=True)
            with mock.patch.object(
                torch.utils.data._utils.pin_memory, "pin_memory", pin
            ), mock.patch.object(torch.cuda, "is_available", lambda: True), mock.patch.object(
                torch.cuda, "current_device", lambda: 0
            ), mock.patch.object(torch.cuda, "set_device", lambda _: None), accelerator():
                facts, _ = observe(loader)
            # The thread may have waited for its first batch before it was hooked.
            count = facts["pin_ns"]["count"]
            self.assertIn(count, (5, 6) if workers else (6,))
            self.spent(facts["pin_ns"], 0.02 * count, count)


class Waits(unittest.TestCase):
    def handed(self, workers):
        """Returns what 8 batches that find no room took. Each step of the loop takes its time while
        one worker is in the middle of sending and the others wait for it."""

        class Noting(Observer):
            def iterator_made(self, iterator):
                iterators.append(iterator)
                super().iterator_made(iterator)

        def take_turns(sender, *args):
            begin(sender, *args)
            inner = sender.take_turn

            def take_turn(*blocking):
                waiting.value += not blocking
                taken = inner(*blocking)
                waiting.value -= not blocking
                return taken

            sender.take_turn = take_turn

        def step(batch):
            asked = iterators[0]._task_info.values()  # each batch's worker, then what came
            if len({task[0] for task in asked if len(task) == 1}) == workers:
                self.assertTrue(iterators[0]._worker_result_queue._reader.poll(HANG_S))
                self.assertTrue(wait_until(lambda: waiting.value == workers - 1))
                slept(0.2)
                slow.append(batch)

        slow, iterators, begin = [], [], handover.Sender.__init__
        waiting = multiprocessing.get_context("fork").Value("i", 0)
        with times_of(virtual.Clock()), mock.patch.object(
            handover, "thread_time_ns", lambda: 0
        ), mock.patch.object(handover.Sender, "__init__", take_turns):
            loader = loader_of(Sleepy(64), workers, collate_fn=NumpyCollate())
            facts, _ = observe(loader, each=step, observer=Noting(True))
        self.assertGreaterEqual(len(slow), 1)
        return facts["handover_ns"]

    def test_handover_is_not_waiting_for_the_loop(self):
        self.assertEqual({"ns": 0, "count": 8}, self.handed(1))

    def test_handover_is_not_waiting_for_another_worker(self):
        self.assertEqual({"ns": 0, "count": 8}, self.handed(2))


class Stages(unittest.TestCase):
    @only_all
    def test_other_start_methods(self):
        """The clock is real: no less passes than the data set has slept."""
        for method in ("forkserver", "spawn"):
            with self.subTest(method=method):
                loader = loader_of(
                    Sleepy(32, 0.01),
                    2,
                    collate_fn=SleepyCollate(0.03),
                    multiprocessing_context=method,
                )
                facts, batches = observe(loader)
                getitem = sum(float(batch[:, 1].sum()) for batch in batches)
                self.assertGreater(facts["getitem_ns"]["ns"], getitem * 0.99e9)
                collate = sum(float(batch[0, 3]) for batch in batches)
                self.assertGreater(facts["collate_ns"]["ns"], collate * 0.99e9)
                self.assertEqual(
                    (facts["getitem_ns"]["count"], facts["collate_ns"]["count"]), (32, 4)
                )
                self.assertEqual(facts["start_method"], method)

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

    def test_hooks_cost_little(self):
        """Some ten calls a batch, which take less than a thousand looks at the clock."""

        def look():
            begin = time.monotonic_ns()
            for _ in range(1000):
                time.monotonic_ns()
            return (time.monotonic_ns() - begin) / 1000

        for workers in (0, 2):
            costs, looks = [], []
            for _ in range(5):
                facts, _ = observe(loader_of(Sleepy(32), workers))
                costs.append(facts["hooks_ns"] / facts["collate_ns"]["count"])
                looks.append(look())
            with self.subTest(workers=workers):
                self.assertGreater(max(costs), min(looks))
                self.assertLess(min(costs), 1000 * max(looks))

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
