"""What the figures are measured with."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def find_program():
    named = os.environ.get("BENCHBENCH_PROGRAM")
    if not named:
        subprocess.run(
            [os.path.join(ROOT, "scripts", "benchbench"), "--version"],
            stdout=subprocess.DEVNULL,
            check=True,
        )
    return named or os.path.join(ROOT, "build", "release", "bin", "benchbench")


def find_python():
    environment = os.environ.get("VIRTUAL_ENV")
    return os.environ.get("BENCHBENCH_PYTHON") or (
        os.path.join(environment, "bin", "python") if environment else "python3"
    )


def made_images(program):
    """Those of configs/python.yaml, made where they are not there yet."""
    words = [program, "data", os.path.join(ROOT, "configs", "python.yaml")]
    for line in subprocess.run(
        words, capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.splitlines():
        kind, _, path = line.partition("\t")
        if kind == "image_folder":
            return path
    sys.exit("benchbench data named no folder of images; use --images")
