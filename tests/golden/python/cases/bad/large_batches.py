"""Batches that need much shared memory, or many descriptors."""

import torch
from torch.utils.data import DataLoader, Dataset


class Large(Dataset):
    def __init__(self, megabytes, tensors):
        self.numbers = megabytes * 250_000 // tensors
        self.tensors = tensors

    def __len__(self):
        return 512

    def __getitem__(self, index):
        return [torch.zeros(self.numbers) for _ in range(self.tensors)]


def same(samples):
    return samples


def make_data(megabytes=1, tensors=1, batch=1):
    return DataLoader(Large(megabytes, tensors), batch_size=batch, num_workers=2, collate_fn=same)
