"""Frames of running code, read so that the script stays as it was."""

import dis
import gc
import inspect
import sys
import threading

OURS_ALONE = 3  # the frame, the variable here, and getrefcount's argument


def read_others():
    """Returns {thread: innermost frame} of all other threads. A frame that a variable of its own
    holds would outlive its call, so this thread's is left out. A garbage collection within the call
    could wait for good: it runs the script's code while Python holds the list of threads."""
    collects = gc.isenabled()
    gc.disable()
    try:
        frames = sys._current_frames()
    finally:
        if collects:
            gc.enable()
    frames.pop(threading.get_ident(), None)
    return frames


def look_at_locals(frame, look):
    """Returns what `look` returns of the variables, by name; None if the script may have them as a
    dict. Up to Python 3.12 f_locals of a function is a dict that stays with the frame, the one that
    locals() returned to the script: what our look brings into it is taken out again, lest it keep
    alive what the script lets go."""
    if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return look(frame.f_locals)
    if _asks_for_locals(frame.f_code):
        return None
    names = frame.f_locals
    try:
        return look(names)
    finally:
        if type(names) is dict and sys.gettrace() is None and sys.getrefcount(names) <= OURS_ALONE:
            names.clear()


def _asks_for_locals(code):
    """True if it calls locals() or vars()."""
    if not {"locals", "vars"} & set(code.co_names):
        return False
    found = [one for one in dis.get_instructions(code) if one.opname not in ("CACHE", "PUSH_NULL")]
    return any(
        one.opname == "LOAD_GLOBAL"
        and one.argval in ("locals", "vars")
        and "CALL" in after.opname
        and after.arg == 0
        for one, after in zip(found, found[1:])
    )


_ENTERS = ("acquire", "__enter__")
_BETWEEN = ("LOAD_CONST", "LOAD_SMALL_INT", "PUSH_NULL", "PRECALL", "KW_NAMES", "COPY", "SWAP")


def find_entered(frame):
    """Returns the variable, or `variable.attribute`, that a thread enters by `with` or acquires in
    its innermost frame; None: it does something else there."""
    done = [one for one in dis.get_instructions(frame.f_code) if one.offset <= frame.f_lasti]
    last = done.pop().opname if done else ""
    enters, attributes = last in ("SETUP_WITH", "BEFORE_WITH"), []
    for one in reversed(done if enters or "CALL" in last else ()):
        if one.opname == "LOAD_SPECIAL":
            enters = enters or one.argrepr in _ENTERS
        elif one.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            enters = enters or one.argval in _ENTERS
            attributes[:0] = [one.argval] * (one.argval not in _ENTERS)
        elif one.opname in _BETWEEN:
            continue
        elif not one.opname.startswith("LOAD_"):
            return None
        elif enters:
            return ".".join([_last_name(one)] + attributes)
        else:  # an argument
            attributes = []
    return None


def _last_name(one):
    """Returns the variable that it loads; some load two."""
    return one.argval if isinstance(one.argval, str) else one.argval[-1]
