"""A StatefulDataLoader, whose state is asked for as often as a loop that keeps checkpoints does; a
bar of tqdm."""

import time

import torch
from samples import Samples
from torchdata.stateful_dataloader import StatefulDataLoader
from tqdm import tqdm

if __name__ == "__main__":
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    train_loader = StatefulDataLoader(Samples(40_000), batch_size=4, num_workers=2, shuffle=True)
    for number, batch in enumerate(tqdm(train_loader)):
        ((model(batch["x"]) - batch["labels"]) ** 2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        time.sleep(0.004)
        if number % 100 == 99:
            state = train_loader.state_dict()
