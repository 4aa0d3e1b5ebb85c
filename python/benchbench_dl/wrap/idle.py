"""Workers that have nothing to do: their queue is full."""

import os
import time

now = time.monotonic_ns
LOOK_S = 0.02
IDLE_SHARE = 0.05  # of a core, all workers together


def cpu_ns(pids):
    """What these processes have taken of the processors so far. None: not known."""
    spent = _spent(pids)
    return spent[0] if spent else None


def _read_threads(pids, name):
    """Yields the fields of this file of /proc, of all threads that live: from the third on, of one
    that has the thread's name."""
    for pid in pids:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/{name}") as file:
                yield file.read().rpartition(")")[2].split()


def _spent(pids):
    """(ns on a processor, ns in which one was waited for)."""
    try:
        times = [list(map(int, fields[:2])) for fields in _read_threads(pids, "schedstat")]
    except (OSError, ValueError):
        return None
    return tuple(map(sum, zip((0, 0), *times)))


def _one_runs(pids):
    """Whether a thread has a processor or waits for one: the time of a wait is counted once it has
    ended."""
    try:
        return any(fields[0] == "R" for fields in _read_threads(pids, "stat"))
    except (OSError, IndexError):
        return False


def sum_memory(pid, kinds):
    """Returns bytes of the process's memory of these kinds; None: not known."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            sizes = [int(line.split()[1]) << 10 for line in file if line.startswith(kinds)]
    except (OSError, ValueError):
        return None
    return sum(sizes) if sizes else None


def unfinished(iterator):
    """Batches that the workers have yet to make; None: this torch does not show it."""
    try:
        results, delivered = iterator._worker_result_queue, iterator._data_queue
        left = iterator._tasks_outstanding - results.qsize()
        return left if delivered is results else left - delivered.qsize()
    except (AttributeError, NotImplementedError, OSError):
        return None


def wait(iterator, pids, limit_ns):
    """Until they are idle; whether they are."""
    if not pids:
        return True
    end = now() + limit_ns
    while now() < end:
        begun, before = now(), _spent(pids)
        time.sleep(LOOK_S)
        after = _spent(pids)
        left = unfinished(iterator)
        still = (
            before is None
            or after is None
            or sum(after) - sum(before) < IDLE_SHARE * (now() - begun)
        )
        if still and (left is None or left <= 0) and not _one_runs(pids):
            return True
    return False
