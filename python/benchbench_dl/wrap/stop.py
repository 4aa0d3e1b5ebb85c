"""The end of a script that was measured: nothing of it is run any more, and none of its processes
is left."""

import ctypes
import os
import signal
import sys
import traceback

from .. import shared_memory, workers
from .hidden_frames import strip


def hard(code=0):
    """Does not return. Neither `finally` nor `atexit` of the script's is run: they save."""
    try:
        clean_up()
    finally:
        os._exit(code)


def clean_up():
    flush()
    pids = workers.list_pids()
    workers.shut_down()
    _unlink_semaphores()
    workers.end_all()
    shared_memory.unlink(pids)


def flush():
    for stream in {
        id(stream): stream for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)
    }.values():
        try:
            stream.flush()
        except Exception:
            pass
    try:
        ctypes.CDLL(None).fflush(None)
    except Exception:
        pass


def as_failed(error):
    """Ends it as Python does where nothing catches the exception."""
    if isinstance(error, SystemExit):
        hard(error.code if isinstance(error.code, int) else 0 if error.code is None else 1)
    strip(error)
    traceback.print_exception(type(error), error, error.__traceback__)
    if isinstance(error, KeyboardInterrupt):
        clean_up()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    hard(1)


def _unlink_semaphores():
    """Removes those of spawned workers' queues, of which their tracker would complain on the user's
    screen."""
    module = sys.modules.get("multiprocessing.synchronize")
    registry = getattr(sys.modules.get("multiprocessing.util"), "_finalizer_registry", {})
    for finalizer in list(registry.values()):
        if module is not None and getattr(finalizer, "_callback", None) is getattr(
            module.SemLock, "_cleanup", finalizer
        ):
            try:
                finalizer()
            except Exception:
                pass
