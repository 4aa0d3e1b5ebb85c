"""Loaders and a step with known times, for scripts/python_figures and scripts/wrap_figures. Where
TRUTH names a file, each sleep is noted in it, with how long it was in truth: a busy machine sleeps
longer."""

import os
import time

import torch
from torch.utils.data import Dataset

TRUTH = (
    os.open(os.environ["TRUTH"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if "TRUTH" in os.environ
    else None
)


def sleep(kind, seconds, begun=None):
    """Until so many seconds have passed since it began."""
    begun = begun or time.monotonic_ns()
    time.sleep(max(0, seconds - (time.monotonic_ns() - begun) / 1e9))
    if TRUTH is not None:
        os.write(TRUTH, f"{kind} {time.monotonic_ns() - begun}\n".encode())


class Sleeps(Dataset):
    def __init__(self, ms=20):
        self.seconds = ms / 1000

    def __len__(self):
        return 1 << 16

    def __getitem__(self, index):
        sleep("sample", self.seconds)
        return torch.full((8,), float(index)), index


class Ready(Sleeps):
    """Images that are made already: what a batch costs is collating it and handing it over."""

    def __init__(self):
        super().__init__(0)
        self.image = torch.rand(3, 224, 224)

    def __getitem__(self, index):
        return self.image, index


class Model:
    """As small as can be: a step sleeps until it has taken STEP_MS."""

    def __init__(self):
        self.layer = torch.nn.Linear(8, 1)
        self.optimizer = torch.optim.SGD(self.layer.parameters(), lr=1e-6)
        self.seconds = float(os.environ["STEP_MS"]) / 1000


def model(device):
    return Model()


def step(batch, state):
    begun = time.monotonic_ns()
    state.layer(batch[0]).mean().backward()
    state.optimizer.step()
    state.optimizer.zero_grad()
    sleep("step", state.seconds, begun)
