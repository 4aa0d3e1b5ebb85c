"""What the user's `call` returned: a Dataset, a DataLoader, or an iterable of batches."""

import inspect

from .. import torch_loader
from ..failure import counted, scenario
from ..sources import find_length, is_a, is_data_loader, place_of, where_of
from ..tracebacks import is_inner
from ..user_failures import failure_of, lack
from . import calling
from .user_code import load

DATASET, DATALOADER, ITERABLE = "Dataset", "DataLoader", "iterable"


class Source:
    """Calls `call`. `make()` calls it again: iterators serve for one epoch."""

    def __init__(self, part, root):
        self._code = load(part)
        self.call = part["call"]
        self._function = self._code.find(self.call, "loader.call")
        self._pick = part.get("pick")
        self._keywords = calling.keywords_for(self._function, self.call, part.get("args"), root)
        self.made = self.make()
        self.kind = kind_of(self.made, self.call)
        if self.length == 0:
            raise scenario(f"{self.call} returns a {self.kind} without samples", where=self.where)

    def make(self):
        try:
            returned = self._function(**self._keywords)
        except BaseException as error:
            raise failure_of(error, self.call) from error
        return picked(returned, self._pick, self.call)

    @property
    def dataset(self):
        """None: of an iterable."""
        if self.kind == DATALOADER:
            return self.made.dataset
        return self.made if self.kind == DATASET else None

    @property
    def length(self):
        """Samples of an epoch, as far as the user's code says."""
        if self.kind == ITERABLE:
            return None
        if self.kind == DATALOADER and torch_loader.has_own_batch_sampler(self.made):
            return None if find_length(self.dataset) != 0 else 0
        if self.kind == DATALOADER and not torch_loader.is_iterable_style(self.dataset):
            return find_length(self.made.sampler)
        return _own_length(self.dataset, self.call)

    @property
    def where(self):
        if self.kind == ITERABLE:
            return where_of(type(self.made)) or _where_of_code(self._function)
        return where_of(self.made)

    @property
    def getitem_where(self):
        holder = self.dataset if self.kind != ITERABLE else self.made
        iterates = self.kind == ITERABLE or torch_loader.is_iterable_style(holder)
        place = _where_of_code(
            getattr(type(holder), "__iter__" if iterates else "__getitem__", None)
        )
        if not place and inspect.isgenerator(holder):
            return _where_of_code(self._function)
        return place

    @property
    def fixed(self):
        if self.kind == ITERABLE:
            why = f"{self.call} returns an iterable of batches, which is taken as it is"
            return dict.fromkeys(torch_loader.KEYS, why)
        return torch_loader.fixed_settings(self.made, self.call)

    def members(self):
        return {
            "kind": self.kind,
            "length": self.length,
            "own": torch_loader.own_settings(self.made) if self.kind == DATALOADER else {},
            "fixed": self.fixed,
            "where": self.where,
            "getitem_where": self.getitem_where,
        }

    def loader(self, settings):
        """(the loader with `settings`, what was not applied: sentences)."""
        settings = settings or {}
        if self.kind == ITERABLE:
            return self.made, [
                f"{key} is not applied: {self.fixed[key]}"
                for key in torch_loader.KEYS
                if settings.get(key) is not None
            ]
        own_workers = self.made.num_workers if self.kind == DATALOADER else 0
        given, dropped = torch_loader.applicable(settings, self.fixed, own_workers)
        make = torch_loader.copied if self.kind == DATALOADER else torch_loader.built
        try:
            return make(self.made, given), dropped
        except Exception as error:
            raise failure_of(error, self.call) from error


def _own_length(dataset, call):
    """Of a Dataset; an exception of its own __len__ is the user's."""
    if not hasattr(type(dataset), "__len__"):
        return None
    try:
        return len(dataset)
    except NotImplementedError:
        return None
    except Exception as error:
        raise failure_of(error, call) from error


def _where_of_code(function):
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    return (
        place_of(code.co_filename, code.co_firstlineno)
        if code and not is_inner(code.co_filename)
        else None
    )


def picked(returned, pick, call):
    several = isinstance(returned, (tuple, dict)) or (
        isinstance(returned, list)
        and any(is_a("Dataset", one) or is_data_loader(one) for one in returned)
    )
    if pick is None and not several:
        return returned
    if isinstance(returned, dict):
        raise scenario(
            "{} returns a dict: {}".format(call, ", ".join(map(str, returned))),
            "write a function that returns one of them",
        )
    if not several and not isinstance(returned, list):
        raise scenario(
            f"{call} returns one {type(returned).__name__}, and pick is {pick}",
            "leave pick out",
        )
    objects = f"{call} returns {counted(len(returned), 'object')}"
    if pick is None:
        kinds = ", ".join(type(one).__name__ for one in returned)
        raise scenario(f"{objects}: {kinds}", "choose one with pick: 0")
    if not 0 <= pick < len(returned):
        raise scenario(f"{objects}, and pick is {pick}", "pick counts from 0")
    return returned[pick]


def _makes_batches(made):
    """WebDataset's WebLoader: an IterableDataset, whose first stage is a DataLoader that makes the
    batches."""
    stages = getattr(made, "pipeline", None)
    return isinstance(stages, list) and bool(stages) and is_data_loader(stages[0])


def kind_of(made, call):
    if is_data_loader(made):
        return DATALOADER
    if is_a("Dataset", made):
        return ITERABLE if _makes_batches(made) else DATASET
    # Maps of other packages that are made for DataLoaders: Hugging Face's, or any class with the
    # two methods.
    if hasattr(made, "__getitems__") or (
        hasattr(made, "__getitem__") and hasattr(made, "__len__") and not hasattr(made, "__iter__")
    ):
        try:
            import torch  # noqa: F401
        except ImportError:
            raise lack(
                "torch", f"{call} returns a data set, which takes torch's DataLoader"
            ) from None
        import torch.utils.data  # noqa: F401, F811

        return DATASET
    if hasattr(made, "__iter__") and not isinstance(made, (str, bytes)):
        return ITERABLE
    raise scenario(
        "{} returns {} ({}), not a Dataset, a DataLoader or an iterable of batches".format(
            call, "nothing" if made is None else "an object", type(made).__name__
        ),
        "return one of these",
    )
