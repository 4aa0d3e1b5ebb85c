"""An IterableDataset with fewer shards than workers: the others have no data."""

import time

import torch
from torch.utils.data import IterableDataset, get_worker_info


class Shards(IterableDataset):
    def __init__(self, shards, seconds):
        self.shards = shards
        self.seconds = seconds

    def __iter__(self):
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        for _shard in range(first, self.shards, step):
            for sample in range(4096 // self.shards):
                time.sleep(self.seconds)
                yield torch.full((8,), float(sample))


def make_data(shards=2, ms=10):
    return Shards(shards, ms / 1000)
