"""Batches as they come: F, and what is between stretches."""
import time

from .stage import Measured, Stage

now = time.monotonic_ns


class Through(Measured):
    """F: the script as it is."""

    kind, phase = "F", "measuring"

    def __init__(self, engine, feed, size, warm_up=None):
        super().__init__(engine, feed, size, feed.workers, feed.prefetched, warm_up)
        self.window.expects(feed.batches)

    def get(self, iterator):
        if not self._number:
            self._engine.course.quiet_others(self._feed)
        asked = self._asks()
        batch = self._next(iterator)
        got = now()
        self._pending = (asked, got, self._feed.rows_of(batch))
        return batch

    def partner(self, feed, iterator):
        asked = now()
        batch = self._engine.real(feed, iterator)
        self._waited += now() - asked
        return batch


class WarmingUp(Through):
    """Until F is steady."""

    kind, phase = None, "warming up"

    def _on_edge(self, edge, at):
        pass


class Waiting(Stage):
    """Until the fetch at which all ranks begin."""

    phase = "waiting"

    @property
    def done(self):
        agreed = self._engine.course.ranks.agreed
        return agreed is not None and self._feed.all_served >= agreed["start"]

    def get(self, iterator):
        return self._engine.real(self._feed, iterator)
