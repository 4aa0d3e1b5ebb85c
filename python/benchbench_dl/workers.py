"""Iterators whose workers must end before the process does: they would outlive it otherwise."""

import multiprocessing.util
import os
import signal
import sys
import time
import weakref

from .sources import find_raiser

_live = []
os.register_at_fork(after_in_child=_live.clear)  # they are the other process's


def noted(iterator):
    """Remembers it until it is gone."""
    try:
        reference = weakref.ref(iterator)
    except TypeError:  # generators of C have no references; they have no workers either
        return iterator
    _live[:] = [known for known in _live if known() is not None and known() is not iterator] + [
        reference
    ]
    return iterator


def share_folder():
    """Makes the folder of this process's sockets, which it removes as it ends. Workers that start
    from now on keep theirs in it: a folder of their own is left where they are killed."""
    try:
        multiprocessing.util.get_temp_dir()
    except OSError:  # workers fail there, too, and say so
        pass


def ended(iterator, patience_s=0.5):
    """What became of a DataLoader's worker that ended while it was needed, as a sentence, or
    None."""
    found = list(enumerate(_list_workers(iterator)))
    limit = time.monotonic() + patience_s
    while found and time.monotonic() < limit:
        for number, worker in found:
            if worker.exitcode is not None:
                name = f"worker {number} of the DataLoader (process {worker.pid})"
                return f"{name} {_fate(worker.exitcode)}"
        try:
            time.sleep(0.01)
        except RuntimeError:  # torch's handler of SIGCHLD raises wherever the process is
            pass
    return None


def is_of_signal(error):
    """Raised by torch's handler of SIGCHLD, wherever the process was."""
    return (find_raiser(error) or "").endswith("signal_handling.py")


def _fate(code):
    if code >= 0:
        return f"ended with exit status {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def shut_down():
    for reference in _live:
        iterator = reference()
        try:
            end = getattr(iterator, "_shutdown_workers", None) or getattr(iterator, "close", None)
            if end is not None:
                end()
        except Exception:
            pass
    _live.clear()


def end_all():
    """Also what the user's code started by multiprocessing, and its servers."""
    shut_down()
    kill_children()
    for name, server in (
        ("multiprocessing.forkserver", "_forkserver"),
        ("multiprocessing.resource_tracker", "_resource_tracker"),
    ):
        try:
            getattr(sys.modules[name], server)._stop()
        except Exception:
            pass


def list_pids():
    """Returns those of workers whose iterators live, and of multiprocessing's children."""
    alive = [reference() for reference in _live]
    found = {worker.pid for one in alive for worker in _list_workers(one)}
    return found | {child.pid for child in _list_children()}


def _list_workers(iterator):
    """Returns its processes. An iterator of the user's may have the same name for anything."""
    try:
        found = list(iterator._workers)
    except Exception:
        return []
    return [one for one in found if isinstance(one, multiprocessing.process.BaseProcess)]


def _list_children():
    """Returns this process's own: one that was forked finds its parent's there, too."""
    children = list(multiprocessing.process._children)
    return [child for child in children if getattr(child, "_parent_pid", None) == os.getpid()]


def kill_children():
    for child in _list_children():
        try:
            child.kill()
        except Exception:
            pass
