"""Loaders and a step with known times, for scripts/python_figures."""
import time

import torch
from torch.utils.data import Dataset


class Sleeps(Dataset):
    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return 1 << 16

    def __getitem__(self, index):
        time.sleep(self.seconds)
        return torch.full((8,), float(index)), index


class Ready(Dataset):
    """Images that are made already: what a batch costs is collating it and handing it over."""

    def __init__(self, size):
        self.image = torch.rand(3, size, size)

    def __len__(self):
        return 1 << 16

    def __getitem__(self, index):
        return self.image, index


def sleeps(ms=20):
    return Sleeps(ms / 1000)


def ready(size=224):
    return Ready(size)
