"""A host and a device with a queue of launches between them, whose only clock is their own: how
long a step takes is known, and torch.cuda's events and waits say what a driver's would."""

import collections
from unittest import mock

QUEUED = 1022  # launches that fit into the queue of an H200
RECORD_NS = 3_000  # of the host, for an event
RESOLUTION_NS = 500  # of the time between two events


class Machine:
    """Times are nanoseconds of its clock."""

    def __init__(self, queued=QUEUED):
        self._now = self._free = 10**12
        self._queued, self._ends = queued, collections.deque()

    def now(self):
        return self._now

    def work(self, ns):
        """The host is busy."""
        self._now += ns

    def launch(self, ns):
        """Hands a kernel to the device, which takes that long. Returns when it will be done. Waits
        while the queue is full."""
        while self._ends and self._ends[0] <= self._now:
            self._ends.popleft()
        if len(self._ends) >= self._queued:
            self.wait(self._ends.popleft())
        self._free = max(self._free, self._now) + ns
        self._ends.append(self._free)
        return self._free

    def wait(self, until=None):
        """For that time, or until the device has done all."""
        self._now = max(self._now, self._free if until is None else until)

    def torch(self):
        """Patches of torch.cuda, in which a device is in use."""
        import torch

        stream = mock.Mock(record_event=lambda event=None: (event or self._event()).recorded())
        return mock.patch.multiple(
            torch.cuda,
            is_available=lambda: True,
            is_initialized=lambda: True,
            is_current_stream_capturing=lambda: False,
            current_device=lambda: 0,
            device_count=lambda: 1,
            memory_allocated=lambda *_: 1,
            get_device_name=lambda *_: "simulated",
            current_stream=lambda *_: stream,
            synchronize=lambda *_: self.wait(),
            Event=self._event,
            create=True,
        )

    def _event(self, enable_timing=False, **_):
        return Event(self, enable_timing)


class Event:
    def __init__(self, machine, timing):
        self._machine, self._timing, self._at = machine, timing, None

    def record(self, _stream=None):
        self._machine.work(RECORD_NS)
        self._at = self._machine.launch(0)

    def recorded(self):
        self.record()
        return self

    def query(self):
        return self._at <= self._machine.now()

    def synchronize(self):
        self._machine.wait(self._at)

    def elapsed_time(self, end):
        """Milliseconds, as a driver has them."""
        if not (self._timing and end._timing):
            raise RuntimeError("an event without timing")
        if not (self.query() and end.query()):
            raise RuntimeError("an event that the device has not reached")
        return round((end._at - self._at) / RESOLUTION_NS) * RESOLUTION_NS / 1e6
