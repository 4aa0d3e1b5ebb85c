"""CPU time of a process and all that it started, from /proc."""

import os

TICK = os.sysconf("SC_CLK_TCK")


def stat_of(pid):
    """(parent, ticks of its own and of its children that have ended), or None where it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1]), sum(map(int, fields[11:15]))


def cpu_seconds(root):
    stats = {int(name): stat_of(name) for name in os.listdir("/proc") if name.isdigit()}
    children = {}
    for pid, stat in stats.items():
        if stat:
            children.setdefault(stat[0], []).append(pid)
    total, waiting = 0, [root]
    while waiting:
        pid = waiting.pop()
        total += stats[pid][1] if stats.get(pid) else 0
        waiting += children.get(pid, [])
    return total / TICK
