"""Which of the script's loaders feeds its training: one whose batches are followed by a backward."""
import sys
import time

from . import events

now = time.monotonic_ns
ENOUGH = 2           # fetches that were followed by one
WITHOUT = 16         # batches of a loop that has no backward
PATIENCE_NS = 20 * 10**9  # the same under eval() or no_grad, which is rather a validation


class Looking:
    def __init__(self, engine):
        self._engine = engine
        self._since = None

    def asked(self, feed):
        """Before each fetch of a loader that is not the measured one."""
        if feed.fetched and events.backwards > feed.backwards:
            feed.trained += 1
        feed.backwards = events.backwards
        if self._engine.lead is None:
            if self._is_it(feed):
                self._choose(feed)
        elif feed.trained >= ENOUGH - 1 and feed not in self._engine.partners and self._engine.course.warms_up:
            self._join(feed)

    def served(self, feed, iterator):
        asked = now()
        self._since = self._since or asked
        self._engine.course.tick(asked)
        first = feed.fetched == 0
        batch = self._engine.real(feed, iterator)
        if first:
            feed.first_came(now() - asked)
        feed.gave()
        return batch

    def _is_it(self, feed):
        wanted = self._engine.plan.get("loader")
        if wanted:
            return feed.name == wanted and feed.all_served >= ENOUGH
        if feed.trained >= ENOUGH:
            return True
        if events.backwards or feed.all_served < WITHOUT:
            return False
        validates = events.evaluating or not sys.modules["torch"].is_grad_enabled()
        return not validates or now() - self._since > PATIENCE_NS

    def _choose(self, feed):
        partners = [other for other in self._engine.feeds if other is not feed and other.trained >= ENOUGH - 1]
        for partner in partners:
            partner.ratio = partner.all_served / feed.all_served
        self._engine.start(feed, partners)

    def _join(self, feed):
        """It feeds the same steps, but not each of them: its second batch comes after the other one was chosen."""
        feed.ratio = feed.all_served / self._engine.lead.all_served
        self._engine.partners.append(feed)
        self._engine.course.start()
