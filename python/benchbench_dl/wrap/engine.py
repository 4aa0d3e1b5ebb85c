"""The script's loaders, and what each of its fetches gets."""

import sys
import threading
import time

from .. import devices, workers
from ..failure import Failure
from . import events, findings, held_locks, ranks, steps
from .ends import Ends
from .hidden_frames import comes_from_users
from .ledger import Ledger
from .loader_feed import LoaderFeed
from .recognition import Recognition

now = time.monotonic_ns
get_ident = threading.get_ident


class _OfThread(threading.local):
    users = None  # the exception that the script's own code raised
    inside = False  # of a loader's own code
    handled = None  # what the script was handling when it asked for a batch


def _is_of_device(error):
    """True if work that the script has handed to the device failed, as we waited for it."""
    return isinstance(error, Failure) and error.kind == "user"


class Engine:
    def __init__(self, session):
        self.session, self.plan = session, session.plan
        # Else the script runs as if we were not there, as in a process that it has forked.
        self.active = True
        self.measuring = False  # from the answer to `steady` on
        self.feeds, self.lead, self.partners = [], None, []
        self.changed = None  # `try`: the lead's copy
        self._schedule, self.ends = None, Ends(self)
        self._original = None  # torch's own function that fetches
        self._recognition = Recognition(self)
        self._here = _OfThread()
        self.last_batch = None
        self.device = None  # that the steps run on
        self.host_copies = None  # of the device's values, in the steps of F
        self.ledger = Ledger()
        events.follow_with(self)

    @property
    def schedule(self):
        """Its modules are imported once the first batch has come: until then the script would wait
        for that."""
        if self._schedule is None:
            from .schedule import Schedule

            self._schedule = Schedule(self)
        return self._schedule

    @property
    def handled(self):
        """By the script, in this thread, since before it asked for a batch: no failure of its
        training."""
        return self._here.handled

    # Epochs

    def begin(self, loader, make):
        """(its iterator, how long it took)."""
        self._here.handled = sys.exc_info()[1]
        feed = self._guarded(self._feed_of, loader)
        if self.plan.get("check"):
            self.ends.finish("checked")
        threads = self._guarded(self._threads_at_fork, loader)
        if loader.num_workers > 0:
            workers.share_folder()
        if feed is None:
            return make(loader), 0
        was = self.note(self.ledger.begins, feed)
        try:
            iterator = workers.noted(feed.observation.make(loader, make, self._observes(feed)))
        finally:
            took = self.note(self.ledger.back, was)
        if threads:
            feed.threads_beside = threads
        return iterator, took

    def _threads_at_fork(self, loader):
        return held_locks.threads_that_hold() if findings.forks(loader) else []

    def _observes(self, feed):
        return not feed.iterators.each_step and (self.lead is None or self._feeds_steps(feed))

    def began(self, loader, iterator, took):
        """The feed whose batches this iterator delivers; None: it is not watched."""
        return self._guarded(self._began, loader, iterator, took) if self.active else None

    def _guarded(self, work, *args):
        """No defect of ours comes up in the script's loop."""
        try:
            return work(*args)
        except Exception as error:
            self.failed(error)
            return None

    def note(self, call, *args):
        """Calls a method of the ledger and returns what it does. A defect in it ends the ledger,
        does not come up in the script, and returns 0."""
        try:
            return call(*args)
        except Exception as error:
            return self.note_failed(error)

    def note_failed(self, error):
        """Ends the ledger alone, if the error is not the script's: a method of it failed."""
        if comes_from_users(error):
            raise error
        self.ledger.close()
        self.failed(error)
        return 0

    def _began(self, loader, iterator, took):
        feed = self._feed_of(loader)
        others = sum(other.all_served for other in self.feeds if other is not feed)
        if feed.iterators.began(took, others) and self._feeds_steps(feed):
            self.start_over()
        if feed.iterators.each_step:
            feed.began_for_step(iterator)
            self.held_up(feed, took)
            return feed
        if feed is self.lead:
            self._interrupted()
        feed.began(loader, iterator, took)
        if feed is self.lead:
            self._to_phase("epoch_begun")
        return feed

    def held_up(self, feed, took):
        """The step, by making or ending an iterator of this loader."""
        if self._feeds_steps(feed):
            self.schedule.phase.held_up(took)

    def _feeds_steps(self, feed):
        return feed is self.lead or feed in self.partners

    @property
    def full_alone(self):
        """Why F alone is measured of such a loop, as a sentence. None: nothing keeps the rest."""
        for feed in [self.lead] + self.partners:
            if feed.iterators.each_step:
                place = feed.iterators.where
                return "each step makes an iterator of its own" + (f" ({place})" if place else "")
        return None

    def _feed_of(self, loader):
        for feed in self.feeds:
            if feed.is_of(loader):
                return feed
        self.feeds.append(LoaderFeed(self, loader, min(255, events.OF_LOADERS + len(self.feeds))))
        return self.feeds[-1]

    def _interrupted(self):
        self._to_phase("interrupted")

    def _to_phase(self, said):
        """Passes on an event of an epoch. The script may be handling its own StopIteration: no
        defect of ours takes its place."""
        try:
            if self._schedule is not None and self._schedule.phase is not None:
                getattr(self._schedule.phase, said)()
        except Exception as error:
            self.failed(error)

    # Fetches

    def ledger_members(self):
        members = self.ledger.members(self.lead, self.partners)
        return members and dict(members, whole=bool(self.plan.get("keep_going")))

    def fetch(self, feed, iterator, original):
        if self._here.inside:  # a data set that iterates a loader of its own, in this process
            return original(iterator)
        try:
            batch = self._fetched(feed, iterator, original)
        except BaseException:
            self.note(self.ledger.ended, feed)
            raise
        feed.served += 1
        feed.all_served += 1
        try:
            self.ledger.gave(feed)
        except Exception as error:
            self.note_failed(error)
        return batch

    def _fetched(self, feed, iterator, original):
        self._original, feed.thread = original, get_ident()
        self._here.handled = sys.exc_info()[1]
        try:
            asked = self.ledger.asked()
            events.seen.append(feed.letter)
            if feed is self.lead or self.lead is None or feed in self.partners:
                steps.fetched(asked)
            if feed.iterators.each_step and feed.iterators.asked():
                feed.became_epoch(iterator)
                if self._feeds_steps(feed):
                    self.start_over()
            if self._recognition.unsure or feed is not self.lead:
                self._recognition.asked(feed)
            return (
                self._of_lead(feed, iterator, asked)
                if feed is self.lead
                else self._of_other(feed, iterator, asked)
            )
        except BaseException as error:
            if self.ends.begun and self.schedule.ranks:
                ranks.stay()
            if _is_of_device(error):
                raise error.__cause__ from None
            if (
                error is self._here.users
                or not isinstance(error, Exception)
                or comes_from_users(error)
            ):
                self._here.users = None
                raise
            self.failed(error)
        return original(iterator)

    def real(self, feed, iterator):
        """The loader's next batch."""
        here, asked = self._here, self.ledger.waits(feed)
        here.inside = True
        try:
            batch = self._original(feed.renewed or iterator)
        except StopIteration as error:
            self.note(self.ledger.asked)
            feed.ended(now() - asked)
            feed.iterators.ended()
            batch = self._after_end(feed, iterator, error)
        except BaseException as error:
            here.users = error
            raise
        finally:
            here.inside = False
        try:
            took = self.ledger.came(asked)
        except Exception as error:
            took = self.note_failed(error)
        feed.came(took, iterator, batch)
        if not self.measuring:
            self.last_batch = batch
        return batch

    def _after_end(self, feed, iterator, end):
        """The loader is at its end, and not the script's epoch: batches of it were dropped."""
        if feed is self.lead:
            self._interrupted()
        renewed = feed.renew(iterator)
        if renewed is None:
            self._here.users = end
            try:
                raise end
            finally:
                # Else it holds itself, and with it all of these frames' iterators, until a garbage
                # collection.
                del end
        if feed is self.lead:
            self._to_phase("epoch_begun")
        try:
            return self._original(renewed)
        except BaseException as error:
            self._here.users = error
            raise

    def forget(self):
        """An exception of the script's own code that does not reach it."""
        self._here.users = None

    def end_epoch(self, feed):
        """The loader has more: other batches were replayed."""
        if feed is self.lead:
            self._interrupted()
        feed.renewed = None  # its workers end
        self._here.users = StopIteration()
        raise self._here.users

    def _of_lead(self, feed, iterator, asked):
        if self.ends.begun:  # the script has caught what stopped it, or another thread does
            self.ends.go_on()
        schedule = self._schedule
        schedule.phase.ended(asked)
        if asked > schedule.report_at:
            schedule.tick(asked)
            if not self.active:
                return self.real(feed, iterator)
        if schedule.steered and feed.over:
            self.end_epoch(feed)
        first = feed.fetched == 0 and feed.served == 0
        batch = schedule.batch(feed, iterator)
        if first and feed.fetched:
            feed.first_came(now() - asked)
        return batch

    def _of_other(self, feed, iterator, asked):
        if self.lead is None:
            return self._recognition.served(feed, iterator)
        self.schedule.tick(asked)
        if feed in self.partners:
            if feed.over:
                self.end_epoch(feed)
            return self.schedule.phase.partner(feed, iterator)
        if feed.thread == self.lead.thread:  # else it delivers to another loop
            self.schedule.phase.paused()
        return self.real(feed, iterator)

    def start_over(self):
        """Drops all that is measured so far: it was not the training."""
        self._interrupted()
        steered, self.lead, self.partners, self.changed = self.schedule.steered, None, [], None
        for feed in self.feeds:
            feed.held = None
            feed.observation.pin_waits = {}
        self._schedule = None
        self.measuring = self.ledger.paused = False
        self.schedule.steered = steered

    def start(self, feed, partners):
        """This loader is the one that is measured."""
        self.lead, self.partners = feed, partners
        self.device = devices.used_by(self.torch)
        self.rest()
        self.host_copies = self._host_copies()
        self.ledger.training_has_begun()
        self.schedule.start()

    def leave_alone(self):
        """The script runs on as if we were not there."""
        self.active = False
        self.ledger.close()
        self.rest()

    def rest(self):
        if self.host_copies is not None:
            self.host_copies.rest()

    def _host_copies(self):
        """None: on the CPU there is nothing to wait for."""
        if not self.device["device"].startswith("cuda"):
            return None
        from .host_copies import HostCopies

        return HostCopies(self.torch, lambda: self._here.inside)

    @property
    def torch(self):
        import torch

        return torch

    def events(self):
        return events.last(
            {
                fed.letter: chr(ord("n") + at)
                for at, fed in enumerate([self.lead] + self.partners)
                if fed
            }
        )

    # Ends

    def failed(self, error):
        """By a defect of ours, or a script that cannot be measured."""
        if _is_of_device(error):
            return  # the next call of the script that uses the device raises it again
        if isinstance(error, Failure):
            self.ends.refuse(error.message)
            return
        self.ends.of_defect(error)

    def script_ended(self):
        """From atexit."""
        if self.active:
            self.ends.of_script()
