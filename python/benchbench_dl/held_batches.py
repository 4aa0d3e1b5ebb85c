"""Batches that were fetched before they are replayed: copies, out of shared memory."""

from . import trees
from .batch_copies import fingerprint, held_bytes, own_copy
from .memory import free_memory

MOST = 64


class HeldBatches:
    def __init__(self, distinct, limit):
        """`limit`: bytes."""
        self.wanted = max(1, distinct)
        self._limit = limit
        self._batches, self._held, self._next = [], 0, 0

    @property
    def full(self):
        """True if one more would be more than is wanted, or take too much memory."""
        count = len(self._batches)
        return count >= self.wanted or (count and self._held * (count + 1) > self._limit * count)

    def __len__(self):
        return len(self._batches)

    def add(self, batch):
        self._batches.append(trees.mapped(batch, own_copy))
        self._held += held_bytes(batch)

    def drop_last(self):
        self._held -= held_bytes(self._batches.pop())

    def close(self):
        """No more are added: changes are counted from now on."""
        self._prints = [fingerprint(batch) for batch in self._batches]

    def get(self):
        """The next one, in containers of its own."""
        batch = self._batches[self._next]
        self._next = (self._next + 1) % len(self._batches)
        return trees.mapped(batch, lambda leaf: leaf)

    def facts(self):
        changed = sum(
            before != fingerprint(batch) for before, batch in zip(self._prints, self._batches)
        )
        return {"distinct": len(self._batches), "changed": changed}


def room_for(batch, processes):
    """How many such batches may be held by each of them."""
    size = held_bytes(batch)
    return min(MOST, free_memory() // 4 // processes // size) if size else MOST
