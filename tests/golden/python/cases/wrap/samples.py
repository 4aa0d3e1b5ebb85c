"""What the scripts of this folder that need packages train on: a sample takes 1 ms, or longer."""

import time

import torch


class Samples(torch.utils.data.Dataset):
    def __init__(self, length=4_000, seconds=0.001):
        self.length, self.seconds = length, seconds

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        time.sleep(self.seconds)
        return {"x": torch.ones(8), "labels": torch.ones(1)}
