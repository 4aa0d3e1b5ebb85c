"""A DCGAN of drawn discs: a discriminator and a generator, each with its own optimizer."""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

NOISE = 64


class Discs(Dataset):
    """White discs on black, drawn as they are asked for."""

    def __init__(self, count, size=32):
        self.count, self.grid = count, np.mgrid[:size, :size].astype(np.float32)
        self.size = size

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        draw = np.random.default_rng(index)
        y, x = draw.uniform(8, self.size - 8, 2)
        distance = np.hypot(self.grid[0] - y, self.grid[1] - x)
        picture = np.clip(draw.uniform(3, 8) - distance, 0, 1) * 2 - 1
        return torch.from_numpy(picture.astype(np.float32))[None]


def generator():
    layers = []
    for inputs, outputs, stride, padding in ((NOISE, 128, 1, 0), (128, 64, 2, 1), (64, 32, 2, 1)):
        layers += [nn.ConvTranspose2d(inputs, outputs, 4, stride, padding, bias=False)]
        layers += [nn.BatchNorm2d(outputs), nn.ReLU(True)]
    return nn.Sequential(*layers, nn.ConvTranspose2d(32, 1, 4, 2, 1), nn.Tanh())


def discriminator():
    layers = []
    for inputs, outputs in ((1, 32), (32, 64), (64, 128)):
        layers += [nn.Conv2d(inputs, outputs, 4, 2, 1), nn.LeakyReLU(0.2, True)]
    return nn.Sequential(*layers, nn.Conv2d(128, 1, 4), nn.Flatten(0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=400)
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)  # the workers have the other core
    loader = DataLoader(
        Discs(4000), batch_size=32, shuffle=True, num_workers=1, persistent_workers=True
    )
    g, d = generator(), discriminator()
    g_optimizer = torch.optim.Adam(g.parameters(), 2e-4, betas=(0.5, 0.999))
    d_optimizer = torch.optim.Adam(d.parameters(), 2e-4, betas=(0.5, 0.999))
    for epoch in range(args.epochs):
        begin, done = time.perf_counter(), 0
        for real in loader:
            fake = g(torch.randn(len(real), NOISE, 1, 1))
            ones, zeros = torch.ones(len(real)), torch.zeros(len(real))
            d_optimizer.zero_grad()
            d_loss = F.binary_cross_entropy_with_logits(d(real), ones)
            d_loss = d_loss + F.binary_cross_entropy_with_logits(d(fake.detach()), zeros)
            d_loss.backward()
            d_optimizer.step()

            g_optimizer.zero_grad()
            g_loss = F.binary_cross_entropy_with_logits(d(fake), ones)
            g_loss.backward()
            g_optimizer.step()
            done += len(real)
        rate = done / (time.perf_counter() - begin)
        print(f"epoch {epoch}: D {d_loss:.3f}, G {g_loss:.3f}, {rate:.1f} samples/s", flush=True)


if __name__ == "__main__":
    main()
