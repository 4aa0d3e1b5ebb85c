"""Epochs of some seconds, at the end of each of which the model is saved."""

import argparse
import os
import tempfile
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    """Blurred squares, of which the place is the label."""

    def __init__(self, count):
        make = torch.Generator().manual_seed(0)
        self.places = torch.randint(16, (count,), generator=make)

    def __len__(self):
        return len(self.places)

    def __getitem__(self, index):
        row, column = divmod(int(self.places[index]), 4)
        picture = torch.rand(1, 32, 32) * 0.5
        picture[0, 8 * row : 8 * row + 8, 8 * column : 8 * column + 8] += 0.5
        return picture, self.places[index]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 32, 5, padding=2)
        self.second = nn.Conv2d(32, 64, 5, stride=2, padding=2)
        self.third = nn.Conv2d(64, 64, 3, stride=2, padding=1)
        self.head = nn.Linear(64 * 8 * 8, 16)

    def forward(self, x):
        for layer in (self.first, self.second, self.third):
            x = F.relu(layer(x))
        return self.head(x.flatten(1))


def make_loader():
    return DataLoader(
        Digits(1024), batch_size=32, shuffle=True, num_workers=1, persistent_workers=True
    )


def make_step():
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)

    def step(x, y):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return model, optimizer, step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=200)
    args = parser.parse_args()
    loader = make_loader()
    model, optimizer, step = make_step()
    with tempfile.TemporaryDirectory() as folder:
        begin, done = time.perf_counter(), 0
        for epoch in range(args.epochs):
            for x, y in loader:
                loss = step(x, y)
                done += len(x)
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save(state, os.path.join(folder, "last.pt"))
            rate = done / (time.perf_counter() - begin)
            print(f"epoch {epoch}: loss {loss:.3f}, {rate:.1f} samples/s", flush=True)


if __name__ == "__main__":
    main()
