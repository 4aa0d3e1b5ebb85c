"""What the machine did meanwhile that was none of ours: why a rate that is off proves nothing."""
import os
import threading
import time

SLEEP = 0.01
OTHERS = 0.15  # cores that other processes use
OWN = 0.5  # cores: where a case keeps more of them busy, it may itself be why sleeps are late
LATE = 0.0005  # seconds that a sleep takes longer: a tenth of the shortest that a case relies on


def busy_seconds():
    """Of all cores since the machine began, what a hypervisor kept from us too."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    """Of this process and of all that has ended below it."""
    return sum(os.times()[:4])


class Noise:
    """with Noise() as noise: ...; then noise.why() is the reason to believe nothing, or an empty text."""

    def __enter__(self):
        self._begin = time.monotonic(), busy_seconds(), own_seconds()
        self._late = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sleep, daemon=True)
        self._thread.start()
        return self

    def _sleep(self):
        while not self._over.is_set():
            before = time.monotonic()
            time.sleep(SLEEP)
            self._late.append(time.monotonic() - before - SLEEP)

    def __exit__(self, *error):
        self._over.set()
        self._thread.join()
        begin, busy, own = self._begin
        took, busy, own = time.monotonic() - begin, busy_seconds() - busy, own_seconds() - own
        self.own, self.others = own / took, (busy - own) / took
        self.late = sum(self._late) / len(self._late)

    def why(self):
        found = []
        if self.others > OTHERS:
            found.append(f"other processes used {self.others:.2f} cores")
        if self.late > LATE and self.own < OWN:
            found.append(f"sleeps of {1e3 * SLEEP:g} ms took {1e3 * self.late:.2f} ms longer")
        return "machine too noisy: " + ", ".join(found) if found else ""
