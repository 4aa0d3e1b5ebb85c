"""Prints which packages this Python has, and what its torch sees: name TAB value."""

import os
import sys

try:
    from importlib.metadata import PackageNotFoundError, version
except ImportError:
    raise SystemExit("Python 3.8 or newer is needed") from None

NAMES = ("torch", "torchvision", "timm", "lightning", "transformers", "triton", "nvidia-nvjpeg")


def version_of(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


print(f"python\t{sys.version.split()[0]}")
for package in NAMES:
    print(f"{package}\t{version_of(package)}")
import torch  # noqa: E402

print(f"torch\t{torch.__version__}")
print(f"folder\t{os.path.dirname(torch.__file__)}")
print(f"device\t{'cuda' if torch.cuda.is_available() else 'cpu'}")
if torch.cuda.is_available():
    print(f"name\t{torch.cuda.get_device_name()}")
    print(f"cuda\t{torch.version.cuda}")
    print(f"cudnn\t{torch.backends.cudnn.version()}")
