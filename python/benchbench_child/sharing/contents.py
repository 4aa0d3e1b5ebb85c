"""A digest of what an object holds, to see whether a trial changed it: containers, instances,
functions with their defaults and closures, classes of the user's, generators of random numbers.
What cannot be looked into counts by its identity. Nothing is changed."""

import collections
import functools
import hashlib
import itertools
import os
import random
import sys
import types
import zlib

from ..observing.sources import is_users

MOST_OBJECTS = 200_000  # some 0.3 s
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
_SEQUENCES = (list, tuple, set, frozenset, collections.deque)
_BUFFERS = (bytearray, memoryview)
_ITERATORS = (
    itertools.count,
    itertools.cycle,
    itertools.repeat,
    type(iter([])),
    type(iter(())),
    type(iter(range(0))),
)
_METHODS = (staticmethod, classmethod)
# Filled while they are used, which changes nothing that a trial could see.
_CACHES = ("__dict__", "__weakref__", "__doc__", "__warningregistry__", "__builtins__", "_abc_impl")


class TooMuch(Exception):
    """More objects than are worth looking at."""


def digest_of(root, seen=None, most=MOST_OBJECTS):
    """Returns bytes that differ where the contents do. TooMuch beyond so many objects. Adds the
    identities of all of them to the set `seen`."""
    digest, numbers, alive, stack = hashlib.blake2b(digest_size=16), {}, [], [root]
    while stack:
        thing = stack.pop()
        if isinstance(thing, _PLAIN):
            digest.update(f"{type(thing).__name__} {thing!r};".encode("utf-8", "replace"))
            continue
        if id(thing) in numbers:
            digest.update(f"again {numbers[id(thing)]};".encode())
            continue
        if len(alive) >= most:
            raise TooMuch
        numbers[id(thing)] = len(alive)
        alive.append(thing)  # else another object may get its number
        label, members = _opened(thing)
        digest.update(f"{type(thing).__name__} {label} {len(members)};".encode("utf-8", "replace"))
        stack.extend(reversed(members))
    if seen is not None:
        seen.update(numbers)
    return digest.digest()


def _opened(thing):
    """Returns a label that tells it from others of its type, and its members."""
    for kinds, open_it in _WAYS:
        if isinstance(thing, kinds):
            return open_it(thing)
    special = _of_numpy_or_torch(thing)
    if special is not None:
        return special
    return _of_instance(thing)


def _of_dict(thing):
    return "", [part for item in list(thing.items()) for part in item] + _attributes(thing)


def _of_sequence(thing):
    return "", list(thing) + _attributes(thing)


def _attributes(thing):
    """Those of a user's class that is a container."""
    held = getattr(thing, "__dict__", None)
    return [held] if held else []


def _of_function(thing):
    if not is_users(thing.__code__.co_filename):
        return id(thing), []
    cells = [_in_cell(cell) for cell in thing.__closure__ or ()]
    return id(thing.__code__), [thing.__defaults__, thing.__kwdefaults__, vars(thing)] + cells


def _in_cell(cell):
    try:
        return cell.cell_contents
    except ValueError:  # empty yet
        return None


def _of_class(thing):
    if not is_users(getattr(sys.modules.get(thing.__module__), "__file__", None) or "<"):
        return id(thing), []
    members = [
        part
        for name, value in list(vars(thing).items())
        for part in (name, value)
        if name not in _CACHES
    ]
    return thing.__qualname__, members


def _of_cached(thing):
    info = thing.cache_info()
    return f"{info.misses} {info.currsize}", [thing.__wrapped__]


def _of_iterator(thing):
    try:
        return "", list(thing.__reduce__()[1:])
    except Exception:
        return id(thing), []


def _of_generator(thing):
    frame = thing.gi_frame
    return (id(thing), []) if frame is None else (f"{id(thing)} {frame.f_lasti}", [])


_WAYS = (
    (dict, _of_dict),
    (_SEQUENCES, _of_sequence),
    (types.FunctionType, _of_function),
    (types.MethodType, lambda thing: ("", [thing.__func__, thing.__self__])),
    (_METHODS, lambda thing: ("", [thing.__func__])),
    (property, lambda thing: ("", [thing.fget, thing.fset, thing.fdel])),
    (functools.partial, lambda thing: ("", [thing.func, thing.args, thing.keywords])),
    (functools._lru_cache_wrapper, _of_cached),
    (type, _of_class),
    (types.ModuleType, lambda thing: (thing.__name__, [])),
    (os.PathLike, lambda thing: (os.fspath(thing), [])),
    (_BUFFERS, lambda thing: (zlib.crc32(thing), [])),
    (random.Random, lambda thing: ("", [thing.getstate()])),
    (_ITERATORS, _of_iterator),
    (types.GeneratorType, _of_generator),
)


def _of_numpy_or_torch(thing):
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if torch is not None and isinstance(thing, getattr(torch, "Tensor", ())):
        return _of_tensor(thing)
    if torch is not None and isinstance(thing, getattr(torch, "Generator", ())):
        return zlib.crc32(bytes(thing.get_state().tolist())), []
    if numpy is None or not hasattr(numpy, "ndarray"):
        return None
    if isinstance(thing, numpy.ndarray):
        return _of_array(numpy, thing)
    if isinstance(thing, numpy.random.Generator):
        return "", [thing.bit_generator.state]
    if isinstance(thing, numpy.random.RandomState):
        return "", [thing.get_state()]
    return None


def _of_tensor(thing):
    """Opens it by its version, which each change in place advances. Its numbers may be on a
    device."""
    try:
        version, grad = thing._version, thing.grad if thing.is_leaf else None
    except RuntimeError:  # made for inference
        version, grad = "", None
    return f"{tuple(thing.shape)} {version} {id(thing)}", [grad]


def _of_array(numpy, thing):
    if thing.dtype.hasobject:
        return thing.shape, thing.ravel().tolist()
    return f"{thing.shape} {zlib.crc32(numpy.ascontiguousarray(thing).view(numpy.uint8))}", []


def _of_instance(thing):
    """Opens it by its attributes. Those of the standard library fill caches of their own, and
    count by identity: loggers, patterns, locks, files."""
    kind = type(thing)
    held = getattr(thing, "__dict__", None)
    if _is_standard(kind) and not isinstance(thing, types.SimpleNamespace):
        return id(thing), []
    slots = [getattr(thing, name, None) for name in _slots(kind)]
    if not isinstance(held, dict) and not slots:
        return id(thing), []
    return kind.__qualname__, [held if isinstance(held, dict) else None] + slots


def _slots(kind):
    names = []
    for base in kind.__mro__:
        declared = base.__dict__.get("__slots__", ())
        names += [declared] if isinstance(declared, str) else list(declared)
    return [name for name in names if name not in _CACHES]


@functools.lru_cache(maxsize=None)
def _is_standard(kind):
    module = sys.modules.get(kind.__module__)
    path = getattr(module, "__file__", None)
    if path is None:
        return True  # built in
    folder = os.path.dirname(os.path.realpath(os.__file__))
    real = os.path.realpath(path)
    installed = {"site-packages", "dist-packages"} & set(real.split(os.sep))
    return real.startswith(folder + os.sep) and not installed and kind.__module__ != "argparse"
