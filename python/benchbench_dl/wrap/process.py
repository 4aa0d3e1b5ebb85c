"""Says if this process is one of multiprocessing's own, or a rank, and if a worker that is spawned
can import its script."""

import os
import re
import sys

_OF_MULTIPROCESSING = (
    b"multiprocessing.spawn",
    b"multiprocessing.forkserver",
    b"multiprocessing.resource_tracker",
)


def _find_folder():
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""


_begun_in = _find_folder()  # Python 3.8 names the script's file from there


def is_of_multiprocessing():
    """Workers, and servers that start them. A rank that was spawned says hello with its first
    DataLoader."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            line = file.read()
    except OSError:
        return False
    return any(name in line for name in _OF_MULTIPROCESSING) or _was_forked()


def _was_forked():
    process = sys.modules.get("multiprocessing.process")
    return process is not None and getattr(process, "_parent_process", None) is not None


def has_main_guard():
    """Returns True if the script's file has `if __name__ == "__main__":`, without which a worker
    that is spawned runs all of it once more. None: it has no file."""
    path = getattr(sys.modules.get("__main__"), "__file__", None)
    if path is None:
        return None
    try:
        with open(os.path.join(_begun_in, path), "rb") as file:
            return re.search(rb"^if\b[^\n]*\b__name__\b", file.read(), re.MULTILINE) is not None
    except OSError:
        return None


def rank():
    """As torchrun and most launchers have it; None: one process."""
    try:
        return {
            "rank": int(os.environ["RANK"]),
            "local_rank": int(os.environ.get("LOCAL_RANK", os.environ["RANK"])),
            "world": int(os.environ["WORLD_SIZE"]),
        }
    except (KeyError, ValueError):
        return None
