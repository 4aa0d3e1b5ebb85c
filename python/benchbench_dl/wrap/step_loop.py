"""Loops that make steps and ask no DataLoader for their batches: none is there, or the script keeps
the batches that it got before."""

import functools
import os
import types

from .. import sources
from . import ranks, session, steps

# Steps go on without a loader for so long before that is said of the script.
NO_LOADER_NS = 30 * 10**9
WARM_NS = 10 * 10**9  # of them that do not count
# The same after a fetch; where the script is known to keep its batches; where one was asked for
# only once, so that the number of steps of each batch is not known.
NO_FETCH_NS, KEPT_NS, ONE_FETCH_NS = 10 * 10**9, 2 * 10**9, 30 * 10**9
LEAST = 50  # steps, and times as many as ever came between two fetches
TIMES = 10
MOST_CALLS = 6
OF_OBJECTS = ("LOAD_ATTR", "LOAD_METHOD")  # their names are no variables


def watch(first_engine):
    """`first_engine()` returns that of a process in which no loader was iterated, or None."""
    _begin(first_engine)
    os.register_at_fork(after_in_child=functools.partial(_begin, first_engine))


def _begin(first_engine):
    global _warm
    _warm, steps.look = False, functools.partial(_look, first_engine)


def _look(first_engine, frame):
    """No defect of ours comes up in the script's loop."""
    current = session.current()
    if current is None or current.lost or current.pid != os.getpid():
        return
    try:
        _look_at(current, first_engine, frame)
    except Exception as error:
        steps.look = None
        if current.engine is not None:
            current.engine.failed(error)


def _look_at(current, first_engine, frame):
    if current.engine is None:
        _without_loader(first_engine, frame)
    elif current.engine.active and lasts(current.engine):
        _end_without_fetch(current.engine)


# No DataLoader


def _without_loader(first_engine, frame):
    global _warm
    for_ns = steps.now() - steps.first_ns
    if not _warm and for_ns > WARM_NS:
        _warm, steps.times = True, steps.StepTimes()
    if for_ns < NO_LOADER_NS or not steps.times.steps:
        return
    steps.look = None
    # A rank that is stopped alone leaves the others in a collective.
    engine = None if ranks.of_process() is not None else first_engine()
    if engine is not None and not engine.plan.get("keep_going"):
        steps.calls = _called_in(frame)
        engine.ends.finish("no loader")


def _called_in(frame):
    """The user's functions that are named in the loop which makes the steps: one
    of them may make its batches."""
    frame = sources.find_users_frame(frame)
    if frame is None:
        return []
    import dis  # in vain in most scripts

    loads = [one for one in dis.get_instructions(frame.f_code) if one.opname.startswith("LOAD_")]
    names = dict.fromkeys(str(one.argval) for one in loads if one.opname not in OF_OBJECTS)
    known = dict(frame.f_globals, **frame.f_locals)
    # Not isinstance: it asks an object of the user's what it is.
    found = {
        name: sources.where_of(known[name])
        for name in names
        if type(known.get(name)) is types.FunctionType
    }
    return [{"name": name, "where": where} for name, where in found.items() if where][:MOST_CALLS]


# No fetch


def lasts(engine):
    """True if the steps have gone on without a fetch for longer than any batch's."""
    since = steps.count - steps.fetched_at
    if not steps.fetches or since < max(LEAST, TIMES * steps.most):
        return False
    kept = any(feed.iterators.cycled for feed in _feeding(engine))
    waits = KEPT_NS if kept else ONE_FETCH_NS if steps.most == 0 else NO_FETCH_NS
    return steps.now() - steps.fetched_ns > waits


def _feeding(engine):
    return engine.feeds if engine.lead is None else [engine.lead] + engine.partners


def _end_without_fetch(engine):
    steps.look = None
    if not engine.plan.get("keep_going") and not engine.ends.begun and ranks.of_process() is None:
        engine.ends.finish("no fetch")


def without_fetch(engine):
    """Returns one of `noticed`, or None. A cycle is known before steps go on without a fetch."""
    feed = max(_feeding(engine), key=lambda fed: fed.all_served)
    if not feed.iterators.cycled and not lasts(engine):
        return None
    since, held = steps.count - steps.fetched_at, feed.all_served * feed.iterators.cycled
    return {
        "kind": "batches without a fetch",
        "where": feed.iterators.where or feed.where,
        "count": since,
        "what": "itertools.cycle" if feed.iterators.cycled else "",
        "bytes": held * feed.iterators.batch_bytes,
        "numbers": {
            "last_fetch_step": steps.fetched_at,
            "steps_since": since if lasts(engine) else 0,
            "held_batches": held,
        },
    }
