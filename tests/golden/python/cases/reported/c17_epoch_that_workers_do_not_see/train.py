"""A stream that is shuffled by the epoch's number. --fixed: the number is shared with the workers."""

import argparse
import multiprocessing
import random
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, count, shared):
        rng = np.random.default_rng(0)
        self.pixels = rng.integers(0, 256, (count, 3, 48, 48), dtype=np.uint8)
        self.epoch = multiprocessing.Value("q", 0) if shared else 0

    def set_epoch(self, number):
        if isinstance(self.epoch, int):
            self.epoch = number
        else:
            self.epoch.value = number

    def __iter__(self):
        epoch = self.epoch if isinstance(self.epoch, int) else self.epoch.value
        worker = get_worker_info()
        order = list(range(len(self.pixels)))
        rng = random.Random(1000 + epoch)
        rng.shuffle(order)
        for index in order[worker.id :: worker.num_workers] if worker else order:
            picture = self.pixels[index].astype(np.float32) / 255
            if rng.random() < 0.5:
                picture = picture[:, :, ::-1]
            yield torch.from_numpy(np.ascontiguousarray(picture)), index % 10

    def __len__(self):
        return len(self.pixels)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--seconds", type=float, default=45)
    args = parser.parse_args()

    stream = Stream(3200, args.fixed)
    loader = DataLoader(stream, batch_size=16, num_workers=2, persistent_workers=True)
    net = nn.Sequential(
        nn.Conv2d(3, 32, 3, 2, 1),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, 2, 1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )
    optimizer = torch.optim.SGD(net.parameters(), 0.05)
    begin, done, epoch, firsts = time.perf_counter(), 0, 0, []
    while time.perf_counter() - begin < args.seconds:
        stream.set_epoch(epoch)
        for step, (x, y) in enumerate(loader):
            if step == 0:
                firsts.append(round(float(x.sum()), 1))
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            time.sleep(0.01)  # stands for an accelerator
            done += len(x)
            if time.perf_counter() - begin >= args.seconds:
                break
        epoch += 1
    print(
        f"{done / (time.perf_counter() - begin):.1f} samples/s; {len(set(firsts))} different first batches "
        f"in {len(firsts)} epochs"
    )


if __name__ == "__main__":
    main()
