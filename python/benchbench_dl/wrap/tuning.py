"""`tune`: benchbench names what each round measures, once the first ones are over."""

import time

from .. import torch_loader
from . import changed_copy

WAIT_S = 2  # for an answer: the script stands still meanwhile
ORDERS = ("F", "f", "Ff", "fF")


class Tuning:
    def __init__(self, engine):
        self._engine, self._session = engine, engine.session
        self._asked = False  # a `next` has no answer yet
        self._answer = None
        self._refused = []
        self.settings = None  # of the copy

    def heard(self, message):
        """An answer that came late, while the script went on."""
        if message["type"] in ("try", "enough"):
            self._answer = message

    def next(self, number):
        """The kinds of the next round, in order: F alone where nothing was answered. None: there is
        none."""
        end = time.monotonic() + WAIT_S
        self.close()
        while True:
            with self._session.asking:
                self._ask(number)
                answer, self._answer = (
                    self._answer or self._session.poll(max(0, end - time.monotonic())),
                    None,
                )
            if answer is None:
                return "F"
            if answer["type"] == "enough":
                return None
            if answer["type"] == "try":
                self._asked = False
                order = self._order(answer)
            else:
                order = None if self._engine.schedule.heard(answer) else "F"
            if order:
                return order

    def _ask(self, number):
        if not self._asked:
            self._asked = self._session.send("next", {"round": number, "refused": self._refused})
            self._refused = []

    def _order(self, answer):
        """None: these settings cannot be measured."""
        order, settings = answer.get("order") or "Ff", answer.get("settings") or {}
        if order not in ORDERS:
            self._refused = [f"no round is {order}"]
            return None
        if "f" not in order:
            return order
        self._engine.changed, self._refused = changed_copy.made_exactly(
            self._engine, self._engine.lead, settings
        )
        self.settings = settings
        return order if self._engine.changed is not None else None

    def close(self):
        """Before the next copy is made there is memory for its workers again."""
        if self._engine.changed is not None:
            self._engine.changed.end()
        self._engine.changed = self.settings = None

    def of_stretch(self, feed):
        """What a stretch of the copy says of it."""
        return {
            "settings": self.settings,
            "copy": feed.members(),
            "startup_ns": feed.startup_ns,
            "first_batch_ns": feed.first_batch_ns,
        }


def made(engine, together):
    """(Tuning or None, why there is none: sentences)."""
    if together:
        return None, ["with several ranks, no other settings are tried"]
    why = changed_copy.refused(engine.lead.kept, {})
    return (None, [why]) if why else (Tuning(engine), [])


def fixed(lead):
    """{setting: why it cannot be another one}."""
    found = changed_copy.fixed_of(lead)
    if not torch_loader.can_pin():
        found.setdefault("pin_memory", "torch sees no accelerator here")
    return {key: found[key] for key in changed_copy.KEYS if key in found}
