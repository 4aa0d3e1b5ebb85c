"""A worker that outlives the process that started it is killed, whatever the start method, and
whatever it is doing."""

import ctypes
import multiprocessing
import os
import select
import signal
import threading

_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


def ask_kernel_to_kill():
    """Once the thread that started this process ends. OSError, AttributeError: it cannot be
    asked."""
    ctypes.CDLL(None, use_errno=True).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def die_with(parent, forked):
    """`parent`: the process that made the DataLoader's iterator. The kernel's signal follows the
    thread that forked, which is the loop's; of a worker of the fork server it follows the fork
    server, hence a thread that waits for the parent itself. Not where this process was `forked` by
    it: its siblings hold what that thread would wait on."""
    ask_kernel_to_kill()
    if os.getppid() == parent:
        return
    if forked:  # the parent was gone before the signal was asked for
        _kill()
    sentinel = multiprocessing.parent_process().sentinel
    threading.Thread(
        target=_wait_for, args=(sentinel,), name="benchbench_parent", daemon=True
    ).start()


def _wait_for(sentinel):
    poll = select.poll()
    poll.register(sentinel, select.POLLIN | select.POLLHUP)
    while not poll.poll():
        pass
    _kill()


def _kill():
    os.kill(os.getpid(), signal.SIGKILL)
