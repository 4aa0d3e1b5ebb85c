"""The time of one batch by indexing, where a map-style data set's samples are rows of tensors or
arrays in memory anyhow.

Known for torch's TensorDataset, for a class of the user's whose `__getitem__` does nothing but
index such attributes, and for Subsets of both; only with torch's own collate. In doubt: None.
"""

import ast
import sys
import types
from time import monotonic_ns

from .. import sources
from ..torch_loader import batch_size_of

TIMES = 15


def direct_ns(dataset, loader):
    """None: its samples are not known to be in memory."""
    torch = sys.modules.get("torch")
    size = batch_size_of(loader)
    if torch is None or not size or not _collates_plainly(torch, loader):
        return None
    dataset, rows = _without_subsets(torch, dataset)
    columns = columns_of(torch, dataset)
    if not columns:
        return None
    count = len(columns[0]) if rows is None else len(rows)
    if count == 0:
        return None
    in_order = type(getattr(loader, "sampler", None)) is torch.utils.data.SequentialSampler
    chosen = (_chosen(torch, rows, count, min(size, count), in_order) for _ in range(TIMES))
    return sorted(_time(torch, columns, indices) for indices in chosen)[TIMES // 2]


def _collates_plainly(torch, loader):
    return getattr(loader, "collate_fn", None) in (
        torch.utils.data._utils.collate.default_collate,
        None,
    )


def _without_subsets(torch, dataset):
    """What the Subsets are of, and which rows of it; None: all."""
    rows = None
    while type(dataset) is torch.utils.data.Subset:
        indices = torch.as_tensor(dataset.indices)
        rows = indices if rows is None else indices[rows]
        dataset = dataset.dataset
    return dataset, rows


def _chosen(torch, rows, count, size, in_order):
    """Rows of a batch, as the loader's sampler would have them: at random, or one after the
    other."""
    if in_order:
        begin = int(torch.randint(count - size + 1, ()))
        chosen = torch.arange(begin, begin + size)
    else:
        chosen = torch.randint(count, (size,))
    return chosen if rows is None else rows[chosen]


def _time(torch, columns, chosen):
    begin = monotonic_ns()
    batch = [
        column[chosen]
        if isinstance(column, torch.Tensor)
        else torch.from_numpy(column[chosen.numpy()])
        for column in columns
    ]
    if any(column.is_cuda for column in batch):
        torch.cuda.synchronize()
    del batch  # as the loop does before the next one
    return monotonic_ns() - begin


def columns_of(torch, dataset):
    """The tensors and arrays whose rows are its samples; None: it is not known to be so."""
    kind = type(dataset)
    tensors = torch.utils.data.TensorDataset
    if isinstance(dataset, tensors) and kind.__getitem__ is tensors.__getitem__:
        return list(dataset.tensors)
    if hasattr(kind, "__getitems__") or not isinstance(
        getattr(kind, "__getitem__", None), types.FunctionType
    ):
        return None
    names = indexed_attributes(kind.__getitem__)
    columns = [getattr(dataset, name, None) for name in names or ()]
    known = all(_is_column(torch, column, len(dataset)) for column in columns)
    return columns if columns and known else None


def _is_column(torch, column, length):
    in_memory = torch.Tensor, getattr(sys.modules.get("numpy"), "ndarray", None)
    # A numpy.memmap is not in memory.
    if type(column) not in in_memory or len(column.shape) == 0 or len(column) != length:
        return False
    return isinstance(column, torch.Tensor) or column.dtype.kind in "biuf" and column.dtype.isnative


def indexed_attributes(method):
    """["images", "labels"] of `return self.images[i], self.labels[i]`; None: the method does more
    than that."""
    node = _definition(method)
    if node is None or node.decorator_list or len(node.args.args) != 2:
        return None
    own, index = (argument.arg for argument in node.args.args)
    names, known = [], {}
    *before, last = node.body
    if before and isinstance(before[0], ast.Expr) and isinstance(before[0].value, ast.Constant):
        del before[0]
    if not all(_assigns(statement, own, index, known) for statement in before):
        return None
    returns = isinstance(last, ast.Return) and _gather(last.value, own, index, known, names)
    return names if returns else None


def _assigns(statement, own, index, known):
    """`image = self.images[i]`, or of several at once."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, value = statement.targets[0], statement.value
    pairs = [(target, value)]
    tuples = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
    if tuples and len(target.elts) == len(value.elts):
        pairs = zip(target.elts, value.elts)
    for target, value in pairs:
        attribute = _indexed(value, own, index)
        if attribute is None or not isinstance(target, ast.Name) or target.id in (own, index):
            return False
        known[target.id] = attribute
    return True


def _gather(value, own, index, known, names):
    if isinstance(value, (ast.Tuple, ast.List)):
        return all(_gather(part, own, index, known, names) for part in value.elts)
    if isinstance(value, ast.Dict):
        return all(isinstance(key, ast.Constant) for key in value.keys) and all(
            _gather(part, own, index, known, names) for part in value.values
        )
    attribute = known.get(value.id) if isinstance(value, ast.Name) else _indexed(value, own, index)
    if attribute is not None:
        names.append(attribute)
    return attribute is not None


def _indexed(value, own, index):
    """ "images" of `self.images[i]`."""
    name = getattr(getattr(value, "value", None), "attr", None)
    if name is None:
        return None
    wanted = ast.parse(f"{own}.{name}[{index}]", mode="eval").body
    return name if ast.dump(value) == ast.dump(wanted) else None


def _definition(method):
    code = method.__code__
    for node in sources.users_nodes(code.co_filename):
        if (
            isinstance(node, ast.FunctionDef)
            and node.name == code.co_name
            and node.lineno == code.co_firstlineno
        ):
            return node
    return None
