"""A step that goes wrong on the device in the way that its data say: fine, trap, memory."""

import torch
from figure import DEVICE
from torch.utils.data import Dataset

KINDS = ("fine", "trap", "memory")


class Kinds(Dataset):
    def __init__(self, kind):
        self.kind = KINDS.index(kind)

    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        return torch.full((8,), self.kind)


def make_data(fault="fine"):
    return Kinds(fault)


def setup(device):
    return torch.zeros(4, device=DEVICE)


def train_step(batch, table):
    kind = KINDS[int(batch[0, 0])]
    if kind == "memory":
        return torch.empty(1 << 50, dtype=torch.uint8, device=DEVICE).sum()
    # Out of range: on a GPU a kernel asserts, and the context is lost.
    at = torch.tensor([1000 if kind == "trap" else 1], device=DEVICE)
    return table[at].sum().item()
