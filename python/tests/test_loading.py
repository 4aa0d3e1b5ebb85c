"""`load` and `check`: the user's code is found, called, and described."""

import unittest

from child import ChildTest, torch
from rows import only_all, sample

DATA = """
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Squares(Dataset):
        def __init__(self, size):
            self.size = size
        def __len__(self):
            return self.size
        def __getitem__(self, index):
            return torch.tensor([index, index * index]), index % 3

    def make_data(size=12, root=None):
        return Squares(size)

    def make_loader(root, size=12):
        return DataLoader(Squares(size), batch_size=4, shuffle=True, num_workers=2)

    def make_two():
        return Squares(3), Squares(5)

    def train_step(batch):
        return batch[0].float().mean()

    def train_step_with_state(batch, state):
        return batch[0].float().mean()
"""


class Loading(ChildTest):
    def test_dataset(self):
        loader = self.loaded(self.child(DATA))["loader"]
        self.assertEqual(
            ("Dataset", 12, {}), tuple(loader[key] for key in ("kind", "length", "own"))
        )
        self.assertEqual("train.py:9", loader["getitem_where"])

    def test_dataloader(self):
        loader = self.loaded(self.child(DATA), "make_loader", root="/data")["loader"]
        self.assertEqual(("DataLoader", 12), (loader["kind"], loader["length"]))
        own = loader["own"]
        self.assertEqual(
            (2, 4, 2, False, True, False),
            tuple(
                own[key]
                for key in (
                    "num_workers",
                    "batch_size",
                    "prefetch_factor",
                    "persistent_workers",
                    "shuffle",
                    "drop_last",
                )
            ),
        )
        self.assertIsNone(own["multiprocessing_context"])

    def test_step_and_versions(self):
        message = self.loaded(self.child(DATA), step="train_step_with_state", setup="train_step")
        self.assertIn("torch " + torch.__version__, message["versions"])

    @only_all
    def test_a_fresh_interpreter(self):
        child = self.child(DATA, fresh=True)
        self.assertEqual((1, child.pid), (child.hello["protocol"], child.hello["pid"]))
        self.assertEqual("Dataset", self.loaded(child)["loader"]["kind"])

    def test_arguments(self):
        child = self.child(DATA)
        self.assertEqual(7, self.loaded(child, args={"size": 7})["loader"]["length"])
        self.error(
            child.load(args={"sise": 7}),
            "scenario",
            "make_data does not take 'sise'",
            "did you mean 'size'?",
        )
        self.error(
            child.load("make_loader"), "scenario", "make_loader needs 'root'", "dataset.path"
        )
        self.error(
            child.load(args={"size": 0}),
            "scenario",
            "make_data returns a Dataset without samples",
            "train.py:4",
        )

    def test_wrong_names(self):
        child = self.child(DATA)
        self.error(
            child.load("make_dat"),
            "scenario",
            "train.py has no 'make_dat' (loader.call)",
            "did you mean 'make_data'?",
        )
        self.error(child.load("torch.nothing"), "scenario", "train.py has no 'torch.nothing'")
        self.error(
            child.load(step="train_stp"), "scenario", "(trainer.call)", "did you mean 'train_step'?"
        )
        self.error(
            child.load(step="train_step", setup="make_date"),
            "scenario",
            "(trainer.setup)",
            "did you mean 'make_data'?",
        )
        self.error(
            child.load(script="trian.py"),
            "scenario",
            "there is no script trian.py",
            "did you mean 'train.py'?",
        )
        self.error(
            child.load(step="train_step_with_state"),
            "scenario",
            "needs a second argument",
            "trainer.setup",
        )
        self.error(
            child.load(step="make_two"),
            "scenario",
            "make_two takes no batch",
            "def make_two(batch)",
        )

    def test_pick(self):
        child = self.child(DATA)
        self.error(
            child.load("make_two"),
            "scenario",
            "make_two returns 2 objects: Squares, Squares",
            "pick: 0",
        )
        self.assertEqual(5, self.loaded(child, "make_two", pick=1)["loader"]["length"])
        self.error(child.load("make_two", pick=2), "scenario", "returns 2 objects, and pick is 2")
        self.error(child.load(pick=0), "scenario", "make_data returns one Squares, and pick is 0")

    def test_what_no_loader_is(self):
        child = self.child(
            "def make_data(): pass\ndef make_number(): return 3\ndef make_dict(): return {'train': "
            "1}\n"
        )
        self.error(child.load(), "scenario", "make_data returns nothing (NoneType), not a Dataset")
        self.error(
            child.load("make_number"),
            "scenario",
            "make_number returns an object (int), not a Dataset",
        )
        self.error(child.load("make_dict"), "scenario", "make_dict returns a dict: train")

    def test_check_calls_with_the_arguments(self):
        child = self.child(DATA)
        asked = {"script": "train.py", "call": "make_data"}
        child.send("check", loader=dict(asked, args={"size": 3}))
        message = child.answer("checked")
        self.assertEqual("checked", message["type"], message)
        self.assertEqual(3, message["loader"]["length"])
        child.send("check", loader=dict(asked, args={"dept": 1}))
        self.error(child.answer("checked"), "scenario", "does not take 'dept'")

    def test_check_of_names_calls_nothing(self):
        child = self.child("def make_data(): raise ValueError('called')\ndef step(batch): pass\n")
        asked = {
            "loader": {"script": "train.py", "call": "make_data"},
            "trainer": {"script": "train.py", "call": "step"},
        }
        child.send("check", names_only=True, **asked)
        self.assertEqual("checked", child.answer("checked")["type"])
        child.send(
            "check",
            names_only=True,
            **dict(asked, trainer={"script": "train.py", "call": "step", "setup": "setpu"}),
        )
        self.error(child.answer("checked"), "scenario", "train.py has no 'setpu' (trainer.setup)")

    def test_module(self):
        child = self.child(files={"my_pkg/__init__.py": "", "my_pkg/data.py": DATA})
        message = self.loaded(child, script=None, module="my_pkg.data")
        self.assertEqual("my_pkg/data.py:9", message["loader"]["getitem_where"])
        self.error(
            child.load(script=None, module="my_pgk.data"), "scenario", "there is no module 'my_pgk'"
        )

    def test_neighbours_are_found_and_loaded_once(self):
        child = self.child(
            "from sizes import size\nprint('loaded')\ndef make_data(): return [[size]]\ndef "
            "step(batch): pass\n",
            files={"sizes.py": "size = 3\n"},
        )
        self.assertEqual("iterable", self.loaded(child, step="step")["loader"]["kind"])
        self.assertEqual(1, child.output().count("loaded"))

    def test_two_scripts(self):
        child = self.child(
            DATA,
            files={
                "models/step.py": "from layers import depth\ndef step(batch): return depth\n",
                "models/layers.py": "depth = 4.0\n",
            },
        )
        child.send(
            "load",
            loader={"script": "train.py", "call": "make_data"},
            device="cpu",
            trainer={"script": "models/step.py", "call": "step"},
        )
        self.assertEqual("loaded", child.answer("loaded")["type"])
        self.assertEqual(4.0, self.result(child, "all in Python", {"num_workers": 0})["loss_last"])


