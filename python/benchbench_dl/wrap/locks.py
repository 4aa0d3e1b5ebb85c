"""Locks that are held while the script is forked: the child has them as they are, without the
thread that would release them."""

import itertools
import os
import threading

from .. import frames, sources

_KINDS = (type(threading.Lock()), type(threading.RLock()))
_DEEP = 24  # frames of a thread that are looked at

_held = {}  # id of a lock -> (its name, the thread, file, line), as of the last fork
_names = {}  # of its threads: the child forgets them
_noted_in = None  # the process that forked


def watch_forks():
    os.register_at_fork(before=_note)


def _note():
    global _noted_in
    try:
        _noted_in = os.getpid()
        _held.clear()
        _names.clear()
        for lock, held in find_held_by_others():
            _held.setdefault(id(lock), held)
        _names.update((held[1], thread_name(held[1])) for held in _held.values())
    except Exception:  # Python would print it
        pass


def find_awaited(frame):
    """Returns the lock that a thread seems to wait for in `frame`: one that a thread held at the
    fork, else one that another thread of this process seems to hold, else any that the innermost
    frame names. None: none is locked."""
    found = [pair for one in _frames(frame) for pair in _find_locked(one)]
    if os.getpid() != _noted_in:
        for _, lock in found:
            if id(lock) in _held:
                return _describe(*_held[id(lock)], forked=True)
    others = {id(lock): held for lock, held in find_held_by_others()} if found else {}
    for _, lock in found:
        if id(lock) in others:
            return _describe(*others[id(lock)], forked=False)
    return next((_describe(name) for name, _ in _find_locked(frame)), None)


def _describe(name, thread=None, file=None, line=None, forked=False):
    return {
        "name": name,
        "thread": _names.get(thread) if forked else thread and thread_name(thread),
        "where": file and sources.place_of(file, line or 0),
        "forked": forked,
    }


def find_held_by_others():
    """Returns [(lock, (name, thread, file, line))] of the locks that frames of each other thread
    name and that it may hold, those of the innermost frame first."""
    others = frames.read_others().items()
    return [one for thread, frame in others for one in _find_held(thread, frame)]


def _find_held(thread, frame):
    awaited = _find_entered(frame)
    return [
        (lock, (name, thread, one.f_code.co_filename, one.f_lineno))
        for one in _frames(frame)
        for name, lock in _find_locked(one)
        if lock is not awaited and _may_be_held_by(lock, thread)
    ]


def _find_entered(frame):
    """Returns the lock that is locked and that a thread waits for; None: none is known."""
    found = dict(_find_locked(frame))
    return found.get(frames.find_entered(frame)) if found else None


def _may_be_held_by(lock, thread):
    text = repr(lock)
    return " owner=" not in text or f" owner={thread} " in text


def thread_name(thread):
    known = threading._active.get(thread)  # enumerate() would wait for a lock
    return known.name if known is not None else f"thread {thread}"


def _frames(frame):
    return itertools.islice(sources.outwards(frame), _DEEP)


def _find_locked(frame):
    """Returns [(name, lock)] of those that its code names: variables, their attributes, globals."""
    code, seen = frame.f_code, {}
    if code.co_name != "<module>":
        seen.update(frames.look_at_locals(frame, dict) or ())
    seen.update((name, frame.f_globals[name]) for name in code.co_names if name in frame.f_globals)
    return [pair for name, value in seen.items() for pair in _name_locked(name, value, code)]


def _name_locked(name, value, code):
    if _is_locked(value):
        yield name, _inner_lock(value)
    held = _attributes(value)
    for attribute in code.co_names if held else ():
        if attribute in held and _is_locked(held[attribute]):
            yield f"{name}.{attribute}", _inner_lock(held[attribute])


def _attributes(value):
    try:
        found = object.__getattribute__(value, "__dict__")
    except Exception:
        return None
    return found if type(found) is dict else None


def _inner_lock(value):
    return value._lock if type(value) is threading.Condition else value


def _is_locked(value):
    lock = _inner_lock(value)
    return type(lock) in _KINDS and repr(lock).startswith("<locked")
