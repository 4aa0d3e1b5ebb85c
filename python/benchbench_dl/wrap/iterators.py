"""The iterators that a script makes of a loader: at which line, one for each batch (as
`next(iter(loader))` does), or one whose batches `itertools.cycle` keeps."""

import collections
import gc
import itertools
import sys

from .. import sources, trees
from . import events

ENOUGH = 5  # iterators, one after the other, from one place
FEW = 2  # batches of each, at most


class Iterators:
    """Those of one loader."""

    def __init__(self):
        self.where = None  # the place where the last one was made
        self.each_step = False
        self.cycled = False
        self.batch_bytes = 0
        # Whether it is cycled: the look takes longer, the more objects there are.
        self._looked = False
        self._alike = collections.Counter()  # by place: one after the other, of few batches each
        self._trainings = 0  # between these
        self.fetched, self._ended, self._took = 0, False, 0  # of the last one
        self._trained = self._others = 0  # when it was made
        self._forget()

    def _forget(self):
        """Counts from now on."""
        self.each_step = False
        self._alike.clear()
        self._made = self._fetches = self._trainings = 0
        self._ns = {"iter_ns": 0, "first_batch_ns": 0, "shutdown_ns": 0}
        self._let_go = self._thrown = 0

    def began(self, took, others):
        """iter() has returned. `others`: batches that other loaders have delivered so far. Returns
        True if each step made one before, and does not any more."""
        frame, was = sources.find_users_frame(sys._getframe(1)), self.each_step
        where = frame and sources.line_of(frame.f_code.co_filename, frame.f_lineno)
        few = 0 < self.fetched <= FEW and not self._ended
        # Else an epoch of another loader came between.
        feeds = others - self._others <= self.fetched
        if not few or not (feeds or was):
            self._forget()
        self._alike[where] += 1
        self._trainings += events.trained > self._trained
        self.each_step = self._alike[where] >= ENOUGH and self._trainings >= ENOUGH - 1
        self.where, self.fetched, self._ended, self._took = where, 0, False, took
        self._trained, self._others = events.trained, others
        return was and not self.each_step

    def asked(self):
        """Before each fetch. Returns True if more comes of the last one than each step would ask
        for: the loop is another one than it seemed to be."""
        if not self.each_step or self.fetched < FEW:
            return False
        self._forget()
        return True

    def came(self, took, iterator, batch):
        """A batch, of the loader itself: its second one, or where each step makes an iterator."""
        if self.fetched == 2 and sum(self._alike.values()) == 1 and not self._looked:
            self._looked, self.cycled = True, _is_cycled(iterator)
            self.batch_bytes = _size_of(batch) if self.cycled else 0
        if self.each_step:
            self._fetches += 1
            if self.fetched == 1:
                self._made += 1
                self._ns["iter_ns"] += self._took
                self._ns["first_batch_ns"] += took

    def ended(self):
        self._ended = True

    def lets_go(self, iterator):
        """The script wants no more batches of it: counts those that were asked for in vain."""
        if self.each_step and hasattr(iterator, "_send_idx"):
            self._let_go += 1
            self._thrown += iterator._send_idx - iterator._rcvd_idx

    def shut_down(self, took):
        self._ns["shutdown_ns"] += took

    def found(self, feed):
        """Returns one of `noticed`, or None. Without workers the first batch is like any other."""
        if not self._made or not self._fetches:
            return None
        numbers = {name: ns // self._made for name, ns in self._ns.items()}
        batches = max(1, round(self._fetches / self._made))  # of each
        ns = sum(numbers.values()) - (0 if feed.workers else numbers["first_batch_ns"])
        return {
            "kind": "iterator each step",
            "where": self.where or feed.where,
            "count": self._made,
            "what": feed.name or "",
            "ns": ns // batches,
            "numbers": dict(
                numbers,
                thrown_batches=round(self._thrown / max(1, self._let_go)),
                kept=int(feed.persistent),
            ),
        }


def _is_cycled(iterator):
    """True if itertools.cycle holds it, and all of its batches. Not to be asked at an iterator's
    first batch: the frames that the look makes kept an old one alive when the next one forked."""
    return any(type(holder) is itertools.cycle for holder in gc.get_referrers(iterator))


def _size_of(batch):
    """Bytes; 0: not known."""
    try:
        return sum(trees.bytes_of(leaf) for leaf in trees.leaves(batch))
    except Exception:  # of the script's own classes
        return 0
