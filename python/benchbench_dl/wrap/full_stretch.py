"""Batches as they come: F, and what is between stretches."""

import collections
import time

from . import findings
from .stretch import Phase, Stretch

now = time.monotonic_ns
SLOW_NS = 10**9  # of a step


class FullStretch(Stretch):
    """F: the script as it is."""

    kind, name = "F", "measuring"

    def __init__(self, engine, feed, size, warm_up=None):
        super().__init__(engine, feed, size, feed.workers, made_before(engine, feed), warm_up)
        self.window.expects(feed.batches)
        # Nothing was switched: what is discarded after that was before this stretch.
        if not engine.schedule.steered:
            self._number = max(0, min(feed.served, self.window.discards) - 1)
        # After T and L, until the batches that were made meanwhile are used up.
        self.is_ours = self.is_ours or engine.schedule.steered

    def _on_edge(self, edge, at):
        self._engine.ledger.paused = type(self).is_ours
        super()._on_edge(edge, at)

    def get(self, iterator):
        if not self._number:
            self._engine.schedule.quiet_others(self.feed)
        asked, self._asked = self._asked or now(), None
        batch = self._next(iterator)
        self._pending = asked, now(), self.feed.rows_of(batch)
        return batch

    def partner(self, feed, iterator):
        asked = now()
        batch = self._engine.real(feed, iterator)
        took = now() - asked
        self._waited += took
        self._of_partners[feed] = self._of_partners.get(feed, 0) + took
        return batch

    def interrupted(self):
        super().interrupted()
        self._of_partners.clear()
        counted = len(self.window.rows)
        self._counted = {row: waits for row, waits in self._counted.items() if row < counted}

    def waits(self):
        """{loader that feeds these steps: ns waited for it}, over all steps that are counted. The
        device waits for each in proportion to what the host did."""
        of = dict.fromkeys(self._engine.partners, 0)
        for row, (waits, whole) in self._counted.items():
            for fed, ns in waits.items() if whole else ():
                of[fed] += ns * min(self.window.get_ns[row], whole) // whole
        of[self.feed] = max(0, sum(self.window.get_ns) - sum(of.values()))
        return of

    def members(self):
        members, blob = super().members()
        waits = self.waits()
        del waits[self.feed]
        members["partners"] = [{"name": fed.name, "wait_ns": ns} for fed, ns in waits.items()]
        return members, blob


def made_before(engine, feed):
    """Batches that may be there when a stretch begins, of any loader that feeds its steps."""
    return max(fed.prefetched + fed.workers for fed in [feed] + engine.partners) - feed.workers


class WarmUpStretch(FullStretch):
    """Until F is steady, or its last steps took so long that it would be too much to wait for
    that."""

    kind, name = None, "warming up"

    def __init__(self, *args):
        super().__init__(*args)
        # Steps: (all that each waited, of partners, as a whole).
        self._recent = collections.deque(maxlen=2)

    def get(self, iterator):
        batch = super().get(iterator)
        self.feed.made_on = self.feed.made_on or findings.device_of(batch)
        return batch

    def _add(self, asked, got, end, rows):
        self._recent.append((got - asked, dict(self._of_partners), end - asked))
        self.feed.rows = max(self.feed.rows, rows)
        end = super()._add(asked, got, end, rows)
        self.done = self.done or self.is_slow
        return end

    def interrupted(self):
        super().interrupted()
        self._recent.clear()

    @property
    def is_slow(self):
        return len(self._recent) == 2 and min(whole for _, _, whole in self._recent) > SLOW_NS

    @property
    def _whole_ns(self):
        """The time of the steps that are counted, or else of the last ones."""
        if len(self.window.rows):
            return self.window.measured_ns
        return sum(whole for _, _, whole in self._recent)

    @property
    def batch_ns(self):
        steps = len(self.window.rows)
        ns = self._whole_ns // (steps or max(1, len(self._recent)))
        return max(1, ns) if steps else ns

    def waits(self):
        if len(self.window.rows):
            return super().waits()
        of = {
            fed: sum(waits.get(fed, 0) for _, waits, _ in self._recent)
            for fed in self._engine.partners
        }
        of[self.feed] = sum(waited for waited, _, _ in self._recent) - sum(of.values())
        return of

    def waited_share(self, fed):
        return self.waits()[fed] / max(1, self._whole_ns)

    def facts(self):
        window = self.window
        if window.done:
            return window.facts()
        took = now() - window.requested
        return {"warmup_ns": took, "warmup_steps": window.seen, "steady": False}

    def _on_edge(self, edge, at):
        self._engine.ledger.paused = False


class UnmeasuredPhase(Phase):
    """The script as it is."""

    def get(self, iterator):
        return self._engine.real(self.feed, iterator)


class AnswerWait(UnmeasuredPhase):
    """The script as it is, until benchbench has said what comes."""

    name = "waiting"

    @property
    def done(self):
        return self._engine.schedule.orders.is_answered


class RankWait(UnmeasuredPhase):
    """Until the fetch at which all ranks begin."""

    name = "waiting"

    @property
    def done(self):
        agreed = self._engine.schedule.ranks.agreed
        return agreed is not None and self.feed.all_served >= agreed["start"]
