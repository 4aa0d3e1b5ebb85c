"""Runs a script as `benchbench wrap` does: the hook on PYTHONPATH, a listening socket, a plan for
each process that says hello. For the tests here, and by hand: wrap_driver.py [--plan JSON] SCRIPT
ARGUMENTS."""

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

import messages
import warm
from asked_stretches import AskedStretches
from rows import HANG_S

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SITE = os.path.join(FOLDER, "wrap_site")
LENGTHS = struct.Struct("<II")
PLAN = {
    "rounds": 2,
    "stretch": {"ns": 300_000_000, "batches": 16},
    "warmup": {"ns": 200_000_000},
    "distinct": 16,
    "observer": 1,
}

# The user's sitecustomize, which ours gives way to. A loop without a sign of training is taken for
# what is measured at once.
AT_ONCE = """
from benchbench_dl.wrap import recognition
recognition.EVALUATES_NS = recognition.TRAINS_NS = 0
"""


def _message_of(plan):
    """Returns the `plan` of a test's. Its `warmup` has the time that the loop warms up for: none,
    or longer than the test lasts; else it does until it is steady."""
    said = {name: plan[name] for name in plan.keys() & messages.PLAN.keys()}
    ns = plan.get("warmup", {}).get("ns", 1)
    others = {
        "stretch_ns": plan["stretch"]["ns"] if ns else 1,
        "skip_steps": 10**9 if ns >= 10**9 else 0,
        "keep_going": False,
        "check": False,
        "stop": "hard",
        "tune": False,
    }
    return {"type": "plan", **others, **said}


