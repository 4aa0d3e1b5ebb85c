"""Batches of the user's loader, one epoch after the other, and how long it takes to begin each."""

import inspect
import time

from .. import epoch_beginning, workers
from ..epoch_beginning import mean
from ..failure import counted, scenario
from ..hints import hint_for
from ..sources import find_length
from ..torch_loader import prefetched
from ..user_failures import failure_of
from .source import ITERABLE

now = time.monotonic_ns


class Epochs:
    """`get()` returns the next batch. `number` is its place in its epoch, from 1; `epoch` counts
    from 0."""

    def __init__(self, source, loader, observer):
        self._source, self._observer = source, observer
        self.loader = loader
        is_torch = source.kind != ITERABLE
        self.workers = loader.num_workers if is_torch else 0
        self.prefetched = prefetched(loader) if is_torch else 0
        # Batches of an epoch, as far as they are known; from the first epoch on as they were.
        self.batches = find_length(loader)
        self._iterated = observer.attach(loader) if is_torch else loader
        self._iterator = None
        self._made_again = False
        self.number = self.epoch = 0
        self.startup_ns = None
        self.requested = self.first_batch_ns = None
        self.ended = 0
        self.gaps, self.starts, self.pauses = [], [], []
        self.notes = []
        self.on_end = lambda batches: None  # called when an epoch has ended
        self.on_begin = lambda at: None  # with the time when iter() had returned

    def get(self):
        if self._iterator is None:
            self.requested = self._start()
            batch = self._first_batch()
            self.first_batch_ns = now() - self.requested - self.startup_ns
            self._observer.first_batch(self.requested)
            return batch
        asked = now()
        try:
            batch = next(self._iterator)
        except StopIteration:
            return self._next_epoch(asked)
        except BaseException as error:
            raise self.failure(error, self._source.call) from error
        self.number += 1
        if 1 < self.number <= self.prefetched and self.gaps:
            self.gaps[-1].add(now() - asked)
        return batch

    def _next_epoch(self, asked):
        ended_ns = now() - asked
        self.batches = self.number
        self.on_end(self.number)
        self.ended += 1
        self.epoch += 1
        begun = self._start()
        self.pauses.append(ended_ns + self._ready - begun)  # without what on_end takes
        batch = self._first_batch()
        self.gaps.append(epoch_beginning.EpochBeginning(ended_ns + now() - begun, self.prefetched))
        self._observer.first_batch(begun)
        return batch

    def _start(self):
        """iter(), and when it began."""
        self.number = 0
        begun = now()
        try:
            if self.ended and self._is_for_once():
                self._iterated = self._source.make()
            self._iterator = workers.noted(iter(self._iterated))
        except BaseException as error:
            raise failure_of(error, self._source.call) from error
        took = now() - begun
        if self.startup_ns is None:
            self.startup_ns = took
        else:
            self.starts.append(took)
        self._observer.iterator_made(self._iterator)
        self._ready = now()  # one reading: what begins is in no pause too
        self.on_begin(self._ready)
        return begun

    def _is_for_once(self):
        """Without iter() as a test, which may take long: what else serves for one epoch only is
        known by an empty second one."""
        return self._source.kind == ITERABLE and (
            self._made_again or inspect.isgenerator(self._iterated)
        )

    def _first_batch(self):
        """Of the epoch that has begun."""
        try:
            batch = next(self._iterator)
        except StopIteration:
            return self._after_empty_epoch()
        except BaseException as error:
            raise self.failure(error, self._source.call) from error
        self.number = 1
        return batch

    def _after_empty_epoch(self):
        if self._source.kind == ITERABLE and self.ended and not self._is_for_once():
            self._made_again = True
            self.starts.pop()
            self.notes.append(
                f"{self._source.call} is called again for each epoch: what it returned has no "
                "batches in the second"
            )
            self._start()
            return self._first_batch()
        raise scenario("an epoch has no batches" + self._sizes(), where=self._source.where)

    def failure(self, error, doing):
        """Where a worker has ended, that comes first: what torch raises then is about a socket or a
        queue, by chance."""
        failure = failure_of(error, doing)
        of_signal = workers.is_of_signal(error)
        if of_signal or (
            isinstance(error, (RuntimeError, OSError, EOFError)) and failure.where is None
        ):
            fate = workers.ended(self._iterator)
            if fate:
                failure.message, failure.hint = fate, hint_for(fate)
        if of_signal:
            failure.where = None
        return failure

    def _sizes(self):
        if self._source.kind == ITERABLE:
            return ""
        length, size = self._source.length, self.loader.batch_size
        if length is None or size is None:
            return ""
        return ": {}, batch_size {}{}".format(
            counted(length, "sample"), size, ", drop_last" if self.loader.drop_last else ""
        )

    def facts(self, counted_get=None, hidden=()):
        """`counted_get`: an epoch's first batch is part of the window, and so not of the gap
        before. In its place is this mean wait for a batch: a gap holds one, which who reads it
        takes off. `hidden`: of each gap, how long a device was still at work."""
        for gap, ns in zip(self.gaps, hidden):
            gap.ns = max(0, gap.ns - ns)
        gap = epoch_beginning.facts(self.gaps)
        if counted_get is not None and self.pauses:
            pauses = [max(0, pause - ns) for pause, ns in zip(self.pauses, hidden)] or self.pauses
            gap = {"epoch_gap_ns": mean(pauses) + counted_get, "epoch_gap_batches": 1}
        return {
            "startup_ns": self.startup_ns,
            "first_batch_ns": self.first_batch_ns,
            "epochs": self.ended,
            "batches": self.batches,
            "epoch_start_ns": mean(self.starts),
            **gap,
        }

    def close(self):
        """Ends the workers."""
        self._iterator = None
        if self._source.kind != ITERABLE:  # a copy of ours, which keeps persistent workers
            self._iterated.__dict__["_iterator"] = None
        workers.shut_down()
