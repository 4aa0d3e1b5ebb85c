"""Who is running, from /proc: every process that has a mark of ours in its environment, wherever it
was moved to."""

import os
import subprocess
import time

MARK = "BENCHBENCH_CASE"


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def marked(mark):
    """{pid: command} of the processes that have the mark and are not zombies."""
    entry = f"{MARK}={mark}".encode()
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and entry in read(f"/proc/{name}/environ").split(b"\0"):
            found[int(name)] = (
                read(f"/proc/{name}/cmdline").replace(b"\0", b" ").decode(errors="replace").strip()
            )
    return found


LEFT = 30  # seconds: a busy machine needs some for processes that have been killed


def comes_true(condition, seconds=300):
    """True if it does within that time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def left_after(mark):
    """Waits until no marked process is left, or LEFT seconds. Returns the rest: {pid: command}."""
    comes_true(lambda: not marked(mark), LEFT)
    return marked(mark)


def await_end(process, mark, limit, seen):
    """Returns its exit status, None where it runs for longer than `limit` seconds. The marked
    processes that there are once a second are added to the set `seen`."""
    end = time.monotonic() + limit
    while True:
        seen.update(marked(mark))
        try:
            return process.wait(max(0, min(1, end - time.monotonic())))
        except subprocess.TimeoutExpired:
            if time.monotonic() >= end:
                return None


def parent_of(pid):
    """Returns the parent's pid, 0 where the process is gone."""
    fields = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return int(fields[1]) if fields else 0


def called(mark, what, workers):
    """Pids of marked processes whose command contains `what` and which have at least so many
    children that are called so too."""
    those = [pid for pid, command in marked(mark).items() if what in command]
    parents = [parent_of(pid) for pid in those]
    return [pid for pid in those if parents.count(pid) >= workers]


def children_of(mark, parent):
    return sorted(pid for pid in marked(mark) if parent_of(pid) == parent)


def child_with_workers(mark, what, workers, but=()):
    """The first such process that is none of `but`, once there is one."""
    found = []

    def is_there():
        found[:] = [pid for pid in called(mark, what, workers) if pid not in but]
        return bool(found)

    assert comes_true(is_there), f"no process '{what}' with {workers} workers: {marked(mark)}"
    return found[0]


# The beginnings of names that a run of ours leaves; others are of the script, or caches of torch.
OF_RUNS = ("torch_", "torch-", "pymp-", "listener-", "benchbench-")


def files_left(folder, pids):
    """Returns what torch, multiprocessing and benchbench have made in a folder for temporary
    files, and these processes in shared memory."""
    made = [f"{folder}/{name}" for name in os.listdir(folder) if name.startswith(OF_RUNS)]
    return {*made, *shared_memory_left(pids)}


def shared_memory_left(pids=None, folder="/dev/shm"):
    """Returns names of torch's files there that are this user's, and whose process has ended: one
    of `pids`, or any."""
    left = []
    for name in os.listdir(folder):
        prefix, _, rest = name.partition("_")
        pid = rest.partition("_")[0]
        if (
            prefix == "torch"
            and pid.isdigit()
            and (pids is None or int(pid) in pids)
            and not os.path.exists(f"/proc/{pid}")
            and is_ours(os.path.join(folder, name))
        ):
            left.append(name)
    return left


def is_ours(path):
    try:
        return os.stat(path).st_uid == os.getuid()
    except FileNotFoundError:
        return False
