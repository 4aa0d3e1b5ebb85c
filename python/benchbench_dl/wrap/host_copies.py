"""Calls of the step in which the host waits until the device has done all that was queued before:
they read values of the device, need to know how many there are, or wait for it."""

import functools
import sys
import threading
import time
import types

from .. import sources

now = time.monotonic_ns
MARK = "_benchbench_reads"
READERS = ("item", "tolist", "cpu", "to", "__bool__", "__int__", "__float__", "__index__")
COUNTERS = ("nonzero", "masked_select")  # how long their result is depends on the values
ABSENT = object()
PLAIN = frozenset((int, slice, type(None), type(Ellipsis)))  # indices that no device knows


def _reads(result, args):
    return not getattr(result, "is_cuda", False)


def _counts(result, args):
    return True


def _is_masked(result, args):
    return any(_is_mask(index) for index in (args[1] if type(args[1]) is tuple else args[1:]))


def _is_mask(index):
    return getattr(index, "is_cuda", False) and str(index.dtype) in ("torch.bool", "torch.uint8")


def _watched(torch):
    """(whose, name, `waits(result, args)`: whether a call has waited; None: each does)."""
    tensor, cuda = torch.Tensor, getattr(torch, "cuda", None)
    found = [(tensor, name, _reads) for name in READERS]
    found += [(owner, name, _counts) for owner in (tensor, torch) for name in COUNTERS]
    found.append((tensor, "__getitem__", _is_masked))
    owners = (getattr(cuda, "Event", None), getattr(cuda, "Stream", None))
    found += [(owner, "synchronize", None) for owner in owners]
    # Called by torch.cuda.synchronize, which is a part of what torch.compile's guards look at.
    found.append((getattr(torch, "_C", None), "_cuda_synchronize", None))
    return [(owner, name, waits) for owner, name, waits in found if hasattr(owner, name)]


class HostCopies:
    """torch has functions of ours from watch() to rest(): what this thread waits for meanwhile is
    counted. `is_loaders`: whether it runs a loader's code now, which is no part of the step."""

    def __init__(self, torch, is_loaders=lambda: False):
        self._torch, self._plain = torch, (torch.Tensor, torch.nn.Parameter)
        self._is_loaders = is_loaders
        self._is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", bool)
        # {(file, line, method): [calls, ns]}; `_new` is of a stretch that goes on.
        self._of, self._new = {}, {}
        self._steps = 0
        # [(owner, name, what it defines itself, or ABSENT)]: restored in the end.
        self._own = None
        self._thread, self._inside = None, False

    def watch(self):
        if self._own is not None or self._is_compiling():
            return
        self._thread, self._own = threading.get_ident(), []
        for owner, name, waits in _watched(self._torch):
            self._own.append((owner, name, vars(owner).get(name, ABSENT)))
            called = name.replace("_cuda_", "")
            setattr(owner, name, self._timed(called, getattr(owner, name), waits))
        made = [self._timed(name, bool, None) for name in ("", "__getitem__")]
        _keep_from_dynamo([*_OWN, *vars(HostCopies).values(), *made, self._is_loaders])

    def rest(self):
        """What others have put in the place of ours meanwhile stays."""
        if self._own is None:
            return
        own, self._own = self._own, None
        for owner, name, before in own:
            if not getattr(vars(owner).get(name), MARK, False):
                continue
            if before is ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

    def _timed(self, name, original, waits):
        # Asked first of all: torch.compile takes it as a constant, and looks no further.
        is_compiling = self._is_compiling

        @functools.wraps(original)
        def read(*args, **kwargs):
            if is_compiling():
                return original(*args, **kwargs)
            return self._read(name, original, waits, args, kwargs)

        made = self._unless_plain(original, waits) if name == "__getitem__" else read
        setattr(made, MARK, True)
        return made

    def _unless_plain(self, original, waits):
        plain, is_compiling, read = self._plain, self._is_compiling, self._read

        @functools.wraps(original)
        def indexed(tensor, index):
            kind = type(index)
            if kind in PLAIN or (kind is tuple and PLAIN.issuperset(map(type, index))):
                if type(tensor) in plain:
                    return original(tensor, index)
            if is_compiling():
                return original(tensor, index)
            return read("__getitem__", original, waits, (tensor, index), {})

        return indexed

    def _read(self, name, original, waits, args, kwargs):
        if not self._is_of_step():
            return original(*args, **kwargs)
        if waits is not None:
            tensor = args[0] if args else kwargs.get("input")
            if type(tensor) not in self._plain:
                return self._of_subclass(original, args, kwargs)
            if not tensor.is_cuda or _is_non_blocking(name, args, kwargs):
                return original(*args, **kwargs)
        return self._measured(name, original, waits, args, kwargs)

    def _is_of_step(self):
        return (
            self._own is not None
            and not self._inside
            and threading.get_ident() == self._thread
            and not self._is_loaders()
        )

    def _measured(self, name, original, waits, args, kwargs):
        self._inside, begun = True, now()
        try:
            result = original(*args, **kwargs)
        finally:
            self._inside = False
        if waits is None or waits(result, args):
            self._add(sys._getframe(3), name, now() - begun)
        return result

    def _of_subclass(self, original, args, kwargs):
        """Its __torch_function__ is given the method of torch.Tensor's that it knows."""
        self.rest()
        try:
            return original(*args, **kwargs)
        finally:
            self.watch()

    def _add(self, frame, name, ns):
        # A library reads it for the script.
        while frame.f_back is not None and not sources.is_users(frame.f_code.co_filename):
            if frame.f_globals.get("__name__", "").startswith("benchbench_"):
                return  # we wait for the device ourselves
            frame = frame.f_back
        seen = self._new.setdefault((frame.f_code.co_filename, frame.f_lineno, name), [0, 0])
        seen[0] += 1
        seen[1] += ns

    def were_of(self, steps):
        """The stretch is over."""
        self._steps += steps
        for place, (calls, ns) in self._new.items():
            before = self._of.get(place, (0, 0))
            self._of[place] = before[0] + calls, before[1] + ns
        self._new = {}

    def found(self):
        """(calls a step, ns a step, the method that took most, where it was called); None: there
        were none."""
        if not self._of or not self._steps:
            return None
        (path, line, name), _ = max(self._of.items(), key=lambda seen: seen[1][1])
        calls, ns = (sum(column) / self._steps for column in zip(*self._of.values()))
        return calls, ns, name, sources.line_of(path, line)


def _keep_from_dynamo(functions):
    """Else torch.compile compiles them where a break of its graph leads to ours, and counts nothing
    there: is_compiling() is true then."""
    skip = getattr(sys.modules.get("torch._dynamo.eval_frame"), "skip_code", None)
    for function in functions if skip is not None else ():
        if isinstance(function, types.FunctionType):
            skip(function.__code__)


def _is_non_blocking(name, args, kwargs):
    """True if .to() was asked not to wait: the first truth value of those that have no name."""
    named = kwargs.get("non_blocking")
    if named is not None or name != "to":
        return bool(named)
    return next((value for value in args[1:] if isinstance(value, bool)), False)


_OWN = (_reads, _counts, _is_masked, _is_mask, _is_non_blocking)
