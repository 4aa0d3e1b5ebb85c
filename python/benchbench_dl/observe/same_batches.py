"""Workers that make the same batches: an IterableDataset that does not split its data gives each of
them all."""

import collections
import hashlib

from ..sources import where_of
from .counters import CONTENTS

# Batches of each worker: where the second is like the first, all may be alike for a good reason.
LOOKED_AT = 2
MOST_BYTES = 1 << 20  # of a leaf


class Contents:
    """Notes what is in a worker's first batches."""

    def __init__(self, slot):
        self._slot = slot
        self._seen = 0
        slot[CONTENTS : CONTENTS + LOOKED_AT] = memoryview(bytes(8 * LOOKED_AT)).cast("q")

    def look(self, batch):
        """Returns whether it wants to see the next one."""
        self._slot[CONTENTS + self._seen] = digest(batch)
        self._seen += 1
        return self._seen < LOOKED_AT


def digest(batch):
    """0: something in it has no value that can be compared."""
    hashed = hashlib.blake2b(digest_size=8)
    try:
        _add(hashed, batch)
    except Exception:
        return 0
    return int.from_bytes(hashed.digest(), "little", signed=True)


def _add(hashed, part):
    hashed.update(type(part).__name__.encode())
    if isinstance(part, dict):
        for key, value in part.items():
            _add(hashed, key)
            _add(hashed, value)
    elif isinstance(part, (list, tuple)):
        for value in part:
            _add(hashed, value)
    elif isinstance(part, (str, bytes, int, float, type(None))):
        hashed.update(repr(part).encode())
    else:
        array = part.detach().cpu().contiguous().numpy() if hasattr(part, "detach") else part
        if array.dtype == object:
            raise TypeError("objects are where they are")
        hashed.update(repr(array.shape).encode())
        hashed.update(array.ravel()[: MOST_BYTES // max(1, array.itemsize)].tobytes())


def copies(counters, generation):
    """How many workers make the same batches; 1: none is known to."""
    seen = [tuple(slot[CONTENTS : CONTENTS + LOOKED_AT]) for slot in counters.slots(generation)]
    alike = collections.Counter(one for one in seen if all(one) and one[0] != one[1])
    return max(alike.values(), default=1)


def said(dataset, alike, workers):
    """The sentence."""
    kind, where = type(dataset), where_of(type(dataset))
    place = f" ({where})" if where else ""
    return (
        f"{alike} of {workers} workers make the same batches, so that each sample comes {alike} "
        f"times in an epoch: split the data in __iter__ of {kind.__name__}{place} by "
        "get_worker_info().id and .num_workers"
    )
