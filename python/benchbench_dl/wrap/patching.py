"""Methods and functions of others that are replaced in place."""

import functools


def replace(owner, name, make):
    """`make(original)` takes its place; once."""
    original = owner.__dict__.get(name) if isinstance(owner, type) else getattr(owner, name, None)
    if original is None or getattr(original, "_benchbench", False):
        return
    unwrapped = original.__func__ if isinstance(original, (classmethod, staticmethod)) else original
    changed = make(unwrapped)
    try:
        functools.update_wrapper(changed, unwrapped)
    except (AttributeError, TypeError):
        pass
    changed._benchbench = True
    setattr(owner, name, changed if original is unwrapped else type(original)(changed))


def extend_to_subclasses(kind, names, change):
    """`change(subclass, name)` for those of `names` that a subclass defines itself, now or
    later."""

    def look_at(subclass):
        for name in names:
            if name in subclass.__dict__:
                change(subclass, name)

    def known(of):
        for subclass in of.__subclasses__():
            look_at(subclass)
            known(subclass)

    known(kind)

    def __init_subclass__(cls, **kwargs):
        super(kind, cls).__init_subclass__(**kwargs)
        look_at(cls)

    kind.__init_subclass__ = classmethod(__init_subclass__)
