"""Of an exception, what concerns the user: their frames, not ours nor those of torch that brought
us there."""

import itertools
import os
import re
import sys
import traceback

from .sources import is_ours, is_standard

_WORKER = re.compile(r"^Caught (\S+) (in .*?)\.\nOriginal (Traceback .*)$", re.S)
_FRAME = re.compile(r'^  File "(?P<file>[^"]*)", line (?P<line>\d+)')
MAX_LINES, MAX_LINE = 200, 2000


def _torch_folder():
    torch = sys.modules.get("torch")
    file = getattr(torch, "__file__", None)
    return os.path.dirname(file) + os.sep if file else None


def is_inner(filename):
    """A file of ours, of torch's or of Python's own library: never where the user's mistake is."""
    if _is_never_shown(filename):
        return True
    torch = _torch_folder()
    if torch and filename.startswith(torch):
        return True
    real = os.path.realpath(filename)
    return is_standard(real) and not {"site-packages", "dist-packages"} & set(real.split(os.sep))


def _is_never_shown(filename):
    return filename.startswith("<frozen") or is_ours(filename)


def _kept(frames, file_of):
    kept = [frame for frame in frames if not is_inner(file_of(frame))]
    if kept:
        return kept
    # All is torch's: its innermost frame says where, as "in default_collate". Ours are never shown.
    return [frame for frame in frames if not _is_never_shown(file_of(frame))][-1:]


def _cut(report, seen):
    if report is None or id(report) in seen:
        return
    seen.add(id(report))
    report.stack = traceback.StackSummary.from_list(
        _kept(list(report.stack), lambda frame: frame.filename)
    )
    for member in ("__cause__", "__context__"):
        _cut(getattr(report, member), seen)


def _original(message):
    """Returns the worker's traceback from what torch says of an exception in a worker; None where
    the message is another."""
    match = _WORKER.match(message)
    if not match:
        return None
    frames, rest, lines = [], [], match.group(3).rstrip("\n").split("\n")
    for line in lines[1:]:
        if _FRAME.match(line):
            frames.append([line])
        elif frames and line.startswith("    "):
            frames[-1].append(line)
        else:
            rest.append(line)
    kept = _kept(frames, lambda frame: _FRAME.match(frame[0]).group("file"))
    text = [lines[0]] + [line for frame in kept for line in frame] + rest
    last = _FRAME.match(kept[-1][0]) if kept else None
    return {
        "text": "\n".join(text),
        "message": _last_message(rest) or match.group(1),
        "from": match.group(2),
        "where": (last.group("file"), int(last.group("line"))) if last else None,
    }


def _last_message(lines):
    """Returns the last exception's message from the lines between the frames of a traceback, or of
    several that led to each other."""
    begin = max(
        (at + 1 for at, line in enumerate(lines) if line.startswith("Traceback ")), default=0
    )
    return "\n".join(itertools.dropwhile(lambda line: line.startswith("  "), lines[begin:]))


def _last_line(error):
    lines = traceback.format_exception_only(type(error), error)
    return "".join(lines[-1:]).strip()


def _bounded(text):
    lines = [
        line if len(line) <= MAX_LINE else line[:MAX_LINE] + "..."
        for line in text.rstrip("\n").split("\n")
    ]
    if len(lines) > MAX_LINES:
        lines = lines[: MAX_LINES // 2] + ["  ..."] + lines[-MAX_LINES // 2 :]
    return "\n".join(lines)


def headline(message):
    """One line of a message that may have several: the traceback has them all."""
    lines = [line.strip() for line in message.split("\n") if line.strip()] or [""]
    return " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]


def describe(error):
    """(message, traceback, (file, line) or None) of what the user's code raised."""
    worker = _original(str(error.args[0])) if getattr(error, "args", None) else None
    if worker:
        return (
            _bounded("{} ({})".format(headline(worker["message"]), worker["from"])),
            _bounded(worker["text"]),
            worker["where"],
        )
    report = traceback.TracebackException.from_exception(error)
    innermost = [frame for frame in report.stack if not is_inner(frame.filename)]
    _cut(report, set())
    where = (innermost[-1].filename, innermost[-1].lineno) if innermost else None
    if isinstance(error, SyntaxError) and error.filename and not is_inner(error.filename):
        where = (error.filename, error.lineno)
    return _bounded(_last_line(error)), _bounded("".join(report.format())), where
