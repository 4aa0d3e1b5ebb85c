"""The stretches that benchbench asks for, and the copies of the loader that some of them need."""

import collections

from . import changed_copy

WAIT_S = 2  # for an answer: the script stands still meanwhile
WITH_RANKS = ["with several ranks, no other settings are tried"]


class Orders:
    """`distinct`: batches to hold for T; `after_save`: the script is to save before they begin."""

    def __init__(self, engine):
        self._engine, self._session = engine, engine.session
        self._left = collections.deque()
        self._asked = False  # a `next` has no answer yet
        self._late = None  # an answer that came while the script went on
        self._refused = []
        self._epochs = 0  # of the loader, that had begun when it was steady
        self.current = None
        self.distinct, self.after_save = 16, False
        self.settings = None  # of the copy that was made for these stretches

    def begin(self, lead):
        self._epochs = lead.epochs

    @property
    def round(self):
        """The number of the round, from 0."""
        return self.current["round"] if self.current else 0

    @property
    def kind(self):
        """The kind of the next one; None: more is to be asked for."""
        return self._left[0]["kind"] if self._left else None

    def take_next(self):
        self.current = self._left.popleft()
        return {"ns": self.current["ns"], "batches": self.current["batches"]}

    def take(self, message):
        """Takes what `go` or `round` asks for; nothing where a copy cannot be made."""
        settings = message.get("settings")
        self._close_copy()
        if settings and not self._make_copy(settings):
            return
        self.distinct = message.get("distinct") or self.distinct
        self.after_save = bool(message.get("after_save"))
        self._left.extend(message["stretches"])

    def ask(self, saves):
        """Returns the answer to a question for more; None: none came in time."""
        with self._session.asking:
            if not self._asked:
                self._asked = self._session.send("next", self._state(saves))
                self._refused = []
            answer, self._late = self._late or self._session.poll(WAIT_S), None
        if answer is not None:
            self._asked = False
        return answer

    def hear(self, message):
        self._late = message

    @property
    def is_answered(self):
        return self._late is not None

    def _state(self, saves):
        lead = self._engine.lead
        return {
            "epochs": lead.epochs - self._epochs,
            "epoch_left": max(0, lead.batches - lead.served) if lead.batches else None,
            "saves": saves.count,
            "between_saves": saves.gap or 0,
            "until_save": saves.left if saves.count else 0,
            "refused": self._refused,
        }

    def _make_copy(self, settings):
        engine = self._engine
        engine.changed, self._refused = changed_copy.made(engine, engine.lead, settings, True)
        self.settings = settings if engine.changed is not None else None
        return self.settings

    def _close_copy(self):
        """Ends the copy that was made for the stretches before, so that there is memory for the
        workers of the next one."""
        if self.settings is not None:
            self._engine.changed.end()
            self._engine.changed = self.settings = None

    def describe_copy(self, feed):
        """Returns members that a stretch of such a copy has."""
        if self.settings is None:
            return {}
        return {
            "settings": self.settings,
            "copy": feed.members(),
            "startup_ns": feed.startup_ns,
            "first_batch_ns": feed.first_batch_ns,
        }


def find_why_no_copies(engine):
    """Returns the reasons why no other settings can be tried: sentences."""
    why = changed_copy.refused(engine.lead.kept, {})
    return [why] if why else []


def find_fixed(lead):
    """Returns {setting: why it cannot be another one}."""
    found = changed_copy.fixed_of(lead)
    return {key: found[key] for key in changed_copy.KEYS if key in found}
