"""A clock that only sleeps advance: what is measured with it is exact on any machine. Processes
that are forked while it is installed share it, so that it is right for sleeps that come one after
the other: of one worker at most, whose consumer waits."""

import multiprocessing
import time

START_NS = 10**12


class Clock:
    """The clock of a process and its forks together."""

    def __init__(self):
        self._ns = multiprocessing.get_context("fork").Value("q", START_NS)

    def monotonic_ns(self):
        return self._ns.value

    def sleep(self, seconds):
        with self._ns.get_lock():
            self._ns.value += round(seconds * 1e9)


class ClockOfEach:
    """A clock of each process on its own: several workers sleep at once. Only differences of one
    process's times are right. `look_ns`: the time that reading it takes."""

    def __init__(self, look_ns=0):
        self._ns, self._look_ns = START_NS, look_ns

    def monotonic_ns(self):
        self._ns += self._look_ns
        return self._ns

    def sleep(self, seconds):
        self._ns += round(seconds * 1e9)


def install():
    """Sets the clock for code that this process and its forks import from now on, and returns
    it."""
    clock = Clock()
    time.monotonic_ns, time.sleep = clock.monotonic_ns, clock.sleep
    return clock
