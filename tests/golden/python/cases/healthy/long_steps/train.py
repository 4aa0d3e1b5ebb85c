"""A network for whole pictures in batches of 32: a step takes about two seconds."""

import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Maps(Dataset):
    """Smooth random fields; the network has to say where they are above 0.5."""

    def __init__(self, count, size=128):
        self.count, self.size = count, size

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        make = torch.Generator().manual_seed(index)
        coarse = torch.rand(1, 1, 9, 9, generator=make)
        field = nn.functional.interpolate(coarse, self.size, mode="bilinear", align_corners=True)[0]
        return field + 0.1 * torch.randn(1, self.size, self.size), (field > 0.5).float()


class Unet(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.down = self.pair(1, width)
        self.middle = self.pair(width, 2 * width)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, 2)
        self.last = nn.Sequential(self.pair(2 * width, width), nn.Conv2d(width, 1, 1))

    @staticmethod
    def pair(inputs, outputs):
        first, second = nn.Conv2d(inputs, outputs, 3, 1, 1), nn.Conv2d(outputs, outputs, 3, 1, 1)
        return nn.Sequential(first, nn.ReLU(), second, nn.ReLU())

    def forward(self, x):
        skip = self.down(x)
        deep = self.up(self.middle(nn.functional.max_pool2d(skip, 2)))
        return self.last(torch.cat([skip, deep], 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=8)
    args = parser.parse_args()
    torch.manual_seed(0)
    loader = DataLoader(
        Maps(3200),
        batch_size=32,
        shuffle=True,
        num_workers=1,
        persistent_workers=True,
        drop_last=True,
    )
    model = Unet()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(args.epochs):
        begin, done = time.perf_counter(), 0
        for number, (x, y) in enumerate(loader):
            optimizer.zero_grad()
            loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
            loss.backward()
            optimizer.step()
            done += len(x)
            rate = done / (time.perf_counter() - begin)
            print(f"epoch {epoch}, {number}: {loss.item():.3f}, {rate:.2f} samples/s", flush=True)


if __name__ == "__main__":
    main()
