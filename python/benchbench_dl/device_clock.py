"""When the work that the host has handed over is done. Marks are set while steps run, without a
wait; after one wait for the last mark all their times are known."""

import array
import collections
import sys
import time

from . import devices
from .user_failures import failure_of

now = time.monotonic_ns
LOOKS = 10  # marks that ask for a device as long as none was used
LATE_NS = 1_000_000


class HostClock:
    """The host does all work itself: it is done when the host says so. Times are nanoseconds of the
    monotonic clock; marks are numbered from 0."""

    device = None  # the name of the device that steps use
    has_events = False
    first = None  # mark with an event

    def __init__(self):
        self._at = array.array("q")  # the host's time at each mark
        self.notes = []

    def mark(self, at):
        """Returns the number of a new mark: all work that was handed over by now."""
        self._at.append(at)
        return len(self._at) - 1

    def look(self):
        """Asks torch for a device in use, as long as none was."""

    def anchor(self):
        """Notes how the device's time and the host's agree now, without a wait."""

    def limit_lead(self, ns):
        """Waits until the host is at most about `ns` ahead of the device, by what the last marks
        took. Work up to the last mark is left to the device meanwhile."""

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

    known = between  # as far as it is known already

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
        # The device's time at each mark, from its first event on.
        self._device_at = array.array("q")
        self._events = collections.deque()  # from that of the last mark that is known on
        self._free = []
        # (the device's time, the host's less it), as the window begins and as it ends.
        self._anchors = []
        self._has_anchored = False
        self._cuda = self._index = None

    def look(self):
        torch = sys.modules.get("torch")
        if self.device is not None or torch is None:
            return
        found = devices.used_by(torch)["device"]
        if found != "cpu":
            self.device, self._cuda = found, torch.cuda
            self._index = int(found.rpartition(":")[2])
            self.has_events = self._can_make_event()

    def mark(self, at):
        if len(self._at) < LOOKS:
            self.look()
        self._at.append(at)
        mark = len(self._at) - 1
        if self.has_events:
            self._of_device(self._record, mark)
        return mark

    def wait(self):
        if self.device is None:
            return None
        at = self._wait_for_last() if self.first is not None else None
        begun = now()
        self._of_device(self._wait_for_all)
        if at is not None and now() - begun <= max(LATE_NS, self._interval()):
            return at
        if at is not None:
            self.notes.append(
                f"{self.device} was at work, or another device, after all that was queued on its "
                "current stream: the times of steps are the host's"
            )
            self.first, self.has_events = None, False
        self._at[-1] = now()
        return self._at[-1]

    def _wait_for_last(self):
        self._of_device(self._events[-1].synchronize)
        at = now()
        self._of_device(self._read_done)
        begun_with = len(self._anchors)
        self._of_device(self._anchor_on, self._cuda.current_stream(self._index))
        if len(self._anchors) == begun_with:
            self._anchors.append((self._device_at[-1], at - self._device_at[-1]))
        return at

    def _wait_for_all(self):
        for index in {self._index, *devices.with_tensors(self._cuda)}:
            self._cuda.synchronize(index)

    def _interval(self):
        """Returns the mean time from a mark to the next one."""
        return (self._device_at[-1] - self._device_at[0]) // max(1, len(self._device_at) - 1)

    def limit_lead(self, ns):
        while len(self._events) > 2 and self._lead() > ns:
            self._of_device(self._events[1].synchronize)
            self._of_device(self._read_done)

    def _lead(self):
        """Returns what the marks that are not known yet will take, each the median of the last."""
        recent = self._device_at[-9:]
        took = sorted(end - begin for begin, end in zip(recent, recent[1:]))
        return (len(self._events) - 1) * took[len(took) // 2] if took else sys.maxsize

    def wait_for(self, mark):
        if self.first is not None and mark >= self.first and not self.knows(mark):
            before = self.first + max(0, len(self._device_at) - 1)  # the mark of the first event
            self._of_device(self._events[mark - before].synchronize)

    def knows(self, mark):
        return not self.is_by_device(mark) or mark < self.first + len(self._device_at)

    def is_by_device(self, mark):
        return self.first is not None and mark >= self.first

    def done(self, mark):
        if not self.is_by_device(mark):
            return self._at[mark]
        return self._device_at[mark - self.first] + self._anchors[-1][1]

    def between(self, begin, end):
        if self.is_by_device(begin):
            return self._device_at[end - self.first] - self._device_at[begin - self.first]
        return self._at[end] - self._at[begin]

    def known(self, begin, end):
        if not self.is_by_device(begin):
            return super().known(begin, end)
        last = min(end, self.first + len(self._device_at) - 1)
        return self.between(begin, last) if last > begin else 0

    def backlog(self, mark):
        """The clocks of the device and of the host drift apart by some millionths."""
        if not self.is_by_device(mark):
            return 0
        device_at = self._device_at[mark - self.first]
        (begin, at_begin), (end, at_end) = self._anchors[0], self._anchors[-1]
        share = (device_at - begin) / max(1, end - begin)
        return device_at + at_begin + round((at_end - at_begin) * share) - self._at[mark]

    def anchor(self):
        """A stream of its own has no work to wait for; a driver with one connection may let it wait
        all the same, and is asked once."""
        if self._device_at and not self._has_anchored:
            self._has_anchored = True
            self._of_device(lambda: self._anchor_on(self._cuda.Stream(self._index)))

    def _anchor_on(self, stream):
        """Takes the best of some tries: the host may notice late that an event is done. A stream at
        work gives none."""
        best = self._try_anchor(stream)
        if best is not None:
            more = [self._try_anchor(stream) or best for _ in range(2)]
            self._anchors.append(min([best] + more, key=lambda anchor: anchor[1]))

    def _try_anchor(self, stream):
        event, begun = self._cuda.Event(enable_timing=True), now()
        event.record(stream)
        while not event.query():
            if now() - begun > LATE_NS:
                return None
        at = now()
        device_at = self._device_at[-1] + round(self._events[0].elapsed_time(event) * 1e6)
        return device_at, at - device_at

    def _can_make_event(self):
        """False of a torch that was built without the device, or has another thing in its place."""
        try:
            self._free.append(self._cuda.Event(enable_timing=True))
        except Exception:
            return False
        return True

    def _record(self, mark):
        if self.first is None:
            self.first = mark
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
