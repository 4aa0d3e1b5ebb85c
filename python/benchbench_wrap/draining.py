"""L: the loader alone."""
import time

from .stage import NOTHING, Measured

now = time.monotonic_ns


class Drained(Measured):
    """L: within one fetch of the script's, as fast as the loader gives them. The script gets at least one batch of each epoch:
    what it does after an epoch may count on it."""

    kind, phase = "L", "measuring"

    def __init__(self, engine, feed, size):
        super().__init__(engine, feed, size, feed.workers, feed.prefetched)
        self.window.expects(feed.batches)
        self._owed = {}

    def ready(self):
        return self._feed.served > 0 and all(partner.served for partner in self._engine.partners)

    def get(self, iterator):
        self._engine.course.quiet_others(self._feed)
        asked = now()
        while not self.done:
            batch = self._next(iterator)
            self._feed.dropped += 1
            self._of_partners()
            got = now()
            asked = self._add(asked, got, got, self._feed.rows_of(batch))
            self._engine.course.tick(got)
        return NOTHING

    def _of_partners(self):
        """As many as the script gets for each batch of the leading loader."""
        for partner in self._engine.partners:
            owed = self._owed.get(partner, 0) + partner.ratio
            while owed >= 1:
                owed -= 1
                self._engine.real(partner, partner.iterator())
                partner.dropped += 1
            self._owed[partner] = owed
