"""A digest of what an object holds, to see whether a trial changed it. Only what is listed here is
looked through: numbers and texts, containers, functions with their defaults and closures, classes
of the user's, instances that are attributes and nothing else, tensors, arrays, generators of random
numbers. Anything else could change unseen, and is named. Nothing is changed."""

import collections
import ctypes
import functools
import hashlib
import logging
import pathlib
import random
import re
import struct
import sys
import types
import zlib

from ...sources import is_users

_PLAIN = (type(None), bool, int, float, complex, range, type(Ellipsis), type(NotImplemented))
_BYTES = (bytes, bytearray)
_SEQUENCES = (list, tuple, set, frozenset, collections.deque)
_METHODS = (staticmethod, classmethod)
# These do not change, or hold no state of a trial: a logger fills a cache of its own.
_BY_IDENTITY = (
    re.Pattern,
    logging.Logger,
    struct.Struct,
    type(collections.namedtuple("Pair", "first").first),
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
)
# Filled while they are used, or made with the class: nothing that a trial could see.
_CACHES = (
    "__dict__",
    "__weakref__",
    "__doc__",
    "__annotations__",
    "__orig_bases__",
    "__parameters__",
    "__dataclass_fields__",
    "__dataclass_params__",
    "__warningregistry__",
    "__builtins__",
    "_abc_impl",
)


class CannotLook(Exception):
    """Says what keeps an object from being looked through."""


class Budget:
    """The most that is looked at in all: some 0.3 s."""

    def __init__(self, objects=200_000, bytes_=64 << 20):
        self._objects, self._bytes = objects, bytes_

    def take(self, objects, bytes_=0):
        self._objects -= objects
        self._bytes -= bytes_
        if self._objects < 0 or self._bytes < 0:
            raise CannotLook("there is too much of it")


def digest_of(root, budget, seen=None):
    """Returns bytes that differ where the contents do. Throws CannotLook. Adds the identities of
    all objects to the set `seen`."""
    digest, numbers, alive, stack = hashlib.blake2b(digest_size=16), {}, [], [root]
    while stack:
        thing = stack.pop()
        budget.take(1)
        if id(thing) in numbers:
            digest.update(f"again {numbers[id(thing)]};".encode())
            continue
        label, members = _open(thing, budget)
        digest.update(f"{type(thing).__name__} {label} {len(members)};".encode("utf-8", "replace"))
        if isinstance(thing, _PLAIN + (str,)):
            continue
        numbers[id(thing)] = len(alive)
        alive.append(thing)  # else another object may get its number
        stack.extend(reversed(members))
    if seen is not None:
        seen.update(numbers)
    return digest.digest()


def _open(thing, budget):
    """Returns a label that tells it from others of its type, and its members."""
    if isinstance(thing, _PLAIN) and type(thing) in _PLAIN:
        return repr(thing), ()
    if type(thing) is str:
        budget.take(0, len(thing))
        return thing, ()
    if isinstance(thing, _BYTES):
        return _crc(thing, len(thing), budget), _attributes(thing)
    for kinds, open_it in _WAYS:
        if isinstance(thing, kinds):
            return open_it(thing)
    special = _open_array(thing, budget)
    return special if special is not None else _open_instance(thing)


def _crc(data, size, budget):
    budget.take(0, size)
    return zlib.crc32(data)


def _open_dict(thing):
    more = [getattr(thing, "default_factory", None)] + _attributes(thing)
    return "", [part for item in list(thing.items()) for part in item] + more


def _attributes(thing):
    """Those of a user's class that is a container, or a number."""
    held = getattr(thing, "__dict__", None)
    return [held] if held else []


def _open_function(thing):
    if not is_users(thing.__code__.co_filename):
        return id(thing), []
    cells = [_in_cell(cell) for cell in thing.__closure__ or ()]
    return id(thing.__code__), [thing.__defaults__, thing.__kwdefaults__, vars(thing)] + cells


def _in_cell(cell):
    try:
        return cell.cell_contents
    except ValueError:  # empty yet
        return None


def _open_class(thing):
    if not is_users(getattr(sys.modules.get(thing.__module__), "__file__", None) or "<"):
        return id(thing), []
    members = [
        part
        for name, value in list(vars(thing).items())
        for part in (name, value)
        if name not in _CACHES
    ]
    return thing.__qualname__, members


