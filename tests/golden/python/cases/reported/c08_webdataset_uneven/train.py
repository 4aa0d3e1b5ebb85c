"""Photographs in four tar shards. --fixed: the shards are of one size."""

import argparse
import io
import os
import shutil
import tempfile
import time

import numpy as np
import torch
import webdataset as wds
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader
from torchvision import transforms

FOLDER = os.path.join(tempfile.gettempdir(), "case_wds_uneven")
SIZES = {"uneven": (1600, 100, 100, 100), "even": (475, 475, 475, 475)}


def photographs(count=48):
    rng = np.random.default_rng(0)
    for _ in range(count):
        coarse = Image.fromarray(rng.integers(0, 256, (24, 32, 3), dtype=np.uint8)).resize(
            (512, 384), Image.BICUBIC
        )
        noisy = np.asarray(coarse, np.int16) + rng.integers(-20, 21, (384, 512, 3))
        data = io.BytesIO()
        Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(data, "JPEG", quality=90)
        yield data.getvalue()


def make():
    if os.path.isdir(FOLDER):
        return
    part = FOLDER + ".part"
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    data = list(photographs())
    for name, sizes in SIZES.items():
        number = 0
        for shard, size in enumerate(sizes):
            with wds.TarWriter(os.path.join(part, f"{name}-{shard}.tar")) as writer:
                for _ in range(size):
                    writer.write(
                        {
                            "__key__": f"{number:06d}",
                            "jpg": data[number % len(data)],
                            "cls": str(number % 10).encode(),
                        }
                    )
                    number += 1
    os.replace(part, FOLDER)


def label(text):
    return int(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()

    make()
    name = "even" if args.fixed else "uneven"
    shards = [os.path.join(FOLDER, f"{name}-{number}.tar") for number in range(4)]
    transform = transforms.Compose([transforms.RandomResizedCrop(64), transforms.ToTensor()])
    pictures = (
        wds.WebDataset(shards, shardshuffle=False)
        .decode("pil")
        .to_tuple("jpg", "cls")
        .map_tuple(transform, label)
    )
    loader = DataLoader(pictures, batch_size=16, num_workers=2, persistent_workers=True)
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
        epoch = time.perf_counter()
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            done += len(x)
            if time.perf_counter() - begin >= args.seconds:
                break
        print(f"epoch of {time.perf_counter() - epoch:.1f} s", flush=True)
    print(f"{done / (time.perf_counter() - begin):.1f} samples/s")


if __name__ == "__main__":
    main()
