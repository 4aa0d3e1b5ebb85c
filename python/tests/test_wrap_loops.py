"""Loops that are not epochs of a DataLoader: what is said of them, and that they end. Time passes
by the scripts' sleeps alone."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from wrap_driver import WrapTest

from benchbench_dl.wrap import iterators, steps

# `{loop}`: the script's, which may call step(batch)
SCRIPT = """
    import itertools, sys, time, torch
    from torch.utils.data import DataLoader, Dataset

    class Samples(Dataset):
        def __len__(self):
            return {length}

        def __getitem__(self, index):
            time.sleep(0.001)
            return torch.ones(8)

    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)

    def step(batch):
        time.sleep(0.02)
        model(batch).mean().backward()
        time.sleep(0.01)
        optimizer.step()

    loader = DataLoader(Samples(), batch_size=4, num_workers={workers})
    other = DataLoader(Samples(), batch_size=4)
{loop}
"""
QUICK = {"stretch": {"ns": 100_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}
ITERATES = "x = next(iter(loader))"
ENDLESS = "def generate():\n    while True:\n        yield from loader\nendless = generate()\n"


def script(loop, length=400, workers=0, **more):
    lines = [" " * 4 + line for line in loop.splitlines()]
    return SCRIPT.format(loop="\n".join(lines), length=length, workers=workers, **more)


class LoopTest(WrapTest):
    def ended(self, loop, plan=QUICK, **kwargs):
        """Returns what it said in the end, and the script's lines."""
        text = script(loop, **kwargs)
        wrapped = self.wrapped(text, plan, virtual=True)
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual([], wrapped.left_in_the_end())
        self.lines = [line.strip() for line in text.strip().splitlines()]
        self.heard, self.printed = wrapped.main, wrapped.output()
        return wrapped.main.end

    def line_with(self, words):
        return f"train.py:{next(n for n, line in enumerate(self.lines, 1) if words in line)}"

    def noticed(self, end, kind):
        return [one for one in end.get("noticed", ()) if one["kind"] == kind]


# The process that it forks is measured to the end, where its children are killed.
FORKS = """
import os
for _ in range(20):
    step(torch.ones(4, 8))
torch.save(model, "model.pt")
iterator = iter(DataLoader(Samples(), batch_size=4, num_workers=1))
next(iterator)
child = os.fork()
if child:
    os.waitpid(child, 0)
    print("workers", sum(worker.is_alive() for worker in iterator._workers))
else:
    from benchbench_dl.wrap import events, savers, steps
    print(steps.count, steps.fetches, events.trained, len(savers.written), flush=True)
    for x in loader:
        step(x)
"""


class Forks(LoopTest):
    def test_a_process_that_is_forked_begins_anew_and_leaves_the_others_workers(self):
        self.ended(FORKS)
        self.assertEqual("0 0 0 0\nworkers 1\n", self.printed)
        self.assertEqual(["answer", 0], [self.heard.end[name] for name in ("reason", "saves")])


class WillSave(LoopTest):
    def says(self, before, after=""):
        self.ended(before + "for x in loader:\n    step(x)\n" + after)
        return self.heard.of("steady")[0]["loop"]["will_save"]

    def test_a_saver_that_its_code_names_is_seen_before_it_is_called(self):
        self.assertFalse(self.says("def keep():\n    torch.load('model.pt')\n"))
        self.assertTrue(self.says("def keep():\n    torch.save(model, 'model.pt')\n"))
        within = "class Keeper:\n    def keep(self):\n        return lambda: torch.save(1, 'm')\n"
        self.assertTrue(self.says(within))

    def test_a_save_of_something_else_is_none(self):
        """An image's, an array's, a longer name, and a module's that has the name of another."""
        self.assertFalse(self.says("def keep(image):\n    image.save('a.png')\n"))
        self.assertFalse(self.says("import numpy as np\ndef keep():\n    np.save('a', 1)\n"))
        self.assertFalse(self.says("def keep(self):\n    self.save_hyperparameters()\n"))
        named = "import json as other, torch as t\ndef keep():\n    other.save(1, 'm')\n"
        self.assertFalse(self.says(named))
        within = "def keep():\n    import json as torch\n    torch.save(1, 'm')\n"
        self.assertFalse(self.says(within))

    def test_a_saver_under_another_name(self):
        for text in (
            "from torch import save\ndef keep():\n    save(model, 'm')\n",
            "import torch as t\ndef keep():\n    t.save(model, 'm')\n",
            "import torch.jit\ndef keep():\n    torch.jit.save(model, 'm')\n",
            "def keep(self):\n    self.fabric.save('m', {})\n",
            "def keep(model):\n    model.save_pretrained('m')\n",
            "def keep():\n    from torch import save\n    save(model, 'm')\n",
            "def keep():\n    from torch import save as write\n    write(model, 'm')\n",
            "def keep():\n    import torch as t\n    t.save(model, 'm')\n",
            "def keep():\n    import torch.jit as t\n    t.save(model, 'm')\n",
        ):
            self.assertTrue(self.says(text), text)

    def test_a_saver_at_the_end_of_a_script_with_many_names(self):
        """An instruction has room for the numbers of 255 names."""
        names = "".join(f"name{number} = {number}\n" for number in range(300))
        self.assertTrue(self.says(names, "torch.save(model, 'm')\n"))
        self.assertFalse(self.says(names, "name1.save('m')\n"))


