"""Describes a batch of the user's own loader, and compares one of benchbench's with it: the
step that takes the one is handed the other."""

from .. import trees
from ..failure import quoted, scenario
from ..observe.observer import Observer
from .epochs import Epochs

FEW = 2  # samples; a Dataset need not make a whole batch to show its form


def described(source):
    """{"form": "list", "dict", else the type's name; "members": [{"name", "dtype", "shape"}]} of
    the first batch, made without workers. A shape is one row's; null: it is no tensor."""
    loader, _ = source.loader({"num_workers": 0, "batch_size": FEW})
    batch = Epochs(source, loader, Observer(False)).get()
    form = form_of(batch)
    named = trees.named_leaves(batch) if form in ("list", "dict") else [("batch", batch)]
    return {"form": form, "members": [_member(name, leaf) for name, leaf in named]}


def form_of(batch):
    if isinstance(batch, (list, tuple)):
        return "list"
    if isinstance(batch, dict):
        return "dict"
    return type(batch).__name__


def _member(name, leaf):
    is_leaf = trees.is_leaf(leaf)
    return {
        "name": name,
        "dtype": trees.name_dtype(leaf) if is_leaf else type(leaf).__name__,
        "shape": trees.shape_of_row(leaf) if is_leaf else None,
        "channels_last": is_leaf and _is_channels_last(leaf),
    }


def _is_channels_last(leaf):
    """True of [N, C, H, W] where the values of a pixel are neighbours in memory."""
    if len(leaf.shape) != 4 or leaf.shape[1] == 1:
        return False
    return leaf.stride(1) == 1 if trees.is_tensor(leaf) else leaf.strides[1] == leaf.itemsize


def compare(own, batch):
    """`own` as described(), `batch` as the step is to get it: notes about what the step will not
    get. Raises what else differs."""
    form = form_of(batch)
    here = {name: _member(name, leaf) for name, leaf in trees.named_leaves(batch)}
    there = {member["name"]: member for member in own["members"]}
    # A list that is too long breaks unpacking; a dict may have more.
    is_longer = form == "list" and len(there) != len(here)
    if own["form"] != form or is_longer or not here.keys() <= there.keys():
        yours, this = _words(own["form"], there), _words(form, here)
        raise _different(f"yours is {yours}, this one {this}", _way(own))
    for name, member in here.items():
        if not _are_alike(member, there[name]):
            raise _different(
                f"{_called(form, name)} is {_spelt(there[name])} in yours, {_spelt(member)} in "
                "this one",
                _cause(there[name], member),
            )
    return _notes(there, here)


def _are_alike(one, other):
    return (one["dtype"], one["shape"]) == (other["dtype"], other["shape"])


def _notes(there, here):
    notes = []
    left = [name for name in there if name not in here]
    if left:
        notes.append(f"your loader's batches also have {quoted(left)}, which the step does not get")
    if any(here[name]["channels_last"] > there[name]["channels_last"] for name in here):
        notes.append(
            "the step gets images that are channels last in memory, from your own loader it gets "
            "others: it may take another time for these"
        )
    return notes


def _way(own):
    if own["form"] != "dict":
        return "leave trainer.batch_keys out" if len(own["members"]) == 2 else ""
    tensors = [m["name"] for m in own["members"] if m["shape"] is not None][:2]
    return "set trainer.batch_keys: " + ", ".join(tensors) if len(tensors) == 2 else ""


def _cause(own, member):
    if own["dtype"] != member["dtype"] and {own["dtype"], member["dtype"]} == {"float32", "uint8"}:
        return "loader.transform.normalize_on: worker makes float32, device makes uint8"
    if own["shape"] is not None and own["dtype"] == member["dtype"]:
        return "loader.transform sets the size of an image, and your own script that of its own"
    return ""


def _different(what, hint):
    return scenario(
        f"batches of this loader are not like those of yours: {what}",
        (hint + "; or " if hint else "")
        + "leave your own loader out of the scenario, if the step takes such batches too",
    )


def _called(form, name):
    return f"'{name}'" if form == "dict" else f"member {name}"


def _words(form, names):
    words = {"dict": f"a dict of {quoted(names)}", "list": f"a list of {len(names)}"}
    return words.get(form, f"of type {form}")


def _spelt(member):
    if member["shape"] is None:
        return f"a {member['dtype']}"
    return "{} [{}]".format(member["dtype"], ", ".join(map(str, ["N"] + member["shape"])))
