"""Raises where it is asked to. Without torch until data are made: what is wrong is said before."""

import time


class Raises:
    def __init__(self, where):
        if where == "init":
            raise ValueError("raised in __init__")
        self.where = where

    def __len__(self):
        return 256

    def __getitem__(self, index):
        import torch

        if self.where == "getitem" and index == 20:
            raise KeyError("raised in __getitem__")
        return torch.zeros(4)


def collate(samples):
    raise RuntimeError("raised in collate")


def start_worker(number):
    raise OSError("raised in worker_init_fn")


def make_data(where, workers=0):
    data, more = Raises(where), {}
    if where == "collate":
        more["collate_fn"] = collate
    if where == "worker":
        more["worker_init_fn"] = start_worker
    from torch.utils.data import DataLoader

    return DataLoader(data, batch_size=4, num_workers=workers, **more)


def make_batches():
    while True:
        time.sleep(0.002)
        yield [0.0] * 4


def setup(device):
    raise LookupError("raised in setup")


def train_step(batch):
    raise ArithmeticError("raised in the step")
