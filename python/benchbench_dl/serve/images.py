"""Batches of images with labels, for a trainer that takes nothing else: "image" as [N, H, W, C] and
"label", by whatever names and in whichever order of dimensions the user's code has them."""

from .. import trees
from ..failure import scenario

IMAGE_KEYS, LABEL_KEYS = ("image", "images", "pixel_values"), ("label", "labels")
CHANNELS = (1, 3, 4)
IMAGE_TYPES, LABEL_TYPE = ("float32", "uint8"), "int64"


def images_and_labels(batch, call):
    """[("image", a view), ("label", leaf)]. What else a dict has stays where it is."""
    image, label = _two_of(batch, call)
    for what, leaf in (("images", image), ("labels", label)):
        if not trees.is_leaf(leaf):
            raise _refused(call, f"the {what} are of type {type(leaf).__name__}, not a tensor")
    if len(image.shape) != 4 or trees.name_dtype(image) not in IMAGE_TYPES:
        raise _refused(
            call,
            f"the first tensor, or `image`, is {_spelt(image)}, not float32 or uint8 [N, C, H, W]",
        )
    if len(label.shape) != 1 or trees.name_dtype(label) != LABEL_TYPE:
        raise _refused(call, f"the second tensor, or `label`, is {_spelt(label)}, not int64 [N]")
    return [("image", _channels_last(image)), ("label", label)]


def _two_of(batch, call):
    if isinstance(batch, (tuple, list)) and len(batch) == 2:
        return batch
    if isinstance(batch, (tuple, list)):
        raise _refused(call, f"they have {len(batch)} members")
    if not (hasattr(batch, "keys") and hasattr(batch, "__getitem__")):
        raise _refused(call, f"they are of type {type(batch).__name__}")
    found = [[key for key in keys if key in batch] for keys in (IMAGE_KEYS, LABEL_KEYS)]
    if [len(keys) for keys in found] == [1, 1]:
        return [batch[key] for keys in found for key in keys]
    names = ", ".join(repr(str(key)) for key in batch.keys())
    raise _refused(call, f"they have the keys {names}")


def _channels_last(image):
    """PyTorch's images have their channels first, unless the sizes say otherwise."""
    if image.shape[1] not in CHANNELS and image.shape[3] in CHANNELS:
        return image
    return trees.permuted(image, (0, 2, 3, 1))


def _spelt(leaf):
    return f"{trees.name_dtype(leaf)} {[int(n) for n in leaf.shape]}"


def _refused(call, what):
    return scenario(
        f"this trainer takes images with labels, which batches of {call} are not: {what}",
        "a tuple (images, labels) is, or a dict of `image` and `label` or `pixel_values` and "
        "`labels`; "
        "else use trainer: python with this loader, or a trainer that takes any batch, such as "
        "timed",
    )
