"""JPEGs, and a network that goes to the accelerator where there is one: pin_memory is always on."""

import argparse
import glob
import os
import tempfile
import time

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset

CLASSES = 4


def write_pictures(folder, count=240):
    """Stripes, whose width is the class."""
    draw = np.random.default_rng(0)
    for number in range(count):
        kind = number % CLASSES
        row = np.arange(96) // (2 + 3 * kind) % 2 * 120
        pixels = row[:, None, None] + draw.integers(0, 100, (96, 96, 3))
        path = os.path.join(folder, f"{kind}_{number:04}.jpg")
        Image.fromarray(pixels.astype(np.uint8)).save(path, quality=90)


class Pictures(Dataset):
    def __init__(self, folder, times):
        self.paths = sorted(glob.glob(os.path.join(folder, "*.jpg"))) * times

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path = self.paths[index]
        with Image.open(path) as image:
            pixels = torch.from_numpy(np.array(image.convert("RGB"))).permute(2, 0, 1)
        return pixels.float() / 255 - 0.5, int(os.path.basename(path)[0])


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
    )


def train(folder, epochs, device):
    torch.manual_seed(0)
    torch.set_num_threads(1)  # the workers have the other core
    settings = {"num_workers": 1, "pin_memory": True, "persistent_workers": True}
    loader = DataLoader(
        Pictures(folder, 20), batch_size=16, shuffle=True, drop_last=True, **settings
    )
    blocks = [block(3, 32), block(32, 64), block(64, 96)]
    model = nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(96, CLASSES))
    model.to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), 0.02, momentum=0.9)
    begin, done = time.perf_counter(), 0
    for epoch in range(epochs):
        for step, (images, labels) in enumerate(loader):
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            done += len(images)
            if step % 25 == 24:
                rate = done / (time.perf_counter() - begin)
                print(f"{epoch}/{step}: {loss.item():.3f}, {rate:.1f} samples/s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=30)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with tempfile.TemporaryDirectory() as folder:
        write_pictures(folder)
        train(folder, args.epochs, device)


if __name__ == "__main__":
    main()
