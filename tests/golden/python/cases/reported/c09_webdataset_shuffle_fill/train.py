"""Shuffled photographs of tar shards. --fixed: what is shuffled are the compressed bytes, and a few are enough to begin."""

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

FOLDER = os.path.join(tempfile.gettempdir(), "case_wds_shuffle")


def photographs(count=48):
    rng = np.random.default_rng(0)
    for _ in range(count):
        coarse = Image.fromarray(rng.integers(0, 256, (15, 20, 3), dtype=np.uint8)).resize(
            (320, 240), Image.BICUBIC
        )
        noisy = np.asarray(coarse, np.int16) + rng.integers(-20, 21, (240, 320, 3))
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
    for shard in range(4):
        with wds.TarWriter(os.path.join(part, f"train-{shard}.tar")) as writer:
            for number in range(shard * 600, shard * 600 + 600):
                writer.write(
                    {
                        "__key__": f"{number:06d}",
                        "jpg": data[number % len(data)],
                        "cls": str(number % 10).encode(),
                    }
                )
    os.replace(part, FOLDER)


def label(text):
    return int(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()

    make()
    shards = [os.path.join(FOLDER, f"train-{number}.tar") for number in range(4)]
    transform = transforms.Compose([transforms.RandomResizedCrop(96), transforms.ToTensor()])
    pictures = wds.WebDataset(shards, shardshuffle=4)
    if args.fixed:
        pictures = pictures.shuffle(1000, initial=64)
    pictures = pictures.decode("pil").to_tuple("jpg", "cls").map_tuple(transform, label)
    if not args.fixed:
        pictures = pictures.shuffle(1000, initial=1000)
    loader = DataLoader(pictures, batch_size=16, num_workers=2, persistent_workers=True)
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
        epoch, first = time.perf_counter(), None
        for x, y in loader:
            first = first or time.perf_counter()
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            time.sleep(0.015)  # stands for an accelerator: leaves the cores to the workers
            done += len(x)
            if time.perf_counter() - begin >= args.seconds:
                break
        print(
            f"epoch of {time.perf_counter() - epoch:.1f} s, first batch after {first - epoch:.1f} s",
            flush=True,
        )
    print(f"{done / (time.perf_counter() - begin):.1f} samples/s")


if __name__ == "__main__":
    main()
