"""A DataLoader of the script's as it feeds its loop, over all epochs."""

import copy
import time
import weakref

from .. import epoch_beginning, sources, torch_loader, trees, workers
from ..epoch_beginning import mean
from . import idle, iterators, loader_names, own_iterators
from .observation import Observation

now = time.monotonic_ns
SOURCES = ("__iter__", "__getitems__", "__getitem__")


class LoaderFeed:
    def __init__(self, engine, loader, letter):
        self.engine, self.letter = engine, letter
        self.loader = weakref.ref(loader)
        self._made = _how_made(loader)
        self._names = loader_names.of(loader)
        self.workers = loader.num_workers
        self.prefetched = torch_loader.prefetched(loader)
        self.batches = sources.find_length(loader)
        self.rows_of = trees.Rows.of(loader)
        self.iterator = lambda: None
        self.iterators = iterators.Iterators()
        self.epochs = 0  # begun
        self.remade = 0  # of them, those of another DataLoader than the epoch before
        # In this epoch: batches that the script got, and that the loader delivered.
        self.served = self.fetched = 0
        self.dropped = self.replayed = 0
        # The script gets as many in an epoch as it would without us; None: not known.
        self.limit = None
        self.renewed = None  # the iterator after that of the script's, where batches were dropped
        self.all_served = 0
        self.trained = 0  # fetches that were followed by a backward or an optimizer's step
        self.trained_before = 0  # of the process, at the last fetch
        self.startup_ns = self.first_batch_ns = None
        # For later epochs: iter(), and all from the last batch to the first.
        self.starts, self.gaps = [], []
        # The same after epochs that were not as without us: iter() and the first batch alone.
        self.gaps_after_cut = []
        self._lengths = []  # batches of epochs, where the loader has no length
        self._beginning = None  # of the epoch that has just begun
        self.threads_beside = []  # names of the script's threads that ran when workers were forked
        self.made_on = None  # a device, of batches that are not on the CPU when they come
        # The script's own work between two epochs: validations, saves.
        self._between, self._ended_at = [], None
        self._ended_ns = None  # asking in vain for a batch more, which ends workers
        self.thread = None  # that fetched last
        self.loop = None  # times of the one that goes on, or was the last
        self.rows = 0  # samples of the largest batch that was seen before it is measured
        self.held = None
        self.kept = None  # a copy, while the script iterates: it may not hold its loader
        self.persistent = bool(loader.persistent_workers)
        self.observation = Observation(bool(engine.plan.get("observer", 1)))
        self._members = self._described(loader)

    def is_of(self, loader):
        """A loader that is made again for each epoch is the same feed."""
        known = self.loader()
        return known is loader or (
            known is None
            and self._made == _how_made(loader)
            and self._names[:1] == loader_names.of(loader)[:1]
        )

    @property
    def where(self):
        return self._members["where"]

    @property
    def name(self):
        """The variable that holds it; where it was made, if another one is called so, too. None:
        neither is known."""
        name = next(iter(self._names), None)
        twins = any(
            other is not self and other._names[:1] == self._names[:1] for other in self.engine.feeds
        )
        return self.where or name if name is not None and twins else name

    def all_names(self):
        return self._names + [self.where] * bool(self.where)

    def is_called(self, wanted):
        return wanted in self._names or loader_names.same_place(wanted, self.where)

    def began(self, loader, iterator, took):
        self.remade += self.loader() is not loader
        self.loader = weakref.ref(loader, self._gone)
        self._scripts, self.iterator = weakref.ref(iterator, self._gone), weakref.ref(iterator)
        self._names = list(dict.fromkeys(self._names + loader_names.of(loader)))
        self._begun = now() - took
        if self._ended_at is not None:
            self._between.append(self._begun - self._ended_at)
        self._ended_at = None
        self._end_beginning()
        self.kept = copy.copy(loader)
        self.kept.__dict__["_iterator"] = None
        self._cut = self.dropped > 0 or self.replayed > 0 or self._ended_ns is None
        if self._cut:
            self.observation.begins_after_cut()
        self.epochs += 1
        self.served = self.fetched = self.dropped = self.replayed = 0
        self.limit, self.renewed = sources.find_length(iterator), None
        self._iter_ns = took
        if self.startup_ns is None:
            self.startup_ns = took

    def began_for_step(self, iterator):
        """One of those that each step makes: all of their batches are those of one epoch."""
        self._scripts, self.iterator = weakref.ref(iterator, self._gone), weakref.ref(iterator)
        self.limit, self.renewed = None, None
        self.starts, self.gaps, self.gaps_after_cut, self._between = [], [], [], []
        self.epochs, self._ended_at, self._beginning = 1, None, None

    def became_epoch(self, iterator):
        """More comes of it than each step would ask for: it is an epoch that has begun before."""
        self.limit = sources.find_length(iterator)
        self.fetched = self.served = iterators.FEW

    def _gone(self, _):
        """What the script lets go, its data set above all, is not kept alive."""
        try:
            if self.loader() is None and self._scripts() is None:
                self.kept = None
                self.observation.let_go()
        except Exception:  # it may be the interpreter's end, when modules are gone
            pass

    @property
    def over(self):
        """Whether the script has had its epoch, though the loader has not ended it."""
        return self.replayed + self.dropped > 0 and self.had_all

    @property
    def had_all(self):
        """Whether the script has got all batches of its epoch: it is ended at its next fetch."""
        return self.limit is not None and self.served >= self.limit

    def ended(self, took):
        """By itself."""
        self._ended_ns, self._ended_at = took, now()
        if self.batches is None and self.fetched:
            self._lengths.append(self.fetched)

    def renew(self, iterator):
        """Begins once more, where the loader has ended too early for the script. The iterator, or
        None."""
        if not self.dropped or self.limit is None or self.had_all:
            return None
        if self.persistent and self.workers:
            own_iterators.reset(iterator, self.kept)
            return iterator
        self.renewed = None
        self.renewed = workers.noted(self.observation.again(self.kept, own_iterators.unwatched))
        self.iterator = weakref.ref(self.renewed)
        return self.renewed

    def first_came(self, took):
        self.observation.first_batch(self._begun)
        if self.first_batch_ns is None:
            self.first_batch_ns = took
            return
        self.starts.append(self._iter_ns)
        if self._cut:
            self.gaps_after_cut.append(self._iter_ns + took)
        else:
            self._beginning = epoch_beginning.EpochBeginning(
                self._ended_ns + self._iter_ns + took, self.prefetched
            )
        self._ended_ns = None

    def came(self, took, iterator, batch):
        """A batch, from the loader."""
        self.fetched += 1
        self.iterators.fetched += 1
        if self.iterators.fetched == 2 or self.iterators.each_step:
            self.iterators.came(took, iterator, batch)
        if self._beginning is not None and (
            self.dropped or self.replayed or self._beginning.add(took)
        ):
            self._end_beginning()

    def _end_beginning(self):
        if self._beginning is not None:
            self.gaps.append(self._beginning)
            self._beginning = None

    @property
    def epoch_ns(self):
        """What each epoch begins with, and what the script does before, as far as it is known
        yet."""
        between = mean(self._between) or 0
        gaps = [gap.first_ns for gap in self.gaps] or self.gaps_after_cut
        if gaps:
            return between + mean(gaps)
        if not self.workers or self.persistent:
            return 0
        return (self.startup_ns or 0) + (self.first_batch_ns or 0)

    def facts(self):
        return {
            "startup_ns": self.startup_ns,
            "first_batch_ns": self.first_batch_ns,
            "epochs": max(0, self.epochs - 1),
            "epoch_start_ns": mean(self.starts),
            **epoch_beginning.facts(self.gaps, mean(self.gaps_after_cut)),
        }

    @property
    def epoch_batches(self):
        """A mean of those that ended, where the loader has no length; None: none did."""
        return mean(self._lengths)

    def wait_until_idle(self):
        """Whether its workers are, in the end: their queue is full."""
        iterator = self.iterator()
        return iterator is None or idle.wait(
            iterator, self.pids(), 500_000_000 + 2 * self.prefetched * self.engine.schedule.batch_ns
        )

    def pids(self):
        pids = [worker.pid for worker in getattr(self.iterator(), "_workers", ())]
        return [pid for pid in pids if pid is not None]

    def members(self):
        """As `loaded` of PROTOCOL.md has them of a DataLoader, and its name in the script."""
        own = self._members["own"]
        # A sampler of the user's or a framework's own decides.
        if own["batch_size"] is None and self.rows:
            own = dict(own, batch_size=self.rows)
        return dict(
            self._members,
            own=own,
            name=self.name,
            epochs=self.epochs,
            served=self.all_served,
            trains=self.trained > 0,
            workers=self.pids(),
        )

    def _described(self, loader):
        return {
            "kind": "DataLoader",
            "class": type(loader).__name__,
            "batches": self.batches,
            "length": sources.find_length(getattr(loader, "sampler", None)),
            "where": sources.where_of(loader),
            "own": torch_loader.own_settings(loader),
            "dataset": type(loader.dataset).__name__,
            "streams": sources.is_iterable_style(loader.dataset),
            "getitem_where": _getitem_where(type(loader.dataset)),
        }


def _getitem_where(kind):
    found = (sources.where_of(getattr(kind, method)) for method in SOURCES if hasattr(kind, method))
    return next((where for where in found if where), None)


def _how_made(loader):
    length = sources.find_length(loader)
    return sources.where_of(loader), type(loader.dataset), loader.batch_size, length
