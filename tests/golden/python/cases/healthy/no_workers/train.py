"""A table of numbers in memory: num_workers is 0, as it need not be more."""

import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def make_table(rows, columns=64):
    make = torch.Generator().manual_seed(0)
    x = torch.randn(rows, columns, generator=make)
    weights = torch.randn(columns, 1, generator=make)
    y = torch.sin(x @ weights) + 0.1 * torch.randn(rows, 1, generator=make)
    return TensorDataset(x, y)


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        layers = [nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU()]
        self.layers = nn.Sequential(*layers, nn.Linear(4 * width, width))

    def forward(self, x):
        return x + self.layers(x)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    losses = [nn.functional.mse_loss(model(x), y).item() for x, y in loader]
    model.train()
    return sum(losses) / len(losses)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--width", type=int, default=512)
    args = parser.parse_args()
    torch.manual_seed(0)
    train, valid = random_split(make_table(20_256), [20_000, 256])
    train_loader = DataLoader(train, batch_size=64, shuffle=True)
    valid_loader = DataLoader(valid, batch_size=256)
    blocks = [Residual(args.width) for _ in range(4)]
    model = nn.Sequential(nn.Linear(64, args.width), *blocks, nn.Linear(args.width, 1))
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4)
    for epoch in range(args.epochs):
        begin, done = time.perf_counter(), 0
        for x, y in train_loader:
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            done += len(x)
        rate = done / (time.perf_counter() - begin)
        error = evaluate(model, valid_loader)
        print(f"epoch {epoch}: error {error:.3f}, {rate:.1f} samples/s", flush=True)


if __name__ == "__main__":
    main()
