"""The script's own saves, as long as it is as it was: how far apart they are, for the rounds to
have room between two of them."""

import dis
import sys
import types

from .. import sources
from .full_stretch import UnmeasuredPhase
from .savers import SAVERS

# Names that say of themselves what they write; `save` is one of any object's, such as an image's.
_NAMES = {path.rpartition(".")[2] for paths in SAVERS.values() for path in paths} - {"save"}
_LOOKS_UP = ("LOAD_ATTR", "LOAD_METHOD")  # of an attribute; the second one until Python 3.11


def _list_owners():
    """Returns the last names of modules and classes that have a saver called `save`."""
    paths = [f"{module}.{path}" for module, paths in SAVERS.items() for path in paths]
    return {path.split(".")[-2].lower() for path in paths if path.endswith(".save")}


_OWNERS = _list_owners()


def will_save():
    """Returns True if code of the script's own names a saver, or a trainer that has one runs. A
    guess, for as long as the script has not saved."""
    return any(map(_is_of_saver, sources.outwards(sys._getframe(1))))


def _is_of_saver(frame):
    names = frame.f_globals
    if names.get("__name__") in SAVERS:
        return True
    codes = [frame.f_code, *_codes_in(names)] if sources.is_users(frame.f_code.co_filename) else []
    return any(_names_saver(code, names) for code in codes)


def _codes_in(names):
    """Yields those of the script's own functions, and of methods of its classes."""
    for value in list(names.values()):
        is_class = issubclass(type(value), type)  # isinstance would ask the value
        for one in list(vars(value).values()) if is_class else [value]:
            if type(one) is types.FunctionType and sources.is_users(one.__code__.co_filename):
                yield one.__code__


def _names_saver(code, names):
    """`names`: its globals. A code has the functions that it defines among its constants."""
    if not _NAMES.isdisjoint(code.co_names):
        return True
    if "save" in code.co_names and _names_save(code, names):
        return True
    inner = [one for one in code.co_consts if type(one) is types.CodeType]
    return any(_names_saver(one, names) for one in inner)


def _names_save(code, names):
    """Returns True for `torch.save`, `self.fabric.save`, and a `save` that the code imports from
    there, or was imported."""
    before, imported, modules = None, None, {}
    for step in dis.get_instructions(code):
        if step.opname == "EXTENDED_ARG":  # the upper digits of the next one's number
            continue
        if step.opname == "IMPORT_NAME":
            imported = step.argval
        elif step.opname.startswith("STORE_") and before.opname.startswith("IMPORT_"):
            modules[step.argval] = imported
        if step.argval == "save" and (
            imported in SAVERS
            if step.opname == "IMPORT_FROM"
            else _is_owner(modules.get(before.argval, before.argval), names)
            if step.opname in _LOOKS_UP
            else _is_from(names.get("save"))
        ):
            return True
        before = step
    return False


def _is_owner(name, names):
    """`name`: of a variable, of an attribute, or of a module that the code imports."""
    if not isinstance(name, str):
        return False
    value = names.get(name)
    module = value.__name__ if type(value) is types.ModuleType else name
    return module.rpartition(".")[2].lower() in _OWNERS


def _is_from(value):
    return type(value) is types.FunctionType and value.__module__ in SAVERS


class Saves:
    def __init__(self, engine):
        self._engine, self._at = engine, []

    def noted(self):
        """A saver is about to write."""
        at = self._served()
        if at > (self._at[-1] if self._at else 0):
            self._at.append(at)

    def _served(self):
        lead = self._engine.lead
        feeds = self._engine.feeds if lead is None else [lead]
        return max((feed.all_served for feed in feeds), default=0)

    @property
    def count(self):
        return len(self._at)

    @property
    def gap(self):
        """Batches from one to the next, as far as it is known; None: none was seen since the first
        batch."""
        return self._at[-1] - (self._at[-2] if len(self._at) > 1 else 0) if self._at else None

    @property
    def left(self):
        """Batches until the next one."""
        return max(0, self.gap - (self._served() - self._at[-1]))


class SaveWait(UnmeasuredPhase):
    """Batches as they come, until the script has saved once more. Where it does not after all, for
    twice as long as it should take."""

    name = "waiting"

    def __init__(self, engine, feed, saves):
        super().__init__(engine, feed)
        self._saves, self._before = saves, saves.count
        self._last = feed.all_served + 2 * saves.left

    @property
    def done(self):
        return self._saves.count > self._before or self.feed.all_served > self._last
