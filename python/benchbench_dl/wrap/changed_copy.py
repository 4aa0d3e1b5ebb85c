"""A changed copy of the script's loader, which is served in turns with its own. The script's object
stays as it is."""

import time

from .. import torch_loader, workers
from ..memory import free_memory
from . import idle, own_iterators
from .full_stretch import FullStretch
from .loader_feed import LoaderFeed
from .loader_stretch import LoaderStretch

now = time.monotonic_ns
KEYS = ("num_workers", "prefetch_factor", "pin_memory", "in_order")


def refused(loader, settings):
    """Why the copy cannot be made, as a sentence, or None."""
    unknown = sorted(set(settings) - set(KEYS))
    if "multiprocessing_context" in unknown:
        return "another start method cannot be tried in a process that has started workers"
    if unknown:
        return "{} cannot be tried while the script runs".format(", ".join(unknown))
    sampler = loader._index_sampler
    for inner in (sampler, getattr(sampler, "sampler", None)):
        if hasattr(type(inner), "__next__"):
            return f"{type(inner).__name__} is an iterator: it cannot be iterated twice"
    if hasattr(type(loader.dataset), "__next__") and 0 in (
        loader.num_workers,
        settings.get("num_workers"),
    ):
        return f"{type(loader.dataset).__name__} is an iterator: it cannot be iterated twice"
    return None


def made(engine, lead, settings, exactly=False):
    """(ChangedCopy or None, sentences). `exactly`: with all of the settings, or with none, as what
    it measures is said to be of them."""
    loader = lead.kept
    why = refused(loader, settings)
    if why:
        return None, [why]
    given, dropped = torch_loader.applicable(settings, fixed_of(lead), loader.num_workers)
    own = torch_loader.own_settings(loader)
    kept = [key for key in given if own[key] == given[key]]
    if exactly and len(kept) == len(given):
        return None, dropped or ["these are the loader's own settings"]
    if not exactly:
        dropped += [f"{key} is {given.pop(key)} already" for key in kept]
    if not given or (exactly and dropped):
        return None, dropped
    return _with_memory(engine, lead, given, dropped)


def fixed_of(lead):
    """{setting: why no copy can have another one}: also pinning, where it would change nothing."""
    fixed = torch_loader.fixed_settings(lead.kept, lead.name or "the loader")
    if not torch_loader.can_pin():
        fixed.setdefault("pin_memory", torch_loader.NO_ACCELERATOR)
    return fixed


def _with_memory(engine, lead, given, dropped):
    changed = ChangedCopy(engine, torch_loader.copied(lead.kept, given), lead)
    if not changed.fits(lead.pids()):
        return None, dropped + [f"there is no memory for {changed.workers} more workers"]
    return changed, dropped


class ChangedCopy(LoaderFeed):
    def __init__(self, engine, loader, lead):
        super().__init__(engine, loader, lead.letter)
        self._names, self._changed = lead._names, loader
        self._live = None
        self.rows_of = lead.rows_of

    def fits(self, pids):
        """Another set of workers as large as those that run."""
        own = [idle.sum_memory(pid, ("Private_Clean:", "Private_Dirty:")) or 0 for pid in pids]
        return not own or max(own) * self.workers < free_memory() // 2

    def end(self):
        """Its workers do."""
        self._live = None

    def begin(self):
        """The next epoch."""
        begun = now()
        if self._live is not None and self._changed.persistent_workers and self.workers:
            own_iterators.reset(self._live, self._changed)
        else:
            self._live = None  # its workers end
            self._live = workers.noted(
                self.observation.make(self._changed, own_iterators.unwatched, True)
            )
        self.began(self._changed, self._live, now() - begun)

    def renew(self, iterator):
        """Its epochs are not the script's: get() begins them."""
        return None

    def get(self, engine, phase):
        if self._live is None:
            return self._first(engine, phase)
        try:
            return engine.real(self, self._live)
        except StopIteration:
            engine.forget()
        phase.interrupted()
        return self._first(engine, phase)

    def _first(self, engine, phase):
        """Of an epoch."""
        self.begin()
        phase.epoch_begun()
        asked = now()
        batch = engine.real(self, self._live)
        self.first_came(now() - asked)
        return batch


class FullStretchOfCopy(FullStretch):
    kind, fed_by = "f", "changed"
    is_ours = True

    def interrupted(self):
        """It may be the script's epoch that has ended, which says nothing of how long the copy's
        are."""
        self._whole = False
        super().interrupted()

    def _next(self, iterator):
        batch = self.feed.get(self._engine, self)
        # Its own loader has it left: the script's epoch ends before that one does.
        self._engine.lead.replayed += 1
        return batch


class LoaderStretchOfCopy(LoaderStretch):
    kind, fed_by = "l", "changed"

    def _next(self, iterator):
        return self.feed.get(self._engine, self)
