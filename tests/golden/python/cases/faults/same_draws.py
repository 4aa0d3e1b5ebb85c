"""A generator made once, in __init__: every worker gets a copy, and each draws the same numbers, in
each epoch again."""

import time

import numpy
import torch
from torch.utils.data import Dataset, get_worker_info


class Augmented(Dataset):
    def __init__(self, fault):
        self.fault = fault
        self.rng = numpy.random.default_rng(0) if fault else None

    def __len__(self):
        return 512

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = numpy.random.default_rng(get_worker_info().seed)
        time.sleep(0.002)
        return torch.tensor(self.rng.random())


def make_data(fault=True):
    return Augmented(fault)
