"""What the hooks cost, estimated: their own code on a batch that costs nothing, with and without
them."""

import functools
import threading
from time import monotonic_ns

from .counters import Counters
from .handover import Arrivals, Sender, time_receiving
from .stages import Meter, timed

ROUNDS, BATCHES = 5, 100


class _Fetcher:
    auto_collation = True
    collate_fn = staticmethod(list)

    def fetch(self, index):
        return self.collate_fn(index)


class _Queue:
    """What the hooks use of multiprocessing's."""

    def __init__(self):
        self._wlock = threading.Lock()
        self._send_bytes = self._recv_bytes = lambda *_: None

    def get(self, block, timeout):
        self._recv_bytes()
        return 0, None


@functools.lru_cache(maxsize=None)
def of_a_batch(has_workers):
    """Nanoseconds, in all processes together; of code at rest in the caches, so rather too little.
    Once in a process: finding it takes some milliseconds."""
    cost = _quickest(_fetching(True)) - _quickest(_fetching(False))
    if has_workers:
        cost += _quickest(_handing(True)) - _quickest(_handing(False))
    return max(0, cost)


def _fetching(hooked):
    fetcher = _Fetcher()
    fetch = timed(_Fetcher.fetch, _meter()) if hooked else _Fetcher.fetch
    return lambda: fetch(fetcher, ())


def _handing(hooked):
    queue, meter = _Queue(), _meter()
    if hooked:
        Sender(queue, meter)
        time_receiving(queue, Arrivals())
    lock = queue._wlock

    def hand():
        if hooked:
            meter.finished.append(1)
        lock.acquire()
        queue._send_bytes(b"")
        lock.release()
        queue.get(True, None)

    return hand


def _meter():
    return Meter(Counters(1).slot(0, 0))


def _quickest(once):
    best = None
    for _ in range(ROUNDS):
        begin = monotonic_ns()
        for _ in range(BATCHES):
            once()
        spent = (monotonic_ns() - begin) // BATCHES
        best = spent if best is None else min(best, spent)
    return best
