"""Random draws with a sampler of one's own. --fixed: the sampler yields plain integers."""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler


class Pictures(Dataset):
    def __init__(self, count):
        rng = np.random.default_rng(0)
        self.pixels = rng.integers(0, 256, (count, 3, 32, 32), dtype=np.uint8)
        self.labels = rng.integers(0, 10, count)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        index = int(index)
        picture = torch.from_numpy(self.pixels[index]).float().div(255)
        if torch.rand(()) < 0.5:
            picture = picture.flip(-1)
        return picture, int(self.labels[index])


class Draws(Sampler):
    def __init__(self, count, plain):
        self.count, self.plain = count, plain

    def __len__(self):
        return self.count

    def __iter__(self):
        for _ in range(self.count):
            index = torch.randint(self.count, ())
            yield int(index) if self.plain else index


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--seconds", type=float, default=45)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()

    pictures = Pictures(20000)
    loader = DataLoader(
        pictures,
        batch_size=64,
        sampler=Draws(len(pictures), args.fixed),
        num_workers=args.workers,
        persistent_workers=args.workers > 0,
    )
    net = nn.Sequential(
        nn.Conv2d(3, 16, 3, 2, 1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, 2, 1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, 10),
    )
    optimizer = torch.optim.SGD(net.parameters(), 0.05)
    begin, done = time.perf_counter(), 0
    while time.perf_counter() - begin < args.seconds:
        for x, y in loader:
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
