"""Training loops of the forms that people write: forms.py FORM. Each trains until it is stopped; a
sample takes 1 ms, a step 4 ms."""

import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)


class Samples(Dataset):
    def __init__(self, length=4_000, seconds=0.001):
        self.length, self.seconds = length, seconds

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        time.sleep(self.seconds)
        return torch.ones(8)


def loader_of(data, **settings):
    return DataLoader(data, **{"batch_size": 4, "num_workers": 2, **settings})


def backward(x):
    model(x).mean().backward()
    time.sleep(0.004)


def step(x):
    backward(x)
    optimizer.step()
    optimizer.zero_grad()


def plain():
    train_loader = loader_of(Samples())
    while True:
        for x in train_loader:
            step(x)


def accumulation():
    train_loader = loader_of(Samples())
    while True:
        for number, x in enumerate(train_loader):
            backward(x)
            if number % 4 == 3:
                optimizer.step()
                optimizer.zero_grad()


def two_loaders():
    """A GAN: the samples of one loader take five times as long as those of the other."""
    noise = loader_of(Samples())
    real = loader_of(Samples(seconds=0.005))
    while True:
        for z, x in zip(noise, real):
            step(z + x)


def validation():
    train_loader = loader_of(Samples(400))
    valid_loader = loader_of(Samples(80), num_workers=1)
    while True:
        for x in train_loader:
            step(x)
        model.eval()
        with torch.no_grad():
            for x in valid_loader:
                model(x)
        model.train()


def without_workers():
    train_loader = loader_of(Samples(), num_workers=0)
    while True:
        for x in train_loader:
            step(x)


def bar():
    """A line that is redrawn, as most progress bars do."""
    train_loader = loader_of(Samples())
    for number, x in enumerate(train_loader):
        step(x)
        print("\rstep", number, end="", file=sys.stderr, flush=True)


def generator():
    def batches():
        while True:
            time.sleep(0.004)
            yield torch.ones(4, 8)

    for number, x in enumerate(batches()):
        step(x)
        if number == 100:
            return


if __name__ == "__main__":
    globals()[sys.argv[1]]()
