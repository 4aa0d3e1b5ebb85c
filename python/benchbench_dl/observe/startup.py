"""What each epoch pays for starting its workers, and would not pay if they stayed: ending the last
ones, starting these, their imports and worker_init_fn, and what the first fetch takes beyond an
ordinary one, such as opening files anew.

Not of it is what workers that stay do as well: the sampler's work, and `__iter__` of an
IterableDataset, which runs in its first fetch or right before it, and after its last batch, where
the loop waits for it.
"""

from time import monotonic_ns

from .counters import FIRST_FETCH, FIRST_NS, STARTED
from .overriding import override


class StartUps:
    def __init__(self, counters, loader, streams, sampler_starts):
        """`streams`: of an IterableDataset."""
        self._counters, self._streams, self._sampler_starts = counters, streams, sampler_starts
        self._in_order = getattr(loader, "in_order", True)
        self._workers, self._persistent = loader.num_workers, loader.persistent_workers
        self._samplers_known = 0
        self.first = None  # ns: of the first epoch
        self._later, self._fetches = [], []
        self._cut, self._after_cut = False, []
        self._unseen = False
        self._epochs, self._ended_ns = 0, None

    def ended(self, ns):
        """Ending workers took so long."""
        self._ended_ns = (self._ended_ns or 0) + ns

    def begins_after_cut(self):
        """An epoch: of the last one's workers some were ended before they were done, which takes as
        long as it happens to."""
        self._cut, self._ended_ns = True, None

    def first_batch(self, generation, begun):
        """Has arrived, of the epoch that began at `begun`."""
        ended_ns, self._ended_ns = self._ended_ns, None
        cut, self._cut = self._cut, False
        self._epochs += 1
        drawn = self._sampler_starts[self._samplers_known :]
        self._samplers_known += len(drawn)
        sampler = drawn[-1] if drawn else 0
        if self._persistent and self._epochs > 1:
            return
        slot = self._delivered(generation)
        start = slot[STARTED] if self._streams else slot[FIRST_FETCH]
        seen = start >= begun
        took = max(0, (ended_ns or 0) + start - begun - sampler)
        if self._epochs == 1:
            self.first = took if seen else None
        elif cut:
            self._after_cut += [(took, slot[FIRST_NS])] if seen else []
        elif seen and ended_ns is not None:
            self._later.append(took)
            self._fetches.append(slot[FIRST_NS])
        else:
            self._unseen = True

    def _delivered(self, generation):
        """The slot of the worker that made the first batch."""
        slots = self._counters.slots(generation)
        if self._in_order:
            return slots[0]
        return min(
            (slot for slot in slots if slot[FIRST_FETCH]),
            key=lambda slot: slot[FIRST_FETCH] + slot[FIRST_NS],
            default=slots[0],
        )

    def later(self, ordinary_fetch_ns):
        """The mean of later epochs, without the end of the last ones' workers where all were cut;
        None: there was none, or one could not be seen."""
        seen = list(zip(self._later, self._fetches)) or self._after_cut
        if not seen or self._unseen:
            return None
        started, fetched = (sum(values) / len(seen) for values in zip(*seen))
        opened = (
            0 if self._streams or ordinary_fetch_ns is None else max(0, fetched - ordinary_fetch_ns)
        )
        return round(started + opened)


def time_ending(iterator, start_ups):
    """Of its workers, which torch ends once the last batch has been asked for in vain."""
    inner = type(iterator)._shutdown_workers

    def shutdown_workers(self):
        begin = monotonic_ns()
        try:
            inner(self)
        finally:
            start_ups.ended(monotonic_ns() - begin)

    override(iterator, _shutdown_workers=shutdown_workers)
