"""What runs in a worker before its first batch, in place of the user's worker_init_fn, which it
calls."""

import os
from time import monotonic_ns

from .counters import FAILED, FIRST_FETCH, STARTED
from .die_with_parent import die_with
from .generator_watch import GeneratorWatch
from .handover import time_sending
from .same_batches import Contents
from .stages import Meter, time_fetchers


class WorkerStart:
    """Picklable where the user's function is: spawned workers get a copy."""

    def __init__(self, users, counters, paths, streams):
        self.users = users
        self.counters = counters  # None: no hooks
        self.paths = paths  # of the random generators in the data set
        self.streams = streams  # several share an IterableDataset
        self.generation = 0
        self.parent = os.getpid()
        self.forked = True
        self.dies = True  # with the thread that starts the workers, and its process

    def __getstate__(self):
        return dict(self.__dict__, forked=False)

    def __call__(self, worker):
        if self.dies:
            die_with(self.parent, self.forked)
        if self.users is not None:
            self.users(worker)
        if self.counters is not None:
            try:
                self._hook(worker)
            except Exception:  # what was not hooked is not measured; the user's worker goes on
                self.counters.slot(self.generation, worker)[FAILED] = 1

    def _hook(self, worker):
        slot = self.counters.slot(self.generation, worker)
        slot[FIRST_FETCH] = 0  # of an earlier worker's
        watch = GeneratorWatch(self.paths, slot)
        meter = Meter(slot, watch.after_batch if watch else None)
        if self.streams:
            meter.contents = Contents(slot).look
        time_fetchers(meter)
        time_sending(meter)
        slot[STARTED] = monotonic_ns()
