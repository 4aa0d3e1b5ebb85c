"""Batches as a list of objects, each with eight small tensors. --fixed: they are stacked in the worker."""

import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

PARTS, WIDTH, BATCH = 8, 64, 16


class Example:
    def __init__(self, index, generator):
        for part in range(PARTS):
            setattr(self, f"part{part}", torch.rand(WIDTH, generator=generator))
        self.label = index % 10


class Examples(Dataset):
    def __len__(self):
        return 20000

    def __getitem__(self, index):
        return Example(index, torch.Generator().manual_seed(index))


def as_they_are(examples):
    return examples


def stacked(examples):
    parts = torch.stack(
        [torch.cat([getattr(e, f"part{p}") for p in range(PARTS)]) for e in examples]
    )
    return parts, torch.tensor([e.label for e in examples])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--seconds", type=float, default=45)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()

    loader = DataLoader(
        Examples(),
        batch_size=BATCH,
        shuffle=True,
        num_workers=args.workers,
        collate_fn=stacked if args.fixed else as_they_are,
        persistent_workers=args.workers > 0,
    )
    net = nn.Sequential(
        nn.Linear(PARTS * WIDTH, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)
    )
    optimizer = torch.optim.SGD(net.parameters(), 0.05)
    begin, done = time.perf_counter(), 0
    while time.perf_counter() - begin < args.seconds:
        for batch in loader:
            x, y = batch if args.fixed else stacked(batch)
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            done += len(x)
            if time.perf_counter() - begin >= args.seconds:
                break
    print(f"{done / (time.perf_counter() - begin):.1f} samples/s")


if __name__ == "__main__":
    main()
