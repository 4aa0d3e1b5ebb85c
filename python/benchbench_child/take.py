"""`take`: batches of benchbench's in the ring, each into the user's step."""

import json

from .device_queue import synchronizer
from .failure import counted, scenario
from .own_batch import compare
from .ring import mapped_file, view
from .run import set_threads
from .step import loss_of
from .user_code import failure_of


class Take:
    """Until `end`."""

    def __init__(self, channel, step, order):
        if step is None:
            raise scenario("take needs a trainer")
        self._channel, self._step, self._order = channel, step, order
        keys, own = order.get("keys"), order.get("own_batch")
        self._keys = None if keys is None else keys.replace(" ", "").split(",")
        self._own = None if own is None else json.loads(own)

    def served(self):
        """The members of `served`: none."""
        order = self._order
        notes = set_threads(order.get("intra_op_threads"))
        batches = [self._batch(slot) for slot in self._slots()]
        self._look(batches[0], notes)
        function = self._step.set_up(order.get("device") or "cpu", order.get("seed"))
        wait = synchronizer(order.get("device"))
        self._channel.send("ready", {"parameters": self._step.parameters, "notes": notes})
        while True:
            message = self._channel.receive()
            if message["type"] == "end":
                return {}
            if message["type"] != "step":
                raise RuntimeError("'{}' during take".format(message["type"]))
            try:
                returned = function(self._given(batches[message["slot"]], message["rows"]))
                wait()
            except BaseException as error:
                raise failure_of(error, self._step.name) from error
            self._channel.send("stepped", {"loss": loss_of(returned)})

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
        memory = mapped_file(self._channel.memory, order["slots"] * size)
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
        made = []
        for tensor in tensors:
            if tensor.ndim == 4 and tensor.shape[3] in (1, 3, 4):
                tensor = (
                    tensor.permute(0, 3, 1, 2)
                    if hasattr(tensor, "permute")
                    else tensor.transpose(0, 3, 1, 2)
                )
            made.append(tensor)
        return made


def _has_torch():
    try:
        import torch  # noqa: F401
    except ImportError:
        return False
    return True
