"""What a published table has to say of the machine: no host's name, no path."""

import os
import platform
import re

GOVERNOR = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"


def first_match(path, pattern, otherwise="unknown"):
    try:
        with open(path) as file:
            found = re.search(pattern, file.read(), re.MULTILINE)
    except OSError:
        return otherwise
    return found.group(1).strip() if found else otherwise


def facts():
    return {
        "cpu": first_match("/proc/cpuinfo", r"^model name\s*:\s*(.*)$"),
        "cpus": len(os.sched_getaffinity(0)),
        "memory_gib": round(
            int(first_match("/proc/meminfo", r"^MemTotal:\s*(\d+)", "0")) / 2**20, 1
        ),
        "kernel": f"{platform.system()} {platform.release()}",
        "governor": first_match(GOVERNOR, r"^(\S+)", "not available"),
        "huge_pages": first_match("/sys/kernel/mm/transparent_hugepage/enabled", r"\[(\w+)\]"),
        "python": platform.python_version(),
    }


def load():
    return os.getloadavg()[0]


def slug(cpu):
    return re.sub(r"[^a-z0-9]+", "-", cpu.lower()).strip("-") or "unknown"
