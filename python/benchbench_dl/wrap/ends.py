"""Ends of a script: by us, by the script, or by a defect of ours."""

import sys

from ..versions import versions
from . import findings, ranks, savers, steps, stop


class Stopped(SystemExit):
    """`stop: exception`: ends the script with its `finally` and `atexit`."""


class Ends:
    def __init__(self, engine):
        self._engine = engine
        self.begun = False
        self._raised = False  # `stop: exception`
        self._said = None

    def finish(self, reason, message=None, **members):
        """Does not return, but for `stop: exception`, which raises."""
        schedule = self._engine.schedule
        if self.begun:
            ranks.stay() if schedule.ranks else stop.hard()
        self._say_last(reason, message=message, **members)
        if schedule.ranks:
            schedule.ranks.wait_for_others()
        self._engine.measuring = False
        if self._engine.plan.get("stop") == "exception" and reason in ("answer", "budget over"):
            self._raised = True
            raise Stopped(0)
        stop.hard()

    def _say_last(self, reason, **members):
        """Says the end, after which nothing is measured."""
        self.begun = True
        self._engine.rest()
        self._say(reason, **members)

    def go_on(self):
        """The script asks for another batch all the same. Does not return."""
        if self._engine.schedule.ranks:
            ranks.stay()
        if self._raised:
            self._engine.session.send("end", dict(self._said, caught=True))
        stop.hard()

    def by_clock(self, reason):
        """Ends the script for benchbench, in a handler of signals, wherever it is. Returns False if
        it ends by itself."""
        if reason == "hangs":
            self._say_hang()
        elif self.begun or not self._engine.session.may_send(1):
            return False
        else:
            self.finish(reason, asks=False)
        return True

    def _say_hang(self):
        """Without a question to the script's own code, which may not answer."""
        if self._said is None and self._engine.session.may_send(1):
            self._say_last("hangs", asks=False)

    def refuse(self, message):
        """Refuses to measure what was asked for."""
        if not self._engine.plan.get("keep_going"):
            self.finish("refused", message)
        self._leave("refused", message)

    def _leave(self, reason, message=None):
        """Says the end, and lets the script go on."""
        self._engine.leave_alone()
        self._say(reason, message=message)

    def of_failed_script(self, raised, **members):
        """It ends as it would have, but for what it was about to save."""
        self._say_last("script failed", message=_text_of(raised), **members)
        stop.as_failed(raised)

    def of_script(self):
        """By itself. Exceptions that nothing caught were printed before."""
        if self.begun and self._engine.schedule.ranks:
            ranks.stay()
        if not self.begun:
            self.begun = True  # it ends with its own exit status, whatever the other ranks come to
            self._engine.leave_alone()
            raised = getattr(sys, "last_value", None)
            if raised is None:
                self._say("script ended")
            else:
                self._say("script failed", message=_text_of(raised))

    def of_defect(self, error):
        """Lets the script go on if nothing was steered yet."""
        text = f"{type(error).__name__}: {error}"
        if self._engine.schedule.steered:
            self.finish("internal", text)
        self._leave("internal", text)

    def left(self):
        """benchbench cannot make sense of what this process says."""
        if self._engine.schedule.steered:
            self.finish("stopped")
        self._engine.leave_alone()

    def by_others(self, reason, message):
        """In the thread that listens: another rank has ended, or not come. What comes up in the
        script from now on, as in a collective, is of that."""
        self.begun = True
        sys.excepthook = lambda *_: ranks.stay()
        self._say(reason, message=message)
        stop.hard()

    def benchbench_gone(self):
        """In the thread that listens, too."""
        if self._engine.schedule.steered and not self.begun:
            self.begun = True
            stop.hard(1)

    def _say(self, reason, asks=True, **members):
        schedule = self._engine.schedule
        said = dict(
            members,
            reason=reason,
            steered=schedule.steered,
            saves=len(savers.written),
            seen=self._engine.lead is not None,
        )
        try:
            said.update(self._facts(self.begun and asks, asks))
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            said["notes"] = [f"not all could be found out in the end: {why}"]
        self._said = said
        self._engine.session.send("end", said)

    def _facts(self, ends, asks):
        engine, lead, changed = self._engine, self._engine.lead, self._engine.changed
        members = {
            "loaders": [feed.members() for feed in engine.feeds],
            "events": engine.events(),
            "loop": steps.members(),
            "versions": versions(),
            "ledger": engine.ledger_members(),
        }
        if changed is not None and engine.schedule.orders.settings is None:
            members["changed"] = dict(changed.facts(), observed=changed.observation.facts(asks))
        if lead is not None:
            members.update(
                lead.facts(),
                epoch_batches=lead.epoch_batches,
                observed=lead.observation.facts(asks),
                notes=lead.observation.notes(),
                noticed=findings.find_all(engine, ends),
            )
        return members


def _text_of(raised):
    """One line. An exception from a worker has that one's traceback as its text: the worker's own
    error is the first line behind its frames."""
    try:
        lines = str(raised).splitlines()
    except Exception:  # of the script's own
        lines = []
    if any(line.endswith("Traceback (most recent call last):") for line in lines):
        frames = [at for at, line in enumerate(lines) if line.startswith("  File ")]
        for line in lines[frames[-1] + 1 if frames else len(lines) :]:
            if line and not line.startswith(" "):
                return line
    text = next((line.strip() for line in lines if line.strip()), "")
    return type(raised).__name__ + (": " + text if text else "")