def _open_builtin(thing):
    owner = thing.__self__
    return id(owner) if isinstance(owner, types.ModuleType) else "", [thing.__name__] + (
        [] if owner is None or isinstance(owner, types.ModuleType) else [owner]
    )


def _open_cached(thing):
    info = thing.cache_info()
    return f"{info.misses} {info.currsize}", [thing.__wrapped__]


_WAYS = (
    (dict, _open_dict),
    (types.MappingProxyType, _open_dict),
    (_SEQUENCES, lambda thing: ("", list(thing) + _attributes(thing))),
    (types.FunctionType, _open_function),
    (types.BuiltinFunctionType, _open_builtin),
    (types.MethodType, lambda thing: ("", [thing.__func__, thing.__self__])),
    (_METHODS, lambda thing: ("", [thing.__func__])),
    (property, lambda thing: ("", [thing.fget, thing.fset, thing.fdel])),
    (functools.partial, lambda thing: ("", [thing.func, thing.args, thing.keywords])),
    (functools._lru_cache_wrapper, _open_cached),
    (type, _open_class),
    (types.ModuleType, lambda thing: (thing.__name__, [])),
    (pathlib.PurePath, lambda thing: (str(thing), [])),
    (random.Random, lambda thing: ("", [thing.getstate()])),
    (_BY_IDENTITY, lambda thing: (id(thing), [])),
)


def _open_array(thing, budget):
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if hasattr(torch, "Tensor"):
        if isinstance(thing, torch.Tensor):
            return _open_tensor(thing, budget)
        if isinstance(thing, torch.Generator):
            return zlib.crc32(bytes(thing.get_state().tolist())), []
        if isinstance(thing, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
            return repr(thing), []
    if hasattr(numpy, "ndarray"):
        if isinstance(thing, numpy.ndarray):
            return _open_numbers(numpy, thing, budget)
        if isinstance(thing, (numpy.dtype, numpy.ufunc, numpy.bool_, numpy.number)):
            return repr(thing), []
        if isinstance(thing, numpy.random.Generator):
            return "", [thing.bit_generator.state]
        if isinstance(thing, numpy.random.RandomState):
            return "", [thing.get_state()]
    return None


def _open_tensor(thing, budget):
    """Opens it by its bytes: a change need not advance its version."""
    if thing.device.type == "cpu" and thing.is_shared():
        raise CannotLook("a tensor in shared memory")
    size = thing.numel() * thing.element_size()
    budget.take(0, size)
    flat = thing.detach().cpu().contiguous()
    crc = zlib.crc32(ctypes.string_at(flat.data_ptr(), size)) if size else 0
    label = f"{tuple(thing.shape)} {thing.dtype} {thing.device} {thing.requires_grad} {crc}"
    return label, [thing.grad if thing.is_leaf else None]


def _open_numbers(numpy, thing, budget):
    if isinstance(thing, numpy.memmap) or isinstance(thing.base, numpy.memmap):
        raise CannotLook("a numpy.memmap")
    owner = thing.base if not isinstance(thing.base, numpy.ndarray) else None
    if thing.dtype.hasobject:
        budget.take(thing.size)
        return thing.shape, thing.ravel().tolist()
    budget.take(0, thing.nbytes)
    crc = zlib.crc32(numpy.ascontiguousarray(thing).view(numpy.uint8))
    return f"{thing.shape} {thing.dtype} {crc}", [owner]


def _open_instance(thing):
    """Opens it by its attributes, where it is nothing else: what is written in C has more."""
    kind = type(thing)
    if kind.__module__ == "typing":
        return id(thing), []
    held, slots = getattr(thing, "__dict__", None), _slots(kind)
    pointers = len(slots) + 2  # its attributes, and weak references to it
    own = kind.__basicsize__ <= object.__basicsize__ + pointers * ctypes.sizeof(ctypes.c_void_p)
    if kind is object or (own and (isinstance(held, dict) or slots)):
        return kind.__qualname__, [held] + [getattr(thing, name, None) for name in slots]
    raise CannotLook(f"a {kind.__module__}.{kind.__qualname__}")


def _slots(kind):
    names = []
    for base in kind.__mro__:
        declared = base.__dict__.get("__slots__", ())
        names += [declared] if isinstance(declared, str) else list(declared)
    return [name for name in names if name not in _CACHES]
