"""What comes when: a warm-up, then rounds of stretches in random order."""

import time

from ..failure import scenario
from ..step_trace import WarmUp
from ..versions import versions
from . import changed_copy, events, ranks, stop, tuning
from .full_stretch import FullStretch, RankWait, UnmeasuredPhase, WarmUpStretch, made_before
from .held_batches import room_for
from .loader_stretch import LoaderStretch
from .rounds import NOTEWORTHY, Rounds
from .script_saves import SaveWait
from .stretch import NOTHING
from .trainer_stretch import BatchCollection, TrainerStretch

now = time.monotonic_ns
REPORT_NS = 250_000_000
KINDS = {
    "F": FullStretch,
    "T": TrainerStretch,
    "L": LoaderStretch,
    "f": changed_copy.FullStretchOfCopy,
    "l": changed_copy.LoaderStretchOfCopy,
}


class Schedule:
    def __init__(self, engine):
        self._engine, self._plan, self._session = engine, engine.plan, engine.session
        self.phase = None
        self.measuring = False
        self._chosen = bool(self._plan.get("loader"))
        # Batches were replayed or dropped: what the script would save is not true any more.
        self.steered = False
        self._rounds = Rounds(engine)
        # Batches for each step of the optimizer: gradients of several are accumulated.
        self.cycle = 1
        self.batch_ns = 0  # of F
        self.ranks = None
        self.tuning = None
        self.held_limit = None  # bytes; None: what is free decides
        self.distinct = self._plan.get("distinct") or 16
        self._warm = None  # the warm-up, after its end
        self._step_ns = self._workers = self._prefetched = 0
        self._reported = self._planned_at = 0

    @property
    def rounds(self):
        """Finished."""
        return self._rounds.finished

    def start(self):
        rule, size = self._plan.get("warmup") or {}, self._plan.get("stretch") or {}
        ns = size.get("ns") or 1_000_000_000
        warm_up = WarmUp(rule.get("ns"), rule.get("cap_ns"), ns, rule.get("slope") or 0.05)
        self.phase = WarmUpStretch(
            self._engine, self._engine.lead, {"ns": ns // 4, "batches": 8}, warm_up
        )

    @property
    def warms_up(self):
        return isinstance(self.phase, WarmUpStretch)

    def batch(self, feed, iterator):
        """For the script: of the phase that it is in, which may be the next one."""
        while True:
            while self.phase.done:
                self._advance()
            if feed is not self._engine.lead:  # steps wait longer for another one
                return self.phase.partner(feed, iterator)
            if not self.phase.ready():
                return self._engine.real(self._engine.lead, iterator)
            batch = self.phase.get(iterator)
            if batch is not NOTHING:
                return batch

    def _advance(self):
        phase = self.phase
        if self.warms_up:
            self._warm_up_ended(phase)
            return
        if isinstance(phase, RankWait):
            self._agree()
            self._begin()
            return
        if isinstance(phase, SaveWait):
            if phase.has_saved:
                self._rounds.fit_between_saves(*self._sizes)
        elif not isinstance(phase, BatchCollection):
            self._finished(phase)
        self._next_phase(phase)

    # Before the first round

    def _warm_up_ended(self, phase):
        if self._engine.lead.all_served < (self._plan.get("skip_steps") or 0):
            self.start()
            return
        if self._is_slower(phase):
            return
        self._warm, self.batch_ns = phase.facts(), phase.batch_ns
        self._step_ns = max(1, int(self.batch_ns * (1 - phase.waited_share(phase.feed))))
        found = None if self._plan.get("keep_going") else ranks.of_process()
        if found is not None:
            self._wait_for_others(*found)
            return
        self._begin()

    def _is_slower(self, phase):
        """Whether the steps wait longer for another loader: that one is measured instead, where
        none was asked for."""
        waits = phase.waits()
        slowest = max(waits, key=waits.get)
        if slowest is phase.feed or self._chosen or phase.waited_share(slowest) < NOTEWORTHY:
            return False
        self._chosen = True
        self._engine.start(slowest, [fed for fed in waits if fed is not slowest])
        return True

    def _wait_for_others(self, rank, world):
        if ranks.several_nodes(world):
            raise scenario(f"the {world} ranks are on several machines: this is not built yet")
        lead = self._engine.lead
        self.ranks = ranks.Ranks(self._engine, rank, world)
        self.phase = RankWait(self._engine, lead)
        distinct = min(
            self.distinct,
            room_for(self._engine.last_batch, world * (1 + len(self._engine.partners))),
        )
        if not distinct:
            raise scenario(
                f"a batch of each of the {world} ranks takes more than a quarter of the memory "
                "that is free"
            )
        self.ranks.ready(
            {"number": lead.all_served, "batch_ns": self.batch_ns, "distinct": distinct}
        )

    def _agree(self):
        agreed, number = self.ranks.agreed, self._engine.lead.all_served
        if number != agreed["start"]:
            raise scenario(
                "the ranks did not begin at the same batch: {} instead of {}".format(
                    number, agreed["start"]
                )
            )
        self.batch_ns, self.distinct, self.held_limit = (
            agreed["batch_ns"],
            agreed["distinct"],
            1 << 60,
        )

    def _begin(self):
        engine, dropped = self._engine, []
        if self._plan.get("tune") and not self._plan.get("keep_going"):
            self.tuning, dropped = tuning.made(engine, self.ranks is not None)
        elif self._plan.get("try") and self.ranks:
            dropped = ["with several ranks, no other settings are tried"]
        elif self._plan.get("try"):
            engine.changed, dropped = changed_copy.made(engine, engine.lead, self._plan["try"])
        sets = [fed for fed in (engine.lead, engine.changed) if fed is not None]
        self._workers = max(fed.workers for fed in sets)
        self._prefetched = max(made_before(engine, fed) for fed in sets)
        self._rounds.plan(*self._sizes, together=self.ranks is not None)
        if self._rounds.why:
            self.tuning = None
        self.distinct = min(self.distinct, self._rounds.lengths["distinct"])
        self.cycle = events.batches_a_step(engine.lead.letter)
        engine.last_batch = None
        if not self._may_go(self._planned(dropped)):
            self._left_alone()
            return
        self.measuring, self._planned_at = True, now()
        self._next_phase(None)

    def _left_alone(self):
        """As one of two trainings that run at once: nothing of it was changed yet."""
        if self.steered:
            stop.hard(1)  # benchbench has gone
        self.phase = UnmeasuredPhase(self._engine, self._engine.lead)
        self._engine.leave_alone()

    def _may_go(self, planned):
        if self.ranks:
            self._session.send("planned", planned)
            return self.ranks.may_go()
        return (self._session.ask("planned", planned) or {}).get("type") == "go"

    def _planned(self, dropped):
        engine, lead = self._engine, self._engine.lead
        used = [lead] + engine.partners
        members = {key: self._warm[key] for key in ("warmup_ns", "warmup_steps", "steady")}
        return dict(
            members,
            **self._rounds.lengths,
            **engine.device,
            short_rounds=self._rounds.short[0],
            kinds=self._rounds.kinds,
            cycle=self.cycle,
            why=self._rounds.why or "",
            loader=lead.members(),
            partners=[fed.members() for fed in engine.partners],
            others=[fed.name for fed in engine.feeds if fed not in used],
            changed=engine.changed.members() if engine.changed else None,
            dropped=dropped,
            tunes=self.tuning is not None,
            fixed=tuning.fixed(lead) if self.tuning else {},
            rank=ranks.of_process(),
            group=ranks.group(),
            events=engine.events(),
            versions=versions(),
            batch_ns=self.batch_ns,
            startup_ns=lead.startup_ns,
            first_batch_ns=lead.first_batch_ns,
        )

    # Rounds

    @property
    def _sizes(self):
        return self.batch_ns, self._step_ns, self._workers, self._prefetched

    def _next_phase(self, last):
        rounds, lead = self._rounds, self._engine.lead
        if not rounds.left and not rounds.next() and not self._goes_on():
            self._engine.ends.finish("answer")
        kind = rounds.left[0]
        if kind == "T" and lead.held is None:
            self.phase = BatchCollection(
                self._engine, lead, min(self.distinct, rounds.distinct), self.held_limit
            )
            return
        if kind != "F" and not self.steered and not self.ranks and not isinstance(last, SaveWait):
            self.phase = rounds.until_saved(*self._sizes)
            if self.phase is not None:
                return
        rounds.left.pop(0)
        self.steered = self.steered or kind != "F"
        self.phase = KINDS[kind](self._engine, lead, rounds.size_of(kind, self.batch_ns))

    def _goes_on(self):
        """Beyond the rounds of the plan: benchbench says with what. False: with nothing."""
        if self.tuning is None:
            return False
        order = self.tuning.next(self.rounds)
        if self._session.lost and self.steered:
            stop.hard(1)  # benchbench has gone
        if order is not None:
            self._rounds.begin(order)
        return order is not None

    def saves(self):
        """The script is about to, and is as it was."""
        self._rounds.saves.noted()
        lead = self._engine.lead
        if lead is not None and (self._rounds.saves.gap or 0) >= lead.prefetched + 2 * max(
            1, lead.workers
        ):
            self.phase.paused()  # else it is a part of the step

    def _finished(self, phase):
        members, blob = phase.members()
        lead = self._engine.lead
        members.update(
            kind=phase.kind,
            round=self.rounds,
            order=self._rounds.order.index(phase.kind),
            workers=phase.feed.pids(),
            epoch=lead.epochs - 1,
            fetched=lead.fetched,
            served=lead.served,
            observed=phase.feed.observation.of_stretch(phase.kind),
        )
        if self.tuning is not None and phase.kind == "f":
            members.update(self.tuning.of_stretch(phase.feed))
        self._session.send("stretch", members, blob)
        if phase.kind == "F":
            if self._engine.host_copies is not None:
                self._engine.host_copies.were_of(len(phase.window.rows))
            if not self.ranks:
                self._rounds.expect_saves()

    def edge(self, phase, edge, at):
        """Of a segment."""
        if phase.kind != "T":
            phase.feed.observation.window(edge == "begin")
        if phase.kind == "F" and self._engine.host_copies is not None:
            self._engine.host_copies.watch() if edge == "begin" else self._engine.host_copies.rest()
        self._session.send(
            "window",
            {
                "edge": edge,
                "at": at,
                "kind": phase.kind,
                "round": self.rounds,
                "workers": phase.feed.pids(),
            },
        )

    def quiet_others(self, feed):
        """Before a stretch: the workers of the other set are to take nothing of the processors
        meanwhile."""
        for fed in (
            (self._engine.lead, self._engine.changed) if self._engine.changed is not None else ()
        ):
            if fed is not feed:
                fed.wait_until_idle()

    def tick(self, at):
        """At each fetch."""
        if at - self._reported > REPORT_NS:
            self._reported = at
            self._report()
        if self.measuring and not self.ranks and not self._plan.get("keep_going"):
            if at - self._planned_at > self._rounds.lengths["ends_after_ns"]:
                self._engine.ends.finish("budget over")

    def _report(self):
        phase, lead = self.phase, self._engine.lead
        self._session.send(
            "progress",
            {
                "phase": phase.name if phase else "starting",
                "kind": phase.kind if phase else None,
                "round": self.rounds,
                "rounds": (self._rounds.lengths or {}).get("rounds"),
                "workers": lead.pids() if lead else [],
            },
        )
        if not self.ranks:
            self._session.hear(self.heard)
        if self._session.lost and self.steered:
            stop.hard(1)  # benchbench has gone, and the script is no longer what it was

    def heard(self, message):
        """Whether the script is still measured."""
        if message["type"] == "stop":
            self._engine.ends.finish("stopped")
        elif message["type"] == "leave":
            self._engine.ends.left()
        elif self.tuning is not None:
            self.tuning.heard(message)
        return self._engine.active
