"""Two processes that train together, which this script starts itself. Samples and steps sleep."""

import argparse
import os
import socket
import time

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset

options = argparse.ArgumentParser()
options.add_argument("--sample", type=float, default=0.001)
options.add_argument("--slower", type=float, default=0)  # how much more each sample of rank 1 takes
options.add_argument("--without", type=int, default=-1)  # a rank that has no DataLoader
options = options.parse_args()


class Samples(Dataset):
    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return 40_000

    def __getitem__(self, index):
        time.sleep(self.seconds)
        return torch.ones(8), torch.ones(1)


def batches(rank):
    if rank == options.without:
        while True:
            yield torch.ones(4, 8), torch.ones(4, 1)
    train_loader = DataLoader(
        Samples(options.sample + rank * options.slower), batch_size=4, num_workers=1
    )
    while True:
        yield from train_loader


def main(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    dist.init_process_group("gloo", rank=rank, world_size=2)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    for x, y in batches(rank):
        ((model(x) - y) ** 2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        time.sleep(0.002)


if __name__ == "__main__":
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    torch.multiprocessing.spawn(main, (port,), nprocs=2)
