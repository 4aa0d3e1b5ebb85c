"""Packages that an ecosystem imports and that its format's reader and writer do not use: torch,
cloud clients.

Where they are absent, an empty module takes their place, whose every name is an empty class."""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types


class _Anything(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"__class_getitem__": classmethod(lambda cls, item: cls)})
        setattr(self, name, made)
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, packages):
        self.packages = packages

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.packages:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Anything(spec.name)

    def exec_module(self, module):
        pass


def stand_in_for(*packages):
    absent = [p for p in packages if p not in sys.modules and importlib.util.find_spec(p) is None]
    if absent:
        sys.meta_path.append(_Finder(absent))
