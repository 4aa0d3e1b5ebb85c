"""Every other batch takes 40 ms, those between 10 ms; without the fault each takes 24 ms."""

import time

import torch
from torch.utils.data import DataLoader, Dataset


class Uneven(Dataset):
    def __init__(self, fault):
        self.fault = fault

    def __len__(self):
        return 40_000

    def __getitem__(self, index):
        time.sleep((0.01 if index // 4 % 2 else 0.0025) if self.fault else 0.006)
        return torch.full((8,), float(index))


def make_data(fault=True):
    return DataLoader(Uneven(fault), batch_size=4, num_workers=2)
