"""benchbench_dl imports in one direction, and nothing but the standard library of Python."""

import ast
import os
import sys
import unittest

PACKAGE = "benchbench_dl"
FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), PACKAGE)
# The folders that each may import besides itself and the modules at the top.
BELOW = {"": (), "observe": (), "serve": ("observe",), "wrap": ("observe",)}


def read_modules():
    """Yields each module's name, its package's, and its tree."""
    for folder, _, files in os.walk(FOLDER):
        path = os.path.relpath(folder, os.path.dirname(FOLDER)).split(os.sep)
        for file in sorted(files):
            if file.endswith(".py"):
                name = path if file == "__init__.py" else path + [file[:-3]]
                with open(os.path.join(folder, file)) as opened:
                    yield ".".join(name), path, ast.parse(opened.read())


def nodes_at_import(tree):
    """Returns the nodes that run when the module is imported: none within a function."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    left, found = [tree], set()
    while left:
        node = left.pop()
        found.add(node)
        left += [one for one in ast.iter_child_nodes(node) if not isinstance(one, functions)]
    return found


def list_names(node, package):
    """Returns (module, name in it) for each name of an import, in full."""
    if isinstance(node, ast.Import):
        return [(alias.name, None) for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    above = package[: len(package) - node.level + 1] if node.level else []
    module = ".".join(above + ([node.module] if node.module else []))
    return [(module, alias.name) for alias in node.names]


def read_imports(found):
    """Returns {module: the modules of ours that it imports, within functions too}."""
    names = {name for name, _, _ in found}
    graph = {}
    for name, package, tree in found:
        pairs = [pair for node in ast.walk(tree) for pair in list_names(node, package)]
        full = [f"{module}.{part}" if part else module for module, part in pairs]
        full = [one if one in names else one.rpartition(".")[0] for one in full]
        graph[name] = {one for one in full if one in names and one != name}
    return graph


def find_circle(graph):
    """Returns modules that import each other in a circle, the first one again in the end; [] where
    there is none."""
    done, path = set(), []

    def look_from(name):
        if name in path:
            return path[path.index(name) :] + [name]
        if name in done:
            return []
        path.append(name)
        circles = [circle for circle in map(look_from, sorted(graph[name])) if circle]
        path.pop()
        done.add(name)
        return circles[0] if circles else []

    return next((circle for circle in map(look_from, sorted(graph)) if circle), [])


def find_folder(name):
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in BELOW else ""


class Imports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.modules = list(read_modules())
        cls.graph = read_imports(cls.modules)

    def test_none_is_in_a_circle(self):
        self.assertGreater(len(self.graph), 60)
        self.assertEqual([], find_circle(self.graph))

    def test_folders_import_what_is_below_them(self):
        wrong = [
            (name, other)
            for name, others in self.graph.items()
            for other in sorted(others)
            if find_folder(other) not in ("", find_folder(name)) + BELOW[find_folder(name)]
        ]
        self.assertEqual([], wrong)

    @unittest.skipUnless(hasattr(sys, "stdlib_module_names"), "this Python has no list of its own")
    def test_only_the_standard_library_at_import(self):
        known = sys.stdlib_module_names | {PACKAGE}
        wrong = [
            (name, module)
            for name, package, tree in self.modules
            for node in nodes_at_import(tree)
            for module, _ in list_names(node, package)
            if module.split(".")[0] not in known
        ]
        self.assertEqual([], wrong)

    def test_circles_are_seen(self):
        graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}
        self.assertEqual(["b", "c", "b"], find_circle(graph))
        self.assertEqual([], find_circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}))


if __name__ == "__main__":
    unittest.main()
