"""Samples that take CPU time, of a data set of 200 MiB; and epochs with a pause before each."""

import os
import time

import torch
from torch.utils.data import Dataset


class Burns(Dataset):
    def __init__(self, seconds):
        self.seconds = seconds
        self.data = bytearray(b"x") * (200 << 20)

    def __len__(self):
        return 100000

    def __getitem__(self, index):
        end = time.thread_time() + self.seconds
        while time.thread_time() < end:
            pass
        return torch.full((8,), float(index)), index


class Held(Dataset):
    """Samples that refuse to be made on more or fewer CPUs than `cpus`."""

    def __init__(self, cpus):
        self.cpus = cpus

    def __len__(self):
        return 100000

    def __getitem__(self, index):
        may_use = os.sched_getaffinity(0)
        assert len(may_use) == self.cpus, may_use
        return torch.full((8,), float(index)), index


def make_held(cpus=1):
    return Held(cpus)


def make_data(ms=5):
    return Burns(ms / 1000)


class Pauses:
    """Batches of 4 samples, each after a sleep."""

    def __init__(self, batches, seconds):
        self.batches = batches
        self.seconds = seconds

    def __iter__(self):
        time.sleep(0.4)
        for i in range(self.batches):
            time.sleep(self.seconds)
            yield torch.full((4, 2), float(i))


def make_pauses(batches=20, ms=40):
    time.sleep(0.3)
    return Pauses(batches, ms / 1000)
