"""Slots of a memory file, for batches that are handed over; as PROTOCOL.md lays them out."""

import functools
import mmap
import operator
import os

from .. import trees
from ..failure import counted, scenario

ALIGNMENT, PAGE = 64, 4096
WAY_OUT = "use trainer: python with this loader, or trainer: discard"
FIXED_SHAPE = "tensors of a fixed shape can, in tuples, lists and dicts; else " + WAY_OUT


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
    return functools.reduce(operator.mul, tensor["shape"], 1)


def item_bytes(dtype):
    digits = "".join(filter(str.isdigit, dtype))
    return 1 if dtype == "bool" else int(digits) // 8


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
        import torch as library
    else:
        import numpy as library
    dtype = getattr(library, tensor["dtype"]) if as_torch else tensor["dtype"]
    return library.frombuffer(memory, dtype=dtype, count=count, offset=offset).reshape(shape)


def any_leaves(batch, call):
    return trees.named_leaves(batch)


def refuse_samples(batch, loader, call):
    """A collate_fn such as `list` leaves the samples as they are; each would be taken for a column
    of the batch."""
    size = trees.Rows.of(loader).size
    if size is None or type(batch) not in (list, tuple) or trees.is_collated_by_torch(loader):
        return
    if trees.may_be_samples(batch, size):
        objects = f"a {type(batch).__name__} of {counted(len(batch), 'object')}"
        raise refuse(
            call,
            f"one is {objects} that may be its samples, one by one",
            "a collate_fn that stacks them can, or a dict of the columns; else " + WAY_OUT,
        )


def tensors_of(leaves, call):
    """What one row of each named tensor is, and the rows: [{"name", "dtype", "shape"}], rows."""
    found, rows = [], None
    for name, leaf in leaves:
        if not trees.is_leaf(leaf):
            raise _refused(call, name, f"is {type(leaf).__name__}")
        if not leaf.shape:
            raise _refused(call, name, "has no dimension of samples")
        if rows is not None and leaf.shape[0] != rows:
            raise refuse(call, differs(f"'{name}'", leaf.shape[0], "row", rows), FIXED_SHAPE)
        rows = int(leaf.shape[0])
        dtype, shape = _dtype(leaf, call, name), trees.shape_of_row(leaf)
        found.append({"name": name, "dtype": dtype, "shape": shape})
    if not found or not rows:
        raise scenario(f"batches of {call} hold no tensors", WAY_OUT)
    return found, rows


def refuse(call, what, hint=WAY_OUT):
    """Returns the failure."""
    return scenario(f"batches of {call} cannot be handed over: {what}", hint)


def differs(which, count, noun, first):
    return f"{which} has {counted(count, noun)}, the first one {first}"


def _refused(call, name, what):
    return refuse(call, f"'{name}' {what}", FIXED_SHAPE)


def _dtype(leaf, call, name):
    dtype = trees.name_dtype(leaf)
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
            raise refuse(self._call, differs(which, len(tensors), "tensor", len(first)))
        if rows > self.layout.rows:
            raise refuse(self._call, differs(which, rows, "row", self.layout.rows))


def _spelt(tensor):
    return "{} {}".format(tensor["dtype"], tensor["shape"])
