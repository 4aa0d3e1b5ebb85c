"""Batches as they come: F, and what is between stretches."""
import time

from .stage import Measured, Stage

now = time.monotonic_ns


class Through(Measured):
    """F: the script as it is."""

    kind, phase = "F", "measuring"

    def __init__(self, engine, feed, size, warm_up=None):
        super().__init__(engine, feed, size, feed.workers, made_before(engine, feed), warm_up)
        self.window.expects(feed.batches)
        self._of_partners, self._counted = {}, []  # what this step waited for each; and those that are counted

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
        took = now() - asked
        self._waited += took
        self._of_partners[feed] = self._of_partners.get(feed, 0) + took
        return batch

    def _add(self, asked, got, end, rows):
        waits, self._of_partners = self._of_partners, {}
        counted = len(self.window.rows)
        end = super()._add(asked, got, end, rows)
        self._counted += [waits] * (len(self.window.rows) - counted)
        return end

    def interrupted(self):
        super().interrupted()
        self._of_partners.clear()
        del self._counted[len(self.window.rows):]

    def waits(self):
        """{loader that feeds these steps: ns waited for it}, over all steps that are counted."""
        of = {fed: sum(waits.get(fed, 0) for waits in self._counted) for fed in self._engine.partners}
        of[self._feed] = max(0, sum(self.window.get_ns) - sum(of.values()))
        return of

    def members(self):
        members, blob = super().members()
        members["partners"] = [{"name": fed.name, "wait_ns": ns} for fed, ns in self.waits().items() if fed is not self._feed]
        return members, blob


def made_before(engine, feed):
    """Batches that may be there when a stretch begins, of any loader that feeds its steps."""
    return max(fed.prefetched + fed.workers for fed in [feed] + engine.partners) - feed.workers


class WarmingUp(Through):
    """Until F is steady."""

    kind, phase = None, "warming up"

    def _on_edge(self, edge, at):
        pass


class Unmeasured(Stage):
    """The script as it is."""

    def get(self, iterator):
        return self._engine.real(self._feed, iterator)


class Waiting(Unmeasured):
    """Until the fetch at which all ranks begin."""

    phase = "waiting"

    @property
    def done(self):
        agreed = self._engine.course.ranks.agreed
        return agreed is not None and self._feed.all_served >= agreed["start"]
