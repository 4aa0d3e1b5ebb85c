"""An IterableDataset whose workers divide the samples among themselves."""

import time

import torch
from torch.utils.data import IterableDataset, get_worker_info


class Shards(IterableDataset):
    def __init__(self, samples, seconds):
        self.samples = samples
        self.seconds = seconds

    def __len__(self):
        return self.samples

    def __iter__(self):
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        for index in range(first, self.samples, step):
            time.sleep(self.seconds)
            yield torch.full((3, 8, 8), index, dtype=torch.float32), index


def make_data(samples=512, ms=10):
    return Shards(samples, ms / 1000)
