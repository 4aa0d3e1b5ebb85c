"""Training loops whose form is an argument: loaders that no variable holds; an evaluation alone;
ranks of which one fails; one that hangs once a round of it is in the record."""

import glob
import os
import subprocess
import sys
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 4_000

    def __getitem__(self, index):
        time.sleep(0.001)
        return torch.ones(8), torch.ones(1)


def make():
    return DataLoader(Samples(), batch_size=4, num_workers=1)


def steps(loaders, failing=-1, model=None):
    model = model or torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    for number, (x, y) in enumerate(x for _ in range(10**6) for x in loaders()):
        ((model(x) - y) ** 2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        time.sleep(0.002)
        if number == failing:
            raise ValueError("this rank is unwell")


def unnamed():
    next(iter(make()))
    steps(make)


def retries():
    while True:
        try:
            steps(make)
        except BaseException:
            pass


def evaluation():
    model = torch.nn.Linear(8, 1).eval()
    with torch.no_grad():
        for number, (x, _y) in enumerate(make()):
            model(x)
            if number == 200:
                return


LOCK = threading.Lock()


class Locked(Samples):
    def __getitem__(self, index):
        with LOCK:
            return super().__getitem__(index)


def holds(held):
    with LOCK:
        held.set()
        threading.Event().wait()


def hangs():
    def next_loader():
        if any(open(path).read().count("\n") >= 3 for path in glob.glob("*/journal.jsonl")):
            held = threading.Event()
            threading.Thread(target=holds, args=(held,), name="holder", daemon=True).start()
            held.wait()
        return loader

    loader = DataLoader(Locked(), batch_size=4, num_workers=2, multiprocessing_context="fork")
    steps(next_loader)


def killed():
    os.kill(os.getpid(), 9)


def rank(failing="-1"):
    torch.distributed.init_process_group("gloo")
    steps(
        make,
        int(failing) if torch.distributed.get_rank() == 1 else -1,
        torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1)),
    )


def ranks(*arguments):
    """As a launcher does it."""
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = str(found.getsockname()[1])
    shared = dict(
        os.environ,
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT=port,
        WORLD_SIZE="2",
        LOCAL_WORLD_SIZE="2",
        OMP_NUM_THREADS="1",
    )
    both = [
        subprocess.Popen(
            [sys.executable, __file__, "rank", *arguments],
            env=dict(shared, RANK=str(number), LOCAL_RANK=str(number)),
        )
        for number in range(2)
    ]
    sys.exit(max(one.wait() for one in both))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
