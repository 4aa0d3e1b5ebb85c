"""Workers that each use eight threads of torch."""

import torch
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __init__(self):
        self.numbers = torch.rand(400_000)

    def __len__(self):
        return 4096

    def __getitem__(self, index):
        numbers = self.numbers
        for _ in range(8):
            numbers = torch.sin(numbers)
        return numbers.mean()


def many(number):
    torch.set_num_threads(8)


def one(number):
    torch.set_num_threads(1)


def make_data(fault=True):
    return DataLoader(Waves(), batch_size=2, num_workers=2, worker_init_fn=many if fault else one)
