"""Files of torch's in shared memory that processes which were killed have left."""

import os
import time

MEMORY = "/dev/shm"
# The namespace of processes' numbers. Within another one, files may be of other programs' processes
# with the same numbers: a container may share the machine's memory.
PIDS, INITIAL_PIDS = "/proc/self/ns/pid", "pid:[4026531836]"
COARSE_S = 0.1  # times of files are that much too early, at most


def unlink(pids, patience_s=3):
    """Removes shared memory of torch's that these processes made, and were killed before they had
    unlinked it. `patience_s`: for those that have been killed and have not ended yet."""
    limit = time.monotonic() + patience_s
    try:
        if os.readlink(PIDS) != INITIAL_PIDS:
            return
        names, begin = os.listdir(MEMORY), _read_begin() - COARSE_S
    except (OSError, ValueError):
        return
    for pid in pids:
        paths = [os.path.join(MEMORY, name) for name in names if name.startswith(f"torch_{pid}_")]
        if paths and _ends(pid, limit):
            _unlink_own(paths, begin)


def _unlink_own(paths, begin):
    """Removes those of this user that were made since then."""
    for path in paths:
        try:
            seen = os.stat(path)
            if seen.st_uid == os.getuid() and seen.st_mtime >= begin:
                os.unlink(path)
        except OSError:
            pass


def _ends(pid, limit):
    """Returns True if it has ended by then. A zombie has."""
    while True:
        try:
            if read_stat(pid)[0] in "ZX":
                return True
        except OSError:
            return True
        if time.monotonic() >= limit:
            return False
        try:
            time.sleep(0.002)
        except RuntimeError:  # torch's handler of SIGCHLD
            pass


def read_stat(pid):
    """Returns the fields of /proc/<pid>/stat from the state on, which is the third."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()


def _read_begin():
    """Returns when this process began, in seconds since the epoch."""
    since_boot = int(read_stat("self")[19]) / os.sysconf("SC_CLK_TCK")
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + since_boot
