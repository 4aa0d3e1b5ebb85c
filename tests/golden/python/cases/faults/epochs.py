"""Short epochs: `fault` says what each of them pays for anew."""

import time

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Rows(Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, index):
        time.sleep(0.005)
        return torch.full((8,), float(index))


class Opens(IterableDataset):
    """Takes `seconds` before the first sample of an epoch, as a list of files on a slow share
    does."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return 96

    def __iter__(self):
        time.sleep(self.seconds)
        for index in range(96):
            time.sleep(0.005)
            yield torch.full((8,), float(index))


def load_index(number):
    """What a worker does when it starts."""
    time.sleep(0.6)


def start_up():
    """Workers are started for every epoch."""
    return DataLoader(Rows(), batch_size=4, num_workers=1, worker_init_fn=load_index)


def gap(ms=300):
    """Workers stay, and yet an epoch begins slowly."""
    return DataLoader(Opens(ms / 1000), batch_size=4, num_workers=1, persistent_workers=True)
