"""The way of a batch from a worker to the loop: pickling and sending in the worker, receiving and rebuilding in the parent, and
the pin thread. The two queues are instrumented, not multiprocessing."""
import collections
import sys
import weakref
from time import monotonic_ns, thread_time_ns

from .counters import HANDED, HANDOVER_NS


class Sender:
    """The worker's end of the queue of batches, which has a thread that pickles and sends.

    A batch takes from the end of collate (or of the one sent before) until it is pickled, and then the thread's own time in
    sending: not that of waiting for its turn or for room in the pipe, which is the parent's.
    """

    def __init__(self, queue, meter):
        self.meter = meter
        self.finished = collections.deque()
        self.pickled = self.sent = 0
        self.inner_put, queue.put = queue.put, self.put
        self.inner_send, queue._send_bytes = queue._send_bytes, self.send
        self.lock, queue._wlock = queue._wlock, self

    def put(self, batch, *args, **kwargs):
        self.finished.append(self.meter.take_finished())
        self.inner_put(batch, *args, **kwargs)

    def acquire(self, *args):
        self.pickled = monotonic_ns()
        return self.lock.acquire(*args)

    def release(self):
        self.lock.release()

    def send(self, message):
        begin = thread_time_ns()
        self.inner_send(message)
        sending = thread_time_ns() - begin
        finished = self.finished.popleft()
        if finished:
            slot = self.meter.slot
            slot[HANDOVER_NS] += self.pickled - max(finished, self.sent) + sending
            slot[HANDED] += 1
        self.sent = monotonic_ns()


def time_sending(meter):
    """In a worker, before the first batch is put: the queue is a local variable of torch's worker loop."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "_worker_loop":
        frame = frame.f_back
    queue = frame.f_locals.get("data_queue") if frame is not None else None
    if all(hasattr(queue, name) for name in ("put", "_send_bytes", "_wlock")):
        Sender(queue, meter)


class Arrivals:
    """The parent's share, added up by the thread that gets batches from the workers."""

    def __init__(self):
        self.rebuild_ns = self.rebuilt = self.pin_ns = self.pinned = 0
        self.receiving = self.got = 0


def time_arrivals(iterator, arrivals):
    """An iterator with workers. Its queues get a class of their own, for the reason in stages.time_fetcher."""
    results = iterator._worker_result_queue
    time_receiving(results, arrivals)
    results.__class__ = timed_get(type(results), arrivals)
    delivered = iterator._data_queue
    if delivered is not results:
        delivered.__class__ = _timed_put(type(delivered), arrivals)


def time_receiving(queue, arrivals):
    receive = queue._recv_bytes

    def timed_receive(*args):
        arrivals.receiving = monotonic_ns()
        return receive(*args)
    queue._recv_bytes = timed_receive


def timed_get(kind, arrivals):
    def get(self, *args, **kwargs):
        item = kind.get(self, *args, **kwargs)
        # A batch goes by its number; other messages are of the workers' life.
        if isinstance(item, tuple) and type(item[0]) is int:
            arrivals.got = monotonic_ns()
            arrivals.rebuild_ns += arrivals.got - arrivals.receiving
            arrivals.rebuilt += 1
        return item
    return type(kind.__name__, (kind,), {"get": get})


def _timed_put(kind, arrivals):
    """The pin thread gets, pins and puts."""
    def put(self, *args, **kwargs):
        if arrivals.got:
            arrivals.pin_ns += monotonic_ns() - arrivals.got
            arrivals.pinned += 1
            arrivals.got = 0
        return kind.put(self, *args, **kwargs)
    return type(kind.__name__, (kind,), {"put": put})


def time_pinning_inline(iterator, arrivals, meter):
    """Without workers the loop's thread pins, after the fetch."""
    inner, reference = type(iterator)._next_data, weakref.ref(iterator)

    def next_data():
        batch = inner(reference())
        fetched = meter.take_finished()
        if fetched:
            arrivals.pin_ns += monotonic_ns() - fetched
            arrivals.pinned += 1
        return batch
    iterator._next_data = next_data
