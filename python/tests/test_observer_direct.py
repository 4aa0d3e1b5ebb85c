"""The time of a batch by indexing tensors that are in memory anyhow."""

import statistics
import time
import unittest

import numpy
import torch
from observed import Dataset, Observer, loader_of, observe
from rows import alone, quiet
from torch.utils.data import Subset, TensorDataset

from benchbench_dl.observe.direct_indexing import direct_ns

ROW = (256, 256)  # 256 KiB


class Pairs(Dataset):
    def __init__(self, length=64, labels=None):
        self.images = torch.rand(length, *ROW)
        self.labels = numpy.arange(length) if labels is None else labels

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        """Nothing but indexing."""
        return self.images[i], self.labels[i]


class Named(Pairs):
    def __getitem__(self, i):
        image, label = self.images[i], self.labels[i]
        return {"image": image, "label": label}


class Scaled(Pairs):
    def __getitem__(self, i):
        return self.images[i] * 2, self.labels[i]


class Called(Pairs):
    def __getitem__(self, i):
        return self.read(self.images[i]), self.labels[i]

    def read(self, image):
        return image


class Shifted(Pairs):
    def __getitem__(self, i):
        return self.images[i + 1], self.labels[i]


class Conditional(Pairs):
    def __getitem__(self, i):
        if i > 3:
            return self.images[i], self.labels[0]
        return self.images[i], self.labels[i]


class Replacing(TensorDataset):
    def __getitem__(self, i):
        time.sleep(0.001)
        return super().__getitem__(i)


def plainly(tensor):
    rows = torch.randperm(512)[:64]
    begin = time.monotonic_ns()
    tensor[rows]
    return time.monotonic_ns() - begin


def found(dataset, **settings):
    return direct_ns(dataset, loader_of(dataset, 0, **settings))


class Direct(unittest.TestCase):
    def test_known_data_sets(self):
        images = torch.rand(64, 8)
        for dataset in (
            TensorDataset(images, torch.arange(64)),
            Pairs(),
            Named(),
            Subset(Pairs(), range(0, 64, 2)),
            Subset(Subset(TensorDataset(images), list(range(32))), [1, 2, 3]),
        ):
            for shuffle in (False, True):
                self.assertGreater(found(dataset, shuffle=shuffle), 0, dataset)

    def test_silent_in_doubt(self):
        on_disk = numpy.ones(64).view(numpy.memmap)
        objects = numpy.array([str(index) for index in range(64)], dtype=object)
        for dataset in (
            Scaled(),
            Called(),
            Shifted(),
            Conditional(),
            Replacing(torch.rand(64, 2)),
            Pairs(labels=list(range(64))),
            Pairs(labels=on_disk),
            Pairs(labels=objects),
            Pairs(labels=numpy.arange(65)),
        ):
            self.assertIsNone(found(dataset), dataset)
        self.assertIsNone(found(Pairs(), collate_fn=lambda items: items))
        self.assertIsNone(found(Pairs(), batch_size=None))

    @alone
    def test_the_time_is_that_of_indexing(self):
        dataset = TensorDataset(torch.rand(512, *ROW))
        self.addCleanup(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(1)  # threads on all cores would leave none for the control
        found_ns, plain_ns = [], []
        with quiet():
            for _ in range(8):
                found_ns.append(found(dataset, batch_size=64, shuffle=True))
                plain_ns.append(statistics.median(plainly(dataset.tensors[0]) for _ in range(15)))
        # New pages cost half as much again where the allocator returned a batch's memory to the
        # system: plain_ns has both costs then.
        self.assertLess(0.8 * min(plain_ns), min(found_ns), (found_ns, plain_ns))
        self.assertLess(min(found_ns), 1.2 * max(plain_ns), (found_ns, plain_ns))

    def test_only_after_the_window(self):
        facts, _ = observe(loader_of(Pairs(), 0))
        self.assertGreater(facts["direct_ns"], 0)
        self.assertIsNone(Observer(True).facts()["direct_ns"])


if __name__ == "__main__":
    unittest.main()
