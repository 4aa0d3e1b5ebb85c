"""Threads of the script's own code that hold a lock when workers are forked: its copy in a worker
stays locked."""

import os
import sys
import sysconfig
import threading

from . import locks

OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def threads_that_hold():
    """Names of the threads but for this one. A thread of a package, of Python's library or of ours
    has no frame of the script's; it is the package's to keep its locks from a fork."""
    frames = _frames_of_others()
    return [
        thread.name
        for thread in threading.enumerate()
        if any(map(_names_held, _own_frames(frames.get(thread.ident))))
    ]


def _frames_of_others():
    """Without the frame of this thread: one that a variable of its own holds outlives its call, and
    with it iterators of the script's."""
    frames = sys._current_frames()
    del frames[threading.get_ident()]
    return frames


def _own_frames(frame):
    while frame is not None:
        if not _is_installed(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def _is_installed(path):
    """True if a file is of Python, of a package that was installed, or ours."""
    library = [sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")]
    return (
        path.startswith(("<frozen ", "<benchbench", OURS, *library))
        or "site-packages" in path
        or "dist-packages" in path
    )


def _names_held(frame):
    return next(locks.find_locked(frame), None) is not None
