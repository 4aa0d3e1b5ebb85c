"""A plain training loop. Samples and steps sleep; what it prints is its own."""

import argparse
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

options = argparse.ArgumentParser()
options.add_argument("--sample", type=float, default=0.002)
options.add_argument("--step", type=float, default=0.004)
options.add_argument("--workers", type=int, default=2)
options.add_argument("--steps", type=int, default=10**9)
options.add_argument("--fail-at", type=int, default=-1)
options.add_argument("--save-at", type=int, default=-1)
options = options.parse_args()


class Samples(Dataset):
    def __len__(self):
        return 4_000

    def __getitem__(self, index):
        time.sleep(options.sample)
        return torch.ones(8), torch.ones(1)


def main():
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    train_loader = DataLoader(Samples(), batch_size=4, num_workers=options.workers)
    done = 0
    print("training begins", flush=True)
    for _epoch in range(10**6):
        for x, y in train_loader:
            loss = ((model(x) - y) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            time.sleep(options.step)
            done += 1
            if done == options.fail_at:
                raise RuntimeError("the script's own fault")
            if done == options.save_at:
                torch.save(model.state_dict(), "model.pt")
            if done == options.steps:
                print("training ends", flush=True)
                sys.exit(0)


if __name__ == "__main__":
    main()
