"""What is told of the script's loaders in sentences: workers that stay for a validation, and workers forked beside threads."""
import sys
import threading

OURS_AND_TORCHS = ("benchbench", "_pin_memory_loop", "QueueFeederThread")


def threads_of_users():
    """Names of those that run beside the main thread, as far as Python knows them."""
    names = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread() and thread.is_alive()]
    return [name for name in names if not any(known in name for known in OURS_AND_TORCHS)]


def forks(loader):
    from benchbench_child.observing import surroundings
    return loader.num_workers > 0 and sys.platform == "linux" and surroundings.start_method(loader) == "fork"


def beside_threads(feed):
    """None: its workers were not forked beside any."""
    if not feed.threads_beside:
        return None
    names = ", ".join(feed.threads_beside[:4]) + (", ..." if len(feed.threads_beside) > 4 else "")
    return ("the workers of {} were forked while {} ran beside the main thread ({}): a lock that {} held then stays locked in the worker, "
            "which hangs at it; start threads later, or pass multiprocessing_context=\"forkserver\"").format(
                _called(feed), _counted(len(feed.threads_beside), "thread"), names,
                "it" if len(feed.threads_beside) == 1 else "one of them")


def that_stay(feed):
    """Of a loader that feeds no step, in the end. None: it has none."""
    pids = feed.pids() if feed.persistent else []
    if not pids:
        return None
    memory = [pss_of(pid) for pid in pids]
    held = "" if None in memory else ", and hold {:.0f} MiB (PSS)".format(sum(memory) / 2**20)
    return "{} of {} stay while the script trains{}: persistent_workers=False ends them after each pass".format(
        _counted(len(pids), "worker"), _called(feed), held)


def pss_of(pid):
    """Bytes; None: not to be read."""
    try:
        with open("/proc/{}/smaps_rollup".format(pid)) as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return None


def _called(feed):
    where = feed.members().get("where")
    name = feed.name or "a loader"
    return "{} ({})".format(name, where) if where else name


def _counted(count, what):
    return "{} {}{}".format(count, what, "" if count == 1 else "s")
