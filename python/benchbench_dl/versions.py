"""Of Python and of the packages that matter."""

import sys


def version_of(package):
    return str(getattr(sys.modules.get(package), "__version__", "")) or None


def versions():
    parts = ["Python {}.{}.{}".format(*sys.version_info[:3])]
    for package in ("torch", "torchvision"):
        if version_of(package):
            parts.append(f"{package} {version_of(package)}")
    return ", ".join(parts)
