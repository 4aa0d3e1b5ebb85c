"""Each sample is projected with numpy. --fixed: one BLAS thread in each process, not the eight of the module file."""

import argparse
import os
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = (
    "1" if "--fixed" in sys.argv else "8"
)  # before numpy is imported

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, count):
        rng = np.random.default_rng(0)
        self.raw = rng.standard_normal((count, 192)).astype(np.float32)
        self.basis = rng.standard_normal((192, 192))

    def __len__(self):
        return len(self.raw)

    def __getitem__(self, index):
        row = self.raw[index].astype(np.float64)
        gram = self.basis * row
        gram = gram @ gram.T
        gram /= np.abs(gram).max()
        for _ in range(3):
            gram = gram @ gram
            gram /= np.abs(gram).max()
        return torch.from_numpy(gram[0].astype(np.float32)), index % 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--seconds", type=float, default=45)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()

    loader = DataLoader(
        Spectra(20000),
        batch_size=16,
        shuffle=True,
        num_workers=args.workers,
        persistent_workers=args.workers > 0,
    )
    net = nn.Sequential(nn.Linear(192, 64), nn.ReLU(), nn.Linear(64, 10))
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
