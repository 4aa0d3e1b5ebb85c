"""Where things are in the user's files: "train.py:31"."""

import ast
import functools
import os
import sys
import types
import weakref

from .after_import import PatchedImport

_shown = {}  # real path -> as the user gave it
_made_at = {}  # id of a DataLoader -> (weak reference, (file, line))

_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
# Of the standard library, as sysconfig has them, whose import a script that is wrapped would wait 2
# ms for.
_STANDARD = {
    os.path.realpath(folder)
    for folder in (
        os.path.dirname(os.__file__),
        os.path.join(
            sys.base_exec_prefix,
            getattr(sys, "platlibdir", "lib"),
            "python{}.{}".format(*sys.version_info[:2]),
        ),
    )
}


def outwards(frame):
    """Yields it and those that called it, the innermost first."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def find_raiser(error):
    """Returns the file of the code that raised it, or None."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace and trace.tb_frame.f_code.co_filename


def find_users_frame(frame):
    """Returns the user's innermost frame, from this one on, or None."""
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def show_as(path, name):
    """The file at `path` is called `name` from now on."""
    _shown[os.path.realpath(path)] = name


def shown(path):
    real = os.path.realpath(path)
    if real in _shown:
        return _shown[real]
    try:
        relative = os.path.relpath(real)
    except OSError:  # the working directory is gone
        return path
    return path if relative.startswith(os.pardir) else relative


@functools.lru_cache(maxsize=None)
def is_users(path):
    """Neither an installed package's nor the standard library's, nor ours."""
    if path.startswith("<") or {"site-packages", "dist-packages"} & set(path.split(os.sep)):
        return False
    real = os.path.realpath(path)
    if is_ours(real) or is_standard(real):
        return False
    return not any(
        _is_below(real, top) and _installed(top) for top in map(os.path.realpath, sys.path)
    )


def is_ours(path):
    return path.startswith(_OURS)


def is_standard(real):
    """True of a path without links below the folders of Python's own library."""
    return any(_is_below(real, top) for top in _STANDARD)


def _is_below(path, folder):
    return path.startswith(folder.rstrip(os.sep) + os.sep)


@functools.lru_cache(maxsize=None)
def _installed(folder):
    """Where `pip install --target` put packages."""
    return os.path.isdir(folder) and any(name.endswith(".dist-info") for name in os.listdir(folder))


def where_of(thing):
    """Of a DataLoader: the call that made it, noted by noting_loaders(). Of a class or an object:
    the class. Of a function or method: its definition. None: not in a file of the user's, or not
    known."""
    noted = _find_noted(thing)
    if noted is not None:
        return line_of(*noted)
    if is_data_loader(thing):
        return None
    while isinstance(thing, functools.partial):
        thing = thing.func
    thing = getattr(thing, "__func__", thing)
    if isinstance(thing, types.FunctionType):
        return line_of(thing.__code__.co_filename, thing.__code__.co_firstlineno)
    return where_of_class(thing if isinstance(thing, type) else type(thing))


def _find_noted(loader):
    """Returns (file, line) of the call that made it; None: it was not noted."""
    noted = _made_at.get(id(loader))
    return noted[1] if noted is not None and noted[0]() is loader else None


def is_a(name, thing):
    """True if it is one of torch.utils.data's that has this name."""
    return isinstance(thing, getattr(sys.modules.get("torch.utils.data"), name, ()))


is_data_loader = functools.partial(is_a, "DataLoader")
is_iterable_style = functools.partial(is_a, "IterableDataset")


def find_length(thing):
    """None: it has none, or one that is not known."""
    try:
        return len(thing)
    except Exception:
        return None


def place_of(path, line):
    """ "train.py:31", as the user wrote it or from the working directory."""
    return f"{shown(path)}:{line}"


def line_of(path, line):
    """None: not in a file of the user's, or not known."""
    return place_of(path, line) if path and line and is_users(path) else None


def where_of_class(kind):
    found = class_node(kind)
    return line_of(found[0], found[1].lineno) if found is not None else None


def class_node(kind):
    """(file, ast.ClassDef) of a class of the user's, or None."""
    path = file_of(kind)
    lines = [
        member.__code__.co_firstlineno
        for member in vars(kind).values()
        if isinstance(member, types.FunctionType)
    ]
    for node in users_nodes(path):
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
            if not lines or node.lineno <= max(lines) <= _last_line(node):
                return path, node
    return None


def _last_line(node):
    return max(getattr(child, "end_lineno", None) or 0 for child in ast.walk(node))


def file_of(kind):
    for member in vars(kind).values():
        if isinstance(member, types.FunctionType) and member.__qualname__.startswith(
            kind.__qualname__ + "."
        ):
            return member.__code__.co_filename
    return getattr(sys.modules.get(kind.__module__), "__file__", None)


@functools.lru_cache(maxsize=None)
def parsed(path):
    """None: it is no file of the user's, or none that this Python reads."""
    if path is None or not is_users(path):
        return None
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return None


def users_nodes(path):
    """Returns those of the syntax tree of a file; none of one that is not the user's."""
    tree = parsed(path)
    return ast.walk(tree) if tree is not None else ()


def attribute_assigned(kind, name):
    """Where a class of the user's, or one it derives from, assigns `self.name`, or `name` in its
    body. None: nowhere."""
    for base in kind.__mro__:
        found = class_node(base)
        for node in ast.walk(found[1]) if found is not None else ():
            if any(_is_target(target, name) for target in _targets(node)):
                return line_of(found[0], node.lineno)
    return None


def global_assigned(function, name):
    """Where the module of a function assigns `name`."""
    path = function.__code__.co_filename
    for node in getattr(parsed(path), "body", ()):
        if any(isinstance(target, ast.Name) and target.id == name for target in _targets(node)):
            return line_of(path, node.lineno)
    return None


def _targets(node):
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) and node.value is not None else []


def _is_target(target, name):
    if isinstance(target, ast.Attribute):
        return (
            target.attr == name and isinstance(target.value, ast.Name) and target.value.id == "self"
        )
    return isinstance(target, ast.Name) and target.id == name


def note_loader(loader):
    """Called in its `__init__`: the first frame outside of it that is the user's made it."""
    frame = sys._getframe(1)
    while frame is not None and (_makes(frame, loader) or not is_users(frame.f_code.co_filename)):
        frame = frame.f_back
    if frame is not None:
        _made_at[id(loader)] = (weakref.ref(loader), (frame.f_code.co_filename, frame.f_lineno))


def _makes(frame, loader):
    """A subclass's `__init__`, which calls the one of DataLoader."""
    code = frame.f_code
    return (
        code.co_name == "__init__"
        and code.co_argcount > 0
        and frame.f_locals.get(code.co_varnames[0]) is loader
    )


def places_of_loaders():
    """Of all that were made, and are still there."""
    there = [place for made, place in list(_made_at.values()) if made() is not None]
    return list(filter(None, (line_of(*place) for place in there)))


def same_place(copy, loader):
    """A copy was made where the original was."""
    noted = _find_noted(loader)
    if noted is not None:
        _made_at[id(copy)] = (weakref.ref(copy), noted)


class noting_loaders(PatchedImport):
    """`with noting_loaders():` round what may make DataLoaders; torch need not be imported yet."""

    def __init__(self):
        super().__init__({"torch.utils.data.dataloader": self._patch})

    def _patch(self, module):
        self.replace(module.DataLoader, "__init__", _noting)


def _noting(original):
    def noted(loader, *args, **kwargs):
        original(loader, *args, **kwargs)
        try:
            note_loader(loader)
        except Exception:  # where it was made is not worth the user's run
            pass

    return noted
