"""Runs scripts in forks of one interpreter that has imported torch, which saves each of them two
seconds. A script starts as `python SCRIPT` starts it: sitecustomize is found on PYTHONPATH, its
`import torch` goes through the import hooks, and the interpreter ends as ever.

As a program: warm.py DESCRIPTOR, the server; it takes requests there until the other end closes."""

import array
import ctypes
import gc
import importlib
import importlib.util
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import types

# An interpreter and its libraries read these when they start.
AT_START = ("PYTHONW", "PYTHONU", "PYTHONH", "OMP_", "LD_", "ONEDNN_")
SIZE = 1 << 17
_server = None
spent = 0.0  # seconds of CPU of the scripts that have ended


def may_run(python, environment):
    """True if a script with these variables is the same in a fork."""
    return python == sys.executable and not any(name.startswith(AT_START) for name in environment)


class Process:
    """A script, with the methods of subprocess.Popen that the tests use."""

    def __init__(self, script, cwd, environment, out, err, is_virtual=False):
        self._end, theirs = socket.socketpair()
        request = {"script": script, "cwd": cwd, "environment": environment}
        request.update(compiled=sys.pycache_prefix, virtual=is_virtual)
        sent = array.array("i", [out.fileno(), err.fileno(), theirs.fileno()])
        server().sendmsg(
            [json.dumps(request).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, sent)]
        )
        theirs.close()
        self.returncode = None
        self.pid = json.loads(self._line())

    def _line(self):
        line = self._end.recv(64)
        if not line:
            raise RuntimeError("the interpreter that has imported torch is gone")
        return line

    def wait(self, timeout=None):
        global spent
        if self.returncode is None:
            if not select.select([self._end], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a script", timeout)
            self.returncode, seconds = json.loads(self._line())
            spent += seconds
            self._end.close()
        return self.returncode

    def send_signal(self, number):
        os.kill(self.pid, number)


def server():
    """The socket of the one server, which ends with the last process that holds it."""
    global _server
    if _server is None:
        _server, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONWARNINGS="ignore")
        environment.pop("PYTHONUNBUFFERED", None)
        server.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # which the streams of the scripts are like: not a terminal
            start_new_session=True,
        )
        theirs.close()
    return _server


def end():
    """Ends the server, if there is one, once no script uses it."""
    if _server is not None:
        _server.close()
        server.process.wait()


class Scripts:
    """The server's side."""

    def __init__(self, control):
        self._control, self._ends = control, {}
        signal.signal(signal.SIGCHLD, self._reap)

    def next_fork(self):
        """Returns (request, its descriptors) in the fork that is to run it, None in the server once
        nothing else will come."""
        while True:
            body, ancillary, _, _ = self._control.recvmsg(SIZE, socket.CMSG_SPACE(3 * 4))
            if not body:
                return None
            descriptors = array.array("i", ancillary[0][2]).tolist()
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
            pid = os.fork()
            if pid == 0:
                self._leave()
                return json.loads(body), descriptors
            self._began(pid, descriptors)

    def _began(self, pid, descriptors):
        end = self._ends[pid] = socket.socket(fileno=descriptors[2])
        end.sendall(json.dumps(pid).encode())
        for descriptor in descriptors[:2]:
            os.close(descriptor)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})

    def _leave(self):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        self._control.close()
        for end in self._ends.values():
            end.close()

    def _reap(self, *_):
        while self._ends:
            pid, status, used = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            with self._ends.pop(pid) as end:
                try:
                    end.sendall(json.dumps([code, used.ru_utime + used.ru_stime]).encode())
                except OSError:  # the test does not wait for it any more
                    pass


class Kept:
    """A finder and loader: `import torch` gets the module that is there already."""

    def __init__(self, module):
        self._module, self._spec = module, module.__spec__

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        return importlib.util.spec_from_loader(name, self, is_package=True)

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        module.__spec__, module.__loader__ = self._spec, self._spec.loader


def arrange(request, descriptors):
    """Makes this fork what `python SCRIPT` is before its first line."""
    os.setsid()
    os.chdir(request["cwd"])
    os.dup2(descriptors[0], 1)
    os.dup2(descriptors[1], 2)
    for descriptor in descriptors:
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["environment"])
    tempfile.tempdir = None
    sys.pycache_prefix = request["compiled"]
    sys.dont_write_bytecode = sys.pycache_prefix is None
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if request["virtual"]:
        import virtual

        virtual.install()
    sys.path[0:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.meta_path.insert(0, Kept(sys.modules.pop("torch")))
    sys.modules.pop("sitecustomize", None)
    importlib.invalidate_caches()
    try:
        import sitecustomize  # noqa: F401
    except ImportError:
        pass
    sys.path.insert(0, request["cwd"])
    sys.argv = [request["script"]]
    sys.orig_argv = [sys.executable, request["script"]]


def run(path):
    """Runs the file as Python's own main function does, below which there is no frame of ours:
    what it raises is printed, and SystemExit ends this process here."""
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__builtins__ = __builtins__
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    file = libc.fopen(os.fsencode(path), b"rb")
    run_file = ctypes.pythonapi.PyRun_SimpleFileExFlags
    run_file.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]
    return run_file(file, os.fsencode(path), 1, None)


def serve(descriptor):
    """Returns the exit status of a script in its fork."""
    import torch.utils.data  # noqa: F401

    gc.freeze()  # spares the end of each fork a look at all that torch has, which copies it

    with socket.socket(fileno=descriptor) as control:
        forked = Scripts(control).next_fork()
    if forked is None:
        return 0
    arrange(*forked)
    failed = run(os.path.join(os.getcwd(), sys.argv[0]))
    # Python's own main function ends with SIGINT after a KeyboardInterrupt, unless an exit status
    # is asked for.
    interrupted = isinstance(getattr(sys, "last_value", None), KeyboardInterrupt)
    return 1 if failed and not interrupted else 0


if __name__ == "__main__":
    status = serve(int(sys.argv[1]))
    if status:
        sys.exit(status)
