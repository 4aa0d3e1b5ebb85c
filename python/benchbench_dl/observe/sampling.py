"""The time until a sampler has the indices of its first batch: one that shuffles draws the whole
epoch's order before."""

import inspect
from time import monotonic_ns

from ..sources import is_iterable_style
from .overriding import override

_NONE = object()


def time_sampler(loader, starts):
    """Of a loader that is ours to change: each epoch's time is added to `starts`. By a class of its
    own: its samplers stay the user's objects for all other code."""
    kind = type(loader)
    if is_iterable_style(loader.dataset) or not isinstance(
        getattr(kind, "_index_sampler", None), property
    ):
        return
    sampler = property(lambda self: TimedSampler(kind._index_sampler.fget(self), starts))
    override(loader, _index_sampler=sampler, __module__=kind.__module__)


class TimedSampler:
    def __init__(self, inner, starts):
        self._inner, self._starts = inner, starts

    def __len__(self):
        return len(self._inner)

    def __getattr__(self, name):
        if name == "_inner":  # of a copy that is being made
            raise AttributeError(name)
        return getattr(self._inner, name)

    def __iter__(self):
        begin = monotonic_ns()
        iterator = iter(self._inner)
        spent = monotonic_ns() - begin
        if inspect.isgenerator(iterator):
            return self._first_timed(iterator, spent)
        self._starts.append(spent)  # an iterator of its own may have a state that is asked for
        return iterator

    def _first_timed(self, iterator, spent):
        """Not before it is asked for: what a sampler draws comes in its order."""
        begin = monotonic_ns()
        first = next(iterator, _NONE)
        self._starts.append(spent + monotonic_ns() - begin)
        if first is not _NONE:
            yield first
            yield from iterator
