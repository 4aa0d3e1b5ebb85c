"""Notices a script that trains while it is imported: a DataLoader is iterated, or an optimizer
steps."""

import functools
import sys

from ..after_import import AfterImport
from ..sources import outwards
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
        callers = outwards(sys._getframe(1))
        frame = next((one for one in callers if not is_inner(one.f_code.co_filename)), None)
        self.where = (frame.f_code.co_filename, frame.f_lineno) if frame else None
        self.what = what
        raise TrainsOnImport(what)

    def _replace(self, owner, name, changed):
        original = owner.__dict__[name]
        functools.update_wrapper(changed, original)

        def undo():
            if owner.__dict__.get(name) is changed:  # torch may have wrapped it since
                setattr(owner, name, original)

        setattr(owner, name, changed)
        self._undo.append(undo)

    def _refuse(self, owner, name, what):
        """Takes each call for `what`."""
        original = owner.__dict__[name]

        def refused(*args, **kwargs):
            if self._import.is_active():
                self._found(what)
            return original(*args, **kwargs)

        self._replace(owner, name, refused)

    def _watch_loaders(self, module):
        self._refuse(module.DataLoader, "__iter__", "iterates a DataLoader")

    def _watch_optimizers(self, module):
        original, watched = module.Optimizer.__init__, set()

        def init(optimizer, *args, **kwargs):
            original(optimizer, *args, **kwargs)
            kind = type(optimizer)
            if self._import.is_active() and kind not in watched and "step" in kind.__dict__:
                watched.add(kind)
                self._refuse(kind, "step", "steps an optimizer")

        self._replace(module.Optimizer, "__init__", init)
