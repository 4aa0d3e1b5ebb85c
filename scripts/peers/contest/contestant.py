"""One who takes part: a peer's process, or a command of ours or of fio's, each giving a slice of
samples and seconds."""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field

READY_WITHIN = 300.0
MUCH_LONGER = 60.0


class Failed(Exception):
    pass


@dataclass(frozen=True)
class Slice:
    samples: float
    seconds: float
    cpu_seconds: float | None = None

    @property
    def rate(self):
        return self.samples / self.seconds

    @property
    def per_cpu_second(self):
        return self.samples / self.cpu_seconds


@dataclass
class Result:
    name: str
    slices: dict = field(default_factory=dict)  # by round
    failure: str = ""  # why it is out
    lost: str = ""  # why it lost the last round that it lost
    lost_rounds: int = 0
    first_batch: str = ""


class Command:
    """Measures by calling `measure(seconds)`, which starts and ends whatever it needs."""

    def __init__(self, name, measure):
        self.name, self.measure, self.first_batch = name, measure, ""

    def start(self):
        pass

    def close(self):
        pass


class Absent(Command):
    """A peer that could not be installed: it fails with the reason, so that its line says so."""

    def __init__(self, name, why):
        super().__init__(name, None)
        self.why = why

    def start(self):
        raise Failed(self.why)


class Process:
    """A peer's child process (see protocol.py), stopped whenever it is not its turn; started anew
    where it was closed."""

    def __init__(self, name, command, lead):
        self.name, self.command, self.lead = name, command, lead
        self.first_batch, self.child, self.errors = "", None, None

    def start(self):
        self.errors = tempfile.TemporaryFile()
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        self.child = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            start_new_session=True,
            env=environment,
        )
        self.first_batch = self.answer(READY_WITHIN).get("first", "")
        self.signal(signal.SIGSTOP)

    def measure(self, seconds):
        if not self.child:
            self.start()
        self.signal(signal.SIGCONT)
        try:
            self.child.stdin.write(f"go {seconds} {self.lead}\n".encode())
            self.child.stdin.flush()
        except OSError:
            raise Failed(self.last_words()) from None
        told = self.answer(seconds + self.lead + MUCH_LONGER)
        self.signal(signal.SIGSTOP)
        try:
            slice = Slice(*(float(told[name]) for name in ("samples", "seconds", "cpu_seconds")))
        except (KeyError, TypeError, ValueError):
            raise Failed(f"an answer that is none: {json.dumps(told)[:100]}") from None
        if slice.samples <= 0 or slice.seconds <= 0:
            raise Failed("delivered nothing")
        return slice

    def answer(self, within):
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.child.stdout, selectors.EVENT_READ)
            if not waiting.select(within):
                raise Failed(f"no answer within {within:.0f} s")
        line = self.child.stdout.readline()
        try:
            told = json.loads(line)
        except ValueError:
            raise Failed(self.last_words()) from None
        if not isinstance(told, dict):
            raise Failed(f"an answer that is none: {line[:100].decode(errors='replace').strip()}")
        return told

    def last_words(self):
        """The last line of its errors, which in Python names the exception."""
        try:
            status = self.child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            status = None
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        last = lines[-1].strip() if lines else f"ended with status {status} without a word"
        return f"crashed: {last[:160]}"

    def signal(self, which):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child.pid, which)

    def close(self):
        if self.child:
            self.signal(signal.SIGKILL)
            self.child.wait()
            with contextlib.suppress(OSError):  # an order that it never read
                self.child.stdin.close()
            self.child.stdout.close()
        if self.errors:
            self.errors.close()
        self.child = self.errors = None
