"""Small pictures, and gradients of four batches for each step of the optimizer."""

import argparse
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

ACCUMULATE = 4


class Pictures(Dataset):
    def __init__(self, count, classes=10):
        make = torch.Generator().manual_seed(0)
        self.labels = torch.randint(classes, (count,), generator=make)
        self.pixels = torch.randint(256, (count, 3, 40, 40), dtype=torch.uint8, generator=make)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        top, left = torch.randint(9, (2,)).tolist()
        picture = self.pixels[index, :, top : top + 32, left : left + 32]
        if torch.rand(()) < 0.5:
            picture = picture.flip(2)
        return picture.float().div_(255), self.labels[index]


def block(inputs, outputs, stride):
    convolution = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=16)
    args = parser.parse_args()
    torch.manual_seed(0)
    loader = DataLoader(
        Pictures(6400),
        batch_size=args.batch_size,
        shuffle=True,
        num_workers=1,
        persistent_workers=True,
        drop_last=True,
    )
    blocks = [block(3, 32, 1), block(32, 64, 2), block(64, 128, 2), block(128, 128, 2)]
    model = nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1000, 0.5)
    begin, done = time.perf_counter(), 0
    for epoch in range(args.epochs):
        for number, (x, y) in enumerate(loader, 1):
            loss = F.cross_entropy(model(x), y)
            (loss / ACCUMULATE).backward()
            if number % ACCUMULATE == 0:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            done += len(x)
            if number % 100 == 0:
                rate = done / (time.perf_counter() - begin)
                print(f"epoch {epoch}, {number}: loss {loss.item():.3f}, {rate:.1f} samples/s")


if __name__ == "__main__":
    main()
