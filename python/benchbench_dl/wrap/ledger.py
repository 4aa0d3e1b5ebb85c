"""The wall time of the training's thread, divided: each ns has one state. Always on; it costs a
step four looks at the clock, which say how long its fetch took, too."""

import sys
import threading
import time

from .. import sources
from .loop_times import LoopTimes

now = time.monotonic_ns
get_ident = threading.get_ident
ELSEWHERE = object()  # in place of a row: another thread, or nothing to go back to


class Ledger:
    """Counts from the first iter() on, in the thread that it was called in. `paused`, and within
    our own code, the time that passes is not the script's, and is left out."""

    def __init__(self):
        self._thread = get_ident()
        self._loops = []  # that go on, the innermost last
        self._known = {}  # (feed, place): LoopTimes
        self._other, self._ours = [0, 0], [0, 0]
        self._saves = {}  # (saver, place): row
        self._saving = False
        self._row, self._at = self._other, now()
        self.paused = False  # while the script's steps are for our measuring alone
        self._beginning = None  # rows as they were when the training had begun

    def _to(self, row):
        """Returns the row that was counted on until now."""
        at, was = now(), self._row
        was[0] += at - self._at
        self._at, self._row = at, self._ours if self.paused else row
        return was

    def _enter(self, row):
        """Returns what back() takes: the row until now (None: the script's own code), the time."""
        if row is None or get_ident() != self._thread:
            return ELSEWHERE, now()
        here = self._row is self._row_here()
        was = self._to(row)
        return None if here else was, self._at

    def back(self, was):
        """Goes on where a call that returned `was` began. Returns how long that took."""
        row, begun = was or (ELSEWHERE, now())  # the call failed
        if row is ELSEWHERE or get_ident() != self._thread:
            return now() - begun
        self._to(self._row_here() if row is None else row)
        return self._at - begun

    # iter() and what ends workers

    def enters_ours(self):
        """Our own code follows. Returns what back() takes."""
        return self._enter(self._ours)

    def begins(self, feed):
        """Before iter(). Returns what back() takes."""
        if get_ident() == self._thread:
            feed.loop = self._loop_of(feed, _users_place())
            feed.loop.iter[1] += not self.paused
            self._leave(feed)
        return self._enter(feed.loop and feed.loop.iter)

    def shuts_down(self, feed):
        """Before its workers are ended. Returns what back() takes."""
        loop = feed.loop
        if get_ident() == self._thread and loop is not None:
            loop.shutdown[1] += not self.paused
        return self._enter(loop and loop.shutdown)

    def _loop_of(self, feed, place):
        key = feed, place
        if key not in self._known:
            self._known[key] = LoopTimes(feed, place)
        return self._known[key]

    def _leave(self, feed):
        """Its last loop is over, with those within it, and so are those whose iterators are
        gone."""
        for at, loop in enumerate(self._loops):
            if loop.feed is feed:
                del self._loops[at:]
                break
        self._loops = [loop for loop in self._loops if loop.feed.iterator() is not None]

    def _row_here(self):
        return self._loops[-1].now if self._loops else self._other

    # Fetches

    # Each of these is called once a step, and calls nothing but the clock.

    def asked(self):
        """The script asks for a batch: what follows is our own code. Returns the time."""
        at = now()
        if get_ident() == self._thread:
            self._row[0] += at - self._at
            self._at, self._row = at, self._ours
        return at

    def waits(self, feed):
        """The loader is asked for a batch. Returns the time."""
        at, loop = now(), feed.loop
        if get_ident() == self._thread and loop is not None:
            self._row[0] += at - self._at
            row = loop.wait if feed.fetched else loop.first
            self._at, self._row = at, self._ours if self.paused else row
        return at

    def came(self, asked):
        """The batch has come that was asked for then. Returns how long it took."""
        at = now()
        if get_ident() == self._thread:
            row = self._row
            row[0] += at - self._at
            row[1] += 1
            self._at, self._row = at, self._ours
        return at - asked

    def gave(self, feed):
        """The script has got a batch, and goes on."""
        loop = feed.loop
        if get_ident() != self._thread or loop is None:
            return
        loops, paused = self._loops, self.paused
        if not loops or loops[-1] is not loop:
            self._descend(loop)
        if loop.end[1]:
            loop.ends_step()
        row, at = loop.step, now()
        row[1] += not paused
        self._row[0] += at - self._at
        self._at, self._row = at, self._ours if paused else row

    def _descend(self, loop):
        if loop in self._loops:
            del self._loops[self._loops.index(loop) + 1 :]
        else:
            self._loops.append(loop)

    def ended(self, feed):
        """The script has got no batch, but an exception."""
        if get_ident() != self._thread:
            return
        if isinstance(sys.exc_info()[1], StopIteration):
            self._leave(feed)
        self._to(self._row_here())

    # Within steps

    def optimized(self, at):
        """An optimizer has stepped."""
        if get_ident() != self._thread or self.paused or not self._loops:
            return
        loop = self._loops[-1]
        self._row[0] += at - self._at
        self._at, self._row = at, loop.end
        loop.trained += 1
        if loop.end[1]:
            loop.goes_on()
        loop.end[1] = 1
        if self._beginning is None:
            self.training_has_begun()

    def training_has_begun(self):
        """Notes the rows so far: they come once in a job."""
        if self._beginning is None:
            self._beginning = self._rows()

    def saves(self, saver):
        """Before something is saved. Returns what saved() takes."""
        if get_ident() != self._thread or self._saving or self._row is self._ours:
            return None
        row = self._saves.setdefault((saver, _users_place()), [0, 0])
        row[1] += 1
        self._saving = True
        return self._enter(row)

    def saved(self, was):
        if was:
            self._saving = False
            self.back(was)

    # The end

    def close(self):
        """Nothing more is counted."""
        thread, self._thread = self._thread, None
        if get_ident() == thread:
            self._to(self._ours)

    def _rows(self):
        rows = {("other", None, None, None): tuple(self._other)}
        for (saver, place), row in self._saves.items():
            rows["save", None, saver, place] = tuple(row)
        for (feed, place), loop in self._known.items():
            for state, row in loop.rows().items():
                rows[state, feed, None, place] = row
        return rows

    def members(self, lead, partners):
        """`ledger` of ../WRAP.md; None: it was not seen in this thread."""
        loops = self._known.values()
        if lead is None and loops:  # the loop that may be it
            lead = max(loops, key=lambda loop: loop.trained).feed
        if not any(loop.step[1] for loop in loops if loop.feed is lead):
            return None
        if self._thread == get_ident():
            self._to(self._row)
        training = {loop.feed for loop in loops if loop.trained} | {lead, *partners}
        before = self._beginning or {}
        return {
            "batches": sum(loop.first[1] + loop.wait[1] for loop in loops if loop.feed is lead),
            "rows": [
                _member(key, row, before.get(key, (0, 0)), training)
                for key, row in self._rows().items()
                if row[0] or row[1]
            ],
        }


def _member(key, row, before, training):
    state, feed, saver, place = key
    return {
        "state": state,
        "loader": feed.name if feed is not None else None,
        "made": feed.where if feed is not None else None,
        "trains": feed in training,
        "workers": feed.workers if feed and (feed.remade or not feed.persistent) else 0,
        "saver": saver,
        "where": sources.line_of(*place) if place else None,
        "ns": row[0],
        "count": row[1],
        "before_ns": before[0],
        "before": before[1],
    }


def _users_place():
    """(file, line) of the user's innermost frame; None: there is none."""
    frame = sources.find_users_frame(sys._getframe(2))
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else None
