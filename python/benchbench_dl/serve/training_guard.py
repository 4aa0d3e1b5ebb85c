"""Notices a script that trains while it is imported: a DataLoader is iterated, or an optimizer
steps."""

import functools
import sys

from ..after_import import AfterImport
from ..tracebacks import is_inner


class TrainsOnImport(BaseException):
    """Ends the import; not an Exception, so that `except Exception` of the script does not swallow
    it."""


class TrainingGuard:
    """Within it, `what` becomes "iterates a DataLoader" or "steps an optimizer", and `where` its
    (file, line)."""

    def __init__(self):
        self.what = self.where = None
        self._undo = []
        self._import = AfterImport(
            {
                "torch.utils.data.dataloader": self._watch_loaders,
                "torch.optim.optimizer": self._watch_optimizers,
            }
        )

    def __enter__(self):
        self._import.start()
        return self

    def __exit__(self, *raised):
        self._import.stop()
        for undo in reversed(self._undo):
            undo()

    def _found(self, what):
        frame = sys._getframe(2)
        while frame is not None and is_inner(frame.f_code.co_filename):
            frame = frame.f_back
        self.where = (frame.f_code.co_filename, frame.f_lineno) if frame else None
        self.what = what
        raise TrainsOnImport(what)

    def _replace(self, owner, name, make):
        original = owner.__dict__[name]
        changed = make(original)

        def undo():
            if owner.__dict__.get(name) is changed:  # torch may have wrapped it since
                setattr(owner, name, original)

        setattr(owner, name, changed)
        self._undo.append(undo)

    def _watch_loaders(self, module):
        self._replace(
            module.DataLoader,
            "__iter__",
            lambda original: functools.wraps(original)(
                lambda loader: self._iterated(original, loader)
            ),
        )

    def _iterated(self, original, loader):
        if self._import.is_active():
            self._found("iterates a DataLoader")
        return original(loader)

    def _watch_optimizers(self, module):
        watched = set()

        def watch(kind):
            if kind in watched or "step" not in kind.__dict__:
                return
            watched.add(kind)
            self._replace(
                kind,
                "step",
                lambda original: functools.wraps(original)(
                    lambda *args, **kwargs: self._stepped(original, args, kwargs)
                ),
            )

        def make(original):
            @functools.wraps(original)
            def init(optimizer, *args, **kwargs):
                original(optimizer, *args, **kwargs)
                if self._import.is_active():
                    watch(type(optimizer))

            return init

        self._replace(module.Optimizer, "__init__", make)

    def _stepped(self, original, args, kwargs):
        if self._import.is_active():
            self._found("steps an optimizer")
        return original(*args, **kwargs)
