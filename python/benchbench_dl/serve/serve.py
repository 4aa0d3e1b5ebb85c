"""`serve`: batches of the user's loader into the ring, as long as there are free slots."""

from ..failure import scenario
from ..torch_loader import is_iterable_style
from .images import images_and_labels
from .ring import WAY_OUT, Slots, any_leaves, differs, refuse, refuse_samples
from .run import REPORT_NS, Measurement, now, set_threads


class Serve(Measurement):
    """Until `end`."""

    def __init__(self, channel, source, order):
        if source is None:
            raise scenario("serve needs a loader")
        super().__init__(channel, source, order)
        self._free = list(range(order["slots"]))
        self._ended = False
        self._smaller = None  # the last batch, where it was smaller than the first

    def served(self):
        """The members of `served`."""
        notes = set_threads(self._order.get("intra_op_threads"))
        self._report("starting")
        self._begin_epochs()
        self._guarded(self._deliver, self._epochs)
        self._observer.window(False)
        observed = self._observed()
        members = dict(self._epochs.facts(), dropped=self._dropped, **observed)
        members["notes"] = notes + self._epochs.notes + self._observer.notes()
        return members

    def _deliver(self, epochs):
        batch, call, order = epochs.get(), self._source.call, self._order
        leaves_of = images_and_labels if order.get("images") else any_leaves
        if leaves_of is any_leaves:
            refuse_samples(batch, epochs.loader, call)
        slots = Slots(self._channel.memory, order["slots"], batch, call, leaves_of)
        self._say_spec(slots.layout, epochs)
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

    def _say_spec(self, layout, epochs):
        self._report("measuring")
        spec = dict(vars(layout), length=self._source.length, batches=epochs.batches)
        self._channel.send("spec", spec)

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
        epoch, number, few = self._smaller or (None, None, None)
        if epoch == epochs.epoch and not is_iterable_style(self._source.dataset):
            raise refuse(
                self._source.call,
                differs(f"batch {number} of epoch {epoch + 1}", few, "row", first),
                "batches of one size can; else " + WAY_OUT,
            )
        self._smaller = (epochs.epoch, epochs.number, rows) if rows < first else None
