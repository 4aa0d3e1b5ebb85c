"""How far the machine itself is off while a case measures: what a loop without benchbench takes
meanwhile, and what other processes use."""

import os
import subprocess
import threading
import time

LOOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "control_loop.py")
OTHERS = 0.15  # cores that other processes use
BLOCK = 0.25  # seconds: the wait for a core is added up in blocks of this length
# A block counts as idle where a smaller share of all cores is busy. Hardly a thread has another one
# in its way there: a task that waits for a core all the same waits for a hypervisor.
IDLE = 0.25
WAITED = 0.05  # tasks may wait for this share of idle blocks
OFF = 0.015  # the control may be late by this share; with RATE of place.py it is less than 5 %
AFTER = 1.5  # seconds: within these the process of a trial ends and its record is written


class Control:
    """Runs a DataLoader whose worker sleeps, and a step that sleeps, without benchbench, while
    cases compare rates with sleeps. What is late here would have been late in a case too."""

    def __init__(self, python):
        self._batches = []  # the numbers of each line of control_loop.py
        self._process = subprocess.Popen(
            [python, LOOP], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )
        self._read_batch()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _read_batch(self):
        line = self._process.stdout.readline()
        if line:
            self._batches.append(tuple(map(float, line.split())))
        return line

    def _listen(self):
        while self._read_batch():
            pass

    def close(self):
        self._process.terminate()
        self._process.wait()
        self._thread.join()
        self._process.stdout.close()

    def over(self, windows):
        """Returns how long a batch took in all windows together, over its sleeps."""
        batches = list(self._batches)
        return mean([over for window in windows for _, _, over, _ in within(batches, window)])

    def why(self, windows, now=None):
        """Returns the reason to believe no rate of these windows, or an empty text. A window is
        (begin, end, seconds): that many seconds somewhere between the two, so the worst ones
        count."""
        assert self._process.poll() is None, "the control loop has ended"
        batches = with_the_overdue(list(self._batches), now or time.monotonic())
        worst = 1
        for window in windows:
            overs = list(overs_of(within(batches, window), window[2]))
            if not overs:
                return "batches of a loop without benchbench hardly came"
            worst = max([worst, *overs])
        if worst <= 1 + OFF:
            return ""
        return f"a loop without benchbench took {100 * (worst - 1):.1f} % longer than its sleeps"


def within(batches, window):
    """Returns those that were on their way in the window; the last of them may come after it."""
    begin, end, _ = window
    return [batch for batch in batches if batch[0] >= begin and batch[0] - batch[1] <= end]


def with_the_overdue(batches, now):
    """Adds the batch that should have come by now: a loop that is held up prints nothing."""
    if not batches:
        return batches
    at, took, over, _ = batches[-1]
    late = (now - at) / (took / over)
    return [*batches, (now, now - at, late, 1)] if late > 1 else batches


def overs_of(batches, seconds):
    """Yields, for each run of batches that takes that long, the mean of their times over their
    sleeps, and the mean of their steps over theirs."""
    for first in range(len(batches)):
        took = 0
        for last, (_, each, _, _) in enumerate(batches[first:], first + 1):
            took += each
            if took >= seconds:
                yield mean([over for _, _, over, _ in batches[first:last]])
                yield mean([over for _, _, _, over in batches[first:last]])
                break


def mean(values):
    return sum(values) / len(values) if values else 1


def busy_seconds():
    """Returns for how long the cores were busy since the machine began, or a hypervisor had
    them."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(
            int, file.readline().split()[1:9]
        )
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    """Returns the CPU time of this process and of all that has ended below it."""
    return sum(os.times()[:4])


def waited_seconds():
    """Returns for how long some task waited for a core since the machine began, 0 where the kernel
    does not count that."""
    try:
        with open("/proc/pressure/cpu", encoding="ascii") as file:
            return int(file.readline().rpartition("total=")[2]) * 1e-6
    except (OSError, ValueError):
        return 0


class Waiting:
    """Adds up waits for a core while most cores were idle: one of them is there and does not run,
    as a hypervisor's may. Looks at blocks of time, since a case keeps the cores busy while its
    processes start."""

    def __init__(self):
        self._begin = self._now()
        self._waited = self._idle = 0

    @staticmethod
    def _now():
        return time.monotonic(), busy_seconds(), waited_seconds()

    def look(self):
        begin, self._begin = self._begin, self._now()
        took, busy, waited = (now - then for now, then in zip(self._begin, begin))
        if busy < IDLE * os.cpu_count() * took:
            self._idle += took
            self._waited += waited

    def share(self):
        """Returns the share of idle time with such waits, 0 where the cores were never idle for
        long."""
        return self._waited / self._idle if self._idle > 4 * BLOCK else 0


class Noise:
    """Watches the machine: after `with Noise() as noise:`, noise.why() is the reason to believe no
    time, or an empty text. Nothing else of ours may run meanwhile, but what uses fewer cores than
    `others`."""

    def __init__(self, others=OTHERS):
        self._most = others

    def __enter__(self):
        self._begin = time.monotonic(), busy_seconds(), own_seconds()
        self._waiting = Waiting()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self):
        while not self._over.wait(BLOCK):
            self._waiting.look()

    def __exit__(self, *error):
        self._over.set()
        self._thread.join()
        self._waiting.look()  # the last block too: the thread may have been held up in it
        begin, busy, own = self._begin
        took, busy, own = time.monotonic() - begin, busy_seconds() - busy, own_seconds() - own
        self.others = (busy - own) / took
        self.waited = self._waiting.share()

    def why(self):
        found = []
        if self.others > self._most:
            found.append(f"other processes used {self.others:.2f} cores")
        if self.waited > WAITED:
            found.append(
                f"tasks waited for a core {100 * self.waited:.0f} % of the time while most cores "
                f"were idle"
            )
        return ", ".join(found)
