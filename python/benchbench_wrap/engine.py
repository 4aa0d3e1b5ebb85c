"""Which loader is measured, and what comes when: stretches of F, T and L, in rounds."""
import os
import random
import sys
import time

from benchbench_child import workers
from benchbench_child.failure import Failure, scenario
from benchbench_child.step_trace import WarmUp
from benchbench_child.versions import versions

from . import events, lengths, ranks, stop, trying
from .bank import room_for
from .feed import Feed
from .looking import Looking
from .stages import NOTHING, Collecting, Drained, Replayed, Through, Waiting

now = time.monotonic_ns
REPORT_NS = 250_000_000
KINDS = {"F": Through, "T": Replayed, "L": Drained, "f": trying.ThroughChanged, "l": trying.DrainedChanged}


class Stopped(SystemExit):
    """`stop: exception`: ends the script with its `finally` and `atexit`."""


class Engine:
    def __init__(self, session):
        self.session, self.plan = session, session.plan
        self.active = True
        self.steered = False      # batches were held back or served twice: nothing that the script saves is true any more
        self.measuring = False
        self.feeds, self.lead, self.partners = [], None, []
        self.stage = None
        self.synchronize = None
        self.batch_ns = 0
        self.lengths = None
        self.rounds = 0           # finished
        self._left, self._order = [], []
        self._random = random.Random(self.plan.get("seed") or 0)
        self._looking = Looking(self)
        self._users = None        # the exception that the script's own code raised
        self._original = None
        self._planned_at = None
        self._reported = 0
        self.stopping = False
        self.ranks = None
        self.bank_limit = None
        self.distinct = self.plan.get("distinct") or 16
        self._last_batch = None
        self.changed, self._tried = None, []

    def watches(self):
        return self.active and os.getpid() == self.session.pid

    # Epochs

    def begin(self, loader, make):
        """(its iterator, how long it took)."""
        feed = self._feed_of(loader)
        if self.plan.get("check"):
            self._looking.check(feed)
        begun = now()
        iterator = workers.noted(feed.observed.make(loader, make, self.lead in (None, feed) or feed in self.partners))
        return iterator, now() - begun

    def began(self, loader, iterator, took):
        feed = self._feed_of(loader)
        feed.began(loader, iterator, took)
        if feed is self.lead and self.stage is not None:
            self._quietly(self.stage.interrupted)
        return feed

    def _feed_of(self, loader):
        for feed in self.feeds:
            if feed.is_of(loader):
                return feed
        self.feeds.append(Feed(self, loader, min(255, events.OF_LOADERS + len(self.feeds))))
        return self.feeds[-1]

    # Fetches

    def fetch(self, feed, iterator, original):
        self._original = original
        try:
            events.note(feed.letter)
            return self._of_lead(feed, iterator) if feed is self.lead else self._of_other(feed, iterator)
        except BaseException as error:
            if error is self._users or isinstance(error, (KeyboardInterrupt, Stopped)):
                self._users = None
                raise
            self._failed(error)
        return original(iterator)

    def real(self, feed, iterator):
        """The loader's next batch."""
        try:
            batch = self._original(iterator)
        except BaseException as error:
            self._users = error
            if isinstance(error, StopIteration) and feed is self.lead and self.stage is not None:
                self._quietly(self.stage.interrupted)
            raise
        feed.fetched += 1
        if self.lengths is None:
            self._last_batch = batch
        return batch

    def _of_lead(self, feed, iterator):
        if self.stopping:  # the script has caught what stopped it, or another thread does
            ranks.stay() if self.ranks else stop.hard()
        asked = now()
        self.stage.ended(asked)
        self.tick(asked)
        while True:
            while self.stage.done:
                self._advance()
            first = feed.fetched == 0
            if not self.stage.ready():
                batch = self.real(feed, iterator)
            else:
                batch = self.stage.get(iterator)
            if batch is not NOTHING:
                break
        if first and feed.fetched:
            feed.first_came(now() - asked)
        feed.served += 1
        feed.all_served += 1
        return batch

    def _of_other(self, feed, iterator):
        self._looking.asked(feed)
        if self.lead is feed:
            return self._of_lead(feed, iterator)
        if self.lead is None:
            return self._looking.served(feed, iterator)
        if feed in self.partners:
            batch = self.stage.partner(feed, iterator)
        else:
            self.stage.interrupted()
            batch = self.real(feed, iterator)
        feed.served += 1
        return batch

    # What comes when

    def start(self, feed, partners):
        """This loader is the one that is measured."""
        self.lead, self.partners = feed, partners
        rule, size = self.plan.get("warmup") or {}, self.plan.get("stretch") or {}
        ns = size.get("ns") or 1_000_000_000
        warm_up = WarmUp(rule.get("ns"), rule.get("cap_ns"), ns, rule.get("slope") or 0.05)
        self.stage = Through(self, feed, {"ns": ns // 4, "batches": 8}, warm_up)
        self.stage.kind, self.stage.phase = "W", "warming up"

    def _advance(self):
        stage = self.stage
        if stage.kind == "W":
            if self.lead.all_served < (self.plan.get("skip_steps") or 0):
                self.start(self.lead, self.partners)
                return
            if self._waits_for_others(stage):
                return
            self._plan_lengths(stage)
        elif isinstance(stage, Waiting):
            self._agree()
            self._plan_lengths(self._warm)
        elif stage.kind is not None:
            self._finished(stage)
        self._next_stage(stage)

    def _waits_for_others(self, stage):
        self.batch_ns = max(1, stage.window.measured_ns // max(1, len(stage.window.rows)))
        found = ranks.of_process()
        if found is None:
            return False
        if ranks.several_nodes(found[1]):
            raise scenario("the {} ranks are on several machines: this is not built yet".format(found[1]))
        self._warm, self.ranks = stage, ranks.Ranks(self, *found)
        self.stage = Waiting(self, self.lead)
        distinct = min(self.distinct, room_for(self._last_batch, found[1]))
        self.ranks.ready({"number": self.lead.all_served, "batch_ns": self.batch_ns, "distinct": distinct})
        return True

    def _agree(self):
        agreed = self.ranks.agreed
        if self.lead.all_served != agreed["start"]:
            raise scenario("the ranks did not begin at the same batch: {} instead of {}".format(
                self.lead.all_served, agreed["start"]))
        self.batch_ns, self.distinct, self.bank_limit = agreed["batch_ns"], agreed["distinct"], 1 << 60

    def _plan_lengths(self, stage):
        window = stage.window
        if self.plan.get("try"):
            self.changed, self._tried = trying.made(self, self.lead)
        self._kinds = "FTL" if self.changed is None else "FTLfl"
        sets = [self.lead] + ([self.changed] if self.changed else [])
        self.lengths = lengths.planned(self.plan, self.batch_ns, max(fed.workers for fed in sets),
                                       max(fed.prefetched for fed in sets), len(self._kinds))
        if self.ranks:
            lengths.in_batches(self.lengths, self.batch_ns, self.lead.workers)
        self.measuring, self._planned_at, self._last_batch = True, now(), None
        warm = window.facts()
        self.session.send("planned", dict(
            self.lengths, loader=self.lead.members(), partners=[partner.members() for partner in self.partners],
            others=[feed.name for feed in self.feeds if feed is not self.lead and feed not in self.partners],
            events=self._events(), versions=versions(), batch_ns=self.batch_ns,
            changed=self.changed.members() if self.changed else None, dropped=self._tried, rank=[self.ranks.rank, self.ranks.world] if self.ranks else None, warmup_ns=warm["warmup_ns"],
            warmup_steps=warm["warmup_steps"], steady=warm["steady"], startup_ns=self.lead.startup_ns,
            first_batch_ns=self.lead.first_batch_ns))

    def _next_stage(self, last):
        if not self._left:
            if self._order:
                self.rounds += 1
            if not self.plan.get("keep_going") and self.rounds >= self.lengths["rounds"]:
                self.finish("answer")
            self._order = ["F"] if self.plan.get("keep_going") else self._random.sample(self._kinds, len(self._kinds))
            self._left = list(self._order)
        size = {"ns": self.lengths["stretch_ns"], "batches": self.lengths["batches"]}
        if self._left[0] == "T" and not isinstance(last, Collecting):
            self.stage = Collecting(self, self.lead, self.distinct)
            return
        kind = self._left.pop(0)
        self.steered = self.steered or kind != "F"
        self.stage = KINDS[kind](self, self.lead, size)

    def _finished(self, stage):
        members, blob = stage.members()
        members.update(kind=stage.kind, round=self.rounds, order=self._order.index(stage.kind), workers=stage.feed.pids(),
                       epoch=self.lead.epochs - 1, fetched=self.lead.fetched, served=self.lead.served,
                       observed=stage.feed.observed.of_stretch())
        self.session.send("stretch", members, blob)

    def quiet_others(self, feed):
        """Before a stretch: the workers of the other set are to take nothing of the processors meanwhile."""
        for fed in (self.lead, self.changed) if self.changed is not None else ():
            if fed is not feed:
                fed.wait_until_idle()

    def share_of(self, partner):
        """Batches of it for each of the leading loader's."""
        return partner.ratio

    def edge(self, stage, edge, at):
        if stage.kind == "W":
            return
        if stage.kind != "T":
            stage.feed.observed.window(edge == "begin")
        self.session.send("window", {"edge": edge, "at": at, "kind": stage.kind, "round": self.rounds, "workers": stage.feed.pids()})

    def tick(self, at):
        if at - self._reported > REPORT_NS:
            self._reported = at
            self._report()
        if self.lengths and not self.ranks and not self.plan.get("keep_going") and at - self._planned_at > self.lengths["ends_after_ns"]:
            self.finish("budget over")

    def _report(self):
        stage = self.stage
        self.session.send("progress", {"phase": stage.phase if stage else "starting", "kind": stage.kind if stage else None,
                                       "round": self.rounds, "rounds": self.lengths["rounds"] if self.lengths else None,
                                       "workers": self.lead.pids() if self.lead else []})
        if self.session.lost and self.steered:
            stop.hard(1)  # benchbench has gone, and the script is no longer what it was

    def _events(self):
        return events.last({fed.letter: chr(ord("n") + at) for at, fed in enumerate([self.lead] + self.partners) if fed})

    # Ends

    def _quietly(self, call, *args):
        """Of the script's own StopIteration, our defect is not to take its place."""
        try:
            call(*args)
        except Failure as failure:
            self.finish("refused", failure.message)
        except Exception as error:
            self._failed(error)

    def _failed(self, error):
        if isinstance(error, Failure):
            self.finish("refused", error.message)
        text = "{}: {}".format(type(error).__name__, error)
        if self.steered:
            self.finish("internal", text)
        self.active = False
        self.session.send("end", dict(self._end("internal"), message=text))

    def _end(self, reason):
        lead = self.lead
        members = {"reason": reason, "seen": lead is not None, "steered": self.steered, "rounds": self.rounds,
                   "loaders": [feed.members() for feed in self.feeds], "events": self._events(), "versions": versions()}
        if lead is not None:
            if self.changed is not None:
                members["changed"] = dict(self.changed.facts(), observed=self.changed.observed.facts())
            members.update(lead.facts(), observed=lead.observed.facts(), notes=lead.observed.notes())
        return members

    def finish(self, reason, message=None, code=0, **members):
        """Does not return, but for `stop: exception`, which raises."""
        if self.stopping:
            ranks.stay() if self.ranks else stop.hard(code)
        self.stopping = True
        try:
            members = dict(self._end(reason), message=message, **members)
        except Exception as error:
            members = dict(members, reason=reason, message=message, steered=self.steered, rounds=self.rounds,
                           notes=["{}: {}".format(type(error).__name__, error)])
        self.session.send("end", members)
        if self.ranks:
            self.ranks.wait_for_others()
        self.measuring = False
        if self.plan.get("stop") == "exception" and reason in ("answer", "budget over"):
            raise Stopped(code)
        stop.hard(code)

    def finish_with(self, reason, raised, **members):
        """The script has failed: it ends as it would have, but for what it was about to save."""
        self.stopping = True
        text = "{}: {}".format(type(raised).__name__, raised)
        self.session.send("end", dict(self._end(reason), message=text, **members))
        stop.as_failed(raised)

    def stopped_by_others(self):
        """In the thread that listens."""
        self.stopping = True
        self.session.send("end", {"reason": "stopped", "rounds": self.rounds, "steered": self.steered, "seen": True})
        stop.hard()

    def lost(self):
        """As above: benchbench has gone."""
        if self.steered and not self.stopping:
            self.stopping = True
            stop.hard(1)

    def script_ended(self):
        """From atexit."""
        if self.stopping or not self.active:
            return
        self.active = False
        raised = getattr(sys, "last_type", None) is not None
        self.session.send("end", self._end("script failed" if raised else "script ended"))
