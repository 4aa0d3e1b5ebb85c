"""Random generators that a data set holds: where they are, and whether two states belong to one
stream of numbers.

Looked for in attributes, items of lists, tuples and dicts, in what functions and methods of the
user's refer to (globals, closures, partial arguments). Not the global generators, which torch seeds
in each worker."""

import collections
import functools
import hashlib
import random
import sys
import types

from ..sources import is_users
from ..trees import is_leaf
from .counters import GENERATORS

LEVELS = 6  # Subset.dataset.transform.transforms[1].rng has five
ITEMS = 24  # of a list or dict that are looked at
OBJECTS = 2000  # in all

_PLAIN = (str, bytes, bytearray, int, float, complex, bool, type(None), type, types.ModuleType)


def kind_of(thing):
    """ "numpy Generator" and the like; None: no random generator whose state can be seen."""
    if isinstance(thing, random.Random) and not isinstance(thing, random.SystemRandom):
        return "random.Random"
    numpy_random = sys.modules.get("numpy.random")
    for name in ("Generator", "RandomState", "BitGenerator"):
        if isinstance(thing, getattr(numpy_random, name, ())):
            return "numpy " + name
    if isinstance(thing, getattr(sys.modules.get("torch"), "Generator", ())):
        return "torch.Generator"
    return None


def state_of(generator):
    """A picklable state, equal where the next draws are."""
    kind = kind_of(generator)
    if kind == "random.Random":
        return ("MT19937",) + generator.getstate()[1:]
    if kind == "torch.Generator":
        return ("torch", generator.initial_seed(), bytes(generator.get_state().numpy()))
    if kind == "numpy RandomState":
        state = generator.get_state(legacy=False)
    else:
        state = getattr(generator, "bit_generator", generator).state
    return _of_numpy(state)


def digest(state):
    """Not 0, in 64 bits."""
    words = hashlib.blake2b(repr(state).encode(), digest_size=8).digest()
    return int.from_bytes(words, "little", signed=True) or 1


def _of_numpy(state):
    inner = state.get("state")
    if state["bit_generator"] == "MT19937":
        words = tuple(int(word) for word in inner["key"]) + (int(inner["pos"]),)
        return ("MT19937", words, state.get("gauss") if state.get("has_gauss") else None)
    listed = repr(
        {name: getattr(value, "tolist", lambda v=value: v)() for name, value in inner.items()}
    )
    rest = (state.get("has_uint32"), state.get("uinteger"), state.get("buffer_pos"))
    philox = "key" in inner
    stream = repr(inner["key"].tolist()) if philox else inner.get("inc")
    return (state["bit_generator"], stream, listed, rest)


def continues(before, now):
    """Whether drawing led from one state to the other: it was not seeded anew meanwhile. False
    where that cannot be known."""
    if before[0] != now[0]:
        return False
    if before[0] == "MT19937":
        return _reaches(before[1][:-1], now[1][:-1])
    return before[1] is not None and before[1] == now[1]


def _reaches(before, now, blocks=64):
    """MT19937 makes its words 624 at a time."""
    generator = random.Random()
    generator.setstate((3, before + (624,), None))
    for _ in range(blocks):
        if before == now:
            return True
        generator.getrandbits(32 * 624)
        before = generator.getstate()[1][:-1]
    return _reaches_far(before, now)


def _reaches_far(before, now, blocks=4096):
    """At 4 us a block: 2.5 million words."""
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is None:
        return False
    generator = numpy_random.RandomState()
    generator.set_state(("MT19937", before, 624))
    for _ in range(blocks):
        generator.bytes(4 * 624)
        key = generator.get_state(legacy=False)["state"]["key"]
        if int(key[1]) == now[1] and key.tolist() == list(now):
            return True
    return False


def find(dataset):
    """Paths to the generators, breadth first: tuples of steps ("attr", name), ("item", index or
    key), ("method", name), ("global", name), ("cell", index)."""
    found, seen = [], {id(dataset)}
    queue = collections.deque([((), dataset)])
    while queue and len(seen) < OBJECTS and len(found) < GENERATORS:
        path, thing = queue.popleft()
        for step, child in children(thing):
            if isinstance(child, _PLAIN) or id(child) in seen:
                continue
            seen.add(id(child))
            if kind_of(child) is not None:
                found.append(path + (step,))
            elif sum(kind != "method" for kind, _ in path) < LEVELS:
                queue.append((path + (step,), child))
    return found[:GENERATORS]


def children(thing):
    if isinstance(thing, (list, tuple)):
        yield from ((("item", index), thing[index]) for index in range(min(len(thing), ITEMS)))
    elif isinstance(thing, dict):
        for key, value in list(thing.items())[:ITEMS]:
            if isinstance(key, (str, int)):
                yield ("item", key), value
    elif isinstance(thing, functools.partial):
        yield from ((("attr", name), getattr(thing, name)) for name in ("func", "args", "keywords"))
    elif isinstance(thing, types.MethodType):
        yield ("attr", "__self__"), thing.__self__
    elif isinstance(thing, types.FunctionType):
        yield from _of_function(thing)
    elif not is_leaf(thing):
        yield from (
            (("attr", name), value) for name, value in list(getattr(thing, "__dict__", {}).items())
        )
        yield from _methods(type(thing))


def _methods(kind):
    for base in kind.__mro__:
        for name, member in list(vars(base).items()):
            if isinstance(member, types.FunctionType) and is_users(member.__code__.co_filename):
                yield ("method", name), member


def _of_function(function):
    if not is_users(function.__code__.co_filename):
        return
    for name in _names(function.__code__):
        if name in function.__globals__:
            yield ("global", name), function.__globals__[name]
    for index, cell in enumerate(function.__closure__ or ()):
        try:
            yield ("cell", index), cell.cell_contents
        except ValueError:  # empty
            continue


def _names(code):
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def follow(thing, step):
    kind, name = step
    if kind == "attr":
        return getattr(thing, name)
    if kind == "item":
        return thing[name]
    if kind == "method":
        return next(vars(base)[name] for base in type(thing).__mro__ if name in vars(base))
    if kind == "global":
        return thing.__globals__[name]
    return thing.__closure__[name].cell_contents


def at(dataset, path):
    """None: no longer a generator."""
    try:
        found = functools.reduce(follow, path, dataset)
    except Exception:
        return None
    return found if kind_of(found) is not None else None
