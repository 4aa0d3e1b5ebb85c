"""Functions with names that can be misspelt. Without torch until data are made: what is wrong with
a name is said before."""

import time


def make_data(size=4, shards=1):
    import torch

    return torch.utils.data.TensorDataset(torch.zeros(64, size))


class Slow:
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        time.sleep(0.001)
        return self.data[index]


def make_three():
    return make_data(), Slow(make_data()), make_data()


not_callable = 3


def wrong_kind():
    return 42


def train_step(batch):
    return batch[0].sum()
