"""A loop of accelerate, alone or as one of several ranks."""

import time

import torch
from accelerate import Accelerator
from samples import Samples
from torch.utils.data import DataLoader

if __name__ == "__main__":
    accelerator = Accelerator(cpu=True)
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    loader = DataLoader(Samples(40_000), batch_size=4, num_workers=1, shuffle=True)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, loader)
    for batch in train_loader:
        accelerator.backward(((model(batch["x"]) - batch["labels"]) ** 2).mean())
        optimizer.step()
        optimizer.zero_grad()
        time.sleep(0.004)
