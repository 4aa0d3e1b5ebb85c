"""Short epochs: `fault` says what each of them pays for anew."""
import time

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Rows(Dataset):
    """Takes `seconds` to be sent to a spawned worker, as a data set that holds much does."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return 96

    def __getstate__(self):
        time.sleep(self.seconds)
        return self.__dict__

    def __getitem__(self, index):
        time.sleep(0.005)
        return torch.full((8,), float(index))


class Opens(IterableDataset):
    """Takes `seconds` before the first sample of an epoch, as a list of files on a slow share does."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __iter__(self):
        time.sleep(self.seconds)
        for index in range(96):
            time.sleep(0.005)
            yield torch.full((8,), float(index))


def start_up(persistent=False, ms=300):
    """Workers are started for every epoch."""
    return DataLoader(
        Rows(ms / 1000), batch_size=4, num_workers=1, multiprocessing_context="spawn", persistent_workers=persistent
    )


def gap(ms=300):
    """Workers stay, and yet an epoch begins slowly."""
    return DataLoader(Opens(ms / 1000), batch_size=4, num_workers=1, persistent_workers=True)
