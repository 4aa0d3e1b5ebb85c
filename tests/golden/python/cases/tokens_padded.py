"""Sequences of different lengths, padded by a collate_fn into nested dicts: each batch has a shape
of its own."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Sequences(Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, index):
        return torch.arange(10 + index % 23) % 100


def padded(samples):
    ids = nn.utils.rnn.pad_sequence(samples, batch_first=True)
    return {"inputs": {"ids": ids, "mask": ids != 0}, "lengths": [len(s) for s in samples]}


def make_data():
    return DataLoader(Sequences(), batch_size=4, shuffle=True, num_workers=1, collate_fn=padded)


def setup(device):
    model = nn.Sequential(nn.Embedding(100, 16), nn.Linear(16, 100)).to(device)
    return model, torch.optim.SGD(model.parameters(), lr=0.01)


def train_step(batch, state):
    model, optimizer = state
    inputs = batch.pop("inputs")  # as some libraries do: the batch cannot be used a second time
    logits = model(inputs["ids"])
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), inputs["ids"])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss
