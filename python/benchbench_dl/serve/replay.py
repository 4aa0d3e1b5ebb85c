"""Batches of the user's loader that were fetched before: each is a copy out of shared memory, in
new containers each time."""

import time

from .. import trees
from ..failure import counted
from ..held_batches import HeldBatches
from ..memory import free_memory

now = time.monotonic_ns
SPIN_NS = 200_000


class Replay:
    """As Epochs, but one epoch without end, at most at `rate` samples a second."""

    workers = prefetched = 0
    batches = requested = None

    def __init__(self, epochs, distinct, rate, on_fetched, rows_of=trees.rows_of):
        self.notes, self.number = [], 0
        self._bank = max(1, epochs.prefetched)
        self._held, self._rows = HeldBatches(distinct, free_memory() // 2), []
        self._fetch(epochs, on_fetched, rows_of)
        epochs.close()
        self._held.close()
        self._ns_per_sample = 1e9 / rate if rate else 0
        self._due = None

    def _fetch(self, epochs, on_fetched, rows_of):
        held = self._held
        while not held.full or self._ends_smaller():
            batch = epochs.get()
            if epochs.ended:  # the next epoch's are the same ones, or might be
                self._drop_rest()
                return
            if held.full:  # its last one is not the rest of an epoch: one more came
                break
            self._rows.append(rows_of(batch))
            held.add(batch)
            on_fetched()
        self._note_fewer("more would take over half of the free memory")

    def _ends_smaller(self):
        return len(self._rows) > 1 and self._rows[-1] < self._rows[-2]

    def _drop_rest(self):
        """Of an epoch that has ended: its last batch holds what is left of the data set."""
        rest = self._ends_smaller()
        if rest:
            self._rows.pop()
            self._held.drop_last()
        self._note_fewer("an epoch has no more" + (" of full size" if rest else ""))

    def _note_fewer(self, why):
        count, wanted = len(self._held), self._held.wanted
        if count < wanted:
            self.notes.append(f"{count} of {counted(wanted, 'batch')} are replayed: {why}")

    def get(self):
        if self.requested is None:
            self.requested = now()
        rows = self._rows[self.number % len(self._rows)]
        self.number += 1
        if self._ns_per_sample:
            self._wait(rows * self._ns_per_sample)
        return self._held.get()

    def _wait(self, ns):
        """For absolute times, so that lateness does not add up; what a slow step missed comes after
        it, as from a queue."""
        asked = now()
        self._due = asked if self._due is None else max(self._due, asked - self._bank * ns)
        self._due += ns
        left = self._due - asked
        if left > SPIN_NS:
            time.sleep((left - SPIN_NS) / 1e9)
        while now() < self._due:
            pass

    def facts(self, counted_get=None, hidden=()):
        found = self._held.facts()
        if found["changed"]:
            self.notes.append(
                "the step changed {} of {} in place: a changed batch comes again as the "
                "step left it".format(found["changed"], counted(found["distinct"], "batch"))
            )
        return dict(found, startup_ns=None, first_batch_ns=None, epochs=0)
