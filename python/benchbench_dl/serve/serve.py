"""`serve`: batches of the user's loader into the ring, as long as there are free slots."""

import time

from .. import workers
from ..failure import counted, scenario
from ..observe.observer import Observer
from ..torch_loader import is_iterable_style
from .epochs import Epochs
from .images import images_and_labels
from .ring import Slots, any_leaves, refuse_samples
from .run import REPORT_NS, set_threads
from .seeds import seed_all

now = time.monotonic_ns


class Serve:
    """Until `end`."""

    def __init__(self, channel, source, order):
        if source is None:
            raise scenario("serve needs a loader")
        self._channel, self._source, self._order = channel, source, order
        self._observer = Observer(bool(order.get("observer", 1)))
        self._free = list(range(order["slots"]))
        self._ended = False
        self._reported = 0
        self._smaller = None  # the last batch, where it was smaller than the first

    def served(self):
        """The members of `served`."""
        notes = set_threads(self._order.get("intra_op_threads"))
        loader, dropped = self._source.loader(self._order.get("settings"))
        self._report("starting")
        seed_all(self._order.get("seed"))
        epochs = Epochs(self._source, loader, self._observer)
        try:
            self._deliver(epochs)
        except RuntimeError as error:
            if not workers.is_of_signal(error):
                raise
            raise epochs.failure(error, self._source.call) from error
        self._observer.window(False)
        epochs.close()
        if self._source.dataset is not None:
            self._observer.look_at(self._source.dataset, loader)
        observed = self._observer.facts()
        return dict(
            epochs.facts(),
            dropped=dropped,
            notes=notes + epochs.notes + self._observer.notes(),
            **observed,
        )

    def _deliver(self, epochs):
        batch = epochs.get()
        leaves_of = images_and_labels if self._order.get("images") else any_leaves
        if leaves_of is any_leaves:
            refuse_samples(batch, epochs.loader, self._source.call)
        slots = Slots(
            self._channel.memory, self._order["slots"], batch, self._source.call, leaves_of
        )
        self._say_spec(slots, epochs)
        self._observer.window(True)
        slot = self._free_slot()
        while slot is not None:
            rows = slots.write(slot, batch, epochs.number, epochs.epoch)
            self._check_rows(rows, slots.layout.rows, epochs)
            self._channel.send("batch", {"slot": slot, "rows": rows, "epoch": epochs.epoch})
            if now() - self._reported > REPORT_NS:
                self._report("measuring")
            del batch
            # Before the next batch: without workers it would be made while a step runs.
            slot = self._free_slot()
            if slot is not None:
                batch = epochs.get()

    def _say_spec(self, slots, epochs):
        layout = slots.layout
        self._report("measuring")
        self._channel.send(
            "spec",
            {
                "tensors": layout.tensors,
                "rows": layout.rows,
                "slot_bytes": layout.slot_bytes,
                "offsets": layout.offsets,
                "length": self._source.length,
                "batches": epochs.batches,
            },
        )

    def _free_slot(self):
        """None: it ended."""
        while not self._ended and (not self._free or self._channel.waiting()):
            message = self._channel.receive()
            if message["type"] == "free":
                self._free.append(message["slot"])
            elif message["type"] == "end":
                self._ended = True
            else:
                raise RuntimeError("'{}' during serve".format(message["type"]))
        return None if self._ended else self._free.pop(0)

    def _check_rows(self, rows, first, epochs):
        """Only the last batch of an epoch may be smaller, but each worker of an IterableDataset has
        a last one."""
        if self._smaller and self._smaller[0] == epochs.epoch and not self._shards():
            raise scenario(
                "batches of {} cannot be handed over: batch {} of epoch {} has {}, the "
                "first one {}".format(
                    self._source.call,
                    self._smaller[1],
                    epochs.epoch + 1,
                    counted(self._smaller[2], "row"),
                    first,
                ),
                "batches of one size can; else use trainer: python with this loader, or trainer: "
                "discard",
            )
        self._smaller = (epochs.epoch, epochs.number, rows) if rows < first else None

    def _shards(self):
        return self._source.dataset is not None and is_iterable_style(self._source.dataset)

    def _report(self, phase):
        self._reported = now()
        self._channel.send(
            "progress",
            {"phase": phase, "share": 0, "rate": None, "workers": self._observer.worker_pids()},
        )
