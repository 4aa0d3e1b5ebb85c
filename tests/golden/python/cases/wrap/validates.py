"""Trains, and validates every 20 steps with workers that take 0.2 s to prepare. Prints the share of
its time in validations, and its rate, as JSON."""

import json
import sys
import time

import torch
from torch.utils.data import DataLoader


def prepare(worker):
    time.sleep(0.2)


def main(seconds, stays):
    train_loader = DataLoader(torch.ones(100_000, 8), batch_size=8)
    valid_loader = DataLoader(
        torch.ones(32, 8),
        batch_size=8,
        num_workers=2,
        worker_init_fn=prepare,
        persistent_workers=stays,
    )
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    begin, validating = time.perf_counter(), 0.0
    for step, x in enumerate(train_loader, 1):
        model(x).mean().backward()
        optimizer.step()
        time.sleep(0.01)
        if step % 20 == 0:
            start = time.perf_counter()
            for other in valid_loader:
                model(other)
            validating += time.perf_counter() - start
        took = time.perf_counter() - begin
        if took >= seconds:
            break
    print(json.dumps({"share": validating / took, "rate": 8 * step / took}), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2:] == ["--stays"])
