"""The observer on the script's own loader."""

import copy
import os
import sys
import threading
import weakref

from .. import sources
from ..observe import surroundings
from ..observe.observer import Observer

# Held in addition to the data set.
_HELD = ("sampler", "batch_sampler", "collate_fn", "worker_init_fn", "generator", "_iterator")


class Observation:
    def __init__(self, enabled):
        self._observer = Observer(enabled)
        self._counted = {}  # over all stretches
        # For each kind of stretch: the time that the thread that pins waited with batches, in ns,
        # and how many they were.
        self.pin_waits = {}
        self._of, self._attached = lambda: None, None
        self._is_gone = False

    def make(self, loader, make, wanted):
        """The iterator. A loader with an iterator of its own making is not touched: it may write to
        itself."""
        if (
            not wanted
            or not self._observer.enabled
            or type(loader)._get_iterator.__qualname__ != "DataLoader._get_iterator"
        ):
            return make(loader)
        try:
            attached = self._attach(loader) if _workers_find_us(loader) else loader
        except Exception:
            return make(loader)
        iterator = make(attached)
        if attached is not loader:
            self._made(iterator)
        return iterator

    def _made(self, iterator):
        """Observes the loader no longer if something fails here: that is not of the script."""
        try:
            self._observer.iterator_made(iterator)
        except Exception:
            self._observer.enabled, self._attached = False, None

    def _attach(self, loader):
        if self._of() is not loader:
            self._attached = self._observer.attach(loader)
            self._of, self._is_gone = weakref.ref(loader), False
        else:
            kept = ("worker_init_fn", "_iterator")
            self._attached.__dict__.update(
                {key: value for key, value in loader.__dict__.items() if key not in kept}
            )
            self._observer.start.users = loader.worker_init_fn
        self._observer.start.dies = threading.current_thread() is threading.main_thread()
        return self._attached

    def again(self, kept, make):
        """Another iterator of the same loader."""
        if self._attached is None:
            return make(kept)
        iterator = make(self._attached)
        self._made(iterator)
        return iterator

    def let_go(self):
        """The script has: what is asked of the loader from now on is how it was set."""
        # Another one is being begun.
        if self._attached is None or self._is_gone or self._of() is not None:
            return
        data = sys.modules["torch.utils.data"]
        left = copy.copy(self._attached)
        left.__dict__.update(
            dict.fromkeys(_HELD),
            dataset=data.IterableDataset() if sources.is_iterable_style(left.dataset) else None,
        )
        self._attached = self._observer.loader = left
        self._observer.start.users, self._observer.paths, self._is_gone = None, [], True

    def first_batch(self, begun):
        """The first batch of an epoch has arrived: iter() was at `begun`."""
        if self._attached is not None:
            self._observer.first_batch(begun)

    def begins_after_cut(self):
        if self._attached is not None:
            self._observer.begins_after_cut()

    def window(self, begins):
        if self._attached is not None:
            self._observer.window(begins)

    def of_stretch(self, kind):
        """Returns facts observed since the last time, which was of this kind, or None."""
        observer = self._observer
        if not observer.counted:
            return None
        found = dict(observer.stages(), workers=observer.workers, **observer.order())
        counted, before = observer.counted, self._counted
        self._counted = {name: before.get(name, 0) + value for name, value in counted.items()}
        waited, batches = self.pin_waits.get(kind, (0, 0))
        self.pin_waits[kind] = waited + counted["pin_waited_ns"], batches + counted["pin_waits"]
        observer.counted = {}
        return found

    def facts(self, asks):
        """`asks`: samples of the script's data set may be made for it."""
        if self._attached is None:
            return None
        if asks and not self._is_gone:
            self._observer.look_at(self._attached.dataset, self._attached)
        self._observer.counted = self._counted
        return self._observer.facts()

    def notes(self):
        return self._observer.notes()


def _workers_find_us(loader):
    """A forked one has all; others import by PYTHONPATH, which the script may have set since."""
    if not loader.num_workers or surroundings.start_method(loader) == "fork":
        return True
    return any(
        os.path.basename(path) == "wrap_site"
        for path in os.environ.get("PYTHONPATH", "").split(os.pathsep)
    )
