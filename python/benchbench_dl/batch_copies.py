"""Copies of batches, out of shared memory: what they take, and what a step changed in place."""

from . import trees

SAMPLED = 1024  # values of a tensor that are compared


def own_copy(leaf):
    """Not in shared memory, and pinned where it was."""
    if trees.is_tensor(leaf):
        made = leaf.detach().clone()
        return made.pin_memory() if _is_pinned(leaf) else made
    return leaf.copy() if trees.is_array(leaf) else leaf


def held_bytes(batch):
    """Returns what a copy takes: torch's allocator of pinned memory rounds each tensor up to a
    power of two."""
    return sum(map(_held_bytes_of_leaf, trees.leaves(batch)))


def _held_bytes_of_leaf(leaf):
    size = trees.bytes_of(leaf)
    return 1 << (size - 1).bit_length() if size and _is_pinned(leaf) else size


def _is_pinned(leaf):
    try:
        return leaf.device.type == "cpu" and leaf.is_pinned()
    except Exception:
        return False


def fingerprint(batch):
    """Differs where the batch was changed in place: by torch's counters of changes, and by values
    here and there."""
    return [_print_of(leaf) for leaf in trees.leaves(batch)]


def _print_of(leaf):
    version = None
    if trees.is_tensor(leaf):
        try:
            version = leaf._version
        except Exception:  # made under inference_mode
            pass
    try:
        flat = leaf.reshape(-1)
        values = repr(flat[:: max(1, len(flat) // SAMPLED)].tolist())
    except Exception:  # sparse, quantised
        values = None
    return tuple(leaf.shape), version, values
