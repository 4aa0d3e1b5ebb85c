"""One conversation, several threads."""

import json
import os
import signal
import socket
import struct
import sys
import threading
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from rows import HANG_S  # noqa: E402

from benchbench_dl.channel import Channel  # noqa: E402
from benchbench_dl.wrap import ends, process, signals  # noqa: E402
from benchbench_dl.wrap import session as session_module  # noqa: E402
from benchbench_dl.wrap.orders import Orders  # noqa: E402
from benchbench_dl.wrap.session import Session  # noqa: E402


class LookedAtMeanwhile(Channel):
    """A channel whose answer is there before `send` returns, while another thread looks for
    messages."""

    session, answer = None, {"type": "go"}

    def send(self, kind, members=None, blob=b""):
        body = json.dumps(self.answer).encode()
        self.peer.sendall(struct.pack("<II", len(body), 0) + body)
        self.seen = []
        other = threading.Thread(target=self._look)
        other.start()
        other.join()

    def _look(self):
        self.session.hear(self.seen.append)
        self.seen.append(self.session.poll())


class Engine:
    """Has what Orders need before anything is measured."""

    changed = schedule = None

    class lead:  # noqa: N801
        batches, epochs, served = None, 0, 0

    def __init__(self, session):
        self.session = session


class NoSaves:
    count = gap = left = 0


class Conversation(unittest.TestCase):
    def setUp(self):
        ours, peer = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(peer.close)
        ours.settimeout(HANG_S)
        self.channel = LookedAtMeanwhile(ours)
        self.channel.peer = peer
        self.session = self.channel.session = Session(self.channel)

    def test_an_answer_reaches_who_asked(self):
        self.assertEqual({"type": "go"}, self.session.ask("steady", {}))
        self.assertEqual([None], self.channel.seen)

    def test_what_to_measure_next_reaches_who_asked(self):
        self.channel.answer = {"type": "enough"}
        self.assertEqual(self.channel.answer, Orders(Engine(self.session)).ask(NoSaves()))
        self.assertEqual([None], self.channel.seen)

    def test_a_message_is_dealt_with_before_anything_is_asked(self):
        """An answer that comes late, for example, which another thread finds."""
        held = []

        def heard(message):
            other = threading.Thread(
                target=lambda: held.append(self.session.asking.acquire(blocking=False))
            )
            other.start()
            other.join()

        body = json.dumps({"type": "round"}).encode()
        self.channel.peer.sendall(struct.pack("<II", len(body), 0) + body)
        self.session.hear(heard)
        self.assertEqual([False], held)

    def test_what_nobody_asked_for_is_found(self):
        self.session.send("progress", {})
        self.assertEqual([{"type": "go"}, None], self.channel.seen)


class Hello(unittest.TestCase):
    def test_a_failed_preparation_is_said(self):
        def prepare():
            raise OSError("no memory")

        self.addCleanup(session_module.prepare_with, session_module._prepare)
        session_module.prepare_with(prepare)
        self.assertEqual("OSError: no memory", session_module._find_why_mute())


class Forked(unittest.TestCase):
    def test_hooks_are_set_once_for_all_that_are_forked(self):
        def replace(what, name, *value):
            patch = mock.patch.object(what, name, *value)
            self.addCleanup(patch.stop)
            return patch.start()

        self.addCleanup(session_module._forget)
        replace(session_module, "_watches", False)
        replace(os, "environ", {"BENCHBENCH_WRAP": "somewhere"})
        replace(Channel, "connected")
        locks, hide_ours = replace(session_module, "locks"), replace(session_module, "hide_ours")
        at_exit = replace(session_module, "atexit")
        for _ in range(3):
            session_module._forget()
            session_module.connect()
        calls = locks.watch_forks, hide_ours, at_exit.register
        self.assertEqual([1, 1, 3], [one.call_count for one in calls])


class MainGuard(unittest.TestCase):
    def test_a_script_that_goes_elsewhere_is_found(self):
        """Python 3.8 names it from where it was started."""
        main = sys.modules["__main__"]
        self.addCleanup(setattr, main, "__file__", main.__file__)
        main.__file__ = os.path.relpath(os.path.abspath(__file__))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir("/")
        self.assertTrue(process.has_main_guard())


class Signalled:
    """A socket that a signal comes to whatever is done with it."""

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        os.kill(os.getpid(), signal.SIGUSR1)
        return getattr(self._inner, name)


class Lost(unittest.TestCase):
    def setUp(self):
        ours, self.peer = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(self.peer.close)
        ours.settimeout(HANG_S)
        self.channel = Channel(ours)
        self.session = Session(self.channel)

    def test_where_the_other_end_is_closed(self):
        self.peer.close()
        self.assertIsNone(self.session.receive())
        self.assertTrue(self.session.lost)

    def test_where_nothing_can_be_sent(self):
        self.peer.close()
        self.assertFalse(self.session.send("progress"))
        self.assertTrue(self.session.lost)

    def test_where_what_comes_is_no_message(self):
        self.peer.sendall(struct.pack("<II", 1, 0) + b"{")
        self.assertIsNone(self.session.poll(HANG_S))
        self.assertTrue(self.session.lost)

    def test_not_where_a_handler_of_signals_raises(self):
        def late(*_):
            raise TimeoutError("too late")

        self.addCleanup(signal.signal, signal.SIGUSR1, signal.signal(signal.SIGUSR1, late))
        self.channel._socket = Signalled(self.channel._socket)
        for talk in (
            lambda: self.session.send("progress"),
            self.session.receive,
            lambda: self.session.poll(HANG_S),
        ):
            with self.assertRaisesRegex(TimeoutError, "too late"):
                talk()
            self.assertFalse(self.session.lost)


class InHandler(unittest.TestCase):
    """Within the handler of SIGURG."""

    def on_asked(self, exchange):
        self.addCleanup(setattr, signals, "_exchange", signals._exchange)
        signals._exchange = exchange
        signals.answer(0, sys._getframe())

    def test_an_exception_of_the_scripts_own_handler_reaches_the_script(self):
        def late(_):
            raise TimeoutError("too late")

        for _ in range(2):  # it listens again
            with self.assertRaisesRegex(TimeoutError, "too late"):
                self.on_asked(late)

    def test_a_failure_of_ours_does_not(self):
        self.on_asked(None)

    def test_the_end_asks_none_of_the_scripts_code(self):
        class Schedule:
            ranks, measuring = None, True

        class Engine:
            session, schedule, plan = self, Schedule, {"stop": "exception"}
            rest = staticmethod(lambda: None)

        said = []
        self.may_send = lambda _: True
        ending = ends.Ends(Engine)
        ending._say = lambda reason, asks=True, **_: said.append((reason, asks))
        with self.assertRaises(ends.Stopped):
            ending.by_clock("budget over")
        self.assertEqual([("budget over", False)], said)


if __name__ == "__main__":
    unittest.main()
