"""A cache with a lock, and a thread that reports on it. --fixed: the thread does not hold the lock while it writes."""

import argparse
import multiprocessing
import os
import signal
import sys
import threading
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

LOCK = threading.Lock()


class Cached(Dataset):
    def __init__(self, count):
        self.rows = np.random.default_rng(0).standard_normal((count, 256)).astype(np.float32)
        self.seen = {}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        with LOCK:
            self.seen[index] = self.seen.get(index, 0) + 1
        row = self.rows[index]
        for _ in range(40):
            row = np.sort(row)[::-1] * np.float32(0.999)
        return torch.from_numpy(np.ascontiguousarray(row)), index % 10


def report(dataset, fixed):
    while True:
        if fixed:
            with LOCK:
                size = len(dataset.seen)
            time.sleep(0.05)  # writes to a slow place
        else:
            with LOCK:
                size = len(dataset.seen)
                time.sleep(0.05)
            time.sleep(0.001)
        del size


def hung(*_):
    print("no end in sight", file=sys.stderr, flush=True)
    for child in multiprocessing.active_children():
        child.terminate()
    os._exit(3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--seconds", type=float, default=50)
    args = parser.parse_args()

    signal.signal(signal.SIGALRM, hung)
    signal.alarm(int(args.seconds) + 10)
    dataset = Cached(16000)
    loader = DataLoader(
        dataset, batch_size=16, shuffle=True, num_workers=2, multiprocessing_context="fork"
    )
    net = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
    optimizer = torch.optim.SGD(net.parameters(), 0.05)
    begin, done, epoch = time.perf_counter(), 0, 0
    while time.perf_counter() - begin < args.seconds:
        print(f"epoch {epoch}", flush=True)
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            time.sleep(0.01)  # stands for an accelerator
            done += len(x)
            if time.perf_counter() - begin >= args.seconds:
                break
        if epoch == 0:  # from the second epoch on
            threading.Thread(
                target=report, args=(dataset, args.fixed), daemon=True, name="report"
            ).start()
            time.sleep(0.02)
        epoch += 1
    print(f"{done / (time.perf_counter() - begin):.1f} samples/s")


if __name__ == "__main__":
    main()
