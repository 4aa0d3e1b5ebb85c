"""Samples that take CPU time, of a data set of 200 MiB."""
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


def make_data(ms=5):
    return Burns(ms / 1000)
