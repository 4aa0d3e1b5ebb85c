"""What the machine did meanwhile that was none of ours: why a rate that is off proves nothing."""

import os
import subprocess
import threading
import time

SLEEP = 0.01
OTHERS = 0.15  # cores that other processes use
OWN = 0.5  # cores: where a case keeps more of them busy, it may itself be why sleeps are late
LATE = 0.0005  # seconds that a sleep takes longer: a tenth of the shortest that a case relies on
BLOCK = 0.25  # seconds for which the waiting for a core is added up
# the share of all cores that is busy in a block whose waiting is the machine's: hardly a thread has
# another in its way
IDLE = 0.25
WAITED = 0.05  # the share of such blocks, as in the program's rule R09
PLAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases", "plain_loop.py")
OFF = 0.025  # of a plain loop: half of what most cases allow themselves


def busy_seconds():
    """Of all cores since the machine began, what a hypervisor kept from us too."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(
            int, file.readline().split()[1:9]
        )
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    """Of this process and of all that has ended below it."""
    return sum(os.times()[:4])


def waited_seconds():
    """In which some task waited for a core, since the machine began; 0 where the kernel does not
    count them."""
    try:
        with open("/proc/pressure/cpu", encoding="ascii") as file:
            return int(file.readline().rpartition("total=")[2]) * 1e-6
    except (OSError, ValueError):
        return 0


class Waiting:
    """For a core while most of them were idle: a core that is there and does not run, as a
    hypervisor's may. Of blocks of time, since a case keeps the cores busy while its processes
    start."""

    def __init__(self):
        self._begin = self._now()
        self._waited = self._idle = 0

    @staticmethod
    def _now():
        return time.monotonic(), busy_seconds(), waited_seconds()

    def look(self):
        if time.monotonic() - self._begin[0] < BLOCK:
            return
        begin, self._begin = self._begin, self._now()
        took, busy, waited = (now - then for now, then in zip(self._begin, begin))
        if busy < IDLE * os.cpu_count() * took:
            self._idle += took
            self._waited += waited

    def share(self):
        """0 where the cores were never idle for long."""
        return self._waited / self._idle if self._idle > 4 * BLOCK else 0


class Noise:
    """with Noise() as noise: ...; then noise.why() is the reason to believe nothing, or an empty
    text."""

    def __enter__(self):
        self._begin = time.monotonic(), busy_seconds(), own_seconds()
        self._late, self._waiting = [], Waiting()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sleep, daemon=True)
        self._thread.start()
        return self

    def _sleep(self):
        while not self._over.is_set():
            before = time.monotonic()
            time.sleep(SLEEP)
            self._late.append(time.monotonic() - before - SLEEP)
            self._waiting.look()

    def __exit__(self, *error):
        self._over.set()
        self._thread.join()
        begin, busy, own = self._begin
        took, busy, own = time.monotonic() - begin, busy_seconds() - busy, own_seconds() - own
        self.own, self.others = own / took, (busy - own) / took
        self.late = sum(self._late) / len(self._late)
        self.waited = self._waiting.share()

    def why(self):
        found = []
        if self.others > OTHERS:
            found.append(f"other processes used {self.others:.2f} cores")
        if self.late > LATE and self.own < OWN:
            found.append(f"sleeps of {1e3 * SLEEP:g} ms took {1e3 * self.late:.2f} ms longer")
        if self.waited > WAITED:
            found.append(
                f"tasks waited for a core {100 * self.waited:.0f} % of the time while most cores "
                f"were idle"
            )
        return "machine too noisy: " + ", ".join(found) if found else ""

    def __str__(self):
        return (
            f"the case used {self.own:.2f} cores, others {self.others:.2f}; sleeps took "
            f"{1e3 * self.late:.2f} ms longer; "
            f"tasks waited for a core {100 * self.waited:.1f} % of the time while most cores were "
            f"idle"
        )


def plain_loop(python):
    """How long a batch takes a plain loop of torch there, over how long its sleeps take by the
    clock they ask; 1 where it does not run."""
    ran = subprocess.run([python, PLAIN], capture_output=True, text=True, check=False)
    return float(ran.stdout) if ran.returncode == 0 else 1


def why_plain_loop(over):
    """The reason to believe nothing of what is known from sleeps, where a loop without benchbench
    does not keep to them either."""
    return (
        f"machine too noisy: batches take a plain loop {100 * (over - 1):.1f} % longer than their "
        f"sleeps"
        if over > 1 + OFF
        else ""
    )
