"""Recognises the script's loader that feeds its training: one whose batches are followed by a
backward or an optimizer's step."""

import time

from ..failure import scenario
from . import events, loader_names

now = time.monotonic_ns
ENOUGH = 2  # fetches that were followed by one
WITHOUT = 16  # batches of a loop in which none is
FEW = 64  # steps of a training, within which a loader that is asked for by name is made
EVALUATES_NS = 20 * 10**9  # how long a loop without either is watched, where no optimizer was made
# The same where one was: a validation, or a look at the data, before the training.
TRAINS_NS = 120 * 10**9


class Recognition:
    def __init__(self, engine):
        self._engine = engine
        self._since = None
        self.unsure = False  # the measured one was chosen without a sign of training

    def asked(self, feed):
        """Before each fetch of a loader that is not the measured one; of any, while that one is not
        certain."""
        if feed.fetched and events.trained > feed.trained_before and self._may_train(feed):
            feed.trained += 1
        feed.trained_before = events.trained
        if self._engine.lead is None:
            self._refuse_unknown(feed)
            if self._is_it(feed):
                self._choose(feed)
        elif feed.trained >= ENOUGH and self.unsure and not self._engine.schedule.ranks:
            self._engine.start_over()
            self._choose(feed)
        elif feed.trained >= ENOUGH - 1 and self._could_join(feed):
            self._join(feed)

    def _may_train(self, feed):
        """Its batches are fetched where the training is, or in a thread that does nothing else for
        it."""
        return feed.thread == events.training or not any(
            other.thread == events.training for other in self._engine.feeds
        )

    def served(self, feed, iterator):
        asked = now()
        if self._since is None:  # the first batch of all is not kept waiting
            self._since = asked
        else:
            self._engine.schedule.tick(asked)
        if feed.over:  # it was measured until something else was seen to be the training
            self._engine.end_epoch(feed)
        first = feed.fetched == 0
        batch = self._engine.real(feed, iterator)
        if first:
            feed.first_came(now() - asked)
        return batch

    def _is_it(self, feed):
        wanted = self._engine.plan.get("loader")
        if wanted:
            return feed.is_called(wanted) and feed.all_served >= ENOUGH
        if feed.trained >= ENOUGH:
            return True
        return not events.trained and feed.all_served >= WITHOUT and self._has_had_its_time()

    def _has_had_its_time(self):
        """True if a loop without training was watched for as long as one before a training may
        take."""
        return now() - self._since > (TRAINS_NS if events.optimizers else EVALUATES_NS)

    def _choose(self, feed):
        self.unsure = feed.trained < ENOUGH and not self._engine.plan.get("loader")
        others = [other for other in self._engine.feeds if other is not feed]
        self._engine.start(feed, [other for other in others if other.trained >= ENOUGH - 1])

    def _refuse_unknown(self, feed):
        """A loader that was asked for by name, and is not there though the training goes on."""
        wanted, feeds = self._engine.plan.get("loader"), self._engine.feeds
        if (
            not wanted
            or not self._goes_on(feed)
            or any(other.is_called(wanted) for other in feeds)
            or loader_names.is_there(wanted)
        ):
            return
        import difflib  # in vain in most scripts

        near = difflib.get_close_matches(
            wanted, [name for other in feeds for name in other.all_names()], 1
        )
        raise scenario(
            "no loader is called {}{}; iterated so far: {}".format(
                wanted,
                f" (did you mean {near[0]}?)" if near else "",
                ", ".join(other.name or other.where or "one without a name" for other in feeds),
            )
        )

    def _goes_on(self, feed):
        """A loop that trains, or one that has had its time to show that it does."""
        if events.trained:
            return feed.trained >= FEW or (
                feed.trained > 0 and feed.epochs > 1 and not feed.fetched
            )
        return feed.all_served >= FEW and self._has_had_its_time()

    def _could_join(self, feed):
        return (
            feed is not self._engine.lead
            and feed not in self._engine.partners
            and self._engine.schedule.warms_up
        )

    def _join(self, feed):
        """It feeds the same steps, but not each of them: its second batch comes after the other one
        was chosen."""
        self._engine.partners.append(feed)
        self._engine.schedule.start()
