"""Prints much, on every way out, from the main process and from workers."""

import logging
import os
import sys

import torch
from torch.utils.data import DataLoader, Dataset

print("noise " * 40_000)
os.write(1, b"\x00\xff not text\n" * 1000)
os.write(2, b"raw noise\n" * 1000)
for descriptor in range(3, 10):  # what may be open there is not the script's to write into
    try:
        os.write(descriptor, b"nonsense")
    except OSError:
        pass


class Noisy(Dataset):
    def __init__(self, fails):
        self.fails = fails

    def __len__(self):
        return 512

    def __getitem__(self, index):
        if self.fails and index == 100:
            print("the last line before it failed", file=sys.stderr, flush=True)
            raise ValueError("a sample is broken")
        if not self.fails or index < 100:  # the worker goes on after it failed
            print("a sample", index, flush=True)
            logging.warning("a warning for sample %d", index)
        return torch.zeros(4)


def make_data(fails=False, workers=1):
    return DataLoader(Noisy(fails), batch_size=4, num_workers=workers)
