"""What a user calls a loader: the variables that hold it, and where it was made."""

import dis
import inspect
import os
import sys

from .. import sources


def of(loader):
    """Those of the user's that hold it, among the frames that iterate it: globals first, then from
    the outermost frame inwards."""
    found, inner = [], []
    for frame in _users_frames():
        found += _names_in(frame.f_globals, loader)
        inner = _names_among_locals(frame, loader) + inner
    return list(dict.fromkeys(found + inner))


def is_there(wanted):
    """Whether a variable of this name holds a loader that is not iterated yet, or one was made at
    this FILE:LINE."""
    return any(holds(wanted) for holds in (_is_in_a_frame, _is_made_at))


def same_place(wanted, where):
    """FILE:LINE, the file with or without its folder."""
    (path, _, line), (given, _, given_line) = (where or "").rpartition(":"), wanted.rpartition(":")
    if not path or line != given_line:
        return False
    return os.path.basename(path) == given or os.path.realpath(path) == os.path.realpath(given)


def _users_frames():
    frame = sys._getframe(1)
    while frame is not None:
        if sources.is_users(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def _names_in(names, loader):
    return [name for name, value in list(names.items()) if value is loader or _wraps(value, loader)]


def _names_among_locals(frame, loader):
    if frame.f_code.co_name == "<module>":
        return []
    return _of_locals(frame, lambda names: _names_in(names, loader)) or []


def _of_locals(frame, look):
    """Up to Python 3.12 f_locals of a function is a dict that stays with the frame, the one that
    locals() returned to the script: what comes into it by our look is taken out again, lest it keep
    alive what the script lets go. None: not looked at, since the script may have it."""
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


OURS_ALONE = 3  # the frame, the variable here, and getrefcount's argument


def _asks_for_locals(code):
    """Whether it calls locals() or vars()."""
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


def _wraps(value, loader):
    """accelerate's DataLoaderShard."""
    try:
        return value.__dict__.get("base_dataloader") is loader
    except Exception:
        return False


def _is_in_a_frame(wanted):
    def holds(names):
        return sources.is_data_loader(names.get(wanted))

    return any(holds(frame.f_globals) or _of_locals(frame, holds) for frame in _users_frames())


def _is_made_at(wanted):
    return any(same_place(wanted, where) for where in sources.places_of_loaders())
