"""Messages over descriptor 3, as PROTOCOL.md has them. Both descriptors are moved out of the way of
the user's code."""

import fcntl
import json
import os
import resource
import select
import socket
import struct
import threading

SOCKET, MEMORY = 3, 4
LENGTHS = struct.Struct("<II")
MAX_JSON = 16 << 20

_moved = []  # ours: processes that are forked give them up


def _move(descriptor):
    """To a high number: code that writes to "descriptor 3" reaches nothing of ours."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    lowest = 900 if limit == resource.RLIM_INFINITY else max(5, min(900, limit - 8))
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, lowest)
    os.close(descriptor)
    _moved.append(moved)
    return moved


def _release_in_fork():
    """Their numbers stay in use: an object that closes one later closes nothing of the user's."""
    try:
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    except OSError:  # no descriptor is left
        null = None
    for descriptor in _moved:
        try:
            os.dup2(null, descriptor, inheritable=False)
        except (OSError, TypeError):  # above a limit that the user's code has set since
            os.close(descriptor)
    if null is not None:
        os.close(null)
    _moved.clear()


def connect(address, seconds):
    """Returns a socket that is connected to the listening Unix socket there; `@` begins an abstract
    name. `seconds`: each wait on it takes at most. OSError: nothing answers."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(seconds)
    try:
        connection.connect("\0" + address[1:] if address.startswith("@") else address)
    except OSError:
        connection.close()
        raise
    return connection


class Channel:
    """One end of the conversation. One thread at a time sends, and one receives."""

    def __init__(self, connection, memory=None):
        self._socket = connection
        self.memory = memory

    @staticmethod
    def inherited():
        connection = socket.socket(fileno=_move(SOCKET))
        connection.setblocking(True)
        try:
            memory = _move(MEMORY)
        except OSError:
            memory = None  # batches cannot be handed over; all else works
        os.register_at_fork(after_in_child=_release_in_fork)
        return Channel(connection, memory)

    @staticmethod
    def connected(address, seconds):
        """To the listening Unix socket there. OSError: nothing answers."""
        moved = socket.socket(fileno=_move(connect(address, seconds).detach()))
        moved.settimeout(seconds)
        os.register_at_fork(after_in_child=_release_in_fork)
        return Channel(moved)

    def send(self, kind, members=None, blob=b""):
        body = json.dumps(
            dict(members or {}, type=kind),
            allow_nan=False,
            ensure_ascii=False,
            separators=(",", ":"),
        )
        body = body.encode("utf-8", "replace")  # file names need not be UTF-8
        self._socket.sendall(LENGTHS.pack(len(body), len(blob)) + body)
        if blob:
            self._socket.sendall(blob)

    def receive(self):
        """The next request. EOFError at the end of file."""
        length, blob = LENGTHS.unpack(self._exactly(LENGTHS.size))
        if length > MAX_JSON or blob > MAX_JSON:
            raise EOFError(f"a message of {length + blob} bytes")
        message = json.loads(self._exactly(length).decode("utf-8"))
        self._exactly(blob)
        return message

    def wait_without_end(self):
        self._socket.settimeout(None)

    def waiting(self, seconds=0):
        """Whether a request has come, or comes within that time."""
        return bool(select.select([self._socket], [], [], seconds)[0])

    def _exactly(self, size):
        parts = []
        while size > 0:
            part = self._socket.recv(min(size, 1 << 20))
            if not part:
                raise EOFError("end of file")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def when_closed(self, action):
        """Calls `action` in a thread of its own once the other end is closed, whatever this one
        does meanwhile."""
        poll = select.poll()
        poll.register(self._socket, select.POLLRDHUP)

        def wait():
            while not poll.poll():
                pass
            action()

        threading.Thread(target=wait, name="benchbench", daemon=True).start()
