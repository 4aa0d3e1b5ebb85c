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
    _run_finalizers(_unlinks_semaphore)
    workers.end_all()
    shared_memory.unlink(pids)
    _run_finalizers(_removes_folder)


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


def _unlinks_semaphore(callback):
    """Returns True of what their tracker would complain of on the user's screen otherwise: those of
    spawned workers' queues."""
    module = sys.modules.get("multiprocessing.synchronize")
    return module is not None and callback is getattr(module.SemLock, "_cleanup", None)


def _removes_folder(callback):
    """Returns True if that is the folder of sockets: workers.share_folder()."""
    return getattr(callback, "__name__", None) in ("_remove_temp_dir", "rmtree")


def _run_finalizers(is_wanted):
    """Runs those of multiprocessing's that this process registered, if their callback is wanted."""
    registry = getattr(sys.modules.get("multiprocessing.util"), "_finalizer_registry", {})
    for finalizer in list(registry.values()):
        try:
            if is_wanted(getattr(finalizer, "_callback", None)):
                finalizer()
        except Exception:
            pass
