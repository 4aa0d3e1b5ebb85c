"""Findings about the script's loaders that their times do not show (`noticed` of WRAP.md)."""

import sys
import time

from .. import trees
from . import idle, process, step_loop

TRIES = 3  # of a state that is priced


def find_all(engine, ends):
    """`ends`: the script goes no further, so that its own code may be asked."""
    feeding = [engine.lead] + engine.partners
    others = [feed for feed in engine.feeds if feed not in feeding and feed is not engine.changed]
    looks = (beside_threads, on_device) + (snapshots,) * ends
    seen = [look(feed) for look in looks for feed in feeding] + [that_stay(feed) for feed in others]
    seen += [feed.iterators.found(feed) for feed in feeding]
    seen += [remade(feed) for feed in feeding + others]
    seen += [
        host_copies(engine),
        step_loop.without_fetch(engine),
        max(filter(None, map(pin_thread, feeding)), key=lambda one: one["ns"], default=None),
    ]
    return list(filter(None, seen))


def forks(loader):
    from ..observe import surroundings

    return (
        loader.num_workers > 0
        and sys.platform == "linux"
        and surroundings.start_method(loader) == "fork"
    )


def beside_threads(feed):
    """Returns None if its workers were not forked while such a thread ran."""
    if not feed.threads_beside:
        return None
    more = ", ..." if len(feed.threads_beside) > 4 else ""
    return _of(
        feed,
        "fork after threads",
        count=len(feed.threads_beside),
        what=", ".join(feed.threads_beside[:4]) + more,
        numbers={"guarded": int(bool(process.has_main_guard())), "kept": int(feed.persistent)},
    )


def remade(feed):
    """Returns None if its epochs are of one DataLoader, whose workers can stay."""
    if not feed.remade or not feed.workers or feed.iterators.each_step:
        return None
    numbers = {"remade": feed.remade, "kept": int(feed.persistent)}
    return _of(feed, "loader each epoch", count=feed.remade, what=feed.name, numbers=numbers)


def that_stay(feed):
    """Returns the finding of a loader that feeds no step, in the end. None: it has none."""
    pids = feed.pids() if feed.persistent else []
    memory = [idle.sum_memory(pid, "Pss:") for pid in pids]
    if not pids or None in memory:
        return None
    return _of(feed, "workers that stay", count=len(pids), what=feed.name, bytes=sum(memory))


def device_of(batch):
    """Returns that of its first tensor that is not on the CPU; None: all are."""
    tensors = filter(trees.is_tensor, trees.leaves(batch))
    return next((str(leaf.device) for leaf in tensors if leaf.device.type != "cpu"), None)


def on_device(feed):
    if not feed.made_on or not feed.workers:
        return None
    return _of(feed, "device tensors", count=feed.workers, what=feed.made_on)


def pin_thread(feed):
    """It needs Python's lock for each batch, which a training loop may keep and L leaves to it:
    what it waits with a batch in F beyond that in L."""
    (in_f, of_f), (in_l, of_l) = (feed.observation.pin_waits.get(kind, (0, 0)) for kind in "FL")
    if not of_f or not of_l:
        return None
    ns = round(in_f / of_f - max(0, in_l / of_l))
    return _of(feed, "pin thread", count=of_f, what="", ns=ns) if ns > 0 else None


def host_copies(engine):
    """None: not in each step, or none."""
    found = engine.host_copies.found() if engine.host_copies else None
    if found is None or found[0] < 0.9:
        return None
    calls, ns, method, where = found
    count = max(1, round(calls))
    return {"kind": "host copies", "where": where, "count": count, "what": method, "ns": round(ns)}


def snapshots(feed):
    """torchdata's StatefulDataLoader asks a data set that has a state for it, in the worker, with
    each batch: priced by asking it here, as the script is about to end."""
    loader = feed.kept
    every = getattr(loader, "snapshot_every_n_steps", None)
    if every != 1 or not callable(getattr(loader.dataset, "state_dict", None)):
        return None
    try:
        took = min(_state_ns(loader.dataset) for _ in range(TRIES))
    except Exception:  # of the script's own code
        return None
    return _of(feed, "snapshots", count=feed.workers, what=type(loader.dataset).__name__, ns=took)


def _state_ns(dataset):
    begun = time.monotonic_ns()
    dataset.state_dict()
    return time.monotonic_ns() - begun


def _of(feed, kind, **members):
    return dict(members, kind=kind, where=feed.where)
