"""An IterableDataset that does not split its data: each worker makes all of it."""

import time

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Numbers(IterableDataset):
    def __init__(self, fault):
        self.fault = fault

    def __iter__(self):
        worker = get_worker_info()
        first, step = (0, 1) if self.fault or worker is None else (worker.id, worker.num_workers)
        for number in range(first, 2048, step):
            time.sleep(0.002)
            yield torch.full((8,), float(number))


def make_data(fault=True):
    return DataLoader(Numbers(fault), batch_size=4, num_workers=2)
