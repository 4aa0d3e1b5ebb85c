"""When the work that the host has handed over is done. Marks are set while steps run, without a
wait; after one wait for the last mark all their times are known."""

import array
import collections
import sys
import time

from . import devices
from .user_code import failure_of

now = time.monotonic_ns


class HostClock:
    """The host does all work itself: it is done when the host says so. Times are nanoseconds of the
    monotonic clock; marks are numbered from 0."""

    device = None  # the name of the device that steps use

    def __init__(self):
        self._at = array.array("q")  # the host's time at each mark

    def mark(self, at):
        """Returns the number of a new mark: all work that was handed over by now."""
        self._at.append(at)
        return len(self._at) - 1

    edge = mark

    def wait(self):
        """Waits until the last mark is done, and returns when it was; None where there is nothing
        to wait for."""
        return None

    def wait_for(self, mark):
        """Waits until this mark is done; not where there was none, or no device is used."""

    def knows(self, mark):
        """True if its time is known already."""
        return True

    def is_by_device(self, mark):
        return False

    def done(self, mark):
        """Returns when it was done. Known after wait()."""
        return self._at[mark]

    def between(self, begin, end):
        """Returns the time from one mark to another, both known."""
        return self._at[end] - self._at[begin]

    def about(self, begin, end):
        """As between(); the host's time where the marks are not known yet."""
        return self._at[end] - self._at[begin]

    def backlog(self, mark):
        """Returns the time from when the host set the mark until it was done. Known after
        wait()."""
        return self.done(mark) - self._at[mark]


class DeviceClock(HostClock):
    """A mark is an event in the queue of the device that this process uses, as torch says. Times
    between marks are those between the events; the host's where no device was used, or one that has
    no events. An event costs the host some microseconds."""

    def __init__(self):
        super().__init__()
        self._device_at = array.array(
            "q"
        )  # the device's time at each mark, from its first event on
        self._events = collections.deque()  # of the last mark that is known and of those after it
        self._free = []
        self._first = None  # mark with an event
        self._offset = 0  # from the device's time to the host's
        self._cuda = self._index = None
        self._has_events = False

    def edge(self, at):
        """Sets a mark, and asks torch before whether a device is used, as long as none was: this
        takes up to a millisecond."""
        if self.device is None:
            self._look_for_device()
        return self.mark(at)

    def mark(self, at):
        mark = super().mark(at)
        if self._has_events:
            self._of_device(self._record, mark)
        return mark

    def wait(self):
        if self.device is None:
            return None
        if self._first is None:
            self._of_device(self._cuda.synchronize, self._index)
            self._at[-1] = now()
            return self._at[-1]
        self._of_device(lambda: self._events[-1].synchronize())
        at = now()
        self._of_device(self._read_done)
        self._offset = at - self._device_at[-1]
        return at

    def wait_for(self, mark):
        if self._first is not None and mark >= self._first and not self.knows(mark):
            before = self._first + max(0, len(self._device_at) - 1)  # the mark of the first event
            self._of_device(self._events[mark - before].synchronize)

    def knows(self, mark):
        return not self.is_by_device(mark) or mark < self._first + len(self._device_at)

    def is_by_device(self, mark):
        return self._first is not None and mark >= self._first

    def done(self, mark):
        if not self.is_by_device(mark):
            return self._at[mark]
        return self._offset + self._device_at[mark - self._first]

    def between(self, begin, end):
        if self.is_by_device(begin):
            return self._device_at[end - self._first] - self._device_at[begin - self._first]
        return self._at[end] - self._at[begin]

    def about(self, begin, end):
        return self.between(begin, end) if self.knows(end) else super().about(begin, end)

    def _look_for_device(self):
        torch = sys.modules.get("torch")
        found = devices.used_by(torch)["device"] if torch is not None else "cpu"
        if found != "cpu":
            self.device, self._cuda = found, torch.cuda
            self._index = int(found.rpartition(":")[2])
            self._has_events = self._can_make_event()

    def _can_make_event(self):
        """False of a torch that was built without the device, or has another thing in its place."""
        try:
            self._free.append(self._cuda.Event(enable_timing=True))
        except Exception:
            return False
        return True

    def _record(self, mark):
        if self._first is None:
            self._first = mark
        event = self._free.pop() if self._free else self._cuda.Event(enable_timing=True)
        event.record(self._cuda.current_stream(self._index))
        self._events.append(event)
        self._read_done()

    def _read_done(self):
        """Each event's time from the one before, so that no more are kept than are in the queue."""
        if not self._device_at:
            if not self._events[0].query():
                return
            self._device_at.append(0)
        while len(self._events) > 1 and self._events[1].query():
            before = self._events.popleft()
            ms = before.elapsed_time(self._events[0])
            self._device_at.append(self._device_at[-1] + round(ms * 1e6))
            self._free.append(before)

    def _of_device(self, work, *args):
        """Blames work of the user's that was handed over before for what fails here."""
        try:
            return work(*args)
        except RuntimeError as error:
            raise failure_of(error, f"the step's work on {self.device}") from error
