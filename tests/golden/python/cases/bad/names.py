"""Functions with names that can be misspelt."""
import torch
from torch.utils.data import TensorDataset


def make_data(size=4, shards=1):
    return TensorDataset(torch.zeros(64, size))


def make_three():
    return make_data(), make_data(), make_data()


not_callable = 3


def wrong_kind():
    return 42


def train_step(batch):
    return batch[0].sum()
