"""Drives a child over a real socket pair, for the tests here. Most children are forks of a process
that has imported torch, which saves a second each; `fresh=True` starts an interpreter as benchbench
does."""

import fcntl
import json
import multiprocessing.popen_fork  # noqa: F401
import multiprocessing.queues  # noqa: F401
import multiprocessing.sharedctypes  # noqa: F401
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import time
import unittest
from multiprocessing import resource_tracker

import messages
import virtual
from rows import HANG_S

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.path.dirname(FOLDER) + os.sep
START = os.path.join(FOLDER, "start_child.py")
LENGTHS = struct.Struct("<II")
WINDOW = {"ns": 20_000_000, "batches": 4}

try:
    import numpy  # noqa: F401
    import torch
    import torch.utils.data  # noqa: F401
except ImportError:
    torch = None


sysconfig.get_paths()  # as above: what each child would import anew


def forget_tests():
    """Takes the modules of the tests for no code of the user's."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name != "__main__" and file and os.path.abspath(file).startswith(TESTS):
            del sys.modules[name]


def high(descriptor):
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 200)


class Child:
    """`files`: {"train.py": text}, in a folder of their own, which is the working directory. The
    clock of a `virtual` one is advanced by its sleeps alone (virtual.py)."""

    def __init__(self, script="", fresh=False, files=(), timeout=HANG_S, virtual=False):
        self.folder = tempfile.mkdtemp(prefix="benchbench-python-")
        for name, text in dict(files, **({"train.py": script} if script else {})).items():
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(textwrap.dedent(text).lstrip("\n"))
        ours, theirs = socket.socketpair()
        ours.settimeout(timeout)
        self.socket, self.memory = ours, high(os.memfd_create("ring"))
        self._output = tempfile.TemporaryFile()
        self.heard = []  # messages that came before an answer
        ends = [high(theirs.fileno()), self.memory, high(self._output.fileno())]
        theirs.close()
        self.pid = self._started(ends) if fresh else self._forked(ends, virtual)
        os.close(ends[0])
        os.close(ends[2])
        self.hello = self.receive()[0]

    @staticmethod
    def _arrange(ends):
        os.setpgid(0, 0)
        for descriptor, number in zip(ends, (3, 4, 1)):
            os.dup2(descriptor, number)
        os.dup2(1, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def _started(self, ends):
        process = subprocess.Popen(
            [sys.executable, START],
            cwd=self.folder,
            pass_fds=(3, 4),
            preexec_fn=lambda: self._arrange(ends),
        )
        self._process = process
        return process.pid

    def _forked(self, ends, is_virtual):
        pid = os.fork()
        if pid:
            return pid
        try:
            self._arrange(ends)
            os.closerange(5, 1000)
            # The tracker of the tests is no tracker of this child.
            resource_tracker._resource_tracker._fd = None
            os.chdir(self.folder)
            sys.path.insert(0, FOLDER)
            sys.path[:] = [
                path
                for path in sys.path
                if os.path.abspath(path) != os.path.dirname(os.path.abspath(__file__))
            ]
            sys.stdout = open(1, "w", closefd=False)
            sys.stderr = open(2, "w", closefd=False)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            for name in [name for name in sys.modules if name.startswith("benchbench_")]:
                del sys.modules[name]  # the tests may have changed them
            forget_tests()
            if is_virtual:
                virtual.install()
            import start_child

            start_child.main()
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(99)

    def send(self, kind, **members):
        body = json.dumps(dict(members, type=kind)).encode()
        self.socket.sendall(LENGTHS.pack(len(body), 0) + body)

    def receive(self):
        """(message, blob)."""
        length, blob = LENGTHS.unpack(self._exactly(8))
        message = json.loads(self._exactly(length))
        messages.compare(message, "use: python")
        return message, self._exactly(blob)

    def _exactly(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise EOFError("the child closed its end; it printed: " + self.output()[-6000:])
            data += part
        return data

    def answer(self, *kinds):
        """The first message that is one of `kinds` or an error; what comes before is `heard`."""
        while True:
            message, blob = self.receive()
            if message["type"] in kinds + ("error",):
                message["blob"] = blob
                return message
            self.heard.append(message)
            if message["type"] == "window" and message["edge"] == "end":
                self.send("seen")

    def load(
        self,
        call="make_data",
        step=None,
        setup=None,
        script="train.py",
        root=None,
        rests=False,
        **loader,
    ):
        self.send(
            "load",
            device="cpu",
            root=root,
            rests=rests,
            loader=dict({"script": script, "call": call}, **loader) if call else None,
            trainer={"script": script, "call": step, "setup": setup} if step else None,
        )
        return self.answer("loaded")

    def run(self, way="self-timed", settings=None, window=None, warmup=None, **members):
        self.send(
            "run",
            way=way,
            settings=settings or {},
            seed=1,
            trainer_seed=2,
            device="cpu",
            window=window or WINDOW,
            warmup={"ns": 0} if warmup is None else warmup,
            **members,
        )
        return self.answer("result")

    def output(self):
        return os.pread(self._output.fileno(), 1 << 20, 0).decode(errors="replace")

    def stop(self):
        self.send("stop")
        return self.answer("bye")

    def processes(self):
        """Returns those of its process group that have not ended."""
        found = []
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/stat") as file:
                    state, _, group = file.read().rsplit(")", 1)[1].split()[:3]
            except (OSError, ValueError):
                continue
            if int(group) == self.pid and state not in "ZX":
                found.append(int(name))
        return found

    def status(self):
        """Waits for its end: as os.waitstatus_to_exitcode has it."""
        _, status = os.waitpid(self.pid, 0)
        if getattr(self, "_process", None):
            self._process.returncode = 0
        return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)

    def close(self):
        self.socket.close()
        os.close(self.memory)
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            self.status()
        except ChildProcessError:
            pass
        self._output.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class ChildTest(unittest.TestCase):
    """A case that starts children, and ends them."""

    def child(self, *args, **kwargs):
        child = Child(*args, **kwargs)
        self.addCleanup(child.close)
        return child

    def loaded(self, child, *args, **kwargs):
        message = child.load(*args, **kwargs)
        self.assertEqual("loaded", message["type"], message)
        return message

    def result(self, child, *args, **kwargs):
        message = child.run(*args, **kwargs)
        self.assertEqual("result", message["type"], message.get("traceback") or message)
        return message

    def error(self, message, kind, *parts):
        """Asserts an error of `kind` whose message, hint and traceback hold the parts, and nothing
        of ours."""
        message.pop("blob", None)
        self.assertEqual("error", message["type"], message)
        self.assertEqual(kind, message["kind"], message)
        text = "\n".join(
            filter(
                None,
                (
                    message["message"],
                    message.get("hint"),
                    message.get("traceback"),
                    message.get("where"),
                ),
            )
        )
        for part in parts:
            self.assertIn(part, text)
        self.assertNotIn("benchbench_dl", text)
        return message


def wait_until(condition, seconds=HANG_S):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
