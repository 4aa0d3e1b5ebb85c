"""Threads of the script's own code that hold a lock when workers are forked: its copy in a worker
stays locked."""

import os
import sys
import sysconfig
import threading

OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_LOCKS = (type(threading.Lock()), type(threading.RLock()))


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
    """Looks at what the code names: globals, variables, attributes of its first argument."""
    code = frame.f_code
    local = frame.f_locals
    owner = local.get(code.co_varnames[0]) if code.co_argcount else None
    attributes = getattr(owner, "__dict__", {})
    values = [local.get(name) for name in code.co_varnames + code.co_freevars]
    for name in code.co_names:
        values += [frame.f_globals.get(name), attributes.get(name)]
    return any(map(_is_held, values))


def _is_held(value):
    """Asks no lock, which could get in the way of a thread that wants it: its text says it."""
    if isinstance(value, threading.Condition):
        value = value._lock
    return isinstance(value, _LOCKS) and repr(value).startswith("<locked")
