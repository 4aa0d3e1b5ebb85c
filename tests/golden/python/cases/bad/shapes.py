"""Data sets whose samples or batches cannot be handed over, or that have none."""

import time

import numpy
import torch
from torch.utils.data import Dataset


class Empty(Dataset):
    def __len__(self):
        return 0

    def __getitem__(self, index):
        raise IndexError(index)


class Objects(Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, index):
        time.sleep(0.0005)
        return {"name": f"sample {index}", "numbers": numpy.array([index, None], dtype=object)}


class Shrinks:
    """An iterable of batches: those after the 12th are half as long."""

    def __len__(self):
        return 4096

    def __iter__(self):
        for number in range(4096):
            yield torch.zeros(8 if number < 12 else 4, 3)


def as_they_are(samples):
    return samples


def make_data(what):
    if what == "objects":
        from torch.utils.data import DataLoader

        return DataLoader(Objects(), batch_size=4, collate_fn=as_they_are)
    return {"empty": Empty, "shrinks": Shrinks}[what]()


def train_step(batch):
    return float(len(batch))
