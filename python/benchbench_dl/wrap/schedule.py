"""A warm-up, then the stretches that benchbench asks for."""

import time

from ..failure import scenario
from ..held_batches import room_for
from ..step_trace import WarmUp
from ..versions import versions
from . import changed_copy, events, orders, ranks, stop
from .full_stretch import (
    AnswerWait,
    FullStretch,
    RankWait,
    UnmeasuredPhase,
    WarmUpStretch,
    made_before,
)
from .loader_stretch import LoaderStretch
from .script_saves import Saves, SaveWait, will_save
from .stretch import NOTHING, Stretch
from .trainer_stretch import BatchCollection, TrainerStretch

now = time.monotonic_ns
REPORT_NS = 250_000_000
NOTEWORTHY = 0.05  # of the time, waited for a loader
LEDGER_NS = 3_000_000_000
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
        self._chosen = bool(self._plan.get("loader"))
        # Batches were replayed or dropped: what the script would save is not true any more.
        self.steered = False
        self.orders, self._saves = orders.Orders(engine), Saves(engine)
        # Batches for each step of the optimizer: gradients of several are accumulated.
        self.cycle = 1
        self.batch_ns = 0  # of F
        self.ranks = None
        self._tries = False  # copies with other settings are made for rounds
        self.held_limit = None  # bytes; None: what is free decides
        self.distinct = 16  # at most, of the batches that are held
        self._warm = None  # the warm-up, after its end
        self._step_ns = self.report_at = self._ledger_sent = 0

    def start(self):
        ns = self._plan.get("stretch_ns") or 1_000_000_000
        self._enter(WarmUpStretch, {"ns": ns // 4, "batches": 8}, WarmUp(None, None, ns, 0.05))

    def _enter(self, kind, *args):
        self.phase = kind(self._engine, getattr(self._engine, kind.fed_by), *args)
        self._engine.ledger.paused = self.phase.is_ours

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
            batch = self.phase.get(iterator)
            if batch is not NOTHING:
                return batch

    def _advance(self):
        phase = self.phase
        if self.warms_up:
            self._warm_up_ended(phase)
        elif isinstance(phase, RankWait):
            self._agree()
            self._begin()
        else:
            if isinstance(phase, Stretch):
                self._finished(phase)
            self._next_phase()

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
        if found is None:
            self._begin()
        else:
            self._wait_for_others(*found)

    def _is_slower(self, phase):
        """True if the steps wait longer for another loader: that one is measured instead, where
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
        self.ranks = ranks.Ranks(self._engine, rank, world)
        self._enter(RankWait)
        distinct = self._room(world)
        if not distinct:
            raise scenario(
                f"a batch of each of the {world} ranks takes more than a quarter of the memory "
                "that is free"
            )
        number = self._engine.lead.all_served
        self.ranks.ready({"number": number, "batch_ns": self.batch_ns, "distinct": distinct})

    def _room(self, processes):
        """Returns how many batches each of them can hold."""
        feeds = 1 + len(self._engine.partners)
        return min(self.distinct, room_for(self._engine.last_batch, processes * feeds))

    def _agree(self):
        agreed, number = self.ranks.agreed, self._engine.lead.all_served
        start = agreed["start"]
        if number != start:
            raise scenario(
                f"the ranks did not begin at the same batch: {number} instead of {start}"
            )
        self.batch_ns, self.distinct = agreed["batch_ns"], agreed["distinct"]
        self.held_limit = 1 << 60

    def _begin(self):
        engine, plan, dropped = self._engine, self._plan, []
        together = orders.WITH_RANKS if self.ranks else []
        if plan.get("tune") and not plan.get("keep_going"):
            dropped = together or orders.find_why_no_copies(engine)
            self._tries = not dropped
        elif plan.get("try") and together:
            dropped = together
        elif plan.get("try"):
            engine.changed, dropped = changed_copy.made(engine, engine.lead, plan["try"])
        self.cycle = events.batches_a_step(engine.lead.letter)
        steady = self._steady(dropped)
        engine.last_batch = None
        self._answered(self._ask("steady", steady))

    def _ask(self, kind, members):
        """Returns the answer; None: benchbench has gone."""
        if not self.ranks:
            return self._session.ask(kind, members)
        self._session.send(kind, members)
        return self.ranks.answer()

    def _answered(self, answer):
        if answer is not None and answer["type"] == "stop":
            self._heard_stop(answer)
        if answer is None or answer["type"] != "go":
            self._left_alone()
            return
        self._engine.measuring = True
        self.orders.begin(self._engine.lead)
        self.orders.take(answer)
        self._next_phase()

    def _left_alone(self):
        """The script is, for example, one of two trainings that run at once: nothing of it was
        changed yet."""
        if self.steered:
            stop.hard(1)  # benchbench has gone
        self._enter(UnmeasuredPhase)
        self._engine.leave_alone()

    def _steady(self, dropped):
        engine, lead = self._engine, self._engine.lead
        used = [lead] + engine.partners
        return dict(
            engine.device,
            **{key: self._warm[key] for key in ("warmup_ns", "warmup_steps", "steady")},
            loop=self._loop(),
            cycle=self.cycle,
            loader=lead.members(),
            partners=[fed.members() for fed in engine.partners],
            others=[fed.name for fed in engine.feeds if fed not in used],
            changed=engine.changed.members() if engine.changed else None,
            dropped=dropped,
            tunes=self._tries,
            fixed=orders.find_fixed(lead) if self._tries else {},
            rank=ranks.of_process(),
            group=ranks.group(),
            events=engine.events(),
            versions=versions(),
            startup_ns=lead.startup_ns,
            first_batch_ns=lead.first_batch_ns,
        )

    def _loop(self):
        """Returns the times and sizes from which rounds are planned."""
        engine, lead = self._engine, self._engine.lead
        sets = [fed for fed in (lead, engine.changed) if fed is not None]
        return {
            "batch_ns": self.batch_ns,
            "step_ns": self._step_ns,
            "workers": max(fed.workers for fed in sets),
            "prefetched": max(made_before(engine, fed) for fed in sets),
            "epoch_batches": lead.batches or None,
            "epoch_left": lead.batches - lead.served if lead.batches else None,
            "epoch_beginning_ns": lead.epoch_ns,
            "saves": self._saves.count,
            "between_saves": self._saves.gap or 0,
            "will_save": will_save(),
            "distinct": self.distinct if self.ranks else self._room(1),
            "full_alone": engine.full_alone,
        }

    # Stretches

    def _next_phase(self):
        orders, lead = self.orders, self._engine.lead
        while orders.kind is None:
            if not self._asks_for_more():
                return
        kind = orders.kind
        if kind == "T" and lead.held is None:
            self._enter(BatchCollection, min(self.distinct, orders.distinct), self.held_limit)
        elif orders.after_save:
            orders.after_save = False
            self._enter(SaveWait, self._saves)
        else:
            self.steered = self.steered or kind != "F"
            self._enter(KINDS[kind], orders.take_next())

    def _asks_for_more(self):
        """False: the script goes on unmeasured, as no answer has come yet."""
        answer = None if self.ranks else self.orders.ask(self._saves)
        if self.ranks or (answer is not None and answer["type"] == "enough"):
            self._engine.ends.finish("answer")
        self._end_if_lost()
        if answer is not None and answer["type"] == "round":
            self.orders.take(answer)
            return True
        if answer is not None:
            self.heard(answer)
        self._enter(AnswerWait)  # once the script is left no answer comes
        return False

    def saves(self):
        """The script is about to, and is as it was."""
        self._saves.noted()
        lead, gap = self._engine.lead, self._saves.gap or 0
        if lead is not None and gap >= lead.prefetched + 2 * max(1, lead.workers):
            self.phase.paused()  # else it is a part of the step

    def _finished(self, phase):
        members, blob = phase.members()
        lead, copies = self._engine.lead, self._engine.host_copies
        members.update(
            self._describe(phase),
            order=self.orders.current["order"],
            epoch=lead.epochs - 1,
            fetched=lead.fetched,
            served=lead.served,
            observed=phase.feed.observation.of_stretch(phase.kind),
        )
        members.update(self.orders.describe_copy(phase.feed) if phase.kind == "f" else {})
        self._session.send("stretch", members, blob)
        if phase.kind == "F" and copies is not None:
            copies.were_of(len(phase.window.rows))

    def _describe(self, phase):
        return {"kind": phase.kind, "round": self.orders.round, "workers": phase.feed.pids()}

    def edge(self, phase, edge, at):
        """An edge of a segment."""
        copies, begins = self._engine.host_copies, edge == "begin"
        if phase.kind != "T":
            phase.feed.observation.window(begins)
        if phase.kind == "F" and copies is not None:
            copies.watch() if begins else copies.rest()
        self._session.send("window", dict(self._describe(phase), edge=edge, at=at))

    def quiet_others(self, feed):
        """Before a stretch: the workers of the other set are to take nothing of the processors
        meanwhile."""
        changed = self._engine.changed
        for fed in (self._engine.lead, changed) if changed is not None else ():
            if fed is not feed:
                fed.wait_until_idle()

    def tick(self, at):
        """At each fetch, but where `report_at` is known to be later."""
        if at > self.report_at:
            self.report_at = at + REPORT_NS
            self._report(at)

    def _report(self, at):
        phase, lead = self.phase, self._engine.lead
        members = {
            "phase": phase.name if phase else "starting",
            "kind": phase.kind if phase else None,
            "round": self.orders.round,
            "workers": lead.pids() if lead else [],
        }
        self._session.send("progress", dict(members, **self._ledger(at)))
        if not self.ranks:
            self._session.hear(self.heard)
        self._end_if_lost()

    def _end_if_lost(self):
        """Where benchbench has gone, and the script is not the one that it was."""
        if self._session.lost and self.steered:
            stop.hard(1)

    def _ledger(self, at):
        """Sent now and then, for a script that is killed and says no end."""
        if at - self._ledger_sent < LEDGER_NS:
            return {}
        self._ledger_sent = at
        loaders = [feed.members() for feed in self._engine.feeds]
        return {"ledger": self._engine.ledger_members(), "loaders": loaders}

    def heard(self, message):
        """Acts on a message from benchbench."""
        if message["type"] == "stop":
            self._heard_stop(message)
        elif message["type"] == "leave":
            self._engine.ends.left()
        else:
            self.orders.hear(message)

    def _heard_stop(self, message):
        if message.get("reason") == "refused":
            self._engine.ends.refuse(message.get("message"))
        else:
            self._engine.ends.finish(message.get("reason") or "stopped", message.get("message"))
