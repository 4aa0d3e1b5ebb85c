"""Validates every 25 steps. --fixed: the workers of the validation stay."""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, count):
        self.pixels = np.random.default_rng(0).integers(0, 256, (count, 3, 48, 48), dtype=np.uint8)

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, index):
        return torch.from_numpy(self.pixels[index].astype(np.float32) / 255), index % 10


def prepare(worker):
    time.sleep(0.25)  # opens its files, imports its decoder


def make_loader():
    return DataLoader(
        Pictures(8000), batch_size=16, shuffle=True, num_workers=1, persistent_workers=True
    )


def make_step():
    net = nn.Sequential(
        nn.Conv2d(3, 32, 3, 2, 1),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, 2, 1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )
    optimizer = torch.optim.SGD(net.parameters(), 0.05)

    def step(x, y):
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return net, step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--seconds", type=float, default=50)
    args = parser.parse_args()

    train = make_loader()
    valid = DataLoader(
        Pictures(160),
        batch_size=16,
        num_workers=4,
        worker_init_fn=prepare,
        persistent_workers=args.fixed,
    )
    net, train_step = make_step()
    begin, done, step, validating = time.perf_counter(), 0, 0, 0.0
    while time.perf_counter() - begin < args.seconds:
        for x, y in train:
            train_step(x, y)
            done, step = done + len(x), step + 1
            if step % 25 == 0:
                start = time.perf_counter()
                net.eval()
                with torch.no_grad():
                    right = sum(int((net(a).argmax(1) == b).sum()) for a, b in valid)
                net.train()
                validating += time.perf_counter() - start
            if time.perf_counter() - begin >= args.seconds:
                break
    took = time.perf_counter() - begin
    print(
        f"{done / took:.1f} samples/s, {100 * validating / took:.0f} % of the time in validation, right {right}"
    )


if __name__ == "__main__":
    main()
