"""What each epoch pays for starting its workers, and would not pay if they stayed: ending the last ones, starting these, their
imports and worker_init_fn, and what the first fetch takes beyond an ordinary one, such as opening files anew.

Not of it is what workers that stay do as well: the sampler's work, and `__iter__` of an IterableDataset, which runs in its first
fetch or right before it.
"""
from .counters import FIRST_FETCH, FIRST_NS, STARTED


class StartUps:
    def __init__(self, counters, loader, streams, sampler_starts):
        """`streams`: of an IterableDataset."""
        self._counters, self._streams, self._sampler_starts = counters, streams, sampler_starts
        self._in_order = getattr(loader, "in_order", True)
        self._workers, self._persistent = loader.num_workers, loader.persistent_workers
        self._samplers_known = 0
        self.first = None           # ns: of the first epoch
        self._later, self._fetches = [], []
        self._unseen = False

    def first_batch(self, generation, begun, ended_ns):
        """Has arrived, of the epoch that began at `begun`; ending the one before took `ended_ns`, None: there was none."""
        sampler = self._sampler_starts[-1] if len(self._sampler_starts) > self._samplers_known else 0
        self._samplers_known = len(self._sampler_starts)
        if self._persistent and ended_ns is not None:
            return
        slot = self._delivered(generation)
        start = slot[STARTED] if self._streams else slot[FIRST_FETCH]
        seen = start >= begun
        took = max(0, (ended_ns or 0) + start - begun - sampler)
        if ended_ns is None:
            self.first = took if seen else None
        elif seen:
            self._later.append(took)
            self._fetches.append(slot[FIRST_NS])
        else:
            self._unseen = True

    def _delivered(self, generation):
        """The slot of the worker that made the first batch."""
        slots = [self._counters.slot(generation, worker) for worker in range(self._workers)]
        if self._in_order:
            return slots[0]
        return min((slot for slot in slots if slot[FIRST_FETCH]), key=lambda slot: slot[FIRST_FETCH] + slot[FIRST_NS], default=slots[0])

    def later(self, ordinary_fetch_ns):
        """The mean of later epochs; None: there was none, or one could not be seen."""
        if not self._later or self._unseen:
            return None
        count = len(self._later)
        opened = 0 if self._streams or ordinary_fetch_ns is None else max(0, sum(self._fetches) / count - ordinary_fetch_ns)
        return round(sum(self._later) / count + opened)
