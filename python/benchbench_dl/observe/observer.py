"""What is observed of a loader while it runs, for `result` (PROTOCOL.md).

    observer = Observer(enabled)
    loader = observer.attach(loader)            # before iter()
    iterator = iter(loader); observer.iterator_made(iterator)
    observer.window(True) ... observer.window(False)   # the edges of each segment
    observer.look_at(dataset, loader); observer.facts()

One thread. An iterable that is no DataLoader passes through and is not observed.
"""

import copy
import math
import traceback
import weakref

from .. import sources
from . import (
    batch_times,
    counters,
    direct_indexing,
    draws,
    generators,
    handover,
    hook_cost,
    same_batches,
    sampling,
    stages,
    startup,
    surroundings,
)
from .worker import WorkerStart

_COUNTED = {
    "getitem_ns": counters.GETITEM_NS,
    "collate_ns": counters.COLLATE_NS,
    "handover_ns": counters.HANDOVER_NS,
    "samples": counters.SAMPLES,
    "batches": counters.BATCHES,
    "handed": counters.HANDED,
}


class Observer:
    def __init__(self, enabled):
        """False: no hooks; workers still die with this process."""
        self.enabled = enabled
        self.loader = self.start = self.counters = None
        self.alike = 1  # workers that make the same batches
        # A weak reference: torch shuts workers down when the user's iterator goes.
        self.iterator = lambda: None
        self.arrivals, self.pin_thread = handover.Arrivals(), handover.PinThread()
        self.generation = -1  # of the workers started last
        self.paths = []
        self.begin = None
        self.counted = {}
        self.sampler_starts = []  # ns, one for each epoch
        self.start_ups = None  # of workers
        self.workers = None
        self.start_method = None
        self.free = math.inf  # of /dev/shm, the least seen
        self.looked = {}
        self.found = []  # sentences
        self.failures = []  # tracebacks: of what could not be observed because of a defect here

    def _quietly(self, observe, *args):
        """An observation that fails is one that was not made: the user's run goes on."""
        try:
            return observe(*args)
        except Exception:
            self.failures.append(traceback.format_exc())
            return None

    def notes(self):
        """What was found, and of what could not be observed a sentence each; the same one once."""
        return self.found + list(
            dict.fromkeys(
                f"not all of the loader could be observed: {text.strip().splitlines()[-1]}"
                for text in self.failures
            )
        )

    def attach(self, loader):
        """Returns the loader to iterate: a copy with hooks; the user's object is not changed."""
        if not sources.is_data_loader(loader):
            return loader
        self.loader = attached = copy.copy(loader)
        sources.same_place(attached, loader)
        attached._iterator = None
        if self.enabled:
            self.counters = counters.Counters(loader.num_workers)
            self._quietly(sampling.time_sampler, attached, self.sampler_starts)
        streams = sources.is_iterable_style(loader.dataset)
        if self.enabled and loader.num_workers:
            self.paths = self._quietly(generators.find, loader.dataset) or []
            self.start_ups = startup.StartUps(self.counters, loader, streams, self.sampler_starts)
        streams = streams and loader.num_workers > 1
        self.start = WorkerStart(loader.worker_init_fn, self.counters, self.paths, streams)
        attached.worker_init_fn = self.start
        return attached

    def iterator_made(self, iterator):
        """After each iter(); of persistent workers it is the same one."""
        if self.loader is None or self.iterator() is iterator:
            return
        self.iterator = weakref.ref(iterator)
        self._count_copies()
        self.generation += 1
        self.start.generation = self.generation + 1  # of workers that are started from now on
        if self.loader.num_workers:
            self.start_method = surroundings.start_method(self.loader)
        if self.enabled:
            self._quietly(self._hook, iterator)

    def _hook(self, iterator):
        if self.loader.num_workers:
            startup.time_ending(iterator, self.start_ups)
            handover.time_arrivals(iterator, self.arrivals, self.pin_thread)
            return
        meter = stages.Meter(self.counters.slot(self.generation, 0))
        stages.time_fetcher(iterator._dataset_fetcher, meter)
        if iterator._pin_memory:
            handover.time_pinning_inline(iterator, self.arrivals, meter)

    def begins_after_cut(self):
        """An epoch, before its first batch: the last one's workers were not done."""
        if self.start_ups is not None:
            self.start_ups.begins_after_cut()

    def first_batch(self, begun):
        """Of each epoch, once it has arrived: iter() was at `begun`."""
        if self.start_ups is not None:
            self._quietly(self.start_ups.first_batch, self.generation, begun)

    def worker_pids(self):
        """Of those that run."""
        return [
            worker.pid for worker in getattr(self.iterator(), "_workers", ()) if worker.is_alive()
        ]

    def window(self, begins):
        """At a segment's edges; several segments add up."""
        self.free = min(self.free, surroundings.shared_memory()[0] or 0)
        if self.counters is None:
            return
        now = self._snapshot()
        if begins or self.begin is None:
            self.begin = now if begins else None
            return
        for name, value in now.items():
            self.counted[name] = self.counted.get(name, 0) + value - self.begin[name]
        self.begin = None
        self.workers = self._by_worker()
        if self.counters.total(counters.FAILED):
            self.failures.append("the hooks of a worker could not be set")

    def _snapshot(self):
        now = {name: self.counters.total(field) for name, field in _COUNTED.items()}
        return dict(now, **vars(self.arrivals), **self.pin_thread.counted())

    def _by_worker(self):
        if not self.loader.num_workers:
            return []
        made = zip(*map(self.counters.by_worker, (counters.SAMPLES, counters.BATCHES)))
        return [{"samples": samples, "batches": batches} for samples, batches in made]

    def look_at(self, dataset, loader):
        """After the window: what takes time to find out."""
        if self.counters is None:
            return
        self._count_copies()
        if self.alike > 1:
            self._quietly(self._say_copies, dataset)
        self.looked["direct_ns"] = self._quietly(direct_indexing.direct_ns, dataset, loader)
        if self.loader.num_workers and self.generation >= 0:
            of = self.loader.dataset, self.loader.persistent_workers
            self.looked["same_draws"] = self._quietly(
                draws.same_draws, self.counters, self.generation, self.paths, *of
            )

    def _count_copies(self):
        """Of the workers started last, in each epoch: those that have only begun at the end have
        not all made batches yet."""
        if self.counters is not None and self.start.streams and self.generation >= 0:
            self.alike = max(
                self.alike, self._quietly(same_batches.copies, self.counters, self.generation) or 1
            )

    def _say_copies(self, dataset):
        self.found.append(same_batches.said(dataset, self.alike, self.loader.num_workers))

    def facts(self):
        """The members of `result`; None: not measured."""
        stages = ("getitem_ns", "collate_ns", "handover_ns", "pin_ns", "hooks_ns")
        facts = dict.fromkeys((*stages, "direct_ns", "same_draws"))
        facts.update(
            surroundings.surroundings(), start_method=self.start_method, workers=self.workers
        )
        if math.isfinite(self.free) and facts["shm_free_bytes"] is not None:
            facts["shm_free_bytes"] = min(self.free, facts["shm_free_bytes"])
        facts.update(self._start_ups())
        facts.update(self.looked)
        if self.counted:
            facts.update(self.stages(), **self.order())
        return facts

    def _start_ups(self):
        """Where they were seen, in place of iter()'s time."""
        if self.start_ups is None:
            return {}
        batches = self.counted.get("batches")
        seen = {
            "workers_start_ns": self.start_ups.first,
            "epoch_start_ns": self.start_ups.later(
                self.counted["getitem_ns"] / batches if batches else None
            ),
        }
        return {name: ns for name, ns in seen.items() if ns is not None}

    def stages(self):
        """Returns the mean times of the stages that were counted."""
        counted = self.counted
        batches = counted["batches"]
        return {
            "getitem_ns": _time(counted["getitem_ns"], counted["samples"]),
            "collate_ns": _time(counted["collate_ns"], batches),
            "handover_ns": self._handover(),
            "pin_ns": _time(counted["pin_ns"], counted["pinned"]),
            "hooks_ns": batches * hook_cost.of_a_batch(self.loader.num_workers > 0),
        }

    def fills(self):
        """[worker, begin, ns, ...]: batches that workers made, the last ones of each."""
        if self.counters is None or not self.loader.num_workers:
            return None
        return self._quietly(batch_times.fills, self.counters, self.generation)

    def order(self):
        return (
            self._quietly(batch_times.order_of, self.counters, self.generation, self.loader) or {}
        )

    def _handover(self):
        """Both ends of the way. Workers are ahead of the loop, so that each end has a count of its
        own."""
        handed, rebuilt = self.counted["handed"], self.counted["rebuilt"]
        if not handed or not rebuilt:
            return None
        return _time(
            round(self.counted["handover_ns"] * rebuilt / handed) + self.counted["rebuild_ns"],
            rebuilt,
        )


def _time(ns, count):
    return {"ns": ns, "count": count} if count else None
