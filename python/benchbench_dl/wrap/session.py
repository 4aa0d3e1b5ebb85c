"""This process's side of the conversation with benchbench (../WRAP.md)."""

import atexit
import math
import os
import sys
import threading
import time

from ..versions import describe_process, version_of
from . import locks, process, steps
from .hidden_frames import comes_from_users, hide_ours

PATIENCE_S = 5  # for benchbench's answer: the script does not wait longer
SILENT_NS = 2 * 10**9  # the longest that a loop which makes steps says nothing

now = time.monotonic_ns

_session = None
_prepare = None
_watches = False  # also of a process that was forked from one that does


class Session:
    def __init__(self, channel):
        self._channel, self.pid = channel, os.getpid()
        self.plan = None
        self.lost = False
        self.engine = None
        self.sent = now()
        self._sending = threading.Lock()
        # Held from a question to its answer: nothing else is to receive that.
        self.asking = threading.RLock()

    def send(self, kind, members=None, blob=b""):
        """Returns True if it was sent: benchbench may have gone."""
        if self.lost or os.getpid() != self.pid:
            return False
        self.sent = now()
        try:
            with self._sending:
                self._channel.send(kind, _plain(members or {}), blob)
        except OSError as error:
            self._lose(error)
        return not self.lost

    def may_send(self, seconds):
        """False if a message is being sent all that time, as by what a handler of signals has
        interrupted."""
        if not self._sending.acquire(timeout=seconds):
            return False
        self._sending.release()
        return True

    def receive(self):
        """None: nothing comes."""
        try:
            return self._channel.receive()
        except (OSError, EOFError, ValueError) as error:
            self._lose(error)
            return None

    def _lose(self, error):
        """Takes benchbench as gone, but for the script's own errors: a handler of signals may
        raise one anywhere, such as a TimeoutError, which is an OSError."""
        if comes_from_users(error):
            raise error
        self.lost = True

    def ask(self, kind, members):
        """The answer, or None."""
        with self.asking:
            self.send(kind, members)
            return self.receive()

    def hear(self, heard):
        """Gives a message that has come to `heard`: before another thread asks for one."""
        if not self.asking.acquire(blocking=False):
            return
        try:
            message = self.poll()
            if message is not None:
                heard(message)
        finally:
            self.asking.release()

    def poll(self, seconds=0):
        """A message that has come, or comes within that time, or None. With no time: None too while
        another thread asks."""
        if not self.asking.acquire(blocking=seconds > 0):
            return None
        try:
            return self.receive() if not self.lost and self._channel.waiting(seconds) else None
        except (OSError, ValueError) as error:
            self._lose(error)
            return None
        finally:
            self.asking.release()

    def listen(self, hear):
        """Calls `hear` with each message that comes, and with None in the end, in a thread of its
        own."""

        def wait():
            self._channel.wait_without_end()
            while not self.lost:
                hear(self.receive())

        threading.Thread(target=wait, name="benchbench", daemon=True).start()


def _plain(value):
    """Returns what JSON takes: a script's settings may be numpy's numbers."""
    if isinstance(value, dict):
        return {str(key): _plain(held) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(held) for held in value]
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return value.real if math.isfinite(value) else None
    item = getattr(value, "item", None)
    try:
        return _plain(item()) if item is not None else str(value)
    except Exception:
        return None


def prepare_with(function):
    """`function` is called before the process says hello, and returns why its stacks cannot be
    read, or None."""
    global _prepare
    _prepare = function


def connect(failed=None):
    """Once a process. Without an answer the script runs as if we were not there. `failed`: what
    kept us from patching torch."""
    global _session
    address = os.environ.get("BENCHBENCH_WRAP")
    if not address or _session is not None:
        return
    from ..channel import Channel

    try:
        _session = Session(Channel.connected(address, PATIENCE_S))
    except OSError:
        return
    _session.send("hello", dict(_hello(), failed=failed, mute=_find_why_mute()))
    atexit.register(_at_exit, _session)
    _watch_once()


def _watch_once():
    """A process that was forked has the hooks of the one that forked it."""
    global _watches
    if _watches:
        return
    _watches = True
    locks.watch_forks()
    hide_ours()


def _find_why_mute():
    try:
        return _prepare() if _prepare else None
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _hello():
    return dict(
        describe_process(),
        token=os.environ.get("BENCHBENCH_WRAP_TOKEN"),
        parent=os.getppid(),
        argv=getattr(sys, "orig_argv", None) or sys.argv,
        torch=version_of("torch"),
        rank=process.rank(),
        spawned=process.is_of_multiprocessing(),
    )


def _forget():
    """In a process that was forked: it may have a conversation of its own."""
    global _session
    if _session is not None and _session.engine is not None:
        _session.engine.active = False
    _session = None


os.register_at_fork(after_in_child=_forget)


def planned():
    """The session once it is known what to do, or None: nothing is to be measured here."""
    if _session is None:
        connect()
    session = _session
    if session is None or session.lost:
        return None
    if session.plan is None:
        session.plan = session.receive() or {"type": "leave"}
    return session if session.plan["type"] == "plan" and not session.lost else None


def current():
    return _session


def lives(at):
    """After each step: fetches are said anyhow, but a loop may have its batches from elsewhere."""
    if _session is not None and at - _session.sent > SILENT_NS:
        _session.send("progress", {"phase": "stepping"})


def _at_exit(session):
    """The script has ended by itself. Exceptions that nothing caught were printed before."""
    if session is _session and os.getpid() == session.pid:
        if session.engine is not None:
            session.engine.script_ended()
        else:
            session.send("end", {"reason": "script ended", "seen": False, "loop": steps.members()})
