"""A lambda that spawn cannot pickle."""

import time

import torch
from torch.utils.data import DataLoader, Dataset


class Ones(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        time.sleep(0.002)  # measuring a batch costs next to nothing of it
        return torch.ones(4)


def make_data(start="spawn"):
    return DataLoader(
        Ones(),
        batch_size=4,
        num_workers=1,
        multiprocessing_context=start,
        collate_fn=lambda rows: torch.stack(rows),
    )
