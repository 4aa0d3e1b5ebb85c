"""Samples that take exponential times, by their index; a step of 12 ms."""

import random
import time

import torch
from torch.utils.data import Dataset


class Uneven(Dataset):
    def __init__(self, ms):
        draw = random.Random(7)
        self.seconds = [draw.expovariate(1000 / ms) for _ in range(4096)]

    def __len__(self):
        return len(self.seconds)

    def __getitem__(self, index):
        time.sleep(self.seconds[index])
        return torch.ones(8), index


def make_data(ms=5):
    return Uneven(ms)


def train_step(batch, state=None):
    time.sleep(0.012)
