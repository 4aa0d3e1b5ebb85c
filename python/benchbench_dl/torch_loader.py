"""A DataLoader with some of its settings changed: made of a Dataset, or copied from the user's own.

A DataLoader is copied, not constructed: subclasses have constructors of their own. Its own sampler,
batch_sampler, collate_fn, worker_init_fn and generator stay."""

import copy
import sys

from .sources import is_iterable_style

KEYS = (
    "num_workers",
    "batch_size",
    "prefetch_factor",
    "persistent_workers",
    "pin_memory",
    "in_order",
    "drop_last",
    "shuffle",
    "multiprocessing_context",
)
_CONTEXT = "_DataLoader__multiprocessing_context"


def _data():
    import torch.utils.data

    return torch.utils.data


def knows_in_order():
    """Since torch 2.7."""
    import inspect

    return "in_order" in inspect.signature(_data().DataLoader.__init__).parameters


def _is_of_torch(sampler, kind):
    """Made by a DataLoader itself, not by the user: torch's own, or torchdata's twin of it."""
    known = type(sampler).__name__ == kind and type(sampler).__module__.split(".")[0] in (
        "torch",
        "torchdata",
    )
    return (
        known
        and not getattr(sampler, "replacement", False)
        and getattr(sampler, "_num_samples", None) is None
    )


def shuffles(loader):
    """None: a sampler of the user's own decides."""
    if has_own_batch_sampler(loader) or is_iterable_style(loader.dataset):
        return None
    if _is_of_torch(loader.sampler, "RandomSampler"):
        return True
    return False if _is_of_torch(loader.sampler, "SequentialSampler") else None


def has_own_batch_sampler(loader):
    return loader.batch_size is None and loader.batch_sampler is not None


def batch_size_of(loader):
    """Its own or its batch_sampler's; None: not known."""
    return getattr(loader, "batch_size", None) or getattr(
        getattr(loader, "batch_sampler", None), "batch_size", None
    )


def prefetched(loader):
    """Returns how many batches its workers are ahead at most."""
    return loader.num_workers * (loader.prefetch_factor or 2)


def start_method(loader):
    """None: Python's own."""
    context = getattr(loader, "multiprocessing_context", None)
    return context.get_start_method() if context is not None else None


def own_settings(loader):
    workers = loader.num_workers
    return {
        "num_workers": workers,
        "batch_size": loader.batch_size,
        "prefetch_factor": loader.prefetch_factor if workers else None,
        "persistent_workers": bool(loader.persistent_workers),
        "pin_memory": bool(loader.pin_memory),
        "in_order": getattr(loader, "in_order", None),
        "drop_last": bool(loader.drop_last),
        "shuffle": shuffles(loader),
        "multiprocessing_context": start_method(loader),
    }


def fixed_settings(made, call):
    """{key: why it cannot be given}, of a Dataset or a DataLoader."""
    import torch

    fixed = {}
    is_loader = isinstance(made, _data().DataLoader)
    dataset = made.dataset if is_loader else made
    if is_iterable_style(dataset):
        fixed["shuffle"] = f"{call} returns an IterableDataset, which decides the order itself"
    if is_loader and has_own_batch_sampler(made):
        why = f"{call} returns a DataLoader with its own batch_sampler"
        fixed.update(batch_size=why, shuffle=why, drop_last=why)
    elif is_loader and "shuffle" not in fixed and shuffles(made) is None:
        fixed["shuffle"] = f"{call} returns a DataLoader with its own sampler"
    if is_loader and made.batch_size is None and made.batch_sampler is None:
        why = f"{call} returns a DataLoader with batch_size=None: its data set makes the batches"
        fixed.update(batch_size=why, drop_last=why)
        if shuffles(made) is None:
            fixed.setdefault("shuffle", why)
    if not knows_in_order():
        fixed["in_order"] = f"torch {torch.__version__} has no in_order, which came with 2.7"
    return fixed


NO_ACCELERATOR = "torch sees no accelerator here"


def applicable(settings, fixed, num_workers):
    """(what is applied, what is not: sentences). Absent and None leave the loader's own."""
    given = {key: settings[key] for key in KEYS if settings.get(key) is not None}
    dropped = []
    for key in list(given):
        why = fixed.get(key)
        if why is None and given.get("num_workers", num_workers) == 0:
            why = _needs_workers(key, given[key])
        if why is None and key == "pin_memory" and given[key] and not can_pin():
            why = NO_ACCELERATOR
        if why:
            dropped.append(f"{key} {_spelt(given.pop(key))} is not applied: {why}")
    return given, dropped


def _needs_workers(key, value):
    if (
        key in ("prefetch_factor", "multiprocessing_context")
        or (key == "persistent_workers" and value)
        or (key == "in_order" and not value)
    ):
        return "there are no workers at num_workers 0"
    return None


def _spelt(value):
    return str(value).lower() if isinstance(value, bool) else value


def can_pin():
    import torch

    accelerator = getattr(torch, "accelerator", None)
    return torch.cuda.is_available() or bool(accelerator and accelerator.is_available())


def built(dataset, settings):
    """Of a Dataset. `settings` as applicable() left them."""
    return _data().DataLoader(dataset, **settings)


def copied(loader, settings):
    """A shallow copy with `settings`; `loader` stays as it is."""
    made = copy.copy(loader)
    state = made.__dict__  # DataLoader.__setattr__ refuses some of these after construction
    state["_iterator"] = None
    direct = ("num_workers", "prefetch_factor", "persistent_workers", "pin_memory", "in_order")
    state.update({key: settings[key] for key in direct if key in settings})
    if state["num_workers"] == 0:
        state["persistent_workers"] = False
        state[_CONTEXT] = None
    else:
        if state.get("prefetch_factor") is None:
            state["prefetch_factor"] = 2
        if "multiprocessing_context" in settings:
            made.multiprocessing_context = settings["multiprocessing_context"]
    if {"batch_size", "drop_last", "shuffle"} & set(settings):
        _resample(made, settings)
    return made


def _resample(made, settings):
    state = made.__dict__
    if "shuffle" in settings and settings["shuffle"] != shuffles(made):
        samplers = sys.modules[type(state["sampler"]).__module__]
        if settings["shuffle"]:
            state["sampler"] = samplers.RandomSampler(made.dataset, generator=made.generator)
        else:
            samplers = samplers if hasattr(samplers, "SequentialSampler") else _data()
            state["sampler"] = samplers.SequentialSampler(made.dataset)
    state.update({key: settings[key] for key in ("batch_size", "drop_last") if key in settings})
    if state["batch_sampler"] is not None:
        kind = type(state["batch_sampler"])
        state["batch_sampler"] = kind(state["sampler"], state["batch_size"], state["drop_last"])
