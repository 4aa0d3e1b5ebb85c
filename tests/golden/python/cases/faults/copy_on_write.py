"""A long list of Python objects: reading one changes its reference count, and so copies its page
into the worker."""

import time

import numpy
import torch
from torch.utils.data import Dataset


class Names(Dataset):
    def __init__(self, names):
        self.names = names
        self.share = len(names) // 4096

    def __len__(self):
        return 4096

    def __getitem__(self, index):
        time.sleep(0.004)
        total = 0
        for name in self.names[index * self.share : (index + 1) * self.share]:
            total += len(name)
        return torch.tensor(total)


def make_data(fault=True, objects=800_000):
    names = [f"{number:040d}.jpg" for number in range(objects)]
    return Names(names if fault else numpy.array(names, dtype="S"))
