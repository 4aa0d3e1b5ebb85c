"""The observer finds where things are in the user's files."""

import functools
import importlib.util
import os
import sys
import tempfile
import textwrap
import unittest

import observed

from benchbench_dl import sources
from benchbench_dl.observe.observer import Observer
from benchbench_dl.sources import noting_loaders, show_as, where_of

SCRIPT = '''\
import functools
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Cats(Dataset):
    """A class."""

    def __init__(self):
        self.weight: int = 3
        self.length = 8

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return index


class Fast(DataLoader):
    def __init__(self, dataset, **settings):
        super().__init__(dataset, **settings)


def collate(items):
    return items


def make_data():
    return DataLoader(
        Cats(),
        batch_size=2)


def make_fast():
    return Fast(Cats(), batch_size=4)


def make_plain():
    return DataLoader(TensorDataset(torch.zeros(8)))


class Cats2(Cats):
    pass
'''


def load():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "train.py")
    with open(path, "w") as file:
        file.write(SCRIPT)
    spec = importlib.util.spec_from_file_location("users_train", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["users_train"] = module
    with noting_loaders():
        spec.loader.exec_module(module)
        module.loaders = [module.make_data(), module.make_fast(), module.make_plain()]
    return path, module


class Sources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path, cls.module = load()
        show_as(cls.path, "configs/train.py")

    def test_where_a_loader_is_made(self):
        self.assertEqual(
            [where_of(loader) for loader in self.module.loaders],
            [f"configs/train.py:{line}" for line in (30, 36, 40)],
        )

    def test_a_loader_made_later_is_not_known(self):
        self.assertIsNone(where_of(self.module.make_data()))

    def test_a_copy_is_where_the_original_is(self):
        attached = Observer(True).attach(self.module.loaders[0])
        self.assertEqual(where_of(attached), "configs/train.py:30")

    def test_classes_methods_functions(self):
        module = self.module
        self.assertEqual(where_of(module.Cats), "configs/train.py:6")
        self.assertEqual(where_of(module.Cats()), "configs/train.py:6")
        self.assertEqual(where_of(module.Cats2), "configs/train.py:43")
        self.assertEqual(where_of(module.Cats.__getitem__), "configs/train.py:16")
        self.assertEqual(where_of(module.Cats2().__getitem__), "configs/train.py:16")
        self.assertEqual(where_of(functools.partial(module.collate, 1)), "configs/train.py:25")

    def test_what_is_not_the_users(self):
        for thing in (
            observed.torch.utils.data.TensorDataset,
            observed.torch.utils.data.TensorDataset.__getitem__,
            len,
            dict,
            observed.Observer,
            textwrap.dedent,
            3,
            object(),
        ):
            self.assertIsNone(where_of(thing), thing)

    def test_attributes(self):
        self.assertEqual(
            sources.attribute_assigned(self.module.Cats2, "length"), "configs/train.py:11"
        )
        self.assertEqual(
            sources.attribute_assigned(self.module.Cats, "weight"), "configs/train.py:10"
        )
        self.assertIsNone(sources.attribute_assigned(self.module.Cats, "absent"))

    def test_the_class_of_torch_is_as_it_was(self):
        before = observed.DataLoader.__init__
        with noting_loaders():
            self.assertIsNot(observed.DataLoader.__init__, before)
        self.assertIs(observed.DataLoader.__init__, before)
        self.assertFalse([finder for finder in sys.meta_path if isinstance(finder, noting_loaders)])

    def test_a_file_below_the_folder_is_shown_relative_to_it(self):
        self.assertEqual(
            sources.shown(os.path.join(os.getcwd(), "a", "b.py")), os.path.join("a", "b.py")
        )
        self.assertEqual(sources.shown("/elsewhere/b.py"), "/elsewhere/b.py")


class FirstImport(unittest.TestCase):
    def test_torch_that_is_imported_by_the_script(self):
        """Runs a process of its own, since torch is imported already in this one."""
        tests = os.path.dirname(os.path.abspath(observed.__file__))
        code = textwrap.dedent(
            f"""
            import sys
            sys.path.insert(0, {os.path.dirname(tests)!r})
            from benchbench_dl.sources import noting_loaders, where_of
            assert "torch" not in sys.modules
            with noting_loaders() as noting:
                import torch
                loader = torch.utils.data.DataLoader([1, 2])
            assert noting not in sys.meta_path
            assert not hasattr(torch.utils.data.DataLoader.__init__, "__wrapped__")
            print(where_of(loader))
            """
        )
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "script.py")
            with open(path, "w") as file:
                file.write(code)
            printed = observed.run_python(path, cwd=folder)
        self.assertEqual(printed, "script.py:8")


if __name__ == "__main__":
    unittest.main()
