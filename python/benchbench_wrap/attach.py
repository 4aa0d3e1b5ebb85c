"""What happens once the script has imported torch: its classes are patched, and benchbench hears of
this process."""

import os
import sys

from benchbench_child.observing.sources import noting_loaders

from . import events, loaders, savers, session, signals

_OF_MULTIPROCESSING = (
    b"multiprocessing.spawn",
    b"multiprocessing.forkserver",
    b"multiprocessing.resource_tracker",
)


def to_torch():
    failed = None
    try:
        _patch()
    except Exception as error:  # torch has changed: benchbench says what it could not see
        failed = f"{type(error).__name__}: {error}"
    if not is_of_multiprocessing():
        session.connect(failed)


def _patch():
    import torch.utils.data.dataloader  # torch imports it itself, in all versions known

    noting_loaders().__enter__()
    loaders.patch(torch.utils.data.dataloader)
    signals.watch_workers(torch.utils.data._utils.worker)
    events.patch(torch)
    savers.patch()


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
