"""Workers that make the same batches are counted; nothing is said of those that do not, or of what
cannot be compared."""

import unittest

import numpy
import torch
from observed import Observer, loader_of, observe
from rows import only_all
from torch.utils.data import IterableDataset, get_worker_info


class Stream(IterableDataset):
    """`split`: how many parts the data have; workers share one in turn. `make`: a sample of its
    number."""

    def __init__(self, split, make=lambda number: torch.tensor([float(number)]), length=64):
        self.split, self.make, self.length = split, make, length

    def __iter__(self):
        for number in range(get_worker_info().id % self.split, self.length, self.split):
            yield self.make(number)


class Begins(Stream):
    """From `begun` on, workers have one batch only."""

    begun = 4

    def __iter__(self):
        if get_worker_info().id >= self.begun:
            self.length = 8
        return super().__iter__()


class Row:
    def __init__(self, number):
        self.number = number


def sentences(dataset, workers=4, **settings):
    observer = Observer(True)
    observe(loader_of(dataset, workers, **settings), observer=observer)
    return observer.notes()


class Copies(unittest.TestCase):
    def test_all_workers_make_the_same(self):
        for make in (
            None,
            lambda number: {"x": numpy.full(3, number), "name": str(number)},
            lambda number: (number, b"abc"),
        ):
            said = sentences(Stream(1, make) if make else Stream(1))
            self.assertEqual(1, len(said), said)
            self.assertIn(
                "4 of 4 workers make the same batches, so that each sample comes 4 times in an "
                "epoch",
                said[0],
            )
            self.assertIn("Stream (", said[0])
            self.assertRegex(said[0], r"test_observer_copies\.py:\d+\)")

    def test_a_part_of_them(self):
        self.assertIn("2 of 4 workers", sentences(Stream(2))[0])

    @only_all
    def test_spawned_workers(self):
        dataset = Stream(1)
        dataset.make = float
        self.assertIn("2 of 2 workers", sentences(dataset, 2, multiprocessing_context="spawn")[0])

    def test_data_that_are_split(self):
        self.assertEqual([], sentences(Stream(4)))

    def test_data_that_are_all_alike(self):
        self.assertEqual([], sentences(Stream(1, lambda number: torch.zeros(2))))

    def test_what_cannot_be_compared(self):
        self.assertEqual([], sentences(Stream(1, Row), collate_fn=list))
        self.assertEqual(
            [], sentences(Stream(1, lambda number: numpy.array([Row(number)])), collate_fn=list)
        )

    def test_one_batch_each(self):
        self.assertEqual([], sentences(Stream(1, length=8)))

    @only_all
    def test_an_epoch_that_has_only_begun_at_the_end(self):
        for begun in (0, 3):
            dataset, observer = Begins(1), Observer(True)
            observe(
                loader_of(dataset, 4),
                epochs=2,
                each=lambda _, begun=begun: setattr(dataset, "begun", begun),
                observer=observer,
            )
            self.assertEqual(1, len(observer.notes()), observer.notes())
            self.assertIn(
                "4 of 4 workers make the same batches, so that each sample comes 4 times",
                observer.notes()[0],
            )

    def test_one_worker(self):
        self.assertEqual([], sentences(Stream(1), 1))


if __name__ == "__main__":
    unittest.main()
