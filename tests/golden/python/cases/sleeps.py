"""Samples that take a known time, and a step that takes another."""

import time

import torch
from torch.utils.data import Dataset


class Sleeps(Dataset):
    def __init__(self, samples, seconds):
        self.samples = samples
        self.seconds = seconds

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        time.sleep(self.seconds)
        return torch.full((8,), float(index)), index


def make_data(samples=4096, ms=20):
    return Sleeps(samples, ms / 1000)


def train_step(batch):
    time.sleep(0.05)
    return batch[0].float().mean()


def long_step(batch):
    time.sleep(0.2)
    return batch[0].float().mean()


def change_step(batch):
    """Changes its batch in place, as some augmentations on the device do."""
    time.sleep(0.2)
    batch[0].add_(1)
    return batch[0].float().mean()
