"""The time of a batch in `__getitem__` (or next()) and in collate: torch's fetchers, timed.

torch's own `fetch` runs as it is, so that `__getitems__` and whatever newer versions do stay; only
its collate_fn is replaced, in the fetcher, by one that notes when it began. About ten calls a
batch, none a sample."""

from time import monotonic_ns

from ..trees import rows_of
from .counters import (
    BATCHES,
    BEGINS,
    COLLATE_NS,
    FIRST_FETCH,
    FIRST_NS,
    GETITEM_NS,
    LASTS,
    SAMPLES,
    TIMES,
)
from .overriding import override


class Meter:
    """Adds the stages of one process's batches to its slot."""

    def __init__(self, slot, after_batch=None):
        self.slot = slot
        # Called with the number of the batch, from 1; returns False when it need not be again.
        self.after_batch = after_batch
        self.inside = False
        self.collate_begin = self.collate_end = 0
        self.items = None
        self.contents = None  # called with each batch, until it returns False
        self.batches = 0
        # A queue for the times at which batches were finished, where they are handed over.
        self.finished = None

    def fetched(self, begin, samples):
        slot, end = self.slot, self.collate_end
        if not slot[FIRST_FETCH]:
            slot[FIRST_FETCH], slot[FIRST_NS] = begin, self.collate_begin - begin
        slot[SAMPLES] += samples
        batches = slot[BATCHES]
        slot[BEGINS + batches % LASTS], slot[TIMES + batches % LASTS] = begin, end - begin
        slot[BATCHES] = batches + 1
        slot[GETITEM_NS] += self.collate_begin - begin
        slot[COLLATE_NS] += end - self.collate_begin
        if self.finished is not None:
            self.finished.append(end)
        if self.after_batch is not None:
            self.batches += 1
            if not self.after_batch(self.batches):
                self.after_batch = None


class TimedCollate:
    __slots__ = ("inner", "meter")

    def __init__(self, inner, meter):
        self.inner = inner
        self.meter = meter

    def __call__(self, items):
        meter = self.meter
        meter.items = items
        meter.collate_begin = monotonic_ns()
        batch = self.inner(items)
        meter.collate_end = monotonic_ns()
        return batch


def timed(fetch, meter):
    """A fetcher's `fetch`, metered. A fetch within a fetch (a DataLoader in a data set) is part of
    the outer one."""

    def timed_fetch(self, index):
        if meter.inside:
            return fetch(self, index)
        if type(self.collate_fn) is not TimedCollate:
            self.collate_fn = TimedCollate(self.collate_fn, meter)
        meter.inside = True
        begin = meter.collate_begin = meter.collate_end = monotonic_ns()
        try:
            batch = fetch(self, index)
        finally:
            meter.inside = False
            items, meter.items = meter.items, None
        meter.fetched(begin, len(items) if self.auto_collation else _rows_made(batch, index))
        if meter.contents is not None and not meter.contents(batch):
            meter.contents = None
        return batch

    return timed_fetch


def _rows_made(batch, index):
    """Samples of a batch that the data set made as a whole (batch_size=None)."""
    return len(index) if isinstance(index, (list, tuple)) else rows_of(batch)


def time_fetchers(meter):
    """In a worker, where the process is torch's own: all fetchers."""
    from torch.utils.data._utils import fetch

    for kind in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        kind.fetch = timed(kind.fetch, meter)


def time_fetcher(fetcher, meter):
    """In the parent: this one alone."""
    override(fetcher, fetch=timed(type(fetcher).fetch, meter))
