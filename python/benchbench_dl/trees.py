"""Batches are trees: tensors and arrays in lists, tuples, dicts and objects."""

import copy
import sys

from .torch_loader import batch_size_of

# The columns of a collated batch that is a list of tensors of one rank: more are samples, unless
# something else says so.
MOST_COLUMNS = 4
SHORT = 16  # lists that are looked through, value by value
_SCALARS = (str, bytes, int, float, complex, type(None), type)


def is_tensor(value):
    return isinstance(value, getattr(sys.modules.get("torch"), "Tensor", ()))


def is_array(value):
    return isinstance(value, getattr(sys.modules.get("numpy"), "ndarray", ()))


def is_leaf(value):
    return is_tensor(value) or is_array(value)


def name_dtype(leaf):
    """Returns "float32" and the like."""
    return str(leaf.dtype).replace("torch.", "")


def permuted(leaf, axes):
    """Returns a view with its dimensions in this order."""
    return leaf.permute(axes) if is_tensor(leaf) else leaf.transpose(axes)


def shape_of_row(leaf):
    return [int(size) for size in leaf.shape[1:]]


def _is_long_of_scalars(tree):
    """Judged by some of its values: thousands of lists of hundreds of tokens are looked at while
    time is measured."""
    return len(tree) > SHORT and all(
        isinstance(tree[at], _SCALARS) for at in (0, len(tree) // 2, -1)
    )


def mapped(tree, change):
    """The tree with new containers, and `change(leaf)` for each leaf. Objects are copied with their
    attributes rebuilt."""
    if is_tensor(tree) or is_array(tree) or isinstance(tree, _SCALARS):
        return change(tree)
    kind = type(tree)
    if kind in (tuple, list):
        long = _is_long_of_scalars(tree)
        return tree[:] if long else kind(mapped(value, change) for value in tree)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return kind(*(mapped(value, change) for value in tree))
    if kind is dict:
        return {key: mapped(value, change) for key, value in tree.items()}
    return _mapped_object(tree, change)


def _mapped_object(tree, change):
    try:
        made = copy.copy(tree)
    except Exception:
        return change(tree)
    if isinstance(tree, dict):
        for key, value in tree.items():
            made[key] = mapped(value, change)
    elif isinstance(tree, list):
        made[:] = [mapped(value, change) for value in tree]
    if getattr(tree, "__dict__", None) and not callable(tree):
        for name, value in vars(tree).items():
            made.__dict__[name] = mapped(value, change)
    return made


def leaves(tree):
    """Tensors and arrays, depth first."""
    found = []

    def note(leaf):
        if is_leaf(leaf):
            found.append(leaf)
        return leaf

    mapped(tree, note)
    return found


def named_leaves(tree, name=""):
    """[("image", leaf)] in tuples, lists and dicts; anything else is a leaf, too."""
    if isinstance(tree, dict):
        items = tree.items()
    elif isinstance(tree, tuple) and hasattr(tree, "_fields"):
        items = zip(tree._fields, tree)
    elif isinstance(tree, (tuple, list)):
        items = enumerate(tree)
    else:
        return [(name or "0", tree)]
    found = []
    for key, value in items:
        found += named_leaves(value, f"{name}.{key}" if name else str(key))
    return found


def bytes_of(tree):
    return sum(
        leaf.numel() * leaf.element_size() if is_tensor(leaf) else leaf.nbytes
        for leaf in leaves(tree)
    )


class Rows:
    """The samples of each batch of one loader, as rows_of(). `size`: its batch_size, where it is
    known. A list of tensors is one batch of several columns, or, with a collate_fn such as `list`,
    the samples themselves: the first batch decides."""

    def __init__(self, size=None):
        self.size, self._are_samples = size, None

    @staticmethod
    def of(loader):
        size = batch_size_of(loader)
        return Rows(size if isinstance(size, int) else None)

    def __call__(self, batch):
        if type(batch) not in (list, tuple):
            return rows_of(batch)
        if self._are_samples is None:
            self._are_samples = _are_samples(batch, self.size)
        return len(batch) if self._are_samples else rows_of(batch)


def _are_samples(batch, size):
    if size is not None and (len(batch) == size) != (rows_of(batch) == size):
        return len(batch) == size
    if not all(map(is_leaf, batch)) or len({len(value.shape) for value in batch}) != 1:
        return False
    firsts = {tuple(value.shape[:1]) for value in batch}
    return firsts == {()} or len(batch) > MOST_COLUMNS or len(firsts) > 1


def is_collated_by_torch(loader):
    """Stacked, so that a list holds columns."""
    return getattr(getattr(loader, "collate_fn", None), "__name__", "") == "default_collate"


def may_be_samples(batch, size):
    """Whether a list or tuple of a loader of that batch_size may hold the samples themselves, where
    nothing but its form tells."""
    if all(map(is_leaf, batch)):
        return _are_samples(batch, size) or (
            len(batch) == size and len({tuple(value.shape) for value in batch}) == 1
        )
    return len(batch) == size and _are_dicts_or_tuples(batch)


def _are_dicts_or_tuples(values):
    """True of samples that were not collated."""
    return any(all(isinstance(value, kind) for value in values) for kind in (dict, tuple))


def rows_of(batch):
    """Samples of a batch, as far as its form shows it: collate functions are free in what they
    make."""
    if type(batch) in (list, tuple):
        try:
            return batch[0].size(0)  # what DataLoaders return mostly, in half a microsecond
        except (AttributeError, IndexError, TypeError):
            pass
    rows = None if isinstance(batch, _SCALARS) else _rows(batch)
    return 1 if rows is None else rows


def _rows(tree):
    if hasattr(tree, "shape"):
        return int(tree.shape[0]) if len(tree.shape) else None
    if isinstance(tree, list) and tree and _are_dicts_or_tuples(tree):
        return len(tree)
    values = _values(tree)
    for value in values:
        if hasattr(value, "shape") and len(value.shape):
            return int(value.shape[0])
    lengths = {len(value) for value in values if isinstance(value, (list, tuple))}
    if len(lengths) == 1 and all(map(_holds_numbers, values)):  # lists of the samples' tokens
        return lengths.pop()
    known = (rows for rows in _guess_rows(tree, values, lengths) if rows is not None)
    return next(known, len(tree) if isinstance(tree, (list, tuple)) else None)


def _guess_rows(tree, values, lengths):
    """Yields the samples as each of its forms would have them, the surest first; None: it has not
    that form."""
    # All tensors are alike; or there are lists of the samples' images, as in detection.
    sizes = [leaf.shape for leaf in leaves(tree)] if values else []
    yield _only_one({int(size[0]) if len(size) else 0 for size in sizes})
    yield _only_one(lengths)
    yield from map(_rows, values)


def _only_one(found):
    return found.pop() if len(found) == 1 else None


def _holds_numbers(value):
    """A scalar, a list of scalars, or lists of them, as their first values show."""
    for _ in range(3):
        if isinstance(value, _SCALARS):
            return True
        if not isinstance(value, (list, tuple)) or not value:
            return False
        value = value[0]
    return False


def _values(tree):
    if isinstance(tree, (list, tuple)):
        return list(tree)
    if isinstance(tree, (str, bytes)):
        return []
    if hasattr(tree, "values") and hasattr(tree, "keys"):
        return list(tree.values())
    return list(getattr(tree, "__dict__", {}).values())
