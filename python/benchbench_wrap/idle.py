"""Workers that have nothing to do: their queue is full."""
import time

now = time.monotonic_ns
LOOK_S = 0.02
IDLE_SHARE = 0.05  # of a core, all workers together


def cpu_ns(pids):
    """What these processes have taken of the processors so far. None: not known."""
    total = 0
    for pid in pids:
        try:
            with open("/proc/{}/schedstat".format(pid)) as file:
                total += int(file.read().split()[0])
        except (OSError, ValueError, IndexError):
            return None
    return total


def own_bytes(pid):
    """Memory that would be free without this process; 0: not known."""
    try:
        with open("/proc/{}/smaps_rollup".format(pid)) as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(("Private_Clean:", "Private_Dirty:")))
    except (OSError, ValueError):
        return 0


def unfinished(iterator):
    """Batches that the workers have yet to make; None: this torch does not show it."""
    try:
        left = iterator._tasks_outstanding - iterator._worker_result_queue.qsize()
        return left if iterator._data_queue is iterator._worker_result_queue else left - iterator._data_queue.qsize()
    except (AttributeError, NotImplementedError, OSError):
        return None


def wait(iterator, pids, limit_ns):
    """Until they are idle; whether they are."""
    if not pids:
        return True
    end = now() + limit_ns
    while now() < end:
        begun, before = now(), cpu_ns(pids)
        time.sleep(LOOK_S)
        after = cpu_ns(pids)
        left = unfinished(iterator)
        still = before is None or after is None or after - before < IDLE_SHARE * (now() - begun)
        if still and (left is None or left <= 0):
            return True
    return False
