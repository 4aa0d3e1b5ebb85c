"""L: the loader alone."""

import time

from .stretch import NOTHING, Stretch

now = time.monotonic_ns


class LoaderStretch(Stretch):
    """L: within one fetch of the script's, as fast as this loader gives them; others that feed the
    same steps rest, their queues full. The script gets at least one batch of each epoch: what it
    does after an epoch may count on it."""

    kind, name = "L", "measuring"
    is_ours = True

    def __init__(self, engine, feed, size):
        super().__init__(engine, feed, size, feed.workers, feed.prefetched)
        self.window.expects(feed.batches)

    def get(self, iterator):
        if self.feed.served == 0 and self.feed is self._engine.lead:
            return self._engine.real(self.feed, iterator)
        self._engine.schedule.quiet_others(self.feed)
        self.clock.look()
        self.clock.mark(now())
        self.clock.wait()  # what the script's steps have left to do is no part of the loader's time
        asked = now()
        while not self.done:
            batch = self._next(iterator)
            self.feed.dropped += 1
            got = now()
            asked = self._add(asked, got, got, self.feed.rows_of(batch))
            self._engine.schedule.tick(got)
        return NOTHING
