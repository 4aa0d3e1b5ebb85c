"""Which Python files of the tree import which."""

import ast
import collections
import os
import re

# The interpreter looks for it on PYTHONPATH: an import of it means no file of the tree.
ON_THE_PATH = "sitecustomize"


def is_python(file, text):
    return file.endswith(".py") or (text or "").startswith("#!/usr/bin/env python3")


def modules_of(file):
    """Returns each name that an import may have for a file: a/b/c.py is c, b.c and a.b.c."""
    parts = re.sub(r"(/__init__)?\.py$", "", file).split("/")
    return [".".join(parts[at:]) for at in range(len(parts))]


def imported_names(file, text):
    """Yields dotted names; a relative one is made whole, from the top of the tree."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    folder = file.split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = folder[: len(folder) - node.level + 1] if node.level else []
            base = ".".join(package + list(filter(None, [node.module])))
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


class Imports:
    """The importers of each Python file of the tree."""

    def __init__(self, texts):
        """{name: text} of all of them."""
        named = collections.defaultdict(set)
        for file in texts:
            for name in modules_of(file):
                named[name].add(file)
        self.importers = collections.defaultdict(set)
        for file, text in texts.items():
            for name in set(imported_names(file, text)) - {ON_THE_PATH}:
                for other in self.meant(file, name, named):
                    self.importers[other].add(file)

    @staticmethod
    def meant(file, name, named):
        """Yields the file of that name in the same folder, else all of that name in the tree; and
        the same for each package above it."""
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            found = named.get(".".join(parts[:end]), set())
            near = {one for one in found if os.path.dirname(one) == os.path.dirname(file)}
            yield from near or found

    def reached_from(self, file):
        """Returns the file and all that import it, over others too."""
        reached, left = {file}, [file]
        while left:
            new = self.importers[left.pop()] - reached
            reached |= new
            left += new
        return reached
