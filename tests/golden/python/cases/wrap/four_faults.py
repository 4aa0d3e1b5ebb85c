"""Two shards for four workers, which use eight threads each, are started for every epoch, and of
which one makes slow batches."""

import time

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Shards(IterableDataset):
    def __len__(self):
        return 256

    def __iter__(self):
        worker = get_worker_info()
        numbers = torch.rand(400_000)
        for shard in range(worker.id, 2, worker.num_workers):
            for _sample in range(128):
                time.sleep(0.001 if shard else 0.01)
                for _ in range(52):
                    numbers = torch.sin(numbers)
                yield numbers[:8].clone()


def many_threads(worker):
    torch.set_num_threads(8)
    time.sleep(0.6)


def main():
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    loader = DataLoader(Shards(), batch_size=4, num_workers=4, worker_init_fn=many_threads)
    for _epoch in range(10**6):
        for batch in loader:
            model(batch).mean().backward()
            optimizer.step()
            time.sleep(0.02)


if __name__ == "__main__":
    main()
