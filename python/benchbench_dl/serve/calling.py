"""Calls the user's function with the keywords it takes."""

import inspect

from ..failure import nearest, quoted, scenario

_KEYWORDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_POSITIONS = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _parameters(function):
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some of C have none
        return None


def takes(function, keyword):
    """Whether it has a parameter of that name."""
    return any(p.name == keyword and p.kind in _KEYWORDS for p in _parameters(function) or [])


def keywords_for(function, name, args, root):
    """`args`, and `root` where it is taken. Refuses what `function` does not take, and what it
    needs and does not get."""
    args = dict(args or {})
    parameters = _parameters(function)
    if root is not None and "root" not in args and takes(function, "root"):
        args["root"] = root
    if parameters is None:
        return args
    known = {p.name: p.default for p in parameters if p.kind in _KEYWORDS}
    if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
        _refuse_unknown(name, args, known)
    needed = [key for key, default in known.items() if default is inspect.Parameter.empty]
    _refuse_missing(name, [key for key in needed if key not in args])
    return args


def _refuse_unknown(name, args, known):
    for key in args:
        if key not in known:
            hint = nearest(key, known) or "it takes no arguments"
            raise scenario(f"{name} does not take '{key}'", hint)


def _refuse_missing(name, missing):
    if missing == ["root"]:
        raise scenario(
            f"{name} needs 'root', the folder of the data",
            "set dataset.path or dataset.synthesize, or loader.args.root",
        )
    if missing:
        raise scenario(f"{name} needs {quoted(missing)}, which loader.args does not have")


def positions(function):
    """(how many positional arguments it needs, how many it takes at most)."""
    parameters = _parameters(function)
    if parameters is None or any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters):
        return 0, 1000
    taken = [p for p in parameters if p.kind in _POSITIONS]
    return sum(p.default is inspect.Parameter.empty for p in taken), len(taken)