class IteratorEachStep(LoopTest):
    KIND = "iterator each step"

    def test_it_is_found_at_its_line_with_its_cost(self):
        for workers in (1, 0):
            end = self.ended(f"while True:\n    {ITERATES}\n    step(x)", workers=workers)
            (found,) = self.noticed(end, self.KIND)
            self.assertEqual(self.line_with(ITERATES), found["where"])
            self.assertEqual("loader", found["what"])
            self.assertGreater(found["count"], 10)
            # The one that the script got was asked for again.
            self.assertEqual(2 * workers, found["numbers"]["thrown_batches"])
            self.assertGreaterEqual(found["numbers"]["first_batch_ns"], 4_000_000)
            self.assertEqual("answer", end["reason"])
            self.assertEqual(["F"], [of["kind"] for of in self.heard.of("stretch")])
            self.assertIn(
                self.line_with(ITERATES), self.heard.of("steady")[0]["loop"]["full_alone"]
            )

    def test_two_for_each_step_are_found_in_one_line_and_in_two(self):
        for between in ("; ", "\n    "):
            loop = f"while True:\n    {ITERATES}{between}y = next(iter(loader))\n    step(x + y)"
            end = self.ended(loop)
            (found,) = self.noticed(end, self.KIND)
            self.assertEqual("answer", end["reason"])
            self.assertIn("next(iter(loader))", self.lines[int(found["where"][9:]) - 1])

    def test_of_a_loader_that_feeds_the_steps_of_another(self):
        loop = (
            f"for batch in loader:\n    {ITERATES.replace('loader', 'other')}\n    step(x + batch)"
        )
        end = self.ended(loop, workers=1)
        (found,) = self.noticed(end, self.KIND)
        self.assertEqual(("other", "answer"), (found["what"], end["reason"]))

    def test_neither_few_batches_in_each_epoch_nor_a_loop_of_another_kind_is_one(self):
        validates = "    for n, x in zip(range(2), other):\n        model(x)"
        for loop in (
            f"while True:\n    for x in loader:\n        step(x)\n{validates}",
            "for n, x in enumerate(iter(lambda: next(endless), None)):\n    step(x)",
            "for x in endless:\n    model(x).mean().backward()\n    step(next(endless))",
        ):
            end = self.ended(ENDLESS + loop, dict(QUICK, skip_steps=300), length=40)
            self.assertEqual([], self.noticed(end, self.KIND), loop)
            self.assertEqual("answer", end["reason"])

    def test_a_loop_that_becomes_another_is_measured_as_that(self):
        first = f"for _ in range(8):\n    {ITERATES}\n    step(x)\n"
        loop = "for x in loader:\n        step(x)\n        count += 1\n"
        loop = f"while True:\n    count = 0\n    {loop}    print(count, flush=True)"
        end = self.ended(first + loop, length=100)
        self.assertEqual([], self.noticed(end, self.KIND))
        self.assertEqual({"25"}, set(self.printed.split()))
        self.assertEqual("FLT", "".join(sorted(of["kind"] for of in self.heard.of("stretch"))))


class Iterator(unittest.TestCase):
    def test_a_loader_is_asked_once_for_a_cycle(self):
        """The question takes longer, the more objects a script has."""
        looks = []
        self.addCleanup(setattr, iterators, "_is_cycled", iterators._is_cycled)
        iterators._is_cycled = looks.append
        of_loader = iterators.Iterators()
        for epoch in range(3):
            of_loader.began(0, 0)
            for of_loader.fetched in range(1, 5):
                of_loader.came(0, epoch, None)
            of_loader.ended()
        self.assertEqual([0], looks)


