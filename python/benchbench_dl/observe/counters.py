"""Counters in shared memory: one slot for each worker process, written by it alone and read by the
parent."""

import ctypes
from multiprocessing.sharedctypes import RawArray

# Fields of a slot, 64-bit integers. Counts and times only grow, so that a slot may be used again.
SAMPLES, BATCHES, GETITEM_NS, COLLATE_NS, HANDOVER_NS, HANDED, FAILED = range(7)
# These do not add up: when worker_init_fn was done, when the first fetch began, its time.
STARTED, FIRST_FETCH, FIRST_NS = range(7, 10)
GENERATORS = 12  # random generators that are followed
CONTENTS = 10  # two digests, of the first batches
STATES = 12  # of each: a digest of its state when the worker starts; 0: there is none
DRAWN = STATES + GENERATORS  # of each: 1 when numbers were drawn from it since, for samples
LASTS = 64
# When the last batches were begun, and how long they took: of batch number n, from 0, at n % LASTS.
BEGINS = DRAWN + GENERATORS
TIMES = BEGINS + LASTS
FIELDS = TIMES + LASTS

SLOTS = 256


class Counters:
    """Slots by generation of workers and by worker: workers of an epoch that ended may still run
    when the next ones start.

    An anonymous file of multiprocessing's: inherited by fork, passed on to spawned workers when
    they are started."""

    def __init__(self, workers):
        self.workers = max(1, workers)
        self.generations = max(4, SLOTS // self.workers)
        self.shared = RawArray(ctypes.c_int64, FIELDS * self.workers * self.generations)

    def slot(self, generation, worker):
        number = generation % self.generations * self.workers + worker
        return self._view()[number * FIELDS : (number + 1) * FIELDS]

    def slots(self, generation):
        """Returns those of its workers."""
        return [self.slot(generation, worker) for worker in range(self.workers)]

    def slots_until(self, generation):
        """Returns slots() of each generation that has any yet, up to this one."""
        first = max(0, generation + 1 - self.generations)
        return [self.slots(number) for number in range(first, generation + 1)]

    def total(self, field):
        return sum(self._view()[field::FIELDS])

    def by_worker(self, field):
        """Of all generations together."""
        values = self._view()[field::FIELDS].tolist()
        return [sum(values[worker :: self.workers]) for worker in range(self.workers)]

    def _view(self):
        return memoryview(self.shared).cast("B").cast("q")
