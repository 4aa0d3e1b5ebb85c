"""Runs once the script has imported torch: its classes are patched, and benchbench hears of
this process."""

from ..sources import noting_loaders
from . import events, loader_patches, process, savers, session, signals, step_loop


def to_torch():
    failed = None
    try:
        _patch()
    except Exception as error:  # torch has changed: benchbench says what it could not see
        failed = f"{type(error).__name__}: {error}"
    session.prepare_with(signals.install)
    if not process.is_of_multiprocessing():
        session.connect(failed)


def _patch():
    import torch.utils.data.dataloader  # torch imports it itself, in all versions known

    noting_loaders().__enter__()
    loader_patches.patch(torch.utils.data.dataloader)
    signals.watch_workers(torch.utils.data._utils.worker)
    events.patch(torch)
    savers.patch()
    step_loop.watch(loader_patches.first_engine)