class TrainingOnImport(ChildTest):
    LOOP = (
        DATA
        + """
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.{optimizer}(model.parameters(), lr=0.1)
    def train():
        for x, y in {data}:
            model(x.float()).sum().backward()
            optimizer.step()
    """
    )

    def script(self, call, data="make_loader('')", optimizer="SGD"):
        return self.LOOP.format(data=data, optimizer=optimizer) + call

    def refused(self, child, what):
        self.error(
            child.load(),
            "scenario",
            f"train.py {what} while it is imported",
            'if __name__ == "__main__":',
            "train.py:",
        )

    def test_is_refused(self):
        for fresh in sample((False, True)):
            self.refused(self.child(self.script("train()"), fresh=fresh), "iterates a DataLoader")

    def test_optimizers_are_noticed(self):
        for optimizer, fresh in sample((("SGD", False), ("Adam", True))):
            script = self.script("train()", "[(torch.ones(1, 2), 0)]", optimizer)
            self.refused(self.child(script, fresh=fresh), "steps an optimizer")

    def test_swallowing_it_does_not_help(self):
        swallow = "try:\n        train()\n    except:\n        pass\n"
        self.refused(self.child(self.script(swallow)), "iterates a DataLoader")

    def test_a_guarded_script_is_loaded_and_trains_later(self):
        step = (
            "\n    def step(batch):\n        optimizer.step()\n"
            "    if __name__ == '__main__':\n        train()\n"
        )
        child = self.child(self.script(step))
        self.loaded(child, step="step")
        self.result(child, "all in Python", {"num_workers": 0, "batch_size": 2})


