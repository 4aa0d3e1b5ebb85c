"""A training loop without benchbench, whose worker sleeps 4 x 40 ms a batch and whose step sleeps
120 ms. Until the reader is gone it prints a line a batch: when the batch came, how long it took,
that time over the worker's sleeps, and the step's time over its sleep."""

import time

import torch
from torch.utils.data import DataLoader, Dataset

SIZE, SAMPLE, STEP = 4, 0.04, 0.12


class Sleeps(Dataset):
    def __len__(self):
        return 10**6

    def __getitem__(self, index):
        time.sleep(SAMPLE)
        return torch.ones(8)


def main():
    torch.set_num_threads(1)
    model, last = torch.nn.Linear(8, 1), None
    for batch in DataLoader(Sleeps(), batch_size=SIZE, num_workers=1):
        now = time.monotonic()
        model(batch).mean().backward()
        time.sleep(STEP)
        step = time.monotonic() - now
        if last is not None:
            print(now, now - last, (now - last) / (SIZE * SAMPLE), step / STEP, flush=True)
        last = now


if __name__ == "__main__":
    main()
