"""What the training loop's fetches get while something is measured: the loader's batches (F), held ones (T), or a drained loader (L)."""
import time

from benchbench_child.step_trace import WarmUp
from benchbench_child.window import Window

from . import idle
from .bank import Bank

now = time.monotonic_ns
NOTHING = object()


def _nothing_to_wait_for():
    return None


class Stage:
    """`ended(at)` says when the step of the batch that it got last was over; `get` gets the next one, or NOTHING: the next stage does."""

    kind = phase = None
    done = False

    def __init__(self, engine, feed):
        self._engine, self._feed = engine, feed

    def ready(self):
        return True

    def ended(self, at):
        pass

    def interrupted(self):
        """An epoch has ended, or the script did something else between two batches."""

    def partner(self, feed, iterator):
        return self._engine.real(feed, iterator)


class Measured(Stage):
    """A stage with a window."""

    def __init__(self, engine, feed, size, workers, prefetched, warm_up=None):
        super().__init__(engine, feed)
        self.window = Window(size, warm_up or WarmUp(0, None, size["ns"], 0.05), workers, prefetched, self._on_edge,
                             engine.synchronize or _nothing_to_wait_for)
        self.window.requested = now()
        self._pending, self._waited = None, 0
        self._number, self._whole = 0, False
        self.notes = []

    @property
    def feed(self):
        return self._feed

    @property
    def done(self):
        return self.window.done

    def _on_edge(self, edge, at):
        self._engine.edge(self, edge, at)

    def _next(self, iterator):
        return self._engine.real(self._feed, iterator)

    def ended(self, at):
        if self._pending is None:
            return
        asked, got, rows = self._pending
        self._pending = None
        self._add(asked, min(at, got + self._waited), at, rows)

    def _add(self, asked, got, end, rows):
        self._number += 1
        self._waited = 0
        if not self.done:
            self.window.add(self._number, asked, got, end, rows)

    def interrupted(self):
        self._pending = None
        if self._number and not self.done:
            self.window.epoch_ended(self._number if self._whole else None)
        self._number, self._whole = 0, True

    def members(self):
        series, blob = self.window.series(self.kind != "L")
        return dict(self.window.facts(), series=series, notes=self.notes + self.window.notes), blob


class Through(Measured):
    """F, and the warm-up: the script as it is."""

    kind, phase = "F", "measuring"

    def __init__(self, engine, feed, size, warm_up=None):
        super().__init__(engine, feed, size, feed.workers, feed.prefetched, warm_up)
        self.window.expects(feed.batches)

    def get(self, iterator):
        if not self._number:
            self._engine.quiet_others(self._feed)
        asked = now()
        batch = self._next(iterator)
        got = now()
        self._pending = (asked, got, self._feed.rows_of(batch))
        return batch

    def partner(self, feed, iterator):
        asked = now()
        batch = self._engine.real(feed, iterator)
        self._waited += now() - asked
        return batch


class Waiting(Stage):
    """Until the fetch at which all ranks begin."""

    phase = "waiting"

    @property
    def done(self):
        agreed = self._engine.ranks.agreed
        return agreed is not None and self._feed.all_served >= agreed["start"]

    def get(self, iterator):
        return self._engine.real(self._feed, iterator)


class Collecting(Stage):
    """Fetches the batches that are replayed next; the script trains with them meanwhile."""

    phase = "fetching"

    def __init__(self, engine, feed, distinct):
        super().__init__(engine, feed)
        for fed in [feed] + engine.partners:
            fed.bank = Bank(distinct, engine.bank_limit)
        self._sizes = []

    @property
    def done(self):
        return self._feed.bank.full

    def interrupted(self):
        """What is left of an epoch is fewer: not replayed."""
        bank = self._feed.bank
        if len(self._sizes) > 1 and self._sizes[-1] < self._sizes[-2]:
            bank.drop_last()
        self._sizes.clear()

    def get(self, iterator):
        batch = self._engine.real(self._feed, iterator)
        self._sizes.append(self._feed.rows_of(batch))
        self._feed.bank.add(batch)
        return batch

    def partner(self, feed, iterator):
        batch = self._engine.real(feed, iterator)
        if not feed.bank.full:
            feed.bank.add(batch)
        return batch


class Replayed(Measured):
    """T: batches that are held, while the workers have nothing to do."""

    kind, phase = "T", "measuring"

    def __init__(self, engine, feed, size):
        warm_up = WarmUp(min(100_000_000, size["ns"] // 8), None, size["ns"], 0.05)
        super().__init__(engine, feed, size, 0, 0, warm_up)
        self._fed = [feed] + engine.partners
        for fed in self._fed:
            fed.bank.close()
        self.idle = True
        self._busy_from = None
        self.busy_ns = 0

    def _on_edge(self, edge, at):
        cpu = idle.cpu_ns(self._feed.pids())
        if edge == "begin":
            self._busy_from = cpu
        elif cpu is not None and self._busy_from is not None:
            self.busy_ns += max(0, cpu - self._busy_from)
        super()._on_edge(edge, at)

    def get(self, iterator):
        if not self._number:  # an epoch may begin in between
            self._wait_until_idle()
        asked = now()
        batch = self._feed.bank.get()
        self._pending = (asked, now(), self._feed.rows_of(batch))
        return batch

    def _wait_until_idle(self):
        self._engine.quiet_others(None)
        for fed in self._fed:
            self.idle = fed.wait_until_idle() and self.idle
        self.window.requested = now()

    def partner(self, feed, iterator):
        return feed.bank.get() if feed in self._fed and len(feed.bank) else self._engine.real(feed, iterator)

    def members(self):
        members, blob = super().members()
        members.update(self._feed.bank.facts(), busy_ns=self.busy_ns, idle=self.idle)
        return members, blob


class Drained(Measured):
    """L: within one fetch of the script's, as fast as the loader gives them. The script gets at least one batch of each epoch:
    what it does after an epoch may count on it."""

    kind, phase = "L", "measuring"

    def __init__(self, engine, feed, size):
        super().__init__(engine, feed, size, feed.workers, feed.prefetched)
        self.window.expects(feed.batches - 1 if feed.batches else None)
        self._owed = {}

    def ready(self):
        return self._feed.served > 0 and all(partner.served for partner in self._engine.partners)

    def get(self, iterator):
        self._engine.quiet_others(self._feed)
        while not self.done:
            asked = now()
            batch = self._next(iterator)
            self._of_partners()
            got = now()
            self._add(asked, got, got, self._feed.rows_of(batch))
            self._engine.tick(got)
        return NOTHING

    def _of_partners(self):
        """As many as the script gets for each batch of the leading loader."""
        for partner in self._engine.partners:
            owed = self._owed.get(partner, 0) + self._engine.share_of(partner)
            while owed >= 1:
                owed -= 1
                self._engine.real(partner, partner.iterator())
            self._owed[partner] = owed
