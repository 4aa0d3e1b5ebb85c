"""Versions of Python and of the packages that matter, and what a process says hello with."""

import os
import sys

from . import PROTOCOL

PYTHON = "{}.{}.{}".format(*sys.version_info[:3])


def version_of(package):
    return str(getattr(sys.modules.get(package), "__version__", "")) or None


def versions():
    found = {"Python": PYTHON, "torch": version_of("torch")}
    found["torchvision"] = version_of("torchvision")
    return ", ".join(f"{name} {version}" for name, version in found.items() if version)


def describe_process():
    """Returns the members that each `hello` has."""
    return {
        "protocol": PROTOCOL,
        "python": PYTHON,
        "executable": sys.executable,
        "pid": os.getpid(),
    }
