"""Two faults at once: a long list of Python objects, whose pages are copied into each worker that
reads them, and a generator made in __init__, with which all workers draw the same numbers."""

import time

import numpy
import torch
from torch.utils.data import Dataset, get_worker_info

SAMPLES, EACH = 1024, 195


class Names(Dataset):
    def __init__(self, fault):
        names = [f"{number:0440d}.jpg" for number in range(SAMPLES * EACH)]
        self.names = names if fault else numpy.array(names, dtype="S")
        self.rng = numpy.random.default_rng(0) if fault else None

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = numpy.random.default_rng(get_worker_info().seed)
        time.sleep(0.004)
        total = 0
        for name in self.names[index * EACH : (index + 1) * EACH]:
            total += len(name)
        return torch.tensor(total + self.rng.random())


def make_data(fault=True):
    return Names(fault)
