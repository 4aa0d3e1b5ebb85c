"""Which random generators of the data set are alike in several workers, or in each epoch, from what
the workers noted."""

import collections

from .. import sources
from . import generators
from .counters import DRAWN, STATES


def same_draws(counters, generation, paths, dataset, persistent):
    """`generation`: of the workers started last; `persistent`: they serve all epochs."""
    slots = counters.slots_until(generation)
    said = (_said(slots, index, path, dataset, persistent) for index, path in enumerate(paths))
    return list(filter(None, said))


def _said(slots, index, path, dataset, persistent):
    drawn = [
        {worker: slot[STATES + index] for worker, slot in enumerate(epoch) if slot[DRAWN + index]}
        for epoch in slots
    ]
    largest = max(drawn, key=len, default={})
    if not largest:
        return None
    state, workers = collections.Counter(largest.values()).most_common(1)[0]
    every_epoch = (
        not persistent
        and not hasattr(dataset, "set_epoch")
        and _repeats(slots, index, path, dataset, largest)
    )
    if workers == 1 and not every_epoch:
        return None
    return {
        "what": described(dataset, path),
        "where": assigned_at(dataset, path),
        "workers": workers,
        "every_epoch": every_epoch,
    }


def _repeats(slots, index, path, dataset, drawn):
    """Seen where there was a second epoch; else, that the parent's generator, of which the next
    workers get a copy, still has the state in which these workers started."""
    if len(slots) > 1:
        return all(
            epoch[worker][STATES + index] in (0, state)
            for epoch in slots
            for worker, state in drawn.items()
        )
    generator = generators.at(dataset, path)
    return generator is not None and set(drawn.values()) == {
        generators.digest(generators.state_of(generator))
    }


def described(dataset, path):
    name, thing = "self", dataset
    for kind, key in path:
        if kind == "attr":
            name += "." + key
        elif kind == "item":
            name += f"[{key!r}]"
        elif kind == "global":
            name = key
        elif kind == "cell":
            name = thing.__code__.co_freevars[key]
        thing = generators.follow(thing, (kind, key))
    return f"{name} ({generators.kind_of(thing)})"


def assigned_at(dataset, path):
    """The line of the user's nearest to the generator: where the attribute or global is assigned
    that holds it, or that holds the library's object in which it is."""
    nearest, thing = None, dataset
    for kind, name in path:
        place = None
        if kind == "attr":
            place = sources.attribute_assigned(type(thing), name)
        elif kind == "global":
            place = sources.global_assigned(thing, name)
        elif kind == "cell":
            place = sources.where_of(thing)
        nearest = place or nearest
        thing = generators.follow(thing, (kind, name))
    return nearest
