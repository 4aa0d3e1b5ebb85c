"""How much memory this process may still take: of the machine, and of the control groups that it is
in."""

import os


def free_memory():
    """Bytes."""
    return min([_free_of_machine()] + free_of_groups())


def _free_of_machine():
    """As Linux estimates it."""
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")


def free_of_groups(top="/sys/fs/cgroup", own="/proc/self/cgroup"):
    """Of each group with a limit, from our own to the top. Cached files do not count: they are
    given up."""
    found = []
    for line in _lines(own):
        if line.startswith("0::"):
            parts = [part for part in line[3:].strip().split("/") if part not in ("", "..")]
            # The top, too: in a container it is its own group.
            for depth in range(len(parts), -1, -1):
                free = _free_of_group(os.path.join(top, *parts[:depth]))
                if free is not None:
                    found.append(free)
    return found


def _free_of_group(folder):
    """None: without a limit."""
    try:
        limit, used = (
            int(_lines(os.path.join(folder, name))[0]) for name in ("memory.max", "memory.current")
        )
    except (IndexError, ValueError):  # no such file; "max"
        return None
    cached = 0
    for line in _lines(os.path.join(folder, "memory.stat")):
        name, value = line.split()
        if name in ("inactive_file", "active_file"):
            cached += int(value)
    return max(0, limit - used + min(cached, used))


def _lines(path):
    try:
        with open(path) as file:
            return file.readlines()
    except OSError:
        return []
