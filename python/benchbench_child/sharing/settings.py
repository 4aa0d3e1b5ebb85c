"""Settings of a process that a trial may change and the next one must find as the script left them:
taken once the user's code is imported, put back after each trial."""

import os
import random
import sys


class Settings:
    def __init__(self):
        self._kept = [(name, get(), get, put) for name, get, put in _known()]

    def put_back(self):
        """Returns the names of those that could not be. What is as it was is not set: torch, say,
        slows each call down once a default device was set, whichever."""
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
    yield "sys.path", lambda: list(sys.path), lambda value: sys.path.__setitem__(slice(None), value)
    yield "sys.argv", lambda: list(sys.argv), lambda value: sys.argv.__setitem__(slice(None), value)
    yield "random", random.getstate, random.setstate
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


# Pairs of functions, and attributes of modules that are switches.
_PAIRS = (
    ("get_rng_state", "set_rng_state"),
    ("get_num_threads", "set_num_threads"),
    ("get_default_dtype", "set_default_dtype"),
    ("is_grad_enabled", "set_grad_enabled"),
    ("are_deterministic_algorithms_enabled", "use_deterministic_algorithms"),
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
    for place, name in _SWITCHES:
        holder = _found(torch, place)
        if holder is not None and _done(lambda at: getattr(at, name), holder):
            yield f"torch.{place}.{name}", _reader(holder, name), _setter(holder, name)


def _found(torch, path):
    found = torch
    for name in path.split("."):
        found = getattr(found, name, None)
    return found


def _reader(holder, name):
    return lambda: getattr(holder, name)


def _setter(holder, name):
    return lambda value: setattr(holder, name, value)
