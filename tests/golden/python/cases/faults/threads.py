"""Workers that each use eight threads of torch."""
import torch
from torch.utils.data import DataLoader, Dataset


class Products(Dataset):
    def __init__(self, size):
        self.matrix = torch.rand(size, size)

    def __len__(self):
        return 4096

    def __getitem__(self, index):
        return (self.matrix @ self.matrix).mean()


def many(number):
    torch.set_num_threads(8)


def one(number):
    torch.set_num_threads(1)


def make_data(fault=True, workers=4, size=384):
    return DataLoader(Products(size), batch_size=2, num_workers=workers, worker_init_fn=many if fault else one)
