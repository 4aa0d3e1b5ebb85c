"""What Python says of the machine, and how the workers are started."""

import os
import sys

from .. import torch_loader


def surroundings():
    torch = sys.modules.get("torch")
    free, size = shared_memory()
    return {
        "cpu_count": os.cpu_count(),
        "threads": torch.get_num_threads() if hasattr(torch, "get_num_threads") else None,
        "shm_free_bytes": free,
        "shm_bytes": size,
    }


def shared_memory():
    """Free bytes and all; None: there is none."""
    try:
        found = os.statvfs("/dev/shm")
    except OSError:
        return None, None
    return found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize


def start_method(loader):
    """Returns it without settling the default, which comes first of all."""
    import multiprocessing

    return (
        torch_loader.start_method(loader)
        or multiprocessing.get_start_method(allow_none=True)
        or multiprocessing.get_all_start_methods()[0]
    )
