"""A small network, whose steps take about a millisecond: whole batches are cut from tensors in
memory."""

import argparse
import time

import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset


def make_data(count):
    make = torch.Generator().manual_seed(0)
    x = torch.rand(count, 16, generator=make) * 2 - 1
    y = (x[:, :8] * x[:, 8:]).sum(1, keepdim=True)
    return TensorDataset(x, y)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--batch-size", type=int, default=64)
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)  # matrices of this size gain nothing by more
    data = make_data(512_000)
    sampler = BatchSampler(RandomSampler(data), args.batch_size, drop_last=True)
    loader = DataLoader(data, sampler=sampler, batch_size=None)

    model = nn.Sequential(
        nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 1)
    )
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    criterion = nn.MSELoss()
    begin, done, total = time.perf_counter(), 0, torch.zeros(())
    for epoch in range(args.epochs):
        for number, (x, y) in enumerate(loader, 1):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.detach()
            done += len(x)
            if number % 1000 == 0:
                rate = done / (time.perf_counter() - begin)
                print(f"{epoch} {number}: {total.item() / 1000:.4f}, {rate:.0f} samples/s")
                total.zero_()


if __name__ == "__main__":
    main()
