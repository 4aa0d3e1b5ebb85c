"""Counts of the shim, in a file that the processes of a run share (shim/shim.cpp: struct
State)."""

import struct

CALLS = (
    "write",
    "sync",
    "rename",
    "open",
    "ftruncate",
    "mkdir",
    "fork",
    "pipe",
    "read",
    "malloc",
    "pwrite",
    "send",
)
NUMBERS = len(CALLS) + 2
WHERE = 256


class State:
    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.write(bytes(8 * NUMBERS + WHERE))

    def read(self):
        with open(self.path, "rb") as file:
            content = file.read()
        numbers = struct.unpack(f"{NUMBERS}Q", content[: 8 * NUMBERS])
        self.counts = dict(zip(CALLS, numbers))
        self.acknowledged = numbers[-2]  # bytes of the journal that a sync has confirmed
        self.hit = numbers[-1]  # the process whose call it was, 0 where there was none
        self.where = content[8 * NUMBERS :].split(b"\0")[0].decode(errors="replace")
        return self
