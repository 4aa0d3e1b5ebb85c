"""Several trials in one process: nothing of one reaches the next, and what could is named."""

import os
import unittest

from child import ChildTest

DATA = """
    import functools, gc, multiprocessing, os, random, sys, threading, time
    import numpy, torch
    from torch.utils.data import DataLoader, Dataset

    CACHE, SEEN = {}, []
    DRAWS, ARRAY, TENSOR = random.Random(1), numpy.zeros(4), torch.zeros(4)
    MODEL = torch.nn.Linear(4, 4)
    KEPT = []

    class Data(Dataset):
        read = 0
        def __init__(self, how):
            self.how, self.own = how, {}
        def __len__(self):
            return 64
        def __getitem__(self, index):
            self.own[index] = index   # of this Dataset alone
            if self.how == "class":
                Data.read += 1
            if self.how == "cache":
                CACHE.setdefault(index, torch.zeros(4))
            if self.how == "default":
                noted(index)
            if self.how == "memo":
                squared(index)
            if self.how == "generator":
                DRAWS.random()
            if self.how == "array":
                ARRAY[0] += 1
            if self.how == "data":
                TENSOR.data += 1       # its version stays
            return torch.full((4,), float(index))

    def noted(index, before=[]):
        before.append(index)

    @functools.lru_cache(maxsize=None)
    def squared(index):
        return index * index

    def patched(self):
        return iter(())

    def make_data(how="plain"):
        data = Data(how)
        if how == "kept":
            threading.kept = data     # by a module that is not the user's
        if how == "thread":
            threading.Thread(target=time.sleep, args=(1000,), name="prefetch", daemon=True).start()
        if how == "fork":
            if os.fork() == 0:
                time.sleep(1000)
        if how == "process":
            multiprocessing.get_context("fork").Process(target=time.sleep, args=(1000,)).start()
        if how == "patch":
            DataLoader.check_worker_number_rationality = patched
        if how == "settings":
            os.environ["OMP_NUM_THREADS"] = "7"
            os.environ.pop("HOME", None)
            os.chdir("/")
            sys.path.insert(0, "/nowhere")
            torch.set_default_dtype(torch.float64)
            torch.set_num_threads(torch.get_num_threads() + 1)
            torch.backends.cudnn.benchmark = True
            torch.use_deterministic_algorithms(False)
            torch.set_autocast_cpu_enabled(True)
            gc.disable()
        if how == "fork by name":
            multiprocessing.set_start_method("fork")
        if how == "spawn":
            multiprocessing.set_start_method("spawn")
        if how == "cpus":
            os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
        if how == "memory":
            threading.ballast = bytearray(b"1") * (400 << 20)
        return data

    def make_draws():
        print("drawn", torch.rand(1).item(), numpy.random.rand(), random.random())
        return Data("plain")

    def setup(device):
        return {"model": torch.nn.Linear(4, 4), "device": device}

    def setup_global(device):
        return {"model": MODEL, "device": device}

    def setup_kept(device):
        state = setup(device)
        threading.kept = state["model"]
        return state

    def step(batch, state):
        loss = state["model"](batch).sum()
        loss.backward()
        with torch.no_grad():
            for parameter in state["model"].parameters():
                parameter -= 0.01 * parameter.grad
        return loss

    def settings():
        return (dict(os.environ), os.getcwd(), list(sys.path), torch.get_default_dtype(),
                torch.get_num_threads(), torch.backends.cudnn.benchmark, gc.isenabled(),
                torch.is_autocast_cpu_enabled(), torch.are_deterministic_algorithms_enabled(),
                torch.is_deterministic_algorithms_warn_only_enabled())

    torch.use_deterministic_algorithms(True, warn_only=True)
    BEFORE = settings()

    def make_checked():
        if settings() != BEFORE:
            raise RuntimeError("%s is not %s" % (settings(), BEFORE))
        return Data("plain")
"""


