"""What is measured: whole groups of one batch a worker, after those that were made before, in
segments between epoch gaps."""

import array
import collections
import math
import time

from .failure import counted

now = time.monotonic_ns
LEAST_LEAD_NS = 50_000_000  # of the host, which then hides what it does between steps


def _multiple(of, cycle):
    """The least common one."""
    return of * cycle // math.gcd(of, cycle)


class Window:
    """Takes each step. `on_edge("begin" or "end", at)` is called at each segment's edges, with the
    host's time. `clock` (device_clock.py) says when steps were done. The host stays at most a
    quarter of the window ahead of a device; the window ends by what the device is known to have
    done. `cycle`: batches after which steps are alike again."""

    def __init__(self, order, warm_up, workers, prefetched, on_edge, clock, cycle=1):
        self._needs_ns, self._needs_batches = order["ns"], max(1, order["batches"])
        self.warm_up = warm_up
        self._workers, self._cycle = workers, cycle
        self._group = _multiple(max(1, workers), cycle)
        self._all_discards = max(1, prefetched + workers)
        self.discards = self._all_discards  # batches of each epoch, from its first one on
        self._on_edge, self._clock = on_edge, clock
        self._filled = 0  # steps of the group that is being filled
        self._edge = self._open = None  # where the next group begins; where the open segment did
        self._mark = self._open_mark = None  # the same as marks of the clock
        self._closed = []  # segments: their first mark, their last one, steps of a group
        self._settled = self._settled_ns = 0  # the first of them, whose times are all known
        self._warming = collections.deque()  # groups of the warm-up whose time is not known yet
        self._epoch_groups = 0
        self._epoch_batches = None  # how many the last epoch had
        self._at_rest = False  # after the last group of an epoch like the last one
        self.warming, self.done = True, False
        self.warmup_steps = self.seen = self.first_step_ns = 0
        self.warmup_end = None
        self.notes, self.short = [], False
        self._lead_ns = max(LEAST_LEAD_NS, self._needs_ns // 4)
        self._closed_ns = self._known_ns = self.samples = 0  # _known_ns: of the closed segments
        self._epoch_ends = []  # marks
        self.get_ns, self.step_ns, self.rows = array.array("q"), array.array("q"), array.array("q")

    def expects(self, batches):
        """How many an epoch has. Fewer batches than are discarded: fewer are discarded. Where none
        is left to be, each epoch counts from when its workers were started: no batch was made
        before."""
        group, full = max(1, self._workers), self._all_discards
        for grouped in (_multiple(group, self._cycle), group):
            self._group = grouped
            if not batches or batches >= full + self._group:
                self.discards = full
                return
        if batches <= self._group:
            self._group, self.discards = batches, 0
            said = "all of each are counted, from when iter() returned, and none discarded"
        else:
            self.discards = batches - self._group * max(1, batches // (2 * self._group))
            said = f"the first {self.discards} of each are discarded"
        if not self.short:
            self.notes.append(
                "an epoch has {}: {}, not {} as prefetching asks for".format(
                    counted(batches, "batch"), said, full
                )
            )
        self.short = True

    @property
    def mean_get(self):
        return sum(self.get_ns) // max(1, len(self.get_ns))

    def epoch_begun(self, at=None):
        """`at`: when iter() returned, where its end is noted anyway."""
        if not self.discards:
            self._begin_groups(now() if at is None else at)

    def epoch_ended(self, batches):
        """What does not fill a group is not counted."""
        counted = len(self.rows) - (0 if self.warming else self._filled)
        self.samples -= sum(self.rows[counted:])
        for values in (self.get_ns, self.step_ns, self.rows):
            del values[counted:]
        self._filled = 0
        self._close()
        self._epoch_ends.append(self._clock.mark(now()))
        self._edge, self._at_rest, self._epoch_batches = None, False, batches
        if self._epoch_groups == 0:
            self.expects(batches)
        self._epoch_groups = 0

    def add(self, number, asked, got, end, rows):
        """A step: batch `number` of its epoch was asked for, got, and dealt with. Returns when the
        next one is asked for."""
        self.seen += 1
        if self.seen == 1:
            self.first_step_ns = end - got
        if number == 1 and not self.discards:
            asked = self._edge
        if number <= self.discards:
            return self._begin_groups(end) if number == self.discards else end
        if self._at_rest:
            return end if number <= self._epoch_batches else self._begin_groups(end)
        self._filled += 1
        if not self.warming:
            self.get_ns.append(got - asked)
            self.step_ns.append(end - got)
            self.rows.append(rows)
            self.samples += rows
        return self._finish_group(number, end) if self._filled == self._group else end

    @property
    def measured_ns(self):
        """By the host's time, until the window is done."""
        if self.done:
            return sum(end - begin for begin, end in self.segments)
        return self._closed_ns + (self._edge - self._open if self._open is not None else 0)

    def _begin_groups(self, end):
        self._at_rest = False
        self._clock.look()
        self._edge, self._mark = end, self._clock.mark(end)
        self._clock.limit_lead(self._lead_ns)
        if not self.warming:
            self._begin_segment()
        return self._edge

    def _begin_segment(self):
        self._clock.anchor()
        self._known_ns = self._known_in_closed()
        self._on_edge("begin", self._edge)
        if not self._workers:  # nothing arrives meanwhile: what saying so costs is left out
            self._edge = now()
            self._mark = self._clock.mark(self._edge)
        self._open, self._open_mark = self._edge, self._mark

    def _known_in_closed(self):
        """Adds up segments once: short epochs make thousands of them."""
        clock = self._clock
        while self._settled < len(self._closed) and clock.knows(self._closed[self._settled][1]):
            begin, last, _ = self._closed[self._settled]
            self._settled_ns += clock.between(begin, last)
            self._settled += 1
        pending = self._closed[self._settled :]
        return self._settled_ns + sum(clock.known(begin, last) for begin, last, _ in pending)

    def _finish_group(self, number, end):
        self._filled = 0
        self._epoch_groups += 1
        if self.warming:
            return self._warm(end)
        self._edge, self._mark = end, self._clock.mark(end)
        known = self._known_ns
        if self._clock.has_events:
            self._clock.limit_lead(self._lead_ns)
            self._clock.anchor()
            known += self._clock.known(self._open_mark, self._mark)
        else:
            known += end - self._open
        if known >= self._needs_ns and len(self.rows) >= self._needs_batches:
            self._end(end)
        elif (
            self._workers
            and self._epoch_batches
            and number <= self._epoch_batches < number + self._group
        ):
            self._rest()
        return self._edge

    def _rest(self):
        """While the workers are there to be looked at: those that do not stay have ended when the
        epoch has."""
        self._at_rest = True
        self._close()

    def _end(self, end):
        self._clock.look()
        self._edge = self._clock.wait() or end
        self.step_ns[-1] += self._edge - end
        self.done = True
        self._close()
        self._take_times_of_device()
        self.notes += self._clock.notes

    def _take_times_of_device(self):
        at = 0
        for begin, last, group in self._closed if self._clock.first is not None else ():
            for mark in range(begin, last):
                if self._clock.is_by_device(mark):
                    self._set_times(mark, at, group)
                at += group

    def _set_times(self, mark, at, steps):
        """Sets the times of a group, from this mark to the next one: for each step the mean of what
        the device took. A wait for a batch counts from when the device had done all before, which
        is known at both marks."""
        took, waits = self._clock.between(mark, mark + 1), self.get_ns[at : at + steps]
        first, last = self._clock.backlog(mark), self._clock.backlog(mark + 1)
        for i, wait in enumerate(waits):
            hidden = max(0, first + (last - first) * i // steps)
            waits[i] = min(took, max(0, wait - hidden))
            took -= waits[i]
        mean, rest = divmod(took, steps)
        self.get_ns[at : at + steps] = waits
        self.step_ns[at : at + steps] = array.array("q", [mean + rest] + [mean] * (steps - 1))

    def _warm(self, end):
        """Judges groups once it is known what the device took for them, which may be later."""
        begun, self._edge, self._mark = self._mark, end, self._clock.mark(end)
        self._clock.limit_lead(self._lead_ns)
        self._warming.append((self._group, begun, self._mark))
        since, is_done = end - self.requested - self.first_step_ns, False
        while self._warming and not is_done and self._clock.knows(self._warming[0][-1]):
            group, *marks = self._warming.popleft()
            is_done = self.warm_up.done_after(group, self._clock.between(*marks), since)
        if is_done or self.warm_up.is_over(since):
            self.warming = False
            self.warmup_steps, self.warmup_end = self.seen, self._edge
            self._begin_segment()
        return self._edge

    def _close(self):
        if self._open is None:
            return
        if self._mark > self._open_mark:
            self._closed.append((self._open_mark, self._mark, self._group))
            self._closed_ns += self._edge - self._open
        self._on_edge("end", self._edge)
        self._open = None

    @property
    def segments(self):
        """[[begin, end], ...]. Known once the window is done."""
        done = self._clock.done
        return [[done(begin), done(last)] for begin, last, _ in self._closed]

    def hidden_gaps(self):
        """Returns, for each epoch that ended, how long the device was still at work then."""
        return [max(0, self._clock.backlog(mark)) for mark in self._epoch_ends]

    def facts(self):
        by_device = all(self._clock.is_by_device(begin) for begin, _, _ in self._closed)
        return {
            "segments": self.segments,
            "device": self._clock.device,
            "clock": "device" if by_device else "host",
            "steps": len(self.rows),
            "samples": self.samples,
            "warmup_ns": self.warmup_end - self.requested,
            "warmup_steps": self.warmup_steps,
            "steady": self.warm_up.steady and not self.short,
        }

    def _steps(self):
        """Of each cycle the mean: one of its steps does what all of them are for."""
        if self._group % self._cycle:
            return self.step_ns
        steps = array.array("q")
        for at in range(0, len(self.step_ns), self._cycle):
            cycle = self.step_ns[at : at + self._cycle]
            mean, rest = divmod(sum(cycle), len(cycle))
            steps.extend([mean + rest] + [mean] * (len(cycle) - 1))
        return steps

    def series(self, stepped, fills=None):
        """(names and lengths, blob)."""
        parts = [("get", self.get_ns), ("step", self._steps() if stepped else array.array("q"))]
        if fills:
            parts.append(("fill", fills))
        return [[name, len(values)] for name, values in parts], b"".join(
            values.tobytes() for _, values in parts
        )
