"""Raises where it is asked to."""

import torch
from torch.utils.data import DataLoader, Dataset


class Raises(Dataset):
    def __init__(self, where):
        if where == "init":
            raise ValueError("raised in __init__")
        self.where = where

    def __len__(self):
        return 256

    def __getitem__(self, index):
        if self.where == "getitem" and index == 20:
            raise KeyError("raised in __getitem__")
        return torch.zeros(4)


def collate(samples):
    raise RuntimeError("raised in collate")


def start_worker(number):
    raise OSError("raised in worker_init_fn")


def make_data(where, workers=0):
    more = {}
    if where == "collate":
        more["collate_fn"] = collate
    if where == "worker":
        more["worker_init_fn"] = start_worker
    return DataLoader(Raises(where), batch_size=4, num_workers=workers, **more)


def setup(device):
    raise LookupError("raised in setup")


def train_step(batch):
    raise ArithmeticError("raised in the step")