class Sharing(ChildTest):
    def trial(self, child, workers=0, step=None, setup=None, call="make_data", **args):
        """One trial, and what it left."""
        self.loaded(child, call=call, step=step, setup=setup, rests=True, args=args)
        way = "all in Python" if step else "self-timed"
        message = self.result(child, way, {"num_workers": workers, "batch_size": 4})
        child.send("rest")
        return message, child.answer("rested")["left"]

    def left_by(self, *args, **kwargs):
        return self.trial(self.child(DATA), *args, **kwargs)[1]

    def test_trials_of_each_way_follow_each_other(self):
        child = self.child(DATA)
        for workers, step in ((0, None), (2, None), (0, "step"), (2, "step"), (0, None)):
            message, left = self.trial(child, workers, step, "setup" if step else None)
            self.assertEqual([], left)
            self.assertEqual(4 * message["steps"], message["samples"])
        self.assertEqual("bye", child.stop()["type"])

    def test_a_model_is_new_and_so_are_the_draws(self):
        child = self.child(DATA)
        losses = [self.trial(child, 0, "step", "setup")[0]["loss_first"] for _ in range(2)]
        self.assertEqual(*losses)
        for _ in range(2):
            self.assertEqual([], self.trial(child, call="make_draws")[1])
        drawn = [line for line in child.output().splitlines() if line.startswith("drawn")]
        self.assertEqual(2, len(drawn))
        self.assertEqual(*drawn)

    def test_state_of_modules_is_named(self):
        names = {
            "cache": "CACHE",
            "class": "Data",
            "default": "noted",
            "memo": "squared",
            "generator": "DRAWS",
            "array": "ARRAY",
            "data": "TENSOR",
        }
        for how, name in names.items():
            self.assertIn(f"train.py: {name} was changed", self.left_by(how=how), how)

    def test_weights_of_a_module_are_named(self):
        self.assertEqual(
            ["train.py: MODEL was changed"], self.left_by(step="step", setup="setup_global")
        )

    def test_objects_that_are_still_held_are_named(self):
        self.assertEqual(["what make_data returned is still held"], self.left_by(how="kept"))
        self.assertEqual(
            ["what setup returned is still held"], self.left_by(step="step", setup="setup_kept")
        )

    def test_workers_end_and_what_goes_on_is_named(self):
        child = self.child(DATA)
        self.assertEqual([], self.trial(child, 2)[1])
        self.assertEqual([child.pid], child.processes())
        self.assertEqual(["the thread prefetch goes on"], self.left_by(how="thread"))
        [left] = self.left_by(how="fork")
        self.assertRegex(left, r"^process \d+ goes on$")

    def test_processes_of_multiprocessing_are_ended(self):
        child = self.child(DATA)
        self.assertEqual([], self.trial(child, how="process")[1])
        self.assertEqual([child.pid], child.processes())

    def test_settings_of_the_process_are_put_back(self):
        child = self.child(DATA)
        self.assertEqual([], self.trial(child, how="settings")[1])
        self.assertEqual([], self.trial(child, call="make_checked")[1])

    def test_hooks_of_ours_are_gone_and_others_are_named(self):
        child = self.child(DATA)
        self.assertEqual([], self.trial(child, 2)[1])  # observed
        self.assertEqual(
            ["torch.utils.data.DataLoader.check_worker_number_rationality was replaced"],
            self.trial(child, how="patch")[1],
        )

    def test_memory_that_grew_is_named(self):
        child = self.child(DATA)
        self.assertEqual([], self.trial(child)[1])
        [left] = self.trial(child, how="memory")[1]
        self.assertRegex(left, r"^this process has \d+ MiB more than after the first trial$")

    def test_what_a_function_imports_is_named(self):
        late = "def make_data():\n    import other\n    return other.make()\n"
        other = "import torch\ndef make():\n    return torch.zeros(16, 4)\n"
        child = self.child(late, files={"other.py": other})
        self.loaded(child, rests=True)
        child.send("rest")
        self.assertIn(
            "other.py was imported by a function of yours", child.answer("rested")["left"]
        )

    def test_a_start_method_is_put_back_where_it_is_the_default(self):
        child = self.child(DATA)
        for _ in range(2):
            self.assertEqual([], self.trial(child, 2, how="fork by name")[1])
        self.assertEqual(
            ["multiprocessing's start method could not be put back"], self.left_by(how="spawn")
        )

    def test_a_set_of_cpus_that_was_changed_is_named(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("there is one CPU")
        self.assertEqual(["the set of CPUs could not be put back"], self.left_by(how="cpus"))

    def test_what_cannot_be_looked_through_is_named(self):
        for made, why in (
            ("[[] for _ in range(300000)]", "there is too much of it"),
            ("bytes(65 << 20)", "there is too much of it"),
            ("torch.zeros(17 << 20)", "there is too much of it"),
            ("torch.zeros(4).share_memory_()", "a tensor in shared memory"),
            ("numpy.memmap(tempfile.TemporaryFile(), shape=4)", "a numpy.memmap"),
            ("multiprocessing.Value('i')", "a ctypes.c_int"),
            ("[array.array('i', [1])]", "a array.array"),
            ("queue.Queue()", "a _thread.lock"),
            ("threading.local()", "a _thread._local"),
            ("(ctypes.c_int * 4)()", "c_int_Array_4"),
            ("itertools.count()", "a itertools.count"),
            ("iter([1])", "a builtins.list_iterator"),
        ):
            more = (
                "\n    import array, ctypes, itertools, queue, tempfile\n    HIDDEN = "
                + made
                + "\n"
            )
            [left] = self.left_by_script(DATA + more)
            self.assertRegex(left, "^train.py: HIDDEN cannot be looked through: ", made)
            self.assertIn(why, left, made)

    def test_common_globals_can_be_looked_through(self):
        more = """
    import argparse, collections, dataclasses, enum, logging, pathlib, re, typing
    from torch.nn import functional
    from torch.nn.functional import relu

    @dataclasses.dataclass
    class Options:
        lr: float = 0.1
        sizes: typing.List[int] = dataclasses.field(default_factory=list)

    class Split(enum.Enum):
        TRAIN = "train"

    class Registry(collections.UserDict):
        pass

    Point = collections.namedtuple("Point", "x y")
    ARGUMENTS = argparse.ArgumentParser().parse_args([])
    LOG, FILES, NAME = logging.getLogger("a"), pathlib.Path("a"), re.compile("a")
    OPTIONS, SPLIT, REGISTRY, POINT = Options(), Split.TRAIN, Registry(a=1), Point(1, 2)
    LOSS, OPTIMIZER = torch.nn.CrossEntropyLoss(), torch.optim.SGD(MODEL.parameters(), lr=0.1)
    DEVICE, TYPE, SIZE = torch.device("cpu"), torch.float32, torch.Size([1])
    GROUPS, COUNTS, APPEND = collections.defaultdict(list), collections.Counter("a"), SEEN.append
    NUMBER, PLAIN, LOADER = numpy.float32(1), object(), DataLoader([1, 2])
"""
        self.assertEqual([], self.left_by_script(DATA + more))

    def left_by_script(self, script):
        return self.trial(self.child(script))[1]


if __name__ == "__main__":
    unittest.main()
