"""Data sets with known times and sizes, for the tests of the observer. Importable, so that spawned
workers find them."""

import contextlib
import os
import subprocess
import sys
import time
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import numpy
import torch
from rows import HANG_S
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

from benchbench_dl.observe import handover, sampling, stages, startup, worker
from benchbench_dl.observe.observer import Observer


class Sleepy(Dataset):
    """`getitem` seconds a sample: its number, how long it took, and a random number."""

    def __init__(self, length, getitem=0.0):
        self.length, self.getitem = length, getitem

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return torch.tensor(
            [float(index), slept(self.getitem), float(torch.rand(()))], dtype=torch.float64
        )


class SleepyStream(IterableDataset):
    """A stream of Sleepy's samples. Only the workers in `busy` have any. Batched: five at once."""

    def __init__(self, length, getitem=0.0, busy=(0, 1), batched=False):
        self.length, self.getitem, self.busy, self.batched = length, getitem, busy, batched

    def __iter__(self):
        worker = get_worker_info()
        for index in range(self.length if worker is None or worker.id in self.busy else 0):
            sample = torch.tensor([float(index), slept(self.getitem), 0.0], dtype=torch.float64)
            yield torch.stack([sample / 5] * 5) if self.batched else sample


class SleepyCollate:
    """Adds how long it took, the same in each row."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __call__(self, items):
        batch = torch.stack(items)
        return torch.cat(
            [batch, torch.full((len(items), 1), slept(self.seconds), dtype=torch.float64)], dim=1
        )


class Parcel:
    """A batch that takes `seconds` to pickle, and as long to rebuild; `took`: both."""

    def __init__(self, seconds, took=0.0):
        self.seconds, self.took = seconds, took

    def __reduce__(self):
        return unpack, (self.seconds, slept(self.seconds))


def unpack(seconds, took):
    return Parcel(seconds, took + slept(seconds))


clock = None  # None where sleeps take real time, else what they advance


def slept(seconds):
    """How long it was in truth: a busy machine sleeps longer."""
    if seconds == 0:
        return 0.0
    if clock is not None:
        clock.sleep(seconds)
        return seconds
    begin = time.monotonic()
    time.sleep(seconds)
    return time.monotonic() - begin


@contextlib.contextmanager
def times_of(given):
    """The observer, here and in forked workers, reads this clock, and sleeps advance it."""
    global clock
    with contextlib.ExitStack() as patched:
        for module in (handover, sampling, stages, startup, worker):
            patched.enter_context(mock.patch.object(module, "monotonic_ns", given.monotonic_ns))
        clock = given
        yield given
        clock = None


class ParcelCollate:
    def __init__(self, seconds):
        self.seconds = seconds

    def __call__(self, items):
        return Parcel(self.seconds)


class NumpyCollate:
    """A megabyte, which goes through the pipe."""

    def __call__(self, items):
        return numpy.ones(125000)


class Reseed:
    """A worker_init_fn that does what is right."""

    def __call__(self, worker):
        get_worker_info().dataset.rng = numpy.random.default_rng(worker + 1)


def loader_of(dataset, workers, **settings):
    settings.setdefault("batch_size", 8)
    if workers == 0:
        settings.pop("multiprocessing_context", None)
    return DataLoader(dataset, num_workers=workers, **settings)


def observe(loader, epochs=1, enabled=True, each=None, observer=None):
    """Iterates whole epochs as one window; returns (facts, batches)."""
    observer = observer or Observer(enabled)
    attached = observer.attach(loader)
    batches = []
    for _ in range(epochs):
        observer.window(True)
        iterator = iter(attached)
        observer.iterator_made(iterator)
        for batch in iterator:
            batches.append(batch)
            if each is not None:
                each(batch)
        observer.window(False)
    observer.look_at(loader.dataset, attached)
    facts = observer.facts()
    assert not observer.failures, observer.failures
    return facts, batches


def milliseconds(time_of):
    """Returns the mean time of a sample in __getitem__, elsewhere of a batch."""
    return time_of["ns"] / time_of["count"] / 1e6


def run_python(*arguments, cwd=None):
    """Returns what the interpreter of these tests prints."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, stdout=subprocess.PIPE, timeout=HANG_S, check=True
    )
    return done.stdout.decode().strip()
