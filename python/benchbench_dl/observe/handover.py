"""The way of a batch from a worker to the loop: pickling and sending in the worker, receiving and
rebuilding in the parent, and the pin thread. The two queues are instrumented, not
multiprocessing."""

import collections
import sys
import threading
import weakref
from time import monotonic_ns, thread_time_ns

from ..sources import outwards
from .counters import HANDED, HANDOVER_NS
from .overriding import override

SMALL = 1 << 16  # bytes that a pipe takes at once
CAPPED_NS = 10**6  # a small message that takes longer waits


class Sender:
    """The worker's end of the queue of batches, which has a thread that pickles and sends.

    A batch takes from the end of collate (or of the one sent before) until it is in the pipe, but
    for waiting until another worker has sent, or until the parent makes room: that is no work of
    this worker's. Hooks are few and short: they run once a batch, cold, while the worker's other
    thread wants the interpreter.
    """

    def __init__(self, queue, meter):
        self.finished = meter.finished = collections.deque()
        self.slot = meter.slot
        self.waited = self.sent = 0
        self.inner_send, queue._send_bytes = queue._send_bytes, self.send
        self.take_turn, self.release = queue._wlock.acquire, queue._wlock.release
        queue._wlock = self

    def acquire(self):
        self.waited = 0
        if not self.take_turn(False):
            begin = monotonic_ns()
            self.take_turn()
            self.waited = monotonic_ns() - begin

    def send(self, message):
        if not self.finished:  # a message of the worker's life, not a batch
            self.inner_send(message)
            return
        begin = monotonic_ns()
        spent = begin - max(self.finished.popleft(), self.sent) - self.waited
        spent += (
            self._send_little(message, begin) if len(message) < SMALL else self._send_much(message)
        )
        slot = self.slot
        slot[HANDOVER_NS] += spent
        slot[HANDED] += 1

    def _send_little(self, message, begin):
        self.inner_send(message)
        self.sent = monotonic_ns()
        return min(self.sent - begin, CAPPED_NS)

    def _send_much(self, message):
        """Room is made as the parent reads: what counts is this thread's own time."""
        begin = thread_time_ns()
        self.inner_send(message)
        self.sent = monotonic_ns()
        return thread_time_ns() - begin


def time_sending(meter):
    """In a worker, before the first batch is put: the queue is a local variable of torch's worker
    loop."""
    callers = outwards(sys._getframe(1))
    loops = (one.f_locals for one in callers if one.f_code.co_name == "_worker_loop")
    queue = next(loops, {}).get("data_queue")
    if all(hasattr(queue, name) for name in ("_send_bytes", "_wlock")):
        Sender(queue, meter)


class Arrivals:
    """The parent's share, added up by the thread that gets batches from the workers."""

    def __init__(self):
        self.rebuild_ns = self.rebuilt = self.pin_ns = self.pinned = 0
        self.receiving = self.got = 0


class PinThread:
    """What it waits while it has a batch: for Python's lock, for the driver, not for a core. Of
    each fourth batch, as asking for the last takes 10 us. Of two times the differences are of what
    was between them."""

    EVERY = 4

    def __init__(self):
        self.waited_ns = self.batches = 0
        # `left`: batches until the next; `begun`: (time, the thread's own, its waits for a core).
        self._here = threading.local()

    def receives(self):
        here = self._here
        here.left = getattr(here, "left", 0) or self.EVERY
        here.left -= 1
        if here.left == 0:
            here.begun = monotonic_ns(), thread_time_ns(), core_wait_ns()

    def puts(self):
        here = self._here
        if here.left == 0:
            at, spent, waited = here.begun
            elsewhere = thread_time_ns() - spent + core_wait_ns() - waited
            self.waited_ns += max(0, monotonic_ns() - at - elsewhere)
            self.batches += 1

    def counted(self):
        return {"pin_waited_ns": self.waited_ns, "pin_waits": self.batches}


def core_wait_ns():
    """Returns what this thread has waited for a core so far; 0: not known."""
    try:
        with open(f"/proc/self/task/{threading.get_native_id()}/schedstat") as file:
            return int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def time_arrivals(iterator, arrivals, pin_thread):
    """An iterator with workers."""
    results, delivered = iterator._worker_result_queue, iterator._data_queue
    pins = delivered is not results
    time_receiving(results, arrivals, pin_thread if pins else None)
    if pins:
        _time_putting(delivered, arrivals, pin_thread)


def time_receiving(queue, arrivals, pin_thread=None):
    receive = queue._recv_bytes

    def timed_receive():
        arrivals.receiving = monotonic_ns()
        if pin_thread is not None:
            pin_thread.receives()
        return receive()

    queue._recv_bytes = timed_receive
    inner = type(queue).get

    def get(self, block=True, timeout=None):
        item = inner(self, block, timeout)
        # A batch goes by its number; other messages are of the workers' life.
        if isinstance(item, tuple) and type(item[0]) is int:
            arrivals.got = monotonic_ns()
            arrivals.rebuild_ns += arrivals.got - arrivals.receiving
            arrivals.rebuilt += 1
        return item

    override(queue, get=get)


def _time_putting(queue, arrivals, pin_thread):
    """The pin thread gets, pins and puts."""
    kind = type(queue)

    def put(self, *args, **kwargs):
        if arrivals.got:
            pin_thread.puts()
            arrivals.pin_ns += monotonic_ns() - arrivals.got
            arrivals.pinned += 1
            arrivals.got = 0
        return kind.put(self, *args, **kwargs)

    override(queue, put=put)


def time_pinning_inline(iterator, arrivals, meter):
    """Without workers the loop's thread pins, after the fetch."""
    inner, reference = type(iterator)._next_data, weakref.ref(iterator)

    def next_data():
        batch = inner(reference())
        arrivals.pin_ns += monotonic_ns() - meter.collate_end
        arrivals.pinned += 1
        return batch

    iterator._next_data = next_data
