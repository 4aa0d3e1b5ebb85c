"""The script's steps of the optimizer: how many, how many since a loader was asked for a batch, and
what each is made of."""

import os
import sys
import time

now = time.monotonic_ns
FEW = 16  # steps that are no reason to look
LOOK_NS = 250_000_000
look = None  # called within a step's end, a few times a second, where it came without a fetch


class StepTimes:
    """Parts of all steps, by the clock: until the first backward, which is the batch and the
    forward, the backwards, and the rest, which is the optimizer."""

    def __init__(self):
        self.steps = self.before_ns = self.backward_ns = self.rest_ns = 0
        self._begun = None
        self._depth = self._entered = 0  # backwards that go on, and when the outermost began
        self._backward = []  # of this step: [begin of the first, end of the last, ns of all]

    def enters_backward(self, at):
        """A backward begins, as one may within another: that of a checkpoint."""
        self._depth += 1
        if self._depth == 1:
            self._entered = at

    def leaves_backward(self, at):
        self._depth -= 1
        if self._depth == 0:
            first, _, ns = self._backward or (self._entered, at, 0)
            self._backward = [first, at, ns + at - self._entered]

    def ended(self, at):
        if self._begun is not None and self._backward:
            first, last, ns = self._backward
            self.steps += 1
            self.backward_ns += ns
            self.rest_ns += max(0, at - max(last, self._begun))
            self.before_ns += max(0, last - self._begun - ns)
        self._begun, self._backward = at, []

    def members(self):
        return {
            "steps": self.steps,
            "before_ns": self.before_ns,
            "backward_ns": self.backward_ns,
            "rest_ns": self.rest_ns,
        }


def forget():
    """Counts from now on. Sets `first_ns`, when the first step ended; `fetched_at`, `fetched_ns`,
    the step and the time of the last fetch of a loader that may feed steps; `most`, steps from one
    such fetch to the next; `calls`, functions of the user's that the loop may call."""
    global count, first_ns, fetched_at, fetched_ns, fetches, most, calls, times, _looked_ns
    count = fetched_at = fetched_ns = fetches = most = _looked_ns = 0
    first_ns, calls, times = None, [], StepTimes()


forget()
os.register_at_fork(after_in_child=forget)


def is_inner(frame):
    """True if a step called the one that ends in this frame, as a subclass's does its super's."""
    above = frame.f_back
    while above is not None:
        if above.f_code is frame.f_code:
            return True
        above = above.f_back
    return False


def ended(at):
    """One has."""
    global count, first_ns, _looked_ns
    count += 1
    first_ns = first_ns or at
    times.ended(at)
    if count - fetched_at < FEW or look is None or at - _looked_ns < LOOK_NS:
        return
    _looked_ns = at
    look(sys._getframe(1))


def fetched(at):
    """A loader that may feed steps is asked for a batch."""
    global fetched_at, fetched_ns, fetches, most
    if fetches:
        most = max(most, count - fetched_at)
    fetched_at, fetched_ns, fetches = count, at, fetches + 1


def members():
    """Returns `loop` of WRAP.md's `end`."""
    return dict(
        times.members(),
        last_fetch_step=fetched_at if fetches else None,
        steps_since=count - fetched_at,
        calls=calls,
    )
