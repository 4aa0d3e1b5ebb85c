"""Iterators of ours, which the patches of DataLoader's classes let pass."""

import contextlib
import threading


class _OfThread(threading.local):
    def __init__(self):
        # Loaders whose iterator is being made: an override calls the method that it overrides.
        self.beginning = []
        self.resetting = []


here = _OfThread()


def unwatched(loader):
    """An iterator of ours."""
    here.beginning.append(loader)
    try:
        return loader._get_iterator()
    finally:
        here.beginning.pop()


@contextlib.contextmanager
def inner_reset():
    here.resetting.append(True)
    try:
        yield
    finally:
        here.resetting.pop()


def reset(iterator, loader):
    """Ours, of workers that persist."""
    with inner_reset():
        iterator._reset(loader)
