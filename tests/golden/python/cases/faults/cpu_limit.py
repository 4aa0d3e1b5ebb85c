"""As many workers as os.cpu_count() says, whatever the process may use."""

import os

import torch
from torch.utils.data import DataLoader, Dataset


class Busy(Dataset):
    def __len__(self):
        return 8192

    def __getitem__(self, index):
        total = 0
        for number in range(20_000):
            total += number
        return torch.tensor(total)


def make_data():
    return DataLoader(Busy(), batch_size=4, num_workers=os.cpu_count())
