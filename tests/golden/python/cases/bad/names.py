"""Functions with names that can be misspelt."""

import time

import torch
from torch.utils.data import TensorDataset


def make_data(size=4, shards=1):
    return TensorDataset(torch.zeros(64, size))


class Slow(TensorDataset):
    def __getitem__(self, index):
        time.sleep(0.001)
        return super().__getitem__(index)


def make_three():
    return make_data(), Slow(torch.zeros(64, 4)), make_data()


not_callable = 3


def wrong_kind():
    return 42


def train_step(batch):
    return batch[0].sum()
