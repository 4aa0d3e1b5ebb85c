"""Values of a device that the step reads on the CPU: each such call waits until the device has done
all that was queued before."""

import functools
import sys
import threading
import time

from benchbench_child.observing import sources

now = time.monotonic_ns
MARK = "_benchbench_reads"
READERS = ("item", "tolist", "cpu", "to", "__bool__", "__int__", "__float__", "__index__")


class HostCopies:
    """torch.Tensor has methods of ours from watch() to rest(): what this thread reads meanwhile is
    counted. `is_loaders`: whether it runs a loader's code now, which is no part of the step."""

    def __init__(self, torch, is_loaders=lambda: False):
        self._class, self._plain = torch.Tensor, (torch.Tensor, torch.nn.Parameter)
        self._is_loaders = is_loaders
        # {(file, line, method): [calls, ns]}; `_new` is of a stretch that goes on.
        self._of, self._new = {}, {}
        self._steps = 0
        # The class's methods that it defines itself: restored in the end.
        self._own = None
        self._thread, self._inside = None, False

    def watch(self):
        if self._own is not None:
            return
        self._thread = threading.get_ident()
        self._own = {
            name: self._class.__dict__[name] for name in READERS if name in self._class.__dict__
        }
        for name in READERS:
            if hasattr(self._class, name):
                setattr(self._class, name, self._timed(name, getattr(self._class, name)))

    def rest(self):
        """What others have put in the place of ours meanwhile stays."""
        if self._own is None:
            return
        own, self._own = self._own, None
        for name in READERS:
            if not getattr(self._class.__dict__.get(name), MARK, False):
                continue
            if name in own:
                setattr(self._class, name, own[name])
            else:
                delattr(self._class, name)

    def _timed(self, name, original):
        @functools.wraps(original)
        def read(tensor, *args, **kwargs):
            if self._own is None or self._inside or threading.get_ident() != self._thread:
                return original(tensor, *args, **kwargs)
            if type(tensor) not in self._plain:
                return self._of_subclass(original, tensor, args, kwargs)
            if not tensor.is_cuda or kwargs.get("non_blocking") or self._is_loaders():
                return original(tensor, *args, **kwargs)
            self._inside, begun = True, now()
            try:
                result = original(tensor, *args, **kwargs)
            finally:
                self._inside = False
            if not getattr(result, "is_cuda", False):
                self._add(sys._getframe(1), name, now() - begun)
            return result

        setattr(read, MARK, True)
        return read

    def _of_subclass(self, original, tensor, args, kwargs):
        """Its __torch_function__ is given the method of torch.Tensor's that it knows."""
        self.rest()
        try:
            return original(tensor, *args, **kwargs)
        finally:
            self.watch()

    def _add(self, frame, name, ns):
        # A library reads it for the script.
        while frame.f_back is not None and not sources.is_users(frame.f_code.co_filename):
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
