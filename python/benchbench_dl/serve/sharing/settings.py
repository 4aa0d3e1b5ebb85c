"""Settings of a process that a trial may change and the next one must find as the script left them:
taken once the user's code is imported, put back after each trial."""

import gc
import multiprocessing
import os
import random
import sys
from functools import partial


class Settings:
    def __init__(self):
        self._kept = [(name, get(), get, put) for name, get, put in _known()]

    def put_back(self):
        """Returns the names of those that could not be put back. Sets none that is as it was: a
        default device that was once set, say, slows each call of torch down, whichever it is."""
        return [
            name
            for name, value, get, put in self._kept
            if not _is_same(get, value) and not _done(put, value)
        ]


def _is_same(get, value):
    try:
        return bool(get() == value)
    except Exception:  # arrays have no one answer; the directory is gone
        return False


def _done(put, value):
    try:
        put(value)
    except Exception:
        return False
    return True


def _known():
    """(name, what reads it, what sets it)."""
    yield "the environment", lambda: dict(os.environ), _set_environment
    yield "the working directory", os.getcwd, os.chdir
    yield "sys.path", lambda: sys.path[:], lambda value: sys.path.__setitem__(slice(None), value)
    yield "sys.argv", lambda: sys.argv[:], lambda value: sys.argv.__setitem__(slice(None), value)
    yield "random", random.getstate, random.setstate
    yield "gc.isenabled()", gc.isenabled, lambda value: gc.enable() if value else gc.disable()
    yield "gc.get_threshold()", gc.get_threshold, lambda value: gc.set_threshold(*value)
    yield "the set of CPUs", lambda: os.sched_getaffinity(0), _refuse  # threads have their own
    yield "multiprocessing's start method", _start_method, _set_start_method
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        yield "numpy.random", numpy.random.get_state, numpy.random.set_state
    if torch is not None:
        yield from _of_torch(torch)


def _set_environment(value):
    for name in set(os.environ) - set(value):
        del os.environ[name]
    for name, text in value.items():
        if os.environ.get(name) != text:
            os.environ[name] = text


def _refuse(value):
    raise ValueError(value)


def _start_method():
    return multiprocessing.get_start_method(allow_none=True)


def _set_start_method(value):
    """The first use of a worker chooses the default, which a script may choose itself once."""
    if _start_method() != multiprocessing.get_all_start_methods()[0]:
        raise ValueError(value)
    multiprocessing.set_start_method(value, force=True)


# Pairs of functions, and attributes of modules that are switches.
_PAIRS = (
    ("get_rng_state", "set_rng_state"),
    ("get_num_threads", "set_num_threads"),
    ("get_default_dtype", "set_default_dtype"),
    ("is_grad_enabled", "set_grad_enabled"),
    ("get_float32_matmul_precision", "set_float32_matmul_precision"),
    ("is_anomaly_enabled", "set_anomaly_enabled"),
    ("multiprocessing.get_sharing_strategy", "multiprocessing.set_sharing_strategy"),
)
_SWITCHES = (
    ("backends.cudnn", "enabled"),
    ("backends.cudnn", "benchmark"),
    ("backends.cudnn", "deterministic"),
    ("backends.cudnn", "allow_tf32"),
    ("backends.cuda.matmul", "allow_tf32"),
)


def _of_torch(torch):
    """Those that this version has."""
    for get, put in _PAIRS:
        reads, sets = _found(torch, get), _found(torch, put)
        if reads is not None and sets is not None:
            yield f"torch.{get}()", reads, sets
    if hasattr(torch, "get_default_device"):
        yield (
            "torch.get_default_device()",
            torch.get_default_device,
            lambda value: torch.set_default_device(None if value.type == "cpu" else value),
        )
    yield "torch.use_deterministic_algorithms()", *_deterministic(torch)
    for kind in ("cpu", "cuda"):
        yield f"autocast on {kind}", *_autocast(torch, kind)
    if _found(torch, "cuda.set_stream") is not None:
        yield "the current CUDA device", *_current_device(torch.cuda)
        yield "the current CUDA stream", *_current_stream(torch.cuda)
    for place, name in _SWITCHES:
        holder = _found(torch, place)
        if holder is not None and _done(lambda at: getattr(at, name), holder):
            reads, sets = partial(getattr, holder, name), partial(setattr, holder, name)
            yield f"torch.{place}.{name}", reads, sets


def _deterministic(torch):
    warns = getattr(torch, "is_deterministic_algorithms_warn_only_enabled", bool)
    return (
        lambda: (
            torch.are_deterministic_algorithms_enabled(),
            {"warn_only": True} if warns() else {},
        ),
        lambda value: torch.use_deterministic_algorithms(value[0], **value[1]),
    )


def _autocast(torch, kind):
    try:
        torch.is_autocast_enabled(kind)
    except TypeError:  # an older version has a pair of functions for each
        middle = "cpu_" if kind == "cpu" else ""
        return (
            getattr(torch, f"is_autocast_{middle}enabled"),
            getattr(torch, f"set_autocast_{middle}enabled"),
        )
    return (
        lambda: torch.is_autocast_enabled(kind),
        lambda value: torch.set_autocast_enabled(kind, value),
    )


def _current_device(cuda):
    """Starts no CUDA by asking: a process begins with the first device."""
    return lambda: cuda.current_device() if cuda.is_initialized() else 0, cuda.set_device


def _current_stream(cuda):
    return (
        lambda: not cuda.is_initialized() or cuda.current_stream() == cuda.default_stream(),
        lambda value: cuda.set_stream(cuda.default_stream()) if value else _refuse(value),
    )


def _found(torch, path):
    found = torch
    for name in path.split("."):
        found = getattr(found, name, None)
    return found
