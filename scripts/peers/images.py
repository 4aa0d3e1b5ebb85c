"""The picture files of a folder, and orders without an end, so that no peer pays for the ends of a
short epoch."""

import os
import random


def list_images(settings):
    """[(path, class), ...], sorted; the class is the number of the file's folder."""
    folder = settings["folder"]
    classes = sorted(
        entry for entry in os.listdir(folder) if os.path.isdir(os.path.join(folder, entry))
    )
    return [
        (os.path.join(folder, name, file), number)
        for number, name in enumerate(classes)
        for file in sorted(os.listdir(os.path.join(folder, name)))
        if file.endswith(".jpg")
    ]


def endless_order(count):
    """Every index once an epoch, in another random order each."""
    generator = random.Random(0)
    while True:
        yield from generator.sample(range(count), count)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def finished(path, write):
    """Runs `write(partial)` unless `path` is there; it appears whole or not at all."""
    if os.path.exists(path):
        return
    partial = f"{path}.partial{os.getpid()}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write(partial)
    if os.path.exists(path):
        return  # another worker count's process was quicker
    os.rename(partial, path)
