"""T: batches that were fetched before."""

import time

from ..held_batches import HeldBatches
from ..memory import free_memory
from ..step_trace import WarmUp
from . import idle
from .stretch import Phase, Stretch

now = time.monotonic_ns


class BatchCollection(Phase):
    """Fetches the batches that are replayed next; the script trains with them meanwhile."""

    name = "fetching"
    is_ours = True

    def __init__(self, engine, feed, distinct, limit):
        super().__init__(engine, feed)
        feeding = [feed] + engine.partners
        limit = free_memory() // 4 if limit is None else limit
        for fed in feeding:
            fed.held = HeldBatches(distinct, limit // len(feeding))
        self._rows = None  # of the batch that was held last, in this epoch

    @property
    def done(self):
        return self.feed.held.full

    def interrupted(self):
        """What is left of an epoch is fewer: not replayed."""
        if self._rows is not None and self._rows < self.feed.rows:
            self.feed.held.drop_last()
        self._rows = None

    def get(self, iterator):
        batch, feed = self._engine.real(self.feed, iterator), self.feed
        rows = feed.rows_of(batch)
        # The last one, after which T may come at once.
        if rows < feed.rows and feed.fetched == feed.batches:
            return batch
        self._rows = rows
        feed.held.add(batch)
        return batch

    def partner(self, feed, iterator):
        batch = self._engine.real(feed, iterator)
        if not feed.held.full:
            feed.held.add(batch)
        return batch


class TrainerStretch(Stretch):
    """T: batches that are held, while the workers have nothing to do."""

    kind, name = "T", "measuring"
    is_ours = True

    def __init__(self, engine, feed, size):
        warm_up = WarmUp(min(100_000_000, size["ns"] // 8), None, size["ns"], 0.05)
        super().__init__(engine, feed, size, 0, 0, warm_up)
        self._fed = [feed] + engine.partners
        for fed in self._fed:
            fed.held.close()
        self.idle, self._began = True, False
        self._busy_from = None
        self.busy_ns = 0

    def _window_ended(self, batches):
        self.window.epoch_ended(None)  # as many as the script asks for

    def _on_edge(self, edge, at):
        cpu = idle.cpu_ns(self.feed.pids())
        if edge == "begin":
            self._busy_from = cpu
        elif cpu is not None and self._busy_from is not None:
            self.busy_ns += max(0, cpu - self._busy_from)
        super()._on_edge(edge, at)

    def get(self, iterator):
        if self.feed.had_all:
            return self._next(iterator)
        if not self._number:  # an epoch may begin in between
            self._wait_until_idle()
        asked, self._asked = self._asked or now(), None
        batch = self.feed.held.get()
        self._pending = (asked, now(), self.feed.rows_of(batch))
        self.feed.replayed += 1
        return batch

    def _wait_until_idle(self):
        self._engine.schedule.quiet_others(None)
        for fed in self._fed:
            self.idle = fed.wait_until_idle() and self.idle
        if not self._began:
            self._began, self.window.requested = True, now()

    def partner(self, feed, iterator):
        if not feed.held or feed.had_all:
            return self._engine.real(feed, iterator)
        feed.replayed += 1
        return feed.held.get()

    def members(self):
        members, blob = super().members()
        members.update(self.feed.held.facts(), busy_ns=self.busy_ns, idle=self.idle)
        for fed in self._fed:
            fed.held = None
        return members, blob
