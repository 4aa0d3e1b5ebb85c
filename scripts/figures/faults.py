"""Data of known times with one known fault, or none: what scripts/wrap_figures has benchbench find.
Run as plain.py runs it, with the step of loaders.py."""

import time

import torch
from loaders import model, step  # noqa: F401  found here by name
from torch.utils.data import DataLoader, Dataset, default_collate


class Samples(Dataset):
    """Each takes `ms`, and each `every`-th one more than that."""

    def __init__(self, samples, ms, every, more_ms):
        self.samples, self.seconds, self.every, self.more = (
            samples,
            ms / 1000,
            every,
            more_ms / 1000,
        )

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        time.sleep(self.seconds + (self.more if self.every and index % self.every == 0 else 0))
        return torch.full((8,), float(index)), index


class Waves(Dataset):
    """Each is computed, with as many threads as its worker has."""

    def __init__(self, samples, size):
        self.samples, self.numbers = samples, torch.rand(size)

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        numbers = self.numbers
        for _ in range(8):
            numbers = torch.sin(numbers)
        return numbers[:8].clone(), index


def make(
    ms=4, every=0, more_ms=0, collate_ms=0, start_ms=0, threads=1, size=0, samples=1 << 16, **loader
):
    def collate(batch):
        time.sleep(collate_ms / 1000)
        return default_collate(batch)

    def start(worker):
        torch.set_num_threads(threads)
        time.sleep(start_ms / 1000)

    data = Waves(samples, size) if size else Samples(samples, ms, every, more_ms)
    started = start if loader["num_workers"] else None
    return DataLoader(
        data, collate_fn=collate if collate_ms else None, worker_init_fn=started, **loader
    )
