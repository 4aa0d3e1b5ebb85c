"""Shuffled samples of a gzip HDF5. --fixed: a chunk holds one sample, not 128."""

import argparse
import os
import tempfile
import time

import h5py
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

FOLDER = os.path.join(tempfile.gettempdir(), "case_hdf5")


def make(samples_per_chunk, count=4096):
    path = os.path.join(FOLDER, f"chunk{samples_per_chunk}.h5")
    if os.path.exists(path):
        return path
    os.makedirs(FOLDER, exist_ok=True)
    rng = np.random.default_rng(0)
    with h5py.File(path + ".part", "w") as file:
        images = file.create_dataset(
            "images",
            (count, 3, 64, 64),
            np.uint8,
            chunks=(samples_per_chunk, 3, 64, 64),
            compression="gzip",
            compression_opts=4,
        )
        for first in range(0, count, 128):
            steps = rng.integers(-4, 5, (128, 3, 64, 64))
            images[first : first + 128] = (128 + np.cumsum(steps, axis=-1)).clip(0, 255)
        file["labels"] = rng.integers(0, 10, count)
    os.replace(path + ".part", path)
    return path


class Store(Dataset):
    def __init__(self, path):
        self.path, self.file = path, None
        with h5py.File(path, "r") as file:
            self.labels = file["labels"][:]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        if self.file is None:  # in each worker
            self.file = h5py.File(self.path, "r")
        return torch.from_numpy(self.file["images"][index]).float().div_(255), int(
            self.labels[index]
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--seconds", type=float, default=45)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()

    loader = DataLoader(
        Store(make(1 if args.fixed else 128)),
        batch_size=16,
        shuffle=True,
        num_workers=args.workers,
        persistent_workers=args.workers > 0,
    )
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
