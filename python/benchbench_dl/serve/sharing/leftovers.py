"""Finds the traces of a trial in this process that could reach the next one. Only a process without
any runs another."""

import ctypes
import gc
import multiprocessing
import os
import sys
import threading
import weakref

from ... import devices, workers
from ...shared_memory import read_stat
from ...sources import is_users, shown
from .contents import Budget, CannotLook, digest_of
from .settings import Settings

# Module attributes that Python itself keeps.
_ITS_OWN = (
    "__builtins__",
    "__warningregistry__",
    "__spec__",
    "__loader__",
    "__cached__",
    "__annotations__",
)
_PACKAGES = ("torch", "numpy")
# Others hook in here: these classes and modules must have the same methods after a trial.
_PATCHED = (
    "torch.utils.data.DataLoader",
    "torch.utils.data.dataloader",
    "torch.utils.data.dataloader._BaseDataLoaderIter",
    "torch.utils.data.dataloader._SingleProcessDataLoaderIter",
    "torch.utils.data.dataloader._MultiProcessingDataLoaderIter",
    "torch.utils.data._utils.collate",
    "torch.utils.data._utils.fetch",
    "torch.utils.data._utils.pin_memory",
    "torch.utils.data._utils.worker",
    "torch.nn.Module",
    "torch.optim.Optimizer",
)
_KILLED_S = 2  # that a process takes at most to end once it is killed
_MORE_BYTES, _MORE_SHARE = 256 << 20, 0.25


class Leftovers:
    """Made once the user's code is imported and before any of it is called."""

    def __init__(self):
        self._own = set()  # identities of what the user's modules hold
        self._code, self._hidden = _look_through(self._own)
        self._packages = {name for name in _PACKAGES if name in sys.modules}
        self._settings = Settings()
        self._patched = _patched()
        self._threads = set(threading.enumerate())
        self._held = []  # (name, weak reference)
        self._bytes = {}  # by the kind of trial

    def watch(self, name, thing):
        """Notes what a function of the user's returned: left() says whether it is still there. What
        a module of theirs had before stays anyway."""
        parts = list(thing.values()) if isinstance(thing, dict) else thing
        for one in parts if isinstance(parts, (list, tuple)) else [thing]:
            try:
                if id(one) not in self._own:
                    self._held.append((name, weakref.ref(one)))
            except TypeError:  # a number, a text: nothing that could be held
                pass

    def left(self, kind):
        """Sentences; none where the next trial finds what this one found. `kind`: what trials are
        alike in the memory that they need."""
        if self._hidden:  # nothing that is looked at now could change that
            return [self._hidden]
        workers.end_all()
        _give_up_memory()
        left = [f"{name} is still held" for name, thing in self._held if thing() is not None]
        self._held = []
        left += [f"{name} could not be put back" for name in self._settings.put_back()]
        left += self._changes_of_code() + self._imported() + self._changes_of_hooks()
        left += _running(self._threads) + self._growth(kind)
        return list(dict.fromkeys(left))

    def _changes_of_code(self):
        now, hidden = _look_through()
        if hidden:
            return [hidden]
        changes = []
        for place, names in now.items():
            if place not in self._code:
                changes.append(f"{shown(place)} was imported by a function of yours")
                continue
            before = self._code[place]
            changes += [
                f"{shown(place)}: {name} was changed"
                for name in sorted(before.keys() | names.keys())
                if before.get(name) != names.get(name)
            ]
        return changes

    def _imported(self):
        return [
            f"{name} was imported by a function, so that what it was set to before is not known"
            for name in _PACKAGES
            if name in sys.modules and name not in self._packages
        ]

    def _changes_of_hooks(self):
        now = _patched()
        return [
            f"{place}.{name} was replaced"
            for place, before in self._patched.items()
            for name in sorted(before.keys() & now[place].keys())
            if before[name] != now[place][name]
        ]

    def _growth(self, kind):
        """Says how much more this process, and its tensors on devices, take than after the first
        trial of the kind."""
        now = {"this process": _resident_bytes(), "its tensors on devices": _device_bytes()}
        first = self._bytes.setdefault(kind, now)
        return [
            f"{name} has {(now[name] - bytes_) >> 20} MiB more than after the first trial"
            for name, bytes_ in first.items()
            if now[name] > bytes_ * (1 + _MORE_SHARE) + _MORE_BYTES
        ]


def _look_through(seen=None):
    """Returns {file: {name: digest}} of the modules that are the user's, and why one of them cannot
    be looked through, in a sentence, or ""."""
    budget, code = Budget(), {}
    for module in _users_modules():
        digests = code.setdefault(module.__file__, {})
        for name, value in list(vars(module).items()):
            if name in _ITS_OWN:
                continue
            try:
                digests[name] = digest_of(value, budget, seen)
            except Exception as error:  # CannotLook, or an object that cannot be asked
                why = error if isinstance(error, CannotLook) else f"it raises {error!r}"
                return code, f"{shown(module.__file__)}: {name} cannot be looked through: {why}"
    return code, ""


def _users_modules():
    return [
        module
        for module in list({id(m): m for m in list(sys.modules.values())}.values())
        if isinstance(getattr(module, "__file__", None), str)
        and is_users(module.__file__)
        and not _is_start(module)
    ]


def _is_start(module):
    return os.path.basename(module.__file__) == "start_child.py"


def _patched():
    """{place: {name: identity}}."""
    found = {}
    for place in _PATCHED:
        thing = sys.modules.get(place) or _attribute(place)
        held = vars(thing) if thing is not None else {}
        found[place] = {name: id(value) for name, value in list(held.items()) if callable(value)}
    return found


def _attribute(place):
    module, name = place.rsplit(".", 1)
    return getattr(sys.modules.get(module), name, None)


def _give_up_memory():
    """Gives back what is free: a trial in a fresh process has no memory at hand either."""
    dynamo = sys.modules.get("torch._dynamo")
    if hasattr(dynamo, "reset"):  # what was compiled, and how often that failed
        dynamo.reset()
    gc.collect()
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is not None and cuda.is_initialized():
        cuda.synchronize()
        for module, name in (
            (torch._C, "_cuda_clearCublasWorkspaces"),
            (cuda, "empty_cache"),
            (torch._C, "_host_emptyCache"),
        ):
            getattr(module, name, int)()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):  # another C library
        pass


def _device_bytes():
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return 0
    return sum(devices.with_tensors(cuda).values())


def _resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _running(before):
    """Threads and processes that go on."""
    for child in multiprocessing.active_children():
        child.join(_KILLED_S)
    # Dummies are threads of C that once ran some Python: autograd's, for one.
    threads = [
        thread.name
        for thread in threading.enumerate()
        if thread not in before and not isinstance(thread, threading._DummyThread)
    ]
    left = [f"the thread {name} goes on" for name in threads if not name.startswith("QueueFeeder")]
    return left + [f"process {pid} goes on" for pid in _children()]


def _children():
    """Returns the children of this process without those that have ended."""
    found = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/children") as file:
                found += [int(pid) for pid in file.read().split()]
        except OSError:  # this kernel has no such file, or the thread has ended
            pass
    return [pid for pid in found if _state(pid) not in ("Z", "X", None)]


def _state(pid):
    try:
        return read_stat(pid)[0]
    except OSError:
        return None
