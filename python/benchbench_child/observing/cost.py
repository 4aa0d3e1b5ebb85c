"""What the hooks cost, estimated: the same code on a batch that costs nothing, with and without them."""
from time import monotonic_ns

from .counters import Counters
from .stages import Meter, timed

ROUNDS, BATCHES = 5, 100
CLOCKS_OF_HANDOVER = 8  # reads of the clock, and as much again round them, of a batch on its way from a worker


class _Fetcher:
    auto_collation = True

    def __init__(self):
        self.collate_fn = list

    def fetch(self, index):
        return self.collate_fn(index)


def of_a_batch(workers):
    """Nanoseconds; of the code at rest in the caches, so rather too little."""
    plain, hooked = _Fetcher(), _Fetcher()
    bare = _quickest(_Fetcher.fetch, plain)
    cost = _quickest(timed(_Fetcher.fetch, Meter(Counters(1).slot(0, 0))), hooked) - bare
    if workers:
        cost += CLOCKS_OF_HANDOVER * 2 * _quickest(lambda *_: monotonic_ns(), None)
    return max(0, cost)


def _quickest(fetch, fetcher):
    best = None
    for _ in range(ROUNDS):
        begin = monotonic_ns()
        for _ in range(BATCHES):
            fetch(fetcher, ())
        spent = (monotonic_ns() - begin) // BATCHES
        best = spent if best is None else min(best, spent)
    return best
