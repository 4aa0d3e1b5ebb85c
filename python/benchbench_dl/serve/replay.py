"""Batches of the user's loader that were fetched before: each is a copy out of shared memory, in
new containers each time."""

import time

from .. import trees
from ..batch_copies import fingerprint, held_bytes, own_copy
from ..failure import counted
from ..memory import free_memory

now = time.monotonic_ns
SPIN_NS = 200_000


class Replay:
    """As Epochs, but one epoch without end, at most at `rate` samples a second."""

    workers = prefetched = 0
    batches = None

    def __init__(self, epochs, distinct, rate, on_fetched, rows_of=trees.rows_of):
        self.notes, self.number = [], 0
        self._rows_of = rows_of
        self._bank = max(1, epochs.prefetched)
        self._fetch(epochs, max(1, distinct), on_fetched)
        epochs.close()
        self._prints = [fingerprint(batch) for batch in self._batches]
        self._ns_per_sample = 1e9 / rate if rate else 0
        self._due = None
        self.requested = None

    def _fetch(self, epochs, distinct, on_fetched):
        self._batches, self._rows, held, limit = [], [], 0, free_memory() // 2
        crowded = False
        while True:
            enough = crowded or len(self._batches) == distinct
            if enough and not self._ends_smaller():
                break
            batch = epochs.get()
            if epochs.ended:  # the next epoch's are the same ones, or might be
                self._drop_rest(distinct)
                break
            if enough:  # its last one is not the rest of an epoch: one more came
                break
            self._rows.append(self._rows_of(batch))
            self._batches.append(trees.mapped(batch, own_copy))
            held += held_bytes(batch)
            on_fetched()
            crowded = held * (len(self._batches) + 1) > limit * len(self._batches)
        if crowded and len(self._batches) < distinct:
            self._note_fewer(distinct, "more would take over half of the free memory")

    def _ends_smaller(self):
        return len(self._rows) > 1 and self._rows[-1] < self._rows[-2]

    def _drop_rest(self, distinct):
        """Of an epoch that has ended: its last batch holds what is left of the data set."""
        rest = self._ends_smaller()
        if rest:
            del self._batches[-1], self._rows[-1]
        if len(self._batches) < distinct:
            self._note_fewer(distinct, "an epoch has no more" + (" of full size" if rest else ""))

    def _note_fewer(self, distinct, why):
        if not self.notes:
            self.notes.append(
                "{} of {} are replayed: {}".format(
                    len(self._batches), counted(distinct, "batch"), why
                )
            )

    def get(self):
        if self.requested is None:
            self.requested = now()
        at = self.number % len(self._batches)
        self.number += 1
        if self._ns_per_sample:
            self._wait(self._rows[at] * self._ns_per_sample)
        return trees.mapped(self._batches[at], lambda leaf: leaf)

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
        changed = sum(
            before != fingerprint(batch) for before, batch in zip(self._prints, self._batches)
        )
        if changed:
            self.notes.append(
                "the step changed {} of {} in place: a changed batch comes again as the "
                "step left it".format(changed, counted(len(self._batches), "batch"))
            )
        return {
            "startup_ns": None,
            "first_batch_ns": None,
            "epochs": 0,
            "distinct": len(self._batches),
            "changed": changed,
        }
