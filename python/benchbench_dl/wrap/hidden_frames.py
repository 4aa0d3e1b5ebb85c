"""The user sees their own traceback: without the frames of ours that brought torch's there."""

import sys

from ..sources import find_raiser, is_ours, is_users


def hide_ours():
    """In what Python prints of an exception that nothing catches. A hook that the script sets takes
    the place of this one."""
    inner = sys.excepthook

    def excepthook(kind, error, trace):
        strip(error)
        inner(kind, error, _without_ours(trace))

    sys.excepthook = excepthook


def strip(error, seen=()):
    if error is None or error in seen:
        return
    error.__traceback__ = _without_ours(error.__traceback__)
    for other in (error.__cause__, error.__context__):
        strip(other, tuple(seen) + (error,))


def comes_from_users(error):
    """True if a frame of the script's own raised it. A handler of signals may within our code."""
    file = find_raiser(error)
    return file is not None and is_users(file)


def _without_ours(trace):
    first = before = None
    while trace is not None:
        if not is_ours(trace.tb_frame.f_code.co_filename):
            if before is None:
                first = trace
            else:
                before.tb_next = trace
            before = trace
        trace = trace.tb_next
    if before is not None:
        before.tb_next = None
    return first
