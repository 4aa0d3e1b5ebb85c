"""Notices a script that trains while it is imported: a DataLoader is iterated, or an optimizer
steps."""

import sys

from ..after_import import PatchedImport
from ..sources import outwards
from ..tracebacks import is_inner


class TrainsOnImport(BaseException):
    """Ends the import; not an Exception, so that `except Exception` of the script does not swallow
    it."""


class TrainingGuard(PatchedImport):
    """Within it, `what` becomes "iterates a DataLoader" or "steps an optimizer", and `where` its
    (file, line)."""

    def __init__(self):
        super().__init__(
            {
                "torch.utils.data.dataloader": self._watch_loaders,
                "torch.optim.optimizer": self._watch_optimizers,
            }
        )
        self.what = self.where = None

    def _found(self, what):
        callers = outwards(sys._getframe(1))
        frame = next((one for one in callers if not is_inner(one.f_code.co_filename)), None)
        self.where = (frame.f_code.co_filename, frame.f_lineno) if frame else None
        self.what = what
        raise TrainsOnImport(what)

    def _refuse(self, owner, name, what):
        """Takes each call for `what`."""

        def refusing(original):
            def refused(*args, **kwargs):
                if self.is_active():
                    self._found(what)
                return original(*args, **kwargs)

            return refused

        self.replace(owner, name, refusing)

    def _watch_loaders(self, module):
        self._refuse(module.DataLoader, "__iter__", "iterates a DataLoader")

    def _watch_optimizers(self, module):
        watched = set()

        def watching(original):
            def init(optimizer, *args, **kwargs):
                original(optimizer, *args, **kwargs)
                kind = type(optimizer)
                if self.is_active() and kind not in watched and "step" in kind.__dict__:
                    watched.add(kind)
                    self._refuse(kind, "step", "steps an optimizer")

            return init

        self.replace(module.Optimizer, "__init__", watching)