class Failing(ChildTest):
    def load_of(self, script, **members):
        return self.child(script).load(**members)

    def test_syntax(self):
        message = self.error(
            self.load_of("def make_data(:\n  pass\n"), "user", "SyntaxError", "def make_data(:"
        )
        self.assertEqual("train.py:1", message["where"])

    def test_exception_while_imported(self):
        message = self.error(
            self.load_of("def f():\n  raise ValueError('no table')\nf()\n"),
            "user",
            "ValueError: no table",
            "line 3, in <module>",
            "line 2, in f",
        )
        self.assertEqual("train.py:2", message["where"])

    def test_a_package_that_is_missing(self):
        self.error(
            self.load_of("import torchnothing.data\n"),
            "lack",
            "needs torchnothing, which",
            "does not have (train.py:1): pip install torchnothing",
            "train.py:1",
        )
        self.error(self.load_of("import json.nothing\n"), "user", "json.nothing")

    OWN = (
        "class Data:\n  def __len__(self): return 3\n  def __getitem__(self, i): return i\n"
        "def make_data(): return Data()\n"
    )

    def test_a_data_set_without_torch(self):
        absent = "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n"
        self.error(
            self.child(self.OWN, files={"torch.py": absent}, fresh=True).load(),
            "lack",
            "needs torch, which",
            "make_data returns a data set, which takes torch's DataLoader): pip install torch",
        )

    @only_all
    def test_torch_that_the_script_does_not_import(self):
        self.assertEqual("Dataset", self.loaded(self.child(self.OWN, fresh=True))["loader"]["kind"])

    def test_exit(self):
        self.error(
            self.load_of("import sys\nsys.exit('usage: train.py FILE')\n"),
            "user",
            "train.py calls sys.exit('usage: train.py FILE')",
            'if __name__ == "__main__":',
            "train.py:2",
        )

    def test_exception_in_init(self):
        script = (
            "class Data:\n  def __init__(self):\n    open('/nowhere')\n"
            "def make_data():\n  return Data()\n"
        )
        message = self.error(
            self.load_of(script), "user", "FileNotFoundError", "in make_data", "in __init__"
        )
        self.assertEqual("train.py:3", message["where"])

    def test_causes_are_kept(self):
        script = (
            "def make_data():\n  try:\n    {}['x']\n  except KeyError as error:\n"
            "    raise RuntimeError('no x') from error\n"
        )
        self.error(
            self.load_of(script), "user", "KeyError: 'x'", "direct cause", "RuntimeError: no x"
        )

    def test_an_error_leaves_the_child_ready(self):
        child = self.child("def make_data():\n  return [[1, 2]]\ndef fail():\n  1 / 0\n")
        self.error(child.load("fail"), "user", "ZeroDivisionError")
        self.loaded(child)

    def test_unknown_requests_are_ours(self):
        child = self.child("")
        child.send("dance")
        self.assertEqual("internal", child.answer("nothing")["kind"])


if __name__ == "__main__":
    unittest.main()
