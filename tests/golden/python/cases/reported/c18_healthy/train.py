"""Nothing is wrong here."""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, count):
        self.pixels = np.random.default_rng(0).integers(0, 256, (count, 3, 72, 72), dtype=np.uint8)

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, index):
        top, left = np.random.randint(0, 9, 2)  # torch seeds numpy in each worker
        picture = self.pixels[index, :, top : top + 64, left : left + 64].astype(np.float32) / 255
        if np.random.rand() < 0.5:
            picture = picture[:, :, ::-1]
        return torch.from_numpy(np.ascontiguousarray(picture)), index % 10


def make_loader():
    return DataLoader(
        Pictures(12800),
        batch_size=16,
        shuffle=True,
        num_workers=1,
        persistent_workers=True,
        drop_last=True,
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
    torch.set_num_threads(1)

    def step(x, y):
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        time.sleep(0.02)  # stands for an accelerator

    return net, step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--fixed",
        action="store_true",
        help="for the same command line as the other cases; the same",
    )
    parser.add_argument("--seconds", type=float, default=45)
    args = parser.parse_args()

    loader = make_loader()
    _, step = make_step()
    begin, done = time.perf_counter(), 0
    while time.perf_counter() - begin < args.seconds:
        for x, y in loader:
            step(x, y)
            done += len(x)
            if time.perf_counter() - begin >= args.seconds:
                break
    print(f"{done / (time.perf_counter() - begin):.1f} samples/s")


if __name__ == "__main__":
    main()
