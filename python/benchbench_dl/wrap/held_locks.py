"""Threads of the script's own code that hold a lock when workers are forked: its copy in a worker
stays locked."""

from .. import sources
from . import locks


def threads_that_hold():
    """Returns names of threads, without this one. A thread of a package, of Python's library or of
    ours has no frame of the script's; it is the package's to keep its locks from a fork."""
    threads = [
        thread for _, (_, thread, file, _) in locks.find_held_by_others() if sources.is_users(file)
    ]
    return [locks.thread_name(thread) for thread in dict.fromkeys(threads)]
