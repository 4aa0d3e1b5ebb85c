"""Who is running, from /proc: every process that has a mark of ours in its environment, wherever it was moved to."""
import os
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
            found[int(name)] = read(f"/proc/{name}/cmdline").replace(b"\0", b" ").decode(errors="replace").strip()
    return found


def left_after(mark, seconds):
    """What is left of them once none is, or after that many seconds: {pid: command}."""
    end = time.monotonic() + seconds
    left = marked(mark)
    while left and time.monotonic() < end:
        time.sleep(0.05)
        left = marked(mark)
    return left


def waits_for(mark, what, seconds=60):
    """The pid of a marked process whose command contains `what`, once there is one."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for pid, command in marked(mark).items():
            if what in command:
                return pid
        time.sleep(0.02)
    raise AssertionError(f"no process '{what}' in {seconds} s: {marked(mark)}")


def shared_memory_left():
    """Files of torch in /dev/shm whose process has ended."""
    left = []
    for name in os.listdir("/dev/shm"):
        words = name.split("_")
        if name.startswith("torch_") and words[1].isdigit() and not os.path.exists(f"/proc/{words[1]}"):
            left.append(name)
    return left
