"""The names that a user has for a loader: the variables that hold it, and where it was made."""

import os
import sys

from .. import frames, sources


def of(loader):
    """Returns the user's variables that hold it, among the frames that iterate it: globals first,
    then from the outermost frame inwards."""
    found, inner = [], []
    for frame in _users_frames():
        found += _names_in(frame.f_globals, loader)
        inner = _names_among_locals(frame, loader) + inner
    return list(dict.fromkeys(found + inner))


def is_there(wanted):
    """True if a variable of this name holds a loader that is not iterated yet, or one was made at
    this FILE:LINE."""
    return _is_in_a_frame(wanted) or any(
        same_place(wanted, where) for where in sources.places_of_loaders()
    )


def same_place(wanted, where):
    """FILE:LINE, the file with or without its folder."""
    (path, _, line), (given, _, given_line) = (where or "").rpartition(":"), wanted.rpartition(":")
    if not path or line != given_line:
        return False
    return os.path.basename(path) == given or os.path.realpath(path) == os.path.realpath(given)


def _users_frames():
    frames_here = sources.outwards(sys._getframe(1))
    return (one for one in frames_here if sources.is_users(one.f_code.co_filename))


def _names_in(names, loader):
    return [name for name, value in list(names.items()) if value is loader or _wraps(value, loader)]


def _names_among_locals(frame, loader):
    if frame.f_code.co_name == "<module>":
        return []
    return frames.look_at_locals(frame, lambda names: _names_in(names, loader)) or []


def _wraps(value, loader):
    """accelerate's DataLoaderShard."""
    try:
        return value.__dict__.get("base_dataloader") is loader
    except Exception:
        return False


def _is_in_a_frame(wanted):
    def holds(names):
        return sources.is_data_loader(names.get(wanted))

    return any(
        holds(frame.f_globals) or frames.look_at_locals(frame, holds) for frame in _users_frames()
    )
