"""What ends a request: each kind of `error` of the protocol, and the nearest spelling of a wrong
name."""

import difflib


class Failure(Exception):
    """Answered as `error`. `kind` is "scenario", "lack" or "user"."""

    def __init__(self, kind, message, hint=None, where=None, traceback=None):
        super().__init__(message)
        self.kind, self.message, self.hint = kind, message, hint
        self.where, self.traceback = where, traceback

    def members(self):
        names = ("kind", "message", "hint", "where", "traceback")
        return {name: getattr(self, name) for name in names}


def scenario(message, hint=None, where=None):
    return Failure("scenario", message, hint, where)


def quoted(names):
    return ", ".join(f"'{name}'" for name in names)


def nearest(name, names):
    """A hint: "did you mean 'size'?", or all of the names where none resembles and they are few, or
    None."""
    names = sorted(set(names))
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    return "there are: " + quoted(names) if 0 < len(names) <= 12 else None


def counted(count, noun):
    plural = noun + "es" if noun.endswith(("ch", "s", "x")) else noun + "s"
    return f"{count} {noun if count == 1 else plural}"
