"""DataLoader's classes, patched: where an epoch begins, and each fetch. Classes, not objects: what
frameworks wrap is seen too."""

import os
import threading

from . import patching, session
from .own_iterators import here, inner_reset

MARK = "_benchbench_feed"  # in the iterator: whose batches it delivers


def patch(module):
    kind = module.DataLoader
    patching.replace(kind, "_get_iterator", _beginning)
    patching.extend_to_subclasses(
        kind, ("_get_iterator",), lambda owner, name: patching.replace(owner, name, _beginning)
    )
    base = module._BaseDataLoaderIter
    patching.replace(base, "__next__", _fetching)
    patching.replace(module._MultiProcessingDataLoaderIter, "_shutdown_workers", _shutting_down)
    patching.extend_to_subclasses(
        base, ("_reset",), lambda owner, name: patching.replace(owner, name, _resetting)
    )


def _engine():
    """None: nothing is measured in this process, as in a worker that iterates a loader of its
    own."""
    current = session.current()
    if current is not None and current.engine is not None:
        return current.engine if current.engine.active else None
    if current is not None and current.plan is not None and current.plan["type"] != "plan":
        return None
    return None if _is_worker() else first_engine()


def first_engine():
    """Two threads may begin to iterate at once."""
    with _making:
        planned = session.planned()
        if planned is None:
            return None
        if planned.engine is None:
            from .engine import Engine

            planned.engine = Engine(planned)
        return planned.engine


def _make_lock():
    global _making
    _making = threading.Lock()


_make_lock()
os.register_at_fork(after_in_child=_make_lock)


def _is_worker():
    from torch.utils.data import get_worker_info

    return get_worker_info() is not None


def _beginning(original):
    def _get_iterator(loader):
        engine = None if any(one is loader for one in here.beginning) else _engine()
        if engine is None:
            return original(loader)
        before = engine.note(engine.ledger.enters_ours)
        try:
            return _begun(engine, loader, original)
        finally:
            engine.note(engine.ledger.back, before)

    return _get_iterator


def _begun(engine, loader, original):
    here.beginning.append(loader)
    try:
        iterator, took = engine.begin(loader, original)
    finally:
        here.beginning.pop()
    feed = engine.began(loader, iterator, took)
    if feed is not None:
        _mark(iterator, feed)
    return iterator


def _mark(iterator, feed):
    try:
        setattr(iterator, MARK, feed)
    except AttributeError:  # an override's own kind of iterator, whose fetches are not seen
        pass


def _resetting(original):
    """Later epochs of workers that persist."""

    def _reset(iterator, loader, first_iter=False, *args, **kwargs):
        feed = None if first_iter or here.resetting else getattr(iterator, MARK, None)
        if feed is None or not feed.engine.active:
            return original(iterator, loader, first_iter, *args, **kwargs)
        note, ledger = feed.engine.note, feed.engine.ledger
        note(feed.iterators.lets_go, iterator)
        before = note(ledger.enters_ours)
        was = note(ledger.begins, feed)
        try:
            with inner_reset():
                original(iterator, loader, first_iter, *args, **kwargs)
            feed.engine.began(loader, iterator, note(ledger.back, was))
        finally:
            note(ledger.back, before)

    return _reset


def _fetching(original):
    def __next__(iterator):
        feed = iterator.__dict__.get(MARK)
        if feed is None or not feed.engine.active:
            return original(iterator)
        return feed.engine.fetch(feed, iterator, original)

    return __next__


def _shutting_down(original):
    """Workers end, at the end of an epoch or where the script lets the iterator go."""

    def _shutdown_workers(iterator):
        feed = iterator.__dict__.get(MARK)
        if feed is None or iterator.__dict__.get("_shutdown") or not feed.engine.active:
            return original(iterator)
        note, ledger = feed.engine.note, feed.engine.ledger
        note(feed.iterators.lets_go, iterator)
        was = note(ledger.shuts_down, feed)
        try:
            return original(iterator)
        finally:
            took = note(ledger.back, was)
            if feed.iterators.each_step:
                feed.iterators.shut_down(took)
                feed.engine.held_up(feed, took)

    return _shutdown_workers
