"""The user's script or module, and the names in it."""

import difflib
import importlib
import os
import sys
import types

from ..failure import Failure, nearest, scenario
from ..sources import place_of, show_as
from ..user_failures import failure_of
from .training_guard import TrainingGuard, TrainsOnImport

_loaded = {}


class Code:
    """A script or module that is loaded."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def find(self, name, key):
        """`name` of the module, which may have dots. `key`: what asks for it."""
        found = self.module
        for part in name.split("."):
            if not hasattr(found, part):
                public = [one for one in getattr(found, "__dict__", ()) if not one.startswith("_")]
                names = [one for one in public if callable(getattr(found, one))]
                raise scenario(f"{self.name} has no '{name}' ({key})", nearest(part, names))
            found = getattr(found, part)
        if not callable(found):
            raise scenario(f"'{name}' of {self.name} is not a function ({key})")
        return found


def load(part):
    """The `script` or `module` of a part, once a process."""
    key = (
        ("script", os.path.abspath(part["script"]))
        if part.get("script")
        else ("module", part.get("module"))
    )
    if key not in _loaded:
        _loaded[key] = _script(part["script"]) if key[0] == "script" else _module(part["module"])
    return _loaded[key]


def _script(path):
    if not os.path.isfile(path):
        raise scenario(f"there is no script {path}", _nearest_file(path))
    main = not any(key[0] == "script" for key in _loaded)
    absolute = os.path.abspath(path)
    show_as(absolute, path)
    _search_first(os.path.dirname(absolute))
    # Workers that are spawned import the first script as __mp_main__, and find pickled functions
    # under that name.
    module = types.ModuleType(
        "__mp_main__" if main else os.path.splitext(os.path.basename(path))[0]
    )
    module.__file__ = absolute
    if main:
        sys.modules["__main__"] = sys.modules["__mp_main__"] = module
        sys.argv = [path]
    else:
        sys.modules.setdefault(module.__name__, module)
    name = os.path.basename(path)
    with open(absolute, "rb") as file:
        source = file.read()
    _guarded(name, lambda: exec(compile(source, absolute, "exec"), module.__dict__))
    return Code(module, name)


def _module(name):
    if not name:
        raise scenario("neither script nor module is given")
    _search_first(os.getcwd())
    if not any(key[0] == "script" for key in _loaded):
        # Spawned workers need not load our own script.
        sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        return Code(_guarded(name, lambda: importlib.import_module(name)), name)
    except Failure as failure:
        if failure.kind == "lack" and isinstance(failure.__cause__, ModuleNotFoundError):
            missing = failure.__cause__.name
            if name == missing or name.startswith(missing + "."):
                raise scenario(
                    f"there is no module '{missing}' in {os.getcwd()}",
                    "it is looked for in the working directory and in the packages of "
                    + sys.executable,
                ) from None
        raise


def _guarded(name, action):
    guard = TrainingGuard()
    try:
        with guard:
            result = action()
    except TrainsOnImport:
        pass
    except BaseException as error:
        if not guard.what:
            raise failure_of(error, name) from error
    if guard.what:
        raise Failure(
            "scenario",
            f"{name} {guard.what} while it is imported",
            'put what trains below if __name__ == "__main__":',
            place_of(*guard.where) if guard.where else None,
        )
    return result


def _search_first(folder):
    """As `python train.py` does."""
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _nearest_file(path):
    try:
        names = [name for name in os.listdir(os.path.dirname(path) or ".") if name.endswith(".py")]
    except OSError:
        return f"the folder {os.path.dirname(path)} does not exist"
    close = difflib.get_close_matches(os.path.basename(path), names, n=1)
    if close:
        return f"did you mean '{os.path.join(os.path.dirname(path), close[0])}'?"
    return f"relative paths start at {os.getcwd()}"
