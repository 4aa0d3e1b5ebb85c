"""A training script for `benchbench wrap`. --item reads the loss each step, --compile compiles a
block of the network. --alone N measures plain loops of N steps instead, in each of the ways: `held`
on batches that were fetched before, `fed` by the loader."""

import argparse
import sys

import torch
import twin
from figure import DEVICE, ON_GPU, Refused, attempt, loop_seconds, one_line
from torch.utils.data import DataLoader

BATCH = 128 if ON_GPU else 2
BATCHES = 4000


def make_loader():
    return DataLoader(
        twin.Images(BATCHES, BATCH),
        batch_size=BATCH,
        num_workers=4 if ON_GPU else 1,
        pin_memory=ON_GPU,
        drop_last=True,
    )


def make_training(compiled):
    training = twin.setup(DEVICE)
    if compiled:
        if not hasattr(torch, "compile"):
            raise Refused(f"torch {torch.__version__} has no torch.compile")
        # One block of the network: all of it would take a minute to compile.
        if ON_GPU:
            training.model.layer4[2] = torch.compile(training.model.layer4[2])
        else:
            training.model.classifier = torch.compile(training.model.classifier)
    return training


class Loop:
    def __init__(self, item, compiled):
        self.item, self.total, self.training = item, 0.0, make_training(compiled)

    def step(self, batch):
        loss = twin.train_step(batch, self.training)
        if self.item:
            self.total += loss.item()


def first_step(loop, batch):
    """Compiles: where this machine lacks what a compiler needs, that is no fault of ours."""
    try:
        loop.step(batch)
    except Exception as error:
        raise Refused(f"torch.compile: {one_line(error)}") from error


def alone(name, item, compiled, steps):
    loop, batches = Loop(item, compiled), iter(make_loader())
    held = [next(batches) for _ in range(4)]
    if compiled:
        first_step(loop, held[0])
    # The first way has tuned the convolutions for all of them.
    warm_up = twin.WARM_UP if name == "plain" else min(10, twin.WARM_UP)
    fed = loop_seconds(lambda _: loop.step(next(batches)), steps, warm_up)
    attempt(f"fed_{name}", lambda: fed)
    return loop_seconds(lambda number: loop.step(held[number % 4]), steps, warm_up)


WAYS = {"plain": (False, False), "item": (True, False), "compiled": (False, True)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--item", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--alone", type=int)
    arguments = parser.parse_args()
    if arguments.alone:
        for name, way in WAYS.items():
            attempt(f"held_{name}", lambda: alone(name, *way, arguments.alone))
        return
    try:
        loop = Loop(arguments.item, arguments.compile)
    except Refused as why:
        sys.exit(f"REFUSED\ttrain.py\t{why}")
    for _ in range(100):
        for batch in make_loader():
            loop.step(batch)


if __name__ == "__main__":
    main()
