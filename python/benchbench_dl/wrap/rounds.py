"""The rounds: what comes in which order, and how long each stretch is."""

import random
import time

from ..failure import scenario
from . import lengths
from .held_batches import room_for
from .script_saves import MOST_NS, Saves, SaveWait

NOTEWORTHY = 0.05  # of the time, waited for a loader


class Rounds:
    """`lengths`: as lengths.planned() has them; None: not planned yet."""

    def __init__(self, engine):
        self._engine, self._plan = engine, engine.plan
        self.finished = 0
        self.kinds, self.order, self.left = "", [], []
        self.lengths = None
        self.why = None  # the reason for measuring F only, where that was not asked for
        # Rounds that end with the epoch or with a save, and the batches of each of their stretches.
        self.short = (0, 0)
        self.held = None  # for T of those rounds, where they are fewer
        self.saves = Saves(engine)
        self._begun = 0
        self._random = random.Random(self._plan.get("seed") or 0)

    def plan(self, batch_ns, step_ns, workers, prefetched, together):
        """`step_ns`: of it, what is not waited for the loader; `together`: with other ranks."""
        engine, lead = self._engine, self._engine.lead
        self.kinds = (
            "F" if self._plan.get("keep_going") else "FTL" if engine.changed is None else "FTLfl"
        )
        slower = 1 if together else self._slower(batch_ns, prefetched + workers)
        how = (self._plan, batch_ns, workers, prefetched)
        plan = (
            lengths.before_others
            if self._plan.get("tune") and self.kinds != "F"
            else lengths.planned
        )
        self.lengths = plan(
            *how, len(self.kinds), slower, batch_ns - step_ns > NOTEWORTHY * batch_ns
        )
        self.why = (
            None
            if together or self.kinds == "F"
            else self._no_room(batch_ns, step_ns, workers, prefetched)
        )
        if self.why:
            self._f_only(lengths.planned(*how, 1, slower))
        if together:
            lengths.in_batches(self.lengths, batch_ns, workers)
        elif self.kinds != "F" and not (self._plan.get("budget") or {}).get("ns"):
            left = lead.batches - lead.served if lead.batches else None
            *self.short, self.held = lengths.within_epoch(
                left,
                self.lengths,
                batch_ns,
                workers,
                prefetched + workers,
                self.lengths["distinct"],
            )

    def _slower(self, batch_ns, discarded):
        lead = self._engine.lead
        of_epochs = lengths.slower(batch_ns, lead.batches, lead.epoch_ns, discarded)
        return (
            max(of_epochs, lengths.slower(batch_ns, self.saves.gap, 0, discarded))
            if self.saves.count > 1
            else of_epochs
        )

    def _no_room(self, batch_ns, step_ns, workers, prefetched):
        """For one round, as a sentence. None: there is."""
        if self._engine.full_alone:
            return self._engine.full_alone
        if not room_for(self._engine.last_batch, 1 + len(self._engine.partners)):
            return "a batch takes more than a quarter of the memory that is free"
        if self.lengths["needed_ns"]:
            return "a batch takes {:.3g} s: a round of all three has room in --budget {}s".format(
                batch_ns / 1e9, -(-self.lengths["needed_ns"] // 10**9)
            )
        if self.saves.count > 1 and self.saves.gap < lengths.least_between_saves(
            step_ns, workers, prefetched
        ):
            return (
                f"the script saves every {self.saves.gap} batches, which leaves no room for the "
                "other two in between"
            )
        return None

    def _f_only(self, planned):
        if planned["expected_ns"] > planned["ends_after_ns"]:
            raise scenario(self.why + "; in this one not even F has")
        self.kinds, self.lengths = (
            "F",
            dict(planned, needed_ns=self.lengths["needed_ns"], short=True),
        )

    def next(self):
        """Begins the next round. False: there is none."""
        if self.order:
            self.finished += 1
        else:
            self._begun = time.monotonic_ns()
        if not self._plan.get("keep_going") and self.finished >= self.lengths["rounds"]:
            return False
        order = self._random.sample(self.kinds, len(self.kinds))
        # F shows whether the script saves, and is there if nothing else will be.
        if self.finished == 0:
            order.sort(key=lambda kind: kind != "F")
        self.begin(order)
        return True

    def begin(self, order):
        self.order, self.left = list(order), list(order)

    def size_of(self, kind, batch_ns):
        if self._plan.get("keep_going"):
            elapsed = time.monotonic_ns() - self._begun
            return {
                "ns": lengths.watched(self.lengths["stretch_ns"], elapsed, batch_ns),
                "batches": self.lengths["batches"],
            }
        rounds, batches = self.short
        if self.finished < rounds:
            return {"ns": lengths.LEAST_NS, "batches": batches}
        return lengths.of_kind(kind, self.lengths["stretch_ns"], self.lengths["batches"], batch_ns)

    @property
    def distinct(self):
        """Batches to hold for T."""
        return (
            self.held if self.held and self.finished < self.short[0] else self.lengths["distinct"]
        )

    # The first stretches that are not F, between two saves

    def expect_saves(self):
        """After the first F, which the script has saved in or before: L, which takes least of its
        steps, comes last."""
        if self.saves.count and self.finished == 0:
            self.left.sort(key="FTflL".index)
            self.order[1:] = self.left

    def until_saved(self, batch_ns, step_ns, workers, prefetched):
        """A phase that waits for the next save; None: there is room before it, or it is far."""
        if not self.saves.count:
            return None
        beside = prefetched + workers + self.lengths["distinct"] + 2
        if self.saves.left >= self.lengths["rounds"] * (
            len(self.kinds) * self._batches(batch_ns) + beside
        ):
            return None
        if self.saves.left * batch_ns > MOST_NS:
            self.fit_between_saves(batch_ns, step_ns, workers, prefetched)
            return None
        return SaveWait(self._engine, self._engine.lead, self.saves)

    def fit_between_saves(self, batch_ns, step_ns, workers, prefetched):
        self.short = lengths.between_saves(
            self.saves.left,
            self.lengths["rounds"],
            self._batches(batch_ns),
            step_ns,
            workers,
            prefetched + workers,
            self.lengths["distinct"],
        )

    def _batches(self, batch_ns):
        """Of a stretch."""
        return max(self.lengths["batches"], self.lengths["stretch_ns"] // batch_ns)
