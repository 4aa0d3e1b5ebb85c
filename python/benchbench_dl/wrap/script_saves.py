"""The script's own saves, as long as it is as it was: how far apart they are, for the rounds to
have room between two of them."""

from .stretch import Phase


class Saves:
    def __init__(self, engine):
        self._engine, self._at = engine, []

    def noted(self):
        """A saver is about to write."""
        at = self._served()
        if at > (self._at[-1] if self._at else 0):
            self._at.append(at)

    def _served(self):
        lead = self._engine.lead
        return (
            lead.all_served
            if lead is not None
            else max((feed.all_served for feed in self._engine.feeds), default=0)
        )

    @property
    def count(self):
        return len(self._at)

    @property
    def gap(self):
        """Batches from one to the next, as far as it is known; None: none was seen since the first
        batch."""
        return self._at[-1] - (self._at[-2] if len(self._at) > 1 else 0) if self._at else None

    @property
    def left(self):
        """Batches until the next one."""
        return max(0, self.gap - (self._served() - self._at[-1]))


class SaveWait(Phase):
    """Batches as they come, until the script has saved once more. Where it does not after all, for
    twice as long as it should take."""

    name = "waiting"

    def __init__(self, engine, feed, saves):
        super().__init__(engine, feed)
        self._saves, self._before = saves, saves.count
        self._last = feed.all_served + 2 * saves.left

    @property
    def has_saved(self):
        return self._saves.count > self._before

    @property
    def done(self):
        return self.has_saved or self._feed.all_served > self._last

    def get(self, iterator):
        return self._engine.real(self._feed, iterator)
