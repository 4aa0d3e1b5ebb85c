"""Tensors that are in memory anyhow, one row at a time through a DataLoader."""

import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Computed(Dataset):
    """What only __getitem__ can make."""

    def __len__(self):
        return 20_000

    def __getitem__(self, index):
        return torch.full((32,), float(index)).sin(), index


def make_data(fault=True, workers=0):
    rows = TensorDataset(torch.rand(20_000, 32), torch.arange(20_000))
    return DataLoader(
        rows if fault else Computed(), batch_size=256, shuffle=True, num_workers=workers
    )
