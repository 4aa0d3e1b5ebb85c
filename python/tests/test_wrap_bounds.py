"""Bounds of what is held, discarded and spent, and of what the script gets."""

import os
import sys
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from rows import only_all, sample
from wrap_driver import WrapTest
from wrap_scripts import SAMPLE, SLOW, plain

QUICK = {"stretch": {"ns": 30_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}

# Epochs of ten batches, of which a loader without a length may lose all but one.
EPOCHS = """
    import time, torch
    from torch.utils.data import DataLoader, IterableDataset

    class Stream(IterableDataset):
        def __iter__(self):
            for number in range(10):
                yield torch.ones(8)

    model = torch.nn.Linear(8, 1)
    train_loader = DataLoader(Stream(), batch_size=None, num_workers=1)
    while True:
        count = 0
        for x in train_loader:
            model(x).mean().backward()
            count += 1
            time.sleep(0.002)
        print(count, flush=True)
"""


class Held(unittest.TestCase):
    def test_as_many_as_fit(self):
        import torch

        from benchbench_dl.held_batches import HeldBatches

        for limit, count in ((4000, 4), (3999, 3), (1 << 30, 16), (1, 1)):
            held = HeldBatches(16, limit)
            while not held.full:
                held.add(torch.zeros(250))
            self.assertEqual(count, len(held), limit)

    def test_pinned_ones_take_a_power_of_two(self):
        """1,000 bytes take 1,024, and 1,028 twice as many."""
        import torch

        from benchbench_dl.held_batches import HeldBatches, room_for

        pinned = mock.patch.object(torch.Tensor, "is_pinned", lambda *_: True)
        to_pin = mock.patch.object(torch.Tensor, "pin_memory", lambda tensor, *_: tensor)
        with pinned, to_pin, mock.patch("benchbench_dl.held_batches.free_memory", lambda: 4 * 8192):
            for values, count in ((250, 8), (257, 4), (0, 16)):
                held = HeldBatches(16, 8192)
                while not held.full:
                    held.add([torch.zeros(values)])
                self.assertEqual(count, len(held), values)
                if count > 4:
                    held.drop_last()
                    self.assertFalse(held.full)
            self.assertEqual(4, room_for([torch.zeros(257)], 1))

    def test_each_comes_in_turn(self):
        from benchbench_dl.held_batches import HeldBatches

        held = HeldBatches(3, 1 << 30)
        for number in range(3):
            held.add([number])
        self.assertEqual([0, 1, 2, 0, 1, 2, 0], [held.get()[0] for _ in range(7)])

    def test_room_is_shared_by_all(self):
        import torch

        from benchbench_dl.held_batches import room_for
        from benchbench_dl.memory import free_memory

        batch = torch.empty(
            free_memory() // 4 // 40 // 4
        )  # a fortieth of the quarter; pages that are not touched take nothing
        alone, of_eight = room_for(batch, 1), room_for(batch, 8)
        self.assertTrue(30 <= alone <= 50, alone)
        self.assertTrue(4 <= of_eight <= 6, of_eight)
        self.assertEqual(0, room_for(batch, 80))


class Large(WrapTest):
    def test_none_for_a_large_batch(self):
        """A third of what is free, of pages that are never touched: it is not held, and only F is
        measured."""
        script = (
            plain("num_workers=0")
            .replace("batch_size=4", "batch_size=None")
            .replace(
                "return torch.ones(8), torch.ones(1)",
                """with open("/proc/meminfo") as file:
                [line] = [line for line in file if line.startswith("MemAvailable")]
            free = int(line.split()[1]) * 1024
            return torch.empty(free // 12), torch.ones(1)""",
            )
            .replace("model(x)", "model(x[:8])")
        )
        heard = self.answered(script, dict(QUICK, rounds=2)).main
        self.assertEqual({"F"}, {stretch["kind"] for stretch in heard.of("stretch")})
        self.assertEqual(0, heard.of("steady")[0]["loop"]["distinct"])


class Discarded(WrapTest):
    def test_what_was_made_before_a_stretch(self):
        """Batches that are prefetched, and one a worker; before the first F, those that the script
        had until then."""
        for workers, prefetch in sample(((2, 4), (1, 2))):
            heard = self.answered(
                plain(f"num_workers={workers}, prefetch_factor={prefetch}"),
                dict(QUICK, rounds=2),
            ).main
            for stretch in heard.of("stretch")[1:]:
                if stretch["kind"] != "T":
                    least = workers * prefetch + workers
                    self.assertTrue(
                        least <= stretch["warmup_steps"] <= least + workers,
                        (workers, prefetch, stretch["warmup_steps"]),
                    )

    def test_steps_that_are_skipped(self):
        heard = self.answered(plain("num_workers=0"), dict(QUICK, skip_steps=150)).main
        self.assertGreaterEqual(heard.of("steady")[0]["loader"]["served"], 150)


class Spent(WrapTest):
    def test_the_end_of_the_budget(self):
        wrapped = self.wrapped(plain("num_workers=0"), dict(QUICK, rounds=1000, stops_after=4))
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("budget over", wrapped.main.end["reason"])
        self.assertGreaterEqual(len(wrapped.main.of("stretch")), 4)

    def test_what_the_script_does_between_epochs_is_known(self):
        """Only sleeps advance the clock."""
        script = plain("num_workers=0", length=160).replace(SAMPLE, SLOW)
        script = script.replace(
            "for epoch in range(1000):", "for epoch in range(1000):\n            time.sleep(0.5)"
        )
        warm = dict(QUICK, skip_steps=120)
        loop = self.answered(script, warm, virtual=True).main.of("steady")[0]["loop"]
        self.assertEqual(40, loop["epoch_batches"])
        self.assertLess(abs(loop["epoch_beginning_ns"] / 0.5e9 - 1), 0.02)
        self.assertTrue(0 <= loop["epoch_left"] <= 40)


class Given(WrapTest):
    def test_a_smaller_last_batch_is_not_replayed(self):
        """Epochs of 19 batches of four and one of two; in T each has four."""
        heard = self.answered(plain("num_workers=1", length=78), QUICK).main
        for stretch in heard.of("stretch"):
            if stretch["kind"] == "T":
                self.assertEqual(4 * stretch["steps"], stretch["samples"])

    @only_all
    def test_each_epoch_has_a_batch_at_least(self):
        wrapped = self.answered(EPOCHS, QUICK)
        counts = list(map(int, wrapped.output().split()))
        self.assertGreater(len(counts), 5)
        self.assertLess(min(counts), 10)
        self.assertGreaterEqual(min(counts), 1)

    def test_none_is_replayed_after_an_epochs_last_batch(self):
        """T is to begin there in some of these epochs, of four to eleven batches: none becomes
        longer."""
        one = (
            plain("num_workers=0, sampler=some", length=44)
            .replace(
                "for epoch in range(1000):",
                """for epoch in range(100000):
            some[:] = range(4 * (4 + epoch % 8))""",
            )
            .replace("train_loader =", "some = list(range(16)); train_loader =")
            .replace("0.002", "0.0002")
        )
        one = one.replace(
            "\n    if __name__", "            print(number - 3 - epoch % 8)\n\n    if __name__"
        )
        wrapped = self.answered(
            one, dict(QUICK, rounds=20, stretch={"ns": 1_000_000, "batches": 8}, distinct=3)
        )
        self.assertEqual({"0"}, set(wrapped.output().split()))


if __name__ == "__main__":
    unittest.main()
