"""Several processes that train together. Each measures its own loader; they change from one stretch
to the next at the same fetch, which is agreed on once, through benchbench: from then on everything
is counted in batches, none of it in time."""

import os
import sys
import threading
import time

from . import session

PATIENCE_S = 20


def of_process():
    """(rank, world), or None: it trains alone."""
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    world = distributed.get_world_size()
    return (distributed.get_rank(), world) if world > 1 else None


def group():
    """What all ranks of one training have in common, and those of another one on this machine do
    not; empty: not known."""
    address, port = map(os.environ.get, ("MASTER_ADDR", "MASTER_PORT"))
    return f"{address}:{port}" if None not in (address, port) else ""


def several_nodes(world):
    local = os.environ.get("LOCAL_WORLD_SIZE", "")
    return local.isdigit() and int(local) < world


class Ranks:
    def __init__(self, engine, rank, world):
        self._engine, self.rank, self.world = engine, rank, world
        self.agreed = None
        self._answer, self._answered = None, threading.Event()
        self._ended = threading.Event()

    def ready(self, members):
        session = self._engine.session
        session.listen(self._heard)
        session.send("ready", dict(members, rank=self.rank, world=self.world, group=group()))

    def answer(self):
        """Returns the answer to `steady`; None: none came."""
        return self._answer if self._answered.wait(session.PATIENCE_S) else None

    def _heard(self, message):
        """In a thread of its own: this process may wait for another one meanwhile."""
        if message is None:
            self._engine.ends.benchbench_gone()
        elif message["type"] == "agreed":
            self.agreed = message
        elif message["type"] in ("go", "leave"):
            self._answer = message
            self._answered.set()
        elif message["type"] == "stop":
            if self._engine.ends.begun:
                self._ended.set()
            else:
                self._engine.ends.by_others(
                    message.get("reason") or "stopped", message.get("message")
                )

    def wait_for_others(self):
        """Before the end: they may be in a collective with this one. Not where all are
        interrupted."""
        try:
            self._ended.wait(PATIENCE_S)
        except KeyboardInterrupt:
            pass


def stay():
    """Another thread ends the process."""
    while True:
        time.sleep(1)
