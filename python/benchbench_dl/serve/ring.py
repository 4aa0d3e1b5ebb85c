"""Slots of a memory file, for batches that are handed over; as PROTOCOL.md lays them out."""

import mmap
import os

from .. import trees
from ..failure import counted, scenario

ALIGNMENT, PAGE = 64, 4096
WAY_OUT = "use trainer: python with this loader, or trainer: discard"


def _up(size, to):
    return (size + to - 1) // to * to


class Layout:
    """Where each tensor of a slot begins."""

    def __init__(self, tensors, rows):
        self.tensors, self.rows = tensors, rows
        self.offsets, at = [], 0
        for tensor in tensors:
            self.offsets.append(at)
            at = _up(at + rows * row_bytes(tensor), ALIGNMENT)
        self.slot_bytes = max(PAGE, _up(at, PAGE))


def row_bytes(tensor):
    return values_of_row(tensor) * item_bytes(tensor["dtype"])


def values_of_row(tensor):
    values = 1
    for size in tensor["shape"]:
        values *= size
    return values


def item_bytes(dtype):
    sizes = {"bool": 1, "bfloat16": 2}
    digits = "".join(c for c in dtype if c.isdigit())
    return sizes.get(dtype) or int(digits) // 8


def mapped_file(descriptor, size):
    if descriptor is None:
        raise RuntimeError("there is no memory file at descriptor 4")
    if os.fstat(descriptor).st_size < size:
        os.ftruncate(descriptor, size)
    return mmap.mmap(descriptor, size)


def view(memory, offset, tensor, rows, as_torch):
    """A tensor or array that is the slot's memory."""
    count = rows * values_of_row(tensor)
    shape = [rows] + list(tensor["shape"])
    if as_torch:
        import torch

        return torch.frombuffer(
            memory, dtype=getattr(torch, tensor["dtype"]), count=count, offset=offset
        ).reshape(shape)
    import numpy

    return numpy.frombuffer(memory, dtype=tensor["dtype"], count=count, offset=offset).reshape(
        shape
    )


def any_leaves(batch, call):
    return trees.named_leaves(batch)


def refuse_samples(batch, loader, call):
    """A collate_fn such as `list` leaves the samples as they are; each would be taken for a column
    of the batch."""
    size = trees.Rows.of(loader).size
    if size is None or type(batch) not in (list, tuple) or trees.is_collated_by_torch(loader):
        return
    if trees.may_be_samples(batch, size):
        raise scenario(
            "batches of {} cannot be handed over: one is a {} of {} that may be its "
            "samples, one by one".format(call, type(batch).__name__, counted(len(batch), "object")),
            "a collate_fn that stacks them can, or a dict of the columns; else " + WAY_OUT,
        )


def tensors_of(leaves, call):
    """What one row of each named tensor is, and the rows: [{"name", "dtype", "shape"}], rows."""
    found, rows = [], None
    for name, leaf in leaves:
        if not (trees.is_tensor(leaf) or trees.is_array(leaf)):
            raise _refused(call, name, f"is {type(leaf).__name__}")
        if not leaf.shape:
            raise _refused(call, name, "has no dimension of samples")
        if rows is not None and leaf.shape[0] != rows:
            raise _refused(
                call, name, "has {}, the first one {}".format(counted(leaf.shape[0], "row"), rows)
            )
        rows = int(leaf.shape[0])
        found.append(
            {
                "name": name,
                "dtype": _dtype(leaf, call, name),
                "shape": [int(n) for n in leaf.shape[1:]],
            }
        )
    if not found or not rows:
        raise scenario(f"batches of {call} hold no tensors", WAY_OUT)
    return found, rows


def _refused(call, name, what):
    return scenario(
        f"batches of {call} cannot be handed over: '{name}' {what}",
        "tensors of a fixed shape can, in tuples, lists and dicts; else " + WAY_OUT,
    )


def _dtype(leaf, call, name):
    dtype = str(leaf.dtype).replace("torch.", "")
    if trees.is_array(leaf) and not leaf.dtype.isnative:
        raise _refused(call, name, "is not in this machine's byte order")
    if trees.is_tensor(leaf) and str(leaf.layout) != "torch.strided":
        raise _refused(call, name, "is sparse")
    if dtype not in ("bool", "bfloat16") and not (
        dtype[:3] in ("int", "uin", "flo") and dtype[-1:].isdigit()
    ):
        raise _refused(call, name, f"is of type {dtype}")
    return dtype


class Slots:
    """Writes batches of one layout. `leaves_of(batch, call)` returns what of a batch is written:
    [(name, tensor or array)]."""

    def __init__(self, memory_file, slots, batch, call, leaves_of=any_leaves):
        self._call, self._leaves_of = call, leaves_of
        leaves = leaves_of(batch, call)
        tensors, rows = tensors_of(leaves, call)
        self.layout = Layout(tensors, rows)
        size = self.layout.slot_bytes
        self._memory = mapped_file(memory_file, slots * size)
        kinds = [trees.is_tensor(leaf) for _, leaf in leaves]
        self._views = [
            [
                view(self._memory, slot * size + offset, tensor, rows, kind)
                for tensor, offset, kind in zip(tensors, self.layout.offsets, kinds)
            ]
            for slot in range(slots)
        ]

    def write(self, slot, batch, number, epoch):
        """One copy. Returns the rows."""
        leaves = self._leaves_of(batch, self._call)
        tensors, rows = tensors_of(leaves, self._call)
        self._compare(tensors, rows, f"batch {number} of epoch {epoch + 1}")
        for target, (_, leaf) in zip(self._views[slot], leaves):
            if trees.is_tensor(leaf):
                target[:rows].copy_(leaf)
            else:
                target[:rows] = leaf
        return rows

    def _compare(self, tensors, rows, which):
        first = self.layout.tensors
        for old, new in zip(first, tensors):
            if old != new:
                raise _refused(
                    self._call,
                    new["name"],
                    f"of {which} is {_spelt(new)}, the first batch's {_spelt(old)}",
                )
        if len(first) != len(tensors):
            raise scenario(
                "batches of {} cannot be handed over: {} has {}, the first one {}".format(
                    self._call, which, counted(len(tensors), "tensor"), len(first)
                ),
                WAY_OUT,
            )
        if rows > self.layout.rows:
            raise scenario(
                "batches of {} cannot be handed over: {} has {}, the first one {}".format(
                    self._call, which, counted(rows, "row"), self.layout.rows
                ),
                WAY_OUT,
            )


def _spelt(tensor):
    return "{} {}".format(tensor["dtype"], tensor["shape"])
