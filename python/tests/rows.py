"""Which cases a run takes: of one row of ctest, and all of them or a sample."""

import contextlib
import math
import mmap
import os
import signal
import struct
import sys
import time
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/run"))
from counts import all_are_asked_for  # noqa: E402

ROWS = ("rates", "others", "wrap")
NOT_JUDGED = "not judged: "
# A limit in seconds that only a hang reaches, however busy the machine is.
HANG_S = 300


def alone(test):
    """Marks a test that compares times: no other row runs meanwhile."""
    test.alone = True
    return test


def only_all(test):
    """Marks a case, or a class of them, that is no part of the sample: it runs under
    BENCHBENCH_TEST_ALL, or where the command line names cases."""
    test.only_all = True
    return test


def sample(values, count=1):
    """The first ones of a case's values; all of them where all cases are asked for."""
    return tuple(values) if all_are_asked_for() else tuple(values)[:count]


def cannot_judge(reason):
    """Ends a case about times as neither passed nor failed: its own control shows that nothing can
    be said on this machine now."""
    raise unittest.SkipTest(NOT_JUDGED + reason)


def is_marked(test, name):
    method = getattr(test, test.id().rpartition(".")[2], None)
    return getattr(method, name, False) or getattr(type(test), name, False)


def row_of(test):
    if is_marked(test, "alone"):
        return "rates"
    return "wrap" if type(test).__module__.startswith("test_wrap_") else "others"


def tests_of(suite, row):
    """Yields the tests of one row, of all rows where it is empty."""
    for one in suite:
        if hasattr(one, "__iter__"):
            yield from tests_of(one, row)
        elif row in ("", row_of(one)) and (all_are_asked_for() or not is_marked(one, "only_all")):
            yield one


MOST_LATE = 0.1
MOST_OTHERS = 0.15  # cores
ROW_PROCESS = os.getpid()  # before any test forks
TICKS = os.sysconf("SC_CLK_TCK")
TURN = 0.005  # seconds


@contextlib.contextmanager
def quiet(most=MOST_LATE, turn=TURN):
    """Runs a bare loop, which sleeps `turn` seconds and works in turn, while its block measures
    times. Where that loop took much longer than its sleeps and its work, or other processes used a
    core for long, the case ends after the block as not judged. So only comparisons of times may
    follow the block: assert within it what no busy machine breaks."""
    spent = mmap.mmap(-1, 8)
    control = os.fork()
    if control == 0:
        _loop(spent, turn)
    begin, others = time.monotonic(), others_seconds()
    try:
        yield
    finally:
        took, others = time.monotonic() - begin, others_seconds() - others
        os.kill(control, signal.SIGKILL)
        os.waitpid(control, 0)
    share = lateness(took, struct.unpack("d", spent[:8])[0], turn)
    if share > most:
        cannot_judge(f"a bare loop took {share:.0%} longer than its sleeps and its work")
    if others > MOST_OTHERS * took:
        cannot_judge(f"other processes used {others / took:.2f} cores")


def others_seconds():
    """Returns for how long processes that do not belong to this row kept cores busy since the
    machine began."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(
            int, file.readline().split()[1:9]
        )
    return (user + nice + system + irq + softirq + steal - _ticks_of_row()) / TICKS


def _ticks_of_row():
    """Returns the CPU time of the process that runs this row, of all below it, and of those below
    it that have ended."""
    ticks, below = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        ticks[int(name)] = sum(map(int, fields[11:15]))
        below.setdefault(int(fields[1]), []).append(int(name))
    total, waiting = 0, [ROW_PROCESS]
    while waiting:
        process = waiting.pop()
        total += ticks.get(process, 0)
        waiting += below.get(process, ())
    return total


def lateness(took, spent, turn=TURN):
    """Returns the share of time in which a bare loop neither slept nor worked. `spent` lacks the
    turn in which the loop was stopped."""
    return (took - turn) / spent - 1 if spent else math.inf


def _loop(spent, turn):
    """Runs until it is killed. `spent`: the seconds so far in which it slept or worked."""
    slept = worked = 0.0
    while True:
        time.sleep(turn)
        slept, before = slept + turn, time.thread_time()
        for _ in range(10000):
            pass
        worked += time.thread_time() - before
        spent[:8] = struct.pack("d", slept + worked)
