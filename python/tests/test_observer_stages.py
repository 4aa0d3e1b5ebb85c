"""Times in __getitem__, collate, hand-over and the pin thread against known sleeps; samples of each worker."""
import time
import unittest
from unittest import mock

import torch
from observed import (Observer, NumpyCollate, ParcelCollate, Sleepy, SleepyCollate, SleepyStream, loader_of, milliseconds,
                      observe)


class Stages(unittest.TestCase):
    def near(self, found, expected):
        self.assertGreater(found, expected * 0.95)
        self.assertLess(found, expected * 1.2 + 0.3)

    def test_getitem_and_collate(self):
        for workers, method in ((0, None), (2, "fork"), (2, "forkserver"), (2, "spawn")):
            with self.subTest(workers=workers, method=method):
                loader = loader_of(Sleepy(32, 0.01), workers, collate_fn=SleepyCollate(0.03), multiprocessing_context=method)
                facts, _ = observe(loader)
                self.near(milliseconds(facts["getitem_ns"]), 10)
                self.near(milliseconds(facts["collate_ns"]), 30)
                self.assertEqual((facts["getitem_ns"]["count"], facts["collate_ns"]["count"]), (32, 4))
                self.assertEqual(facts["start_method"], method)

    def test_an_iterable(self):
        for workers in (0, 1):
            facts, _ = observe(loader_of(SleepyStream(20, 0.01), workers, collate_fn=SleepyCollate(0.03)))
            self.near(milliseconds(facts["getitem_ns"]), 10)
            self.near(milliseconds(facts["collate_ns"]), 30)
            self.assertEqual((facts["getitem_ns"]["count"], facts["collate_ns"]["count"]), (20, 3))

    def test_batches_that_the_data_set_makes(self):
        facts, _ = observe(loader_of(SleepyStream(6, 0.01, batched=True), 1, batch_size=None))
        self.assertEqual(facts["workers"][0]["samples"], 30)
        self.assertEqual(facts["workers"][0]["batches"], 6)
        self.near(milliseconds(facts["getitem_ns"]) * 5, 10)

    def test_indices_of_a_sampler_of_batches(self):
        class Rows(Sleepy):
            def __getitem__(self, indices):
                return torch.tensor(indices)
        loader = loader_of(Rows(12), 1, batch_size=None, sampler=[[0, 1, 2], [3, 4, 5, 6]])
        facts, _ = observe(loader)
        self.assertEqual((facts["workers"][0]["samples"], facts["workers"][0]["batches"]), (7, 2))

    def test_getitems(self):
        class Many(Sleepy):
            def __getitems__(self, indices):
                time.sleep(0.05)
                return [torch.tensor(index) for index in indices]
        for workers in (0, 1):
            facts, _ = observe(loader_of(Many(16), workers))
            self.near(facts["getitem_ns"]["ns"] / 2e6, 50)
            self.assertEqual(facts["getitem_ns"]["count"], 16)

    def test_handover_is_pickling_and_rebuilding(self):
        facts, _ = observe(loader_of(Sleepy(48), 2, collate_fn=ParcelCollate(0.02)))
        self.near(milliseconds(facts["handover_ns"]), 40)
        self.assertEqual(facts["handover_ns"]["count"], 6)
        self.assertLess(milliseconds(facts["collate_ns"]), 1)

    def test_handover_is_not_waiting_for_the_loop(self):
        facts, _ = observe(loader_of(Sleepy(64), 2, collate_fn=NumpyCollate()), each=lambda _: time.sleep(0.1))
        self.assertLess(milliseconds(facts["handover_ns"]), 60)

    def test_pinning(self):
        """What only a GPU has is put in its place: the thread is torch's own."""
        def pin(batch, device=None):
            time.sleep(0.02)
            return batch
        for workers in (0, 2):
            loader = loader_of(Sleepy(48), workers, pin_memory=True)
            with mock.patch.object(torch.utils.data._utils.pin_memory, "pin_memory", pin), \
                    mock.patch.object(torch.cuda, "is_available", lambda: True), \
                    mock.patch.object(torch.cuda, "current_device", lambda: 0), \
                    mock.patch.object(torch.cuda, "set_device", lambda _: None), accelerator():
                facts, _ = observe(loader)
            self.near(milliseconds(facts["pin_ns"]), 20)
            # The thread may have waited for its first batch before it was hooked.
            self.assertIn(facts["pin_ns"]["count"], (5, 6) if workers else (6,))

    def test_without_pinning_nothing_is_said_of_it(self):
        self.assertIsNone(observe(loader_of(Sleepy(8), 0, pin_memory=False))[0]["pin_ns"])
        self.assertIsNone(observe(loader_of(Sleepy(8), 1))[0]["pin_ns"])

    def test_a_worker_without_data(self):
        facts, _ = observe(loader_of(SleepyStream(24, busy=(0, 2)), 3))
        self.assertEqual([worker["samples"] for worker in facts["workers"]], [24, 0, 24])
        self.assertEqual([worker["batches"] for worker in facts["workers"]], [3, 0, 3])
        self.assertEqual(len({worker["pid"] for worker in facts["workers"]}), 3)

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

    def test_without_hooks_nothing_is_said(self):
        for workers in (0, 2):
            facts, _ = observe(loader_of(Sleepy(16), workers), enabled=False)
            for name in ("getitem_ns", "collate_ns", "handover_ns", "pin_ns", "hooks_ns", "workers", "same_draws", "direct_ns"):
                self.assertIsNone(facts[name], name)
            self.assertEqual(facts["start_method"], "fork" if workers else None)


def accelerator():
    """Newer torch asks for the device there."""
    if not hasattr(torch, "accelerator"):
        return mock.patch.object(torch, "__doc__", torch.__doc__)
    return mock.patch.multiple(torch.accelerator, is_available=lambda: True, set_device_index=lambda _: None,
                               current_device_index=lambda: 0, current_accelerator=lambda *_, **__: torch.device("cuda"))


if __name__ == "__main__":
    unittest.main()
