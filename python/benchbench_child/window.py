"""What is measured: whole groups of one batch a worker, after those that were made before, in
segments between epoch gaps."""

import array
import math
import time

from .failure import counted

now = time.monotonic_ns


def _multiple(of, cycle):
    """The least common one."""
    return of * cycle // math.gcd(of, cycle)


class Window:
    """Takes each step. `on_edge("begin" or "end", at)` is called at each segment's edges.
    `synchronize` waits for the device and returns when that was, or None where there is nothing to
    wait for. `cycle`: batches after which steps are alike again."""

    def __init__(self, order, warm_up, workers, prefetched, on_edge, synchronize, cycle=1):
        self._needs_ns, self._needs_batches = order["ns"], max(1, order["batches"])
        self.warm_up = warm_up
        self._workers, self._cycle = workers, cycle
        self._group = _multiple(max(1, workers), cycle)
        self._all_discards = max(1, prefetched + workers)
        self._discards = self._all_discards
        self._on_edge, self._synchronize = on_edge, synchronize
        self._filled = 0  # steps of the group that is being filled
        self._edge = self._open = None  # where the next group begins; where the open segment did
        self._epoch_groups = 0
        self._epoch_batches = None  # how many the last epoch had
        self._at_rest = False  # after the last group of an epoch like the last one
        self.warming, self.done = True, False
        self.warmup_steps = self.seen = 0
        self.warmup_end = None
        self.segments, self.notes, self.short = [], [], False
        self._closed_ns = self.samples = 0
        self.get_ns, self.step_ns, self.rows = array.array("q"), array.array("q"), array.array("q")

    def expects(self, batches):
        """How many an epoch has. Fewer batches than are discarded: fewer are discarded. Where none
        is left to be, each epoch counts from when its workers were started: no batch was made
        before."""
        group, full = max(1, self._workers), self._all_discards
        for grouped in (_multiple(group, self._cycle), group):
            self._group = grouped
            if not batches or batches >= full + self._group:
                self._discards = full
                return
        if batches <= self._group:
            self._group, self._discards = batches, 0
            said = "all of each are counted, from when iter() returned, and none discarded"
        else:
            self._discards = batches - self._group * max(1, batches // (2 * self._group))
            said = f"the first {self._discards} of each are discarded"
        if not self.short:
            self.notes.append(
                "an epoch has {}: {}, not {} as prefetching asks for".format(
                    counted(batches, "batch"), said, full
                )
            )
        self.short = True

    @property
    def discards(self):
        """Batches of each epoch that are not counted, from its first one on."""
        return self._discards

    @property
    def counts_first(self):
        return self._discards == 0

    @property
    def mean_get(self):
        return sum(self.get_ns) // max(1, len(self.get_ns))

    def epoch_begun(self):
        if self.counts_first:
            self._begin_groups(now())

    def epoch_ended(self, batches):
        """What does not fill a group is not counted."""
        counted = len(self.rows) - (0 if self.warming else self._filled)
        self.samples -= sum(self.rows[counted:])
        for values in (self.get_ns, self.step_ns, self.rows):
            del values[counted:]
        self._filled = 0
        self._close()
        self._edge, self._at_rest, self._epoch_batches = None, False, batches
        if self._epoch_groups == 0:
            self.expects(batches)
        self._epoch_groups = 0

    def add(self, number, asked, got, end, rows):
        """A step: batch `number` of its epoch was asked for, got, and dealt with. Returns when the
        next one is asked for."""
        self.seen += 1
        if number == 1 and self.counts_first:
            asked = self._edge
        if number <= self._discards:
            return self._begin_groups(end) if number == self._discards else end
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
        return self._closed_ns + (self._edge - self._open if self._open is not None else 0)

    def _begin_groups(self, end):
        self._at_rest = False
        self._edge = self._synchronize() or end
        if not self.warming:
            self._begin_segment()
        return self._edge

    def _begin_segment(self):
        self._on_edge("begin", self._edge)
        if not self._workers:  # nothing arrives meanwhile: what saying so costs is left out
            self._edge = now()
        self._open = self._edge

    def _finish_group(self, number, end):
        self._filled = 0
        self._epoch_groups += 1
        if self.warming:
            return self._warm(end)
        self._edge = end
        if (
            end - self._open + self._closed_ns >= self._needs_ns
            and len(self.rows) >= self._needs_batches
        ):
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
        self._edge = self._synchronize() or end
        self.step_ns[-1] += self._edge - end
        self.done = True
        self._close()

    def _warm(self, end):
        took, self._edge = end - self._edge, end
        if self.warm_up.done_after(self._group, took, end - self.requested):
            self._edge = self._synchronize() or end
            self.warming = False
            self.warmup_steps, self.warmup_end = self.seen, self._edge
            self._begin_segment()
        return self._edge

    def _close(self):
        if self._open is None:
            return
        if self._edge > self._open:
            self.segments.append([self._open, self._edge])
            self._closed_ns += self._edge - self._open
        self._on_edge("end", self._edge)
        self._open = None

    def facts(self):
        return {
            "segments": self.segments,
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