class StepTimes(unittest.TestCase):
    def test_a_backward_within_another_counts_once(self):
        times = steps.StepTimes()
        times.ended(0)
        times.enters_backward(10)
        times.enters_backward(12)
        times.leaves_backward(15)
        times.leaves_backward(20)
        times.enters_backward(22)
        times.leaves_backward(23)
        times.ended(30)
        self.assertEqual(
            {"steps": 1, "before_ns": 12, "backward_ns": 11, "rest_ns": 7}, times.members()
        )


class WithoutFetch(LoopTest):
    KIND = "batches without a fetch"

    def test_a_cycle_is_known_before_it_comes_round(self):
        end = self.ended("for x in itertools.cycle(loader):\n    step(x)")
        (found,) = self.noticed(end, self.KIND)
        self.assertEqual("answer", end["reason"])
        self.assertEqual(self.line_with("cycle(loader)"), found["where"])
        self.assertEqual("itertools.cycle", found["what"])
        self.assertEqual(found["numbers"]["held_batches"] * 4 * 8 * 4, found["bytes"])
        self.assertEqual(0, found["numbers"]["steps_since"])

    def test_a_cycle_that_has_come_round_ends_with_what_was_measured_before(self):
        end = self.ended(
            "for x in itertools.cycle(loader):\n    step(x)", dict(QUICK, rounds=30), length=320
        )
        (found,) = self.noticed(end, self.KIND)
        self.assertEqual("no fetch", end["reason"])
        self.assertEqual(
            (80, 80), tuple(found["numbers"][n] for n in ("last_fetch_step", "held_batches"))
        )
        self.assertGreater(found["numbers"]["steps_since"], 50)
        self.assertTrue(self.heard.of("stretch"))

    def test_a_list_of_batches_ends_without_a_rate(self):
        end = self.ended(
            "batches = list(loader)\nwhile True:\n    for x in batches:\n        step(x)"
        )
        self.assertEqual("no fetch", end["reason"])
        self.assertEqual((0, False), (end["loop"]["last_fetch_step"], end["seen"]))

    def test_many_steps_with_each_batch_are_no_end_of_it(self):
        loop = "for x in loader:\n    for _ in range(60):\n        time.sleep(0.2)\n        step(x)"
        self.assertEqual("answer", self.ended(loop, length=4000)["reason"])

    def test_it_goes_on_where_it_is_to(self):
        loop = "for x in itertools.islice(itertools.cycle(loader), 300):\n    step(x)"
        end = self.ended(loop, plan=dict(QUICK, keep_going=True), length=320)
        (found,) = self.noticed(end, self.KIND)
        self.assertEqual(("script ended", 220), (end["reason"], found["count"]))


class WithoutLoader(LoopTest):
    LOOP = "def get_batch():\n    return torch.ones(4, 8)\nwhile True:\n    step(get_batch())"

    def test_it_ends_with_the_rate_and_the_parts_of_its_steps(self):
        end = self.ended(self.LOOP)
        self.assertEqual("no loader", end["reason"])
        loop = end["loop"]
        self.assertEqual(0.02, loop["before_ns"] / loop["steps"] / 1e9)
        self.assertEqual(0.01, loop["rest_ns"] / loop["steps"] / 1e9)
        self.assertIsNone(loop["last_fetch_step"])
        self.assertGreater(loop["steps"], 500)  # of 20 s

    def test_the_functions_of_its_loop_are_named(self):
        loop = self.LOOP.replace("step(get_batch())", "train()").replace(
            "while",
            "def train():\n    model(get_batch()).mean().backward()\n"
            "    time.sleep(0.03)\n    optimizer.step()\nwhile",
        )
        calls = self.ended(loop)["loop"]["calls"]
        where = self.line_with("def get_batch")
        self.assertEqual([{"name": "get_batch", "where": where}], calls)

    def test_one_that_ends_by_itself_says_what_it_did(self):
        end = self.ended("for _ in range(10):\n    step(torch.ones(4, 8))")
        self.assertEqual(("script ended", 9), (end["reason"], end["loop"]["steps"]))

    def test_a_step_that_calls_its_supers_is_one(self):
        end = self.ended(
            "class Mine(torch.optim.SGD):\n    def step(self, closure=None):\n"
            "        super().step()\n        return super().step(closure)\n"
            "optimizer = Mine(model.parameters(), lr=1e-6)\n"
            "plain = torch.optim.SGD(model.parameters(), lr=1e-6)\n"
            "for _ in range(10):\n    step(torch.ones(4, 8))\n    plain.step()"
        )
        self.assertEqual(20, end["loop"]["steps_since"])


if __name__ == "__main__":
    unittest.main()
