"""One of several ranks that torchrun starts; rank 1 takes longer for a sample, and for a step."""

import time

import torch
import torch.distributed as dist
from samples import Samples
from torch.utils.data import DataLoader, DistributedSampler

if __name__ == "__main__":
    dist.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    data = Samples(40_000, seconds=0.001 + 0.003 * dist.get_rank())
    train_loader = DataLoader(data, batch_size=4, num_workers=1, sampler=DistributedSampler(data))
    for batch in train_loader:
        ((model(batch["x"]) - batch["labels"]) ** 2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        time.sleep(0.004 + 0.004 * dist.get_rank())
