"""bare_loop.py SCRIPT loader|step SECONDS: samples a second of the script's make_loader() alone, or
of its make_step() alone with batches that were fetched before, in a loop of a few lines."""

import importlib
import itertools
import os
import sys
import time

HELD = 16  # batches


def load(path):
    folder, name = os.path.split(path)
    sys.path.insert(0, folder)
    return importlib.import_module(os.path.splitext(name)[0])


def count_prefetched(loader):
    return loader.num_workers * (loader.prefetch_factor or 0)


def measure_loader(script, seconds):
    """Leaves out, of each epoch, its start and the batches that are made meanwhile."""
    loader, samples, took = script.make_loader(), 0, 0.0
    while took < seconds:
        batches = iter(loader)
        for _ in range(count_prefetched(loader) + 1):
            next(batches)
        begin = time.perf_counter()
        for batch in batches:
            samples += len(batch[0])
            if took + time.perf_counter() - begin >= seconds:
                break
        took += time.perf_counter() - begin
    return samples / took


def measure_step(script, seconds):
    held = list(itertools.islice(script.make_loader(), HELD))
    *_, step = script.make_step()
    for batch in held:
        step(*batch)
    begin, samples = time.perf_counter(), 0
    for batch in itertools.cycle(held):
        step(*batch)
        samples += len(batch[0])
        if time.perf_counter() - begin >= seconds:
            return samples / (time.perf_counter() - begin)


if __name__ == "__main__":
    measure = {"loader": measure_loader, "step": measure_step}[sys.argv[2]]
    print(f"{measure(load(sys.argv[1]), float(sys.argv[3])):.6g} samples/s")
