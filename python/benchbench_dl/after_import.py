"""Calls back once a module is imported, or at once where it is already."""

import functools
import sys


class AfterImport:
    """`callbacks`: {the name of a module: what is called with it}. Heard between start() and
    stop()."""

    def __init__(self, callbacks):
        self._callbacks = callbacks
        self._looked_for = set()

    def start(self):
        sys.meta_path.insert(0, self)
        for name, call in self._callbacks.items():
            if name in sys.modules:
                call(sys.modules[name])

    def stop(self):
        if self.is_active():
            sys.meta_path.remove(self)

    def is_active(self):
        return self in sys.meta_path

    def find_spec(self, name, path=None, target=None):
        """As an import hook: what the others find, and the call after it. Another one of these asks
        this one meanwhile."""
        if name not in self._callbacks or name in self._looked_for:
            return None
        self._looked_for.add(name)
        try:
            spec = _found(name, path, target)
        finally:
            self._looked_for.discard(name)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader.exec_module = _followed_by(spec.loader.exec_module, self._callbacks[name])
        return spec


class PatchedImport(AfterImport):
    """`with` it: what its callbacks replace is put back at the end."""

    def __init__(self, callbacks):
        super().__init__(callbacks)
        self._undo = []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *raised):
        self.stop()
        for undo in reversed(self._undo):
            undo()

    def replace(self, owner, name, make):
        """`make(original)` takes its place."""
        original = owner.__dict__[name]
        changed = functools.update_wrapper(make(original), original)

        def undo():
            if owner.__dict__.get(name) is changed:  # another may have replaced it since
                setattr(owner, name, original)

        setattr(owner, name, changed)
        self._undo.append(undo)


def _found(name, path, target):
    for finder in list(sys.meta_path):
        spec = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
        if spec is not None:
            return spec
    return None


def _followed_by(execute, call):
    def exec_module(module):
        execute(module)
        call(module)

    # Python leaves it out of tracebacks, as the frames of its own import.
    exec_module.__code__ = exec_module.__code__.replace(
        co_name="_call_with_frames_removed", co_filename="<frozen importlib._bootstrap>"
    )
    return exec_module
