"""How long workers took to make each of their last batches, and what decides the order in which
these are delivered."""

import array

from .. import sources
from .counters import BATCHES, BEGINS, LASTS, TIMES

MOST = 128  # of each worker


def made_ns(counters, generation, streams):
    """[[ns, ...], ...] by worker, of several generations one after the other. Batches that are
    handed out in turn stay so: of each generation there are as many of every worker, from the same
    turn on."""
    made = [[] for _ in range(counters.workers)]
    for slots in counters.slots_until(generation):
        counts = [slot[BATCHES] for slot in slots]
        alike = range(max(0, max(counts) - LASTS), min(counts))
        for times, slot in zip(made, slots):
            turns = _last_turns(slot) if streams else alike
            times += [slot[TIMES + turn % LASTS] for turn in turns]
    return [times[-MOST:] for times in made]


def _last_turns(slot):
    return range(max(0, slot[BATCHES] - LASTS), slot[BATCHES])


def fills(counters, generation):
    """[worker, begin, ns, ...]: the last batches of each worker, three numbers a batch."""
    values = array.array("q")
    for slots in counters.slots_until(generation):
        for worker, slot in enumerate(slots):
            for turn in _last_turns(slot):
                at = turn % LASTS
                values.extend((worker, slot[BEGINS + at], slot[TIMES + at]))
    return values


def order_of(counters, generation, loader):
    """The members of `result`."""
    if counters is None or loader.num_workers < 2 or generation < 0:
        return {}
    streams = sources.is_iterable_style(loader.dataset)
    return {
        "made_ns": made_ns(counters, generation, streams),
        "streams": streams,
        "in_order": getattr(loader, "in_order", None),
        "prefetch_factor": loader.prefetch_factor,
    }
