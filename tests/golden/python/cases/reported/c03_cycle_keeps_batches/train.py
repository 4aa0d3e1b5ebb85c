"""Steps instead of epochs, by itertools.cycle. --fixed: the loader is iterated again instead."""

import argparse
import itertools
import resource
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    """A small photograph that is blurred and cropped at random: some milliseconds each."""

    def __init__(self, count):
        self.pixels = np.random.default_rng(0).integers(0, 256, (count, 96, 96, 3), dtype=np.uint8)

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, index):
        picture = self.pixels[index].astype(np.float32)
        for _ in range(np.random.randint(18, 31)):
            picture = (picture + np.roll(picture, 1, 0) + np.roll(picture, 1, 1)) / 3
        top, left = np.random.randint(0, 33, 2)
        crop = picture[top : top + 64, left : left + 64].transpose(2, 0, 1) / 255
        return torch.from_numpy(np.ascontiguousarray(crop)), index % 10


def endless(loader):
    while True:
        yield from loader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--seconds", type=float, default=45)
    args = parser.parse_args()

    loader = DataLoader(
        Pictures(4800), batch_size=16, shuffle=True, num_workers=2
    )  # 300 batches, 236 MB as floats
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
    begin, done, last = time.perf_counter(), 0, time.perf_counter()
    for step, (x, y) in enumerate(endless(loader) if args.fixed else itertools.cycle(loader), 1):
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done += len(x)
        if step % 100 == 0:
            now = time.perf_counter()
            print(
                f"step {step}: {100 * len(x) / (now - last):.0f} samples/s, "
                f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB",
                flush=True,
            )
            last = now
        if time.perf_counter() - begin >= args.seconds:
            break
    print(f"{done / (time.perf_counter() - begin):.1f} samples/s")


if __name__ == "__main__":
    main()