class Heard:
    """One process's side."""

    def __init__(self, connection, plan, on_message):
        self.connection, self.plan, self._on_message = connection, plan, on_message
        self.messages = []
        self.differs = None  # an AssertionError: a message is not as it is described
        self._asks, self._late = (
            list((plan or {}).get("asks", ())),
            [],
        )  # answers to `next`, before those of the stretches
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self):
        try:
            while True:
                length, blob = LENGTHS.unpack(self._exactly(8))
                message = json.loads(self._exactly(length))
                self._compare(message)
                message["blob"] = self._exactly(blob)
                message["at"] = (
                    time.monotonic_ns() if message["type"] != "window" else message["at"]
                )
                self.messages.append(message)
                if message["type"] == "hello" and self.plan:
                    self.send(**_message_of(self.plan))
                if message["type"] == "steady":
                    self.send(**self._first(message))
                if message["type"] == "next":
                    self._answer(message)
                if message["type"] == "stacks":
                    self.send(**(self.plan or {}).get("of_stacks", {"type": "go"}))
                if message["type"] == "stretch":
                    self._stop_after()
                if message["type"] == "progress" and message["phase"] == "waiting" and self._late:
                    self.send(**self._late.pop())
                self._on_message(self, message)
        except (EOFError, OSError):
            pass

    def _compare(self, message, sender="python"):
        try:
            messages.compare(message, "wrap", sender)
        except AssertionError as error:
            self.differs = error

    def _stop_after(self):
        """Stops the script at the end of its budget, which is a number of stretches here."""
        if len(self.of("stretch")) == self.plan.get("stops_after"):
            self.send(type="stop", reason="budget over")

    def _first(self, steady):
        answer = self.plan.get("answer", "go")
        if answer != "go":
            given = {key: self.plan[key] for key in ("reason", "message") if key in self.plan}
            return dict(given, type=answer)
        self._stretches = AskedStretches(self.plan, steady)
        return self._stretches.first()

    def _answer(self, state):
        """Answers with the next one of `asks`, a round of the kinds in `order`. An answer that is
        `late` comes while the script goes on, "nothing" never comes."""
        answer = self._asks.pop(0) if self._asks else self._stretches.rest(state)
        if answer == "nothing":
            return
        answer = dict(answer)
        if "order" in answer:
            stretches = self._stretches.of_round(answer.pop("order"))
            answer = dict(self._stretches.message("round", stretches), **answer)
        if answer.pop("late", False):
            self._late.append(answer)
        else:
            self.send(**answer)

    def send(self, **members):
        """Sends a message. A script that has ended takes none, but what it said before is still to
        be read."""
        self._compare(members, "benchbench")
        body = json.dumps(members).encode()
        try:
            self.connection.sendall(LENGTHS.pack(len(body), 0) + body)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def _exactly(self, size):
        data = b""
        while len(data) < size:
            part = self.connection.recv(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def of(self, kind):
        return [message for message in self.messages if message["type"] == kind]

    @property
    def end(self):
        found = self.of("end")
        return found[-1] if found else None

    def rates(self, kind):
        """Batches a second of each stretch, over its segments."""
        return [
            of["steps"] * 1e9 / sum(end - begin for begin, end in of["segments"])
            for of in self.of("stretch")
            if of["kind"] == kind
        ]


class Wrapped:
    """`files`: {"train.py": text} in a folder of their own, which is the working directory. `fresh`
    starts an interpreter, where a fork of one that has imported torch (warm.py) would do. The
    clock of a `virtual` one is advanced by its sleeps alone (virtual.py). `at_once` of the plan:
    see AT_ONCE."""

    def __init__(
        self,
        script="",
        plan=None,
        files=(),
        command=None,
        python=sys.executable,
        timeout=HANG_S,
        environment=(),
        wrap=True,
        fresh=False,
        virtual=False,
        **members,
    ):
        self.folder = tempfile.mkdtemp(prefix="benchbench-wrap-")
        self.work = os.path.join(self.folder, "work")
        os.mkdir(self.work)
        self.plan = dict(PLAN, **dict(plan or {}, **members)) if plan is not False else None
        at_once = self.plan is not None and self.plan.get("at_once", False)
        files = dict(files, **({"sitecustomize.py": AT_ONCE} if at_once else {}))
        for name, text in dict(files, **({"train.py": script} if script else {})).items():
            with open(os.path.join(self.work, name), "w") as file:
                file.write(textwrap.dedent(text).lstrip("\n"))
        self.heard, self._lock = [], threading.Lock()
        self._all_accepted = threading.Event()
        address = self._address = os.path.join(self.folder, "socket")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(address)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()
        given, environment = (
            dict(environment),
            dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONWARNINGS="ignore"),
        )
        # Set, it would hide what is not flushed.
        environment.pop("PYTHONUNBUFFERED", None)
        environment.update(given)
        if wrap:
            environment.update(BENCHBENCH_WRAP=address, BENCHBENCH_WRAP_TOKEN="t")
            ours = SITE + (os.pathsep + self.work if at_once else "")
            environment["PYTHONPATH"] = given.get("PYTHONPATH", ours)
        self._out, self._err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.timeout, self.begun = timeout, time.monotonic()
        if command or fresh or not warm.may_run(python, given):
            self.process = self._started(command or [python, "train.py"], environment)
        else:
            self.process = warm.Process(
                "train.py", self.work, environment, self._out, self._err, virtual
            )

    def _started(self, command, environment):
        return subprocess.Popen(
            command,
            cwd=self.work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def _accept(self):
        try:
            while True:
                connection, name = self._listener.accept()
                if name:
                    connection.close()
                    self._all_accepted.set()
                else:
                    self.heard.append(Heard(connection, self.plan, self._between_ranks))
        except OSError:
            pass

    def _await_accepts(self):
        """Returns once every connection made so far is in `heard`. They are accepted in order, so
        the last one, which alone has a name, comes after them."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as last:
            last.bind("")  # any name
            last.connect(self._address)
            if not self._all_accepted.wait(HANG_S):
                raise AssertionError("connections were not accepted")

    def _between_ranks(self, heard, message):
        """Lets ranks begin at the same batch and end together, as benchbench does."""
        with self._lock:
            ready = {of: of.of("ready")[0] for of in self.heard if of.of("ready")}
            if message["type"] == "ready" and len(ready) == message["world"]:
                slowest = max(of["batch_ns"] for of in ready.values())
                start = max(of["number"] for of in ready.values()) + max(8, 500_000_000 // slowest)
                for of in ready:
                    of.send(
                        type="agreed",
                        start=start,
                        batch_ns=slowest,
                        distinct=min(m["distinct"] for m in ready.values()),
                    )
            if message["type"] == "end" and heard in ready:
                if message["reason"] not in ("answer", "script ended", "script failed") or all(
                    of.end for of in ready
                ):
                    for of in ready:
                        if of.end is None or of.end["reason"] != "stopped":
                            of.send(type="stop")

    def wait(self):
        """Returns its exit code."""
        try:
            code = self.process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise AssertionError(
                f"still running after {time.monotonic() - self.begun:.0f} s; it printed:\n"
                f"{self.output()}{self.errors()}\n"
                f"and said {[heard.end for heard in self.heard]}"
            ) from None
        self.took = time.monotonic() - self.begun
        self._await_accepts()
        for heard in self.heard:
            heard.thread.join(HANG_S)
            if heard.differs:
                raise heard.differs
        return code

    @property
    def main(self):
        """The first process that said what it trains with, else the first one."""
        trained = [heard for heard in self.heard if (heard.end or {}).get("seen")]
        return (trained or self.heard)[0]

    def output(self):
        return os.pread(self._out.fileno(), 1 << 20, 0).decode(errors="replace")

    def errors(self):
        return os.pread(self._err.fileno(), 1 << 20, 0).decode(errors="replace")

    def files(self):
        """{path: bytes} of the working directory; of sockets none."""
        found = {}
        for folder, folders, names in os.walk(self.work):
            for name in folders:
                found[os.path.relpath(os.path.join(folder, name), self.work) + "/"] = b""
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.work)] = (
                    _bytes_of(path) if os.path.isfile(path) else b""
                )
        return found

    def left(self):
        """Processes of its session that have not ended."""
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat") as file:
                    state, _, _, session = file.read().rsplit(")", 1)[1].split()[:4]
            except OSError:
                continue
            if int(session) == self.process.pid and state not in "ZX":
                found.append(int(name))
        return found

    def left_in_the_end(self):
        """Returns the same without those that are about to end, as Python's tracker of resources is
        once nothing uses it."""
        wait_for(lambda: not self.left(), HANG_S)
        return self.left()

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        for pid in self.left():
            os.kill(pid, signal.SIGKILL)
        self._listener.close()
        for heard in self.heard:
            heard.connection.close()
        self._out.close()
        self._err.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


class WrapTest(unittest.TestCase):
    def wrapped(self, *args, **kwargs):
        wrapped = Wrapped(*args, **kwargs)
        self.addCleanup(wrapped.close)
        return wrapped

    def answered(self, *args, **kwargs):
        """One whose measurement came to its end."""
        wrapped = self.wrapped(*args, **kwargs)
        code = wrapped.wait()
        self.assertEqual("", wrapped.errors())
        self.assertTrue(wrapped.heard, "nothing said hello")
        self.assertEqual("answer", wrapped.main.end["reason"], wrapped.main.end)
        self.assertEqual(0, code)
        self.assertEqual([], wrapped.left_in_the_end())
        return wrapped


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def table(heard):
    for kind in "FTLfl":
        print(kind, " ".join(f"{rate:.2f}" for rate in heard.rates(kind)))


def main(arguments):
    plan, python = {}, sys.executable
    while arguments and arguments[0] in ("--plan", "--python"):
        if arguments[0] == "--plan":
            plan = json.loads(arguments[1])
        else:
            python = arguments[1]
        arguments = arguments[2:]
    with open(arguments[0]) as file:
        wrapped = Wrapped(file.read(), plan, python=python, timeout=600)
    try:
        code = wrapped.wait()
        print("exit", code, f"after {wrapped.took:.1f} s, left {wrapped.left()}")
        print(wrapped.output(), end="")
        print(wrapped.errors(), end="")
        for heard in wrapped.heard:
            kinds = [message["type"] for message in heard.messages]
            print({kind: kinds.count(kind) for kind in dict.fromkeys(kinds)})
            for message in heard.of("steady") + heard.of("end"):
                print({key: value for key, value in message.items() if key != "blob"})
            table(heard)
            for of in heard.of("stretch"):
                print(
                    {
                        key: value
                        for key, value in of.items()
                        if key not in ("blob", "series", "segments", "observed")
                    }
                )
    finally:
        wrapped.close()


if __name__ == "__main__":
    main(sys.argv[1:])
