"""Which cases a run takes: of one row of ctest, and all of them or a sample."""

import contextlib
import mmap
import os
import signal
import struct
import time
import unittest

ROWS = ("rates", "others", "wrap")
NOT_JUDGED = "not judged: "
# Seconds that nothing waits for but what hangs: no machine is so busy.
HANG_S = 300


def alone(test):
    """Marks a test that compares times: nothing else runs meanwhile."""
    test.alone = True
    return test


def only_all(test):
    """Marks a case, or a class of them, that is no part of the sample: it runs under
    BENCHBENCH_TEST_ALL, or where the command line names cases."""
    test.only_all = True
    return test


def all_are_asked_for():
    return bool(os.environ.get("BENCHBENCH_TEST_ALL"))


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
    """Those of one row, of all where it is empty."""
    for one in suite:
        if hasattr(one, "__iter__"):
            yield from tests_of(one, row)
        elif row in ("", row_of(one)) and (all_are_asked_for() or not is_marked(one, "only_all")):
            yield one


MOST_LATE = 0.1


@contextlib.contextmanager
def quiet(most=MOST_LATE):
    """For the block in which times are measured. The case is judged only where a bare loop beside
    it took hardly longer than its sleeps and its work."""
    late = mmap.mmap(-1, 8)
    control = os.fork()
    if control == 0:
        _loop(late)
    try:
        yield
    finally:
        os.kill(control, signal.SIGKILL)
        os.waitpid(control, 0)
    share = struct.unpack("d", late[:8])[0]
    if share > most:
        cannot_judge(f"a bare loop took {share:.0%} longer than its sleeps and its work")


def _loop(late):
    """Until it is killed. `late`: the share of its time so far that was neither."""
    begin, slept, worked = time.monotonic(), 0.0, 0.0
    while True:
        time.sleep(0.005)
        slept, before = slept + 0.005, time.thread_time()
        for _ in range(10000):
            pass
        worked += time.thread_time() - before
        late[:8] = struct.pack("d", (time.monotonic() - begin) / (slept + worked) - 1)
