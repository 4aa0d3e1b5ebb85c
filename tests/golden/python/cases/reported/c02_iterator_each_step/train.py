"""An infinite stream of batches as many write it. --fixed: one iterator that is begun again at its end."""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, count):
        self.pixels = np.random.default_rng(0).integers(0, 256, (count, 3, 64, 64), dtype=np.uint8)

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, index):
        picture = self.pixels[index].astype(np.float32) / 255
        top, left = np.random.randint(0, 9, 2)
        return torch.from_numpy(
            np.ascontiguousarray(picture[:, top : top + 56, left : left + 56])
        ), index % 10


def endless(loader):
    while True:
        yield from loader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--seconds", type=float, default=45)
    args = parser.parse_args()

    loader = DataLoader(Pictures(4000), batch_size=16, shuffle=True, num_workers=2)
    net = nn.Sequential(
        nn.Conv2d(3, 16, 3, 2, 1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, 2, 1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, 10),
    )
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    stream = endless(loader)
    begin, done = time.perf_counter(), 0
    while time.perf_counter() - begin < args.seconds:
        x, y = next(stream) if args.fixed else next(iter(loader))
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done += len(x)
    print(f"{done / (time.perf_counter() - begin):.1f} samples/s")


if __name__ == "__main__":
    main()
