"""SIGURG from benchbench: this process says what it does at this moment, on a connection of its
own, and ends where the answer is `stop` (../WRAP.md)."""

import faulthandler
import itertools
import os
import signal
import sys
import threading

from .. import frames, workers
from ..channel import Channel, _move, connect
from ..sources import is_ours, is_users, outwards, place_of
from . import locks, patching, process, savers, session, stop
from .hidden_frames import comes_from_users

ASKS = signal.SIGURG  # a process without a handler ignores it; system calls go on
# The same, but system calls are interrupted: a thread that waits for a lock in a system call which
# goes on runs no handler. ../../wrap_site handles it from Python's start on.
WAKES = signal.SIGRTMAX - 4
# C code writes all stacks at this one, without waiting for Python's lock: for a process that gives
# no answer.
LAST = signal.SIGRTMAX - 3
FILE = "benchbench-stacks"  # in memory, that they are written to
ANSWER_S = 1.5
MOST = 24  # frames, and threads

_asked = False
_file = None


def install():
    """Once a process, in its main thread. Returns why its stacks cannot be read, or None."""
    if threading.current_thread() is not threading.main_thread():
        return "torch was imported in another thread than the main one"
    if signal.getsignal(ASKS) is answer:  # inherited by fork
        _write_last_to_own_file()
        return None
    if signal.getsignal(ASKS) is not signal.SIG_DFL:
        return "the script has a handler of SIGURG of its own"
    signal.signal(ASKS, answer)
    signal.siginterrupt(ASKS, False)
    _write_last_to_own_file()
    return None


def watch_workers(module):
    """`module`: torch.utils.data._utils.worker. By its name a spawned worker finds it, too."""
    patching.replace(module, "_worker_loop", _answering)


def _answering(original):
    def _worker_loop(*args, **kwargs):
        try:
            install()
        except Exception:  # its stack stays unknown
            pass
        return original(*args, **kwargs)

    return _worker_loop


def _write_last_to_own_file():
    global _file
    if signal.getsignal(LAST) is not signal.SIG_DFL or not hasattr(os, "memfd_create"):
        return
    try:
        _file = _move(os.memfd_create(FILE, os.MFD_CLOEXEC))
        faulthandler.register(LAST, file=_file, all_threads=True)
    except (OSError, ValueError, RuntimeError):
        pass


def answer(_number, frame):
    """A handler of signals, also of a process that has not imported torch."""
    global _asked
    if _asked:
        return
    _asked = True
    try:
        reply = _exchange(describe(frame))
        if reply.get("type") == "stop":
            _end(reply.get("reason") or "stopped")
    except Exception as error:
        if comes_from_users(error):  # another handler of signals raised it meanwhile
            raise
    finally:
        _asked = False


def describe(frame):
    """`frame`: that the main thread was interrupted in."""
    stacks = {threading.get_ident(): frame, **frames.read_others()}
    return {
        "token": os.environ.get("BENCHBENCH_WRAP_TOKEN"),
        "pid": os.getpid(),
        "worker": _worker_number(),
        "saves": bool(savers.writing),
        "threads": [
            {"name": locks.thread_name(thread), "frames": _read_frames(stacks[thread])}
            for thread in list(stacks)[:MOST]
        ],
        "lock": locks.find_awaited(frame),
        "guarded": process.has_main_guard(),
        "kept": _is_kept(frame),
    }


def _is_kept(frame):
    """Returns True if its loader keeps this worker for all epochs. None: it is no worker."""
    for one in outwards(frame) if _worker_number() is not None else ():
        if "persistent_workers" in one.f_code.co_varnames and not is_users(one.f_code.co_filename):
            return frames.look_at_locals(one, lambda names: names.get("persistent_workers"))
    return None


def _worker_number():
    info = getattr(sys.modules.get("torch.utils.data._utils.worker"), "_worker_info", None)
    return info.id if info is not None else None


def _read_frames(frame):
    """Innermost first, without ours: place, function, whether it is the user's own."""
    frames_here = (one for one in outwards(frame) if not is_ours(one.f_code.co_filename))
    return [
        [
            place_of(one.f_code.co_filename, one.f_lineno or 0),
            one.f_code.co_name,
            bool(is_users(one.f_code.co_filename)),
        ]
        for one in itertools.islice(frames_here, MOST)
    ]


def _exchange(members):
    with connect(os.environ["BENCHBENCH_WRAP"], ANSWER_S) as connection:
        channel = Channel(connection)
        channel.send("stacks", members)
        return channel.receive()


def _end(reason):
    """Returns where the script ends by itself, or writes a checkpoint."""
    current = session.current()
    if current is None or current.pid != os.getpid():
        return
    if reason == "hangs":  # nothing of it is waited for
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        workers.kill_children()
    elif savers.writing:
        return
    if current.engine is not None:
        if not current.engine.ends.by_clock(reason):
            return
    elif current.may_send(ANSWER_S):
        current.send("end", {"reason": reason, "seen": False})
    stop.hard()
