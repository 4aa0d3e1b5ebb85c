"""The time that a sampler takes to begin an epoch, and that its order stays as it was."""

import unittest

import torch
import virtual
from observed import Observer, Sleepy, loader_of, observe, slept, times_of
from torch.utils.data import BatchSampler, RandomSampler, SequentialSampler


class SlowSampler(SequentialSampler):
    """Sleeps before its first index, as a sampler does that draws an epoch's order first."""

    def __iter__(self):
        slept(0.05)
        yield from super().__iter__()


class EagerBatches:
    """Makes all batches at once: its iterator is no generator."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __iter__(self):
        slept(0.05)
        return iter([[2 * i, 2 * i + 1] for i in range(self.count)])


class Sampling(unittest.TestCase):
    def numbers(self, batches):
        return [int(value) for batch in batches for value in batch[:, 0]]

    def test_the_start_of_each_epoch(self):
        for workers, persistent in ((0, False), (2, False), (2, True)):
            with self.subTest(workers=workers, persistent=persistent):
                dataset = Sleepy(32)
                sampler = SlowSampler(dataset)
                observer = Observer(True)
                loader = loader_of(dataset, workers, sampler=sampler, persistent_workers=persistent)
                with times_of(virtual.ClockOfEach()):
                    _, batches = observe(loader, epochs=2, observer=observer)
                self.assertEqual(list(range(32)) * 2, self.numbers(batches))
                self.assertEqual([50_000_000] * 2, observer.sampler_starts)

    def test_a_batch_sampler_of_any_class(self):
        observer = Observer(True)
        loader = loader_of(Sleepy(8), 0, batch_sampler=EagerBatches(4), batch_size=1)
        with times_of(virtual.ClockOfEach()):
            _, batches = observe(loader, observer=observer)
        self.assertEqual(list(range(8)), self.numbers(batches))
        self.assertEqual([50_000_000], observer.sampler_starts)

    def test_orders_and_lengths_stay(self):
        orders = []
        for enabled in (False, True):
            dataset = Sleepy(32)
            generator = torch.Generator()
            generator.manual_seed(3)
            torch.manual_seed(5)
            loader = loader_of(
                dataset,
                0,
                batch_sampler=BatchSampler(RandomSampler(dataset, generator=generator), 8, False),
                batch_size=1,
                generator=generator,
            )
            observer = Observer(enabled)
            _, batches = observe(loader, epochs=2, observer=observer)
            self.assertEqual(4, len(loader))
            self.assertEqual(enabled, bool(observer.sampler_starts))
            orders.append(self.numbers(batches))
        self.assertEqual(*orders)
        self.assertNotEqual(orders[0][:32], orders[0][32:])


if __name__ == "__main__":
    unittest.main()
