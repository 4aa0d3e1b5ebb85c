"""What the training loop's fetches get while something is measured."""

import time

from ..device_clock import DeviceClock, HostClock
from ..step_trace import WarmUp
from ..window import Window

now = time.monotonic_ns
NOTHING = object()


class Phase:
    """`ended(at)` says when the step of the batch that it got last was over; `get` gets the next
    one, or NOTHING: the next phase does."""

    kind = name = None
    done = False
    is_ours = False  # its steps are for our measuring alone: the job's time goes on without them
    fed_by = "lead"  # the loader of the engine's that it is given

    def __init__(self, engine, feed):
        self._engine, self.feed = engine, feed

    def ended(self, at):
        pass

    def interrupted(self):
        """An epoch has ended, or the script did something else between two batches."""

    def paused(self):
        """It did something else in the middle of an epoch."""
        self.interrupted()

    def epoch_begun(self):
        """iter() has just returned."""

    def held_up(self, ns):
        """The step was, by what belongs to getting its batch."""

    def partner(self, feed, iterator):
        return self._engine.real(feed, iterator)


class Stretch(Phase):
    """A phase with a window."""

    def __init__(self, engine, feed, size, workers, prefetched, warm_up=None):
        super().__init__(engine, feed)
        loads = self.kind in ("L", "l")  # no step runs
        self.clock = HostClock() if loads and engine.lead.made_on is None else DeviceClock()
        self.window = Window(
            size,
            warm_up or WarmUp(0, None, size["ns"], 0.05),
            workers,
            prefetched,
            self._on_edge,
            self.clock,
            1 if loads else engine.schedule.cycle,
        )
        self.window.requested = now()
        self._pending, self._waited = None, 0
        # The waits of this step for each partner; and those of the rows that are counted, with the
        # host's wait.
        self._of_partners, self._counted = {}, {}
        # When the step before was over, where the script did nothing else since: what we do before
        # the next batch is fetched is a wait of the script's, too.
        self._asked = None
        # Batches since the last interruption; whether they are an epoch from its beginning.
        self._number, self._whole = 0, False
        self._from_start = False  # of an epoch
        self.notes = []

    def _on_edge(self, edge, at):
        """A segment begins or ends."""
        self._engine.schedule.edge(self, edge, at)

    def _next(self, iterator):
        return self._engine.real(self.feed, iterator)

    def held_up(self, ns):
        self._waited += ns

    def ended(self, at):
        if self._pending is None:
            return
        asked, got, rows = self._pending
        self._pending, got, row = None, min(at, got + self._waited), len(self.window.rows)
        self._asked = self._add(asked, got, at, rows)
        if self._of_partners:
            waits, self._of_partners = self._of_partners, {}
            if len(self.window.rows) > row:
                self._counted[row] = waits, got - asked

    def epoch_begun(self):
        self._from_start = self._whole = True
        if not self.done:
            self.window.epoch_begun()

    def _add(self, asked, got, end, rows):
        # The first batches count only where an epoch has fewer batches than workers.
        if not self.window.discards and not self._from_start:
            return end
        self._number += 1
        self._waited = 0
        if not self.done:
            end = self.window.add(self._number, asked, got, end, rows)
            self.done = self.window.done
        return end

    def paused(self):
        self._whole = False
        self.interrupted()

    def interrupted(self):
        self._pending = self._asked = None
        if self._number and not self.done:
            as_it_was = self._whole and not self.feed.dropped and not self.feed.replayed
            self._window_ended(self._number if as_it_was else self.feed.batches)
        self._number, self._whole, self._from_start = 0, False, False

    def _window_ended(self, batches):
        self.window.epoch_ended(batches)

    def members(self):
        series, blob = self.window.series(self.kind not in "Ll")
        return dict(self.window.facts(), series=series, notes=self.notes + self.window.notes), blob
