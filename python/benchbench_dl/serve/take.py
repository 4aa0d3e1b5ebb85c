"""`take`: batches of benchbench's in the ring, each into the user's step."""

import ctypes
import json
import time

from .. import trees
from ..device_clock import LOOKS, DeviceClock
from ..failure import counted, scenario
from ..user_failures import failure_of
from .images import CHANNELS
from .own_batch import compare
from .ring import mapped_file, view
from .run import set_threads
from .step import loss_of

now = time.monotonic_ns


class Take:
    """Until `end`. A step is answered when its slot is free for the batch that comes as many steps
    later as there are slots, so that work of several steps is under way on a device."""

    def __init__(self, channel, step, order):
        if step is None:
            raise scenario("take needs a trainer")
        self._channel, self._step, self._order = channel, step, order
        keys, own = order.get("keys"), order.get("own_batch")
        self._keys = None if keys is None else keys.replace(" ", "").split(",")
        self._own = None if own is None else json.loads(own)

    def served(self):
        """The members of `served`."""
        order = self._order
        notes = set_threads(order.get("intra_op_threads"))
        batches = [self._batch(slot) for slot in self._slots()]
        self._look(batches[0], notes)
        function = self._step.set_up(order.get("device") or "cpu", order.get("seed"))
        self._steps, self._clock, self._returned = 0, DeviceClock(), None
        self._clock.mark(now())  # the marks' numbers are those of the steps, from 1
        self._has_asked, self._late_notes = False, []
        notes += self._register()
        self._channel.send("ready", {"parameters": self._step.parameters, "notes": notes})
        while True:
            message = self._channel.receive()
            kind = message["type"]
            if kind == "end":
                return {"device": self._clock.device, "notes": self._late_notes}
            if kind == "step":
                self._take_step(function, self._given(batches[message["slot"]], message["rows"]))
            elif kind == "edge":
                self._reach_edge()
            elif kind == "loss":
                self._channel.send("loss", {"loss": loss_of(self._returned)})
            else:
                raise RuntimeError(f"'{kind}' during take")

    def _reach_edge(self):
        self._clock.look()
        self._late_notes += self._register()
        self._clock.wait_for(self._steps - 1)
        self._channel.send("reached")

    def _take_step(self, function, batch):
        try:
            self._returned = function(batch)
        except BaseException as error:
            raise failure_of(error, self._step.name) from error
        self._steps = self._clock.mark(now())
        if self._steps < LOOKS:
            self._late_notes += self._register()
        self._clock.wait_for(self._steps + 1 - self._order["slots"])
        self._channel.send("stepped")

    def _register(self):
        """Page-locks the ring for the device that the step uses, as pin_memory does with batches of
        a DataLoader, once there is one. Returns notes."""
        if self._clock.device is None or self._has_asked:
            return []
        import torch

        self._has_asked = True
        at = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        failed = int(torch.cuda.cudart().cudaHostRegister(at, len(self._memory), 0))
        if not failed:
            return []
        self._take_last_error(torch)
        return [
            "batches are handed over in memory that is not pinned: cudaHostRegister failed with "
            f"error {failed}, so that copies to {self._clock.device} wait"
        ]

    def _take_last_error(self, torch):
        """CUDA keeps it until the next launch that is checked, which would be the user's."""
        try:
            torch.empty(1, device=self._clock.device).fill_(0)
        except RuntimeError:
            pass

    def _look(self, batch, notes):
        """At what the step will get, against what it gets from the user's own loader."""
        keys = self._keys
        if keys and len(keys) != len(batch):
            raise scenario(
                "trainer.batch_keys has {}, but a batch of this loader has {}: {}".format(
                    counted(len(keys), "name"),
                    counted(len(batch), "tensor"),
                    ", ".join(tensor["name"] for tensor in self._order["tensors"]),
                ),
                "name each tensor of a batch, in this order",
            )
        if self._own:
            notes += compare(self._own, self._given(batch, self._order["rows"]))

    def _given(self, batch, rows):
        """Returns what a DataLoader would: a list, or a dict where the user names its keys."""
        tensors = [tensor[:rows] for tensor in batch]
        return dict(zip(self._keys, tensors)) if self._keys else tensors

    def _slots(self):
        order = self._order
        size = order["slot_bytes"]
        self._memory = memory = mapped_file(self._channel.memory, order["slots"] * size)
        has_torch = _has_torch()
        for slot in range(order["slots"]):
            yield [
                view(memory, slot * size + offset, tensor, order["rows"], has_torch)
                for tensor, offset in zip(order["tensors"], order["offsets"])
            ]

    @staticmethod
    def _batch(tensors):
        """As a DataLoader returns them: images with their channels first, labels of 64 bits; views
        where that is so already."""
        return [
            trees.permuted(one, (0, 3, 1, 2)) if one.ndim == 4 and one.shape[3] in CHANNELS else one
            for one in tensors
        ]


def _has_torch():
    try:
        import torch  # noqa: F401
    except ImportError:
        return False
    return True
