"""What a person would write to time the same things by hand, without benchbench: run by
scripts/python_figures in the user's Python.

    plain.py '{"what": "loader", "script": ..., "call": ..., "args": {...}, "num_workers": 2, ...}'

Prints one JSON object. The time at which the process was started is in STARTED_NS, on
CLOCK_MONOTONIC. It knows nothing of benchbench, and is what scripts/wrap_figures wraps.
"""

import importlib
import json
import os
import statistics
import sys
import time


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


FIRST_LINE = now()
WARM_UP_SECONDS, LEAST_STEPS = 0.5, 15


def load(path):
    folder, name = os.path.split(path)
    sys.path.insert(0, folder)
    return importlib.import_module(name[: -len(".py")])


def made_loader(module, order):
    import torch
    from torch.utils.data import DataLoader

    torch.manual_seed(0)
    data = getattr(module, order["call"])(**order["args"])
    if isinstance(data, DataLoader):
        return data
    same = ["num_workers", "batch_size"] + ["prefetch_factor"] * bool(order["num_workers"])
    return DataLoader(data, shuffle=True, **{name: order[name] for name in same})


def epochs(loader, order):
    """(batch, whether it counts): the first W x P + W of each epoch were fetched ahead, or while
    workers started."""
    discarded = max(1, order["num_workers"] * (order["prefetch_factor"] + 1))
    while True:
        for number, batch in enumerate(loader):
            yield batch, number >= discarded


def size_of(batch):
    return len(next(iter(batch.values())) if isinstance(batch, dict) else batch[0])


def timed_loop(loader, order, step=None):
    """Samples a second, over whole multiples of the workers, from the last batch not counted to the
    last counted."""
    whole = max(1, order["num_workers"])
    warm_at = None
    seconds, steps, samples = 0.0, 0, 0
    began, group = 0.0, []
    for batch, counts in epochs(loader, order):
        if step:
            # Kept until the next one, as loops do: its place in the heap decides what malloc gives
            # back.
            loss = step(batch)  # noqa: F841
        arrived = time.perf_counter()
        warm_at = warm_at or arrived + WARM_UP_SECONDS
        if not counts or arrived < warm_at:
            began, group = arrived, []
            continue
        group.append(size_of(batch))
        if len(group) == whole:
            seconds, steps, samples = seconds + arrived - began, steps + whole, samples + sum(group)
            began, group = arrived, []
        if seconds >= order["window"] and steps >= LEAST_STEPS:
            return samples / seconds


def loader(module, order):
    return {"rate": timed_loop(made_loader(module, order), order)}


def training(module, order):
    import torch

    torch.set_num_threads(1)
    train_step = getattr(module, order["step"])
    made = made_loader(module, order)
    state = [getattr(module, order["setup"])("cpu")] if order["setup"] else []
    step = lambda batch: train_step(batch, *state)  # noqa: E731
    if "steps" in order:
        return whole(made, order["steps"], step)
    return {"rate": timed_loop(made, order, step)}


def whole(loader, steps, step):
    """A script that trains for that many steps, and how long all of it took, and its loop."""
    done, begun = 0, time.perf_counter()
    while True:
        for batch in loader:
            step(batch)
            done += 1
            if done == steps:
                return {"seconds": since_start(), "loop": time.perf_counter() - begun}


def since_start(at=None):
    return ((at or now()) - int(os.environ["STARTED_NS"])) * 1e-9


def first_batch(module, order):
    imported = since_start()
    next(iter(made_loader(module, order)))
    seconds = since_start()
    return {"seconds": seconds, "own": seconds - since_start(FIRST_LINE), "imports": imported}


def copy(module, order):
    """Seconds to copy one batch of the loader into memory that is mapped already."""
    import torch

    batch = next(iter(made_loader(module, order)))
    tensors = [t for t in batch if torch.is_tensor(t)]
    into = [torch.empty_like(t) for t in tensors]
    times = []
    for _ in range(30):
        begin = time.perf_counter()
        for a, b in zip(into, tensors):
            a.copy_(b)
        times.append(time.perf_counter() - begin)
    return {"seconds": statistics.median_high(times)}


WAYS = {way.__name__: way for way in (loader, training, first_batch, copy)}

if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print(json.dumps(WAYS[asked["what"]](load(asked["script"]), asked)))
