"""Training scripts of the forms that people write, and of interpreters that are started in their
own way."""

import sys
import unittest

import wrap_driver
from rows import only_all, sample
from wrap_driver import WrapTest
from wrap_scripts import plain

QUICK = {"stretch": {"ns": 30_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}

SCALER = """
    import time, torch
    from torch.utils.data import DataLoader

    # Debian's torch 1.13 scales on a GPU only; `enabled=False` hands all calls on, as it does with
    # a scaler.
    kind = getattr(torch.amp, "GradScaler", None)
    scaler = kind("cpu") if kind else torch.cuda.amp.GradScaler(enabled=False)
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    train_loader = DataLoader(torch.ones(40000, 8), batch_size=4, num_workers=1)
    for x in train_loader:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(x).float().mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        time.sleep(0.002)
"""

# Catches all that comes while it trains, and begins again.
RETRIES = """
    import time, torch
    from torch.utils.data import DataLoader

    class Samples(torch.utils.data.Dataset):
        def __len__(self):
            return 4000

        def __getitem__(self, index):
            if index == 400:
                raise ValueError("a sample that cannot be read")
            return torch.ones(8)

    model = torch.nn.Linear(8, 1)
    train_loader = DataLoader(Samples(), batch_size=4, num_workers={workers})
    while True:
        try:
            for x in train_loader:
                model(x).mean().backward()
                time.sleep(0.002)
        except BaseException as error:
            print(type(error).__name__, flush=True)
"""

TURNS = """
    import time, torch
    from torch.utils.data import DataLoader

    model = torch.nn.Linear(8, 1)

    def endless(loader):
        while True:
            yield from loader

    real = DataLoader(torch.ones(4000, 8), batch_size=4, num_workers=1)
    noise = DataLoader(torch.zeros(400, 8), batch_size=4, num_workers=1)
    noises = endless(noise)
    {before}
    for epoch in range(100):
        for x in real:
            model(x).mean().backward()
            for turn in range({turns}):
                model(next(noises)).mean().backward()
            time.sleep(0.002)
"""

# No DataLoader gives or holds these batches.
WITHOUT = """
    import torch

    model = torch.nn.Linear(8, 1)
    batches = (torch.ones(4, 8) for _ in range(200))
    for x in batches:
        model(x).mean().backward()
    print("trained")
"""


class Forms(WrapTest):
    def quick(self, script, **members):
        return self.answered(script, dict(QUICK, **members)).main

    def test_a_validation_within_an_epoch(self):
        """Neither its time nor its batches are in a stretch."""
        wrapped = self.answered(
            plain(
                "num_workers=1",
                step="""if number % 30 == 29:
                    begun = time.monotonic_ns()
                    for _ in validation:
                        time.sleep(0.005)
                    print(begun, time.monotonic_ns())""",
            ).replace(
                "for epoch", "validation = DataLoader(range(40), batch_size=10)\n        for epoch"
            ),
            dict(QUICK, stretch={"ns": 100_000_000, "batches": 40}),
        )
        validations = [tuple(map(int, line.split())) for line in wrapped.output().splitlines()]
        segments = [
            segment for stretch in wrapped.main.of("stretch") for segment in stretch["segments"]
        ]
        self.assertGreater(len(segments), 4)
        for begin, end in segments:
            self.assertFalse([of for of in validations if of[0] < end and begin < of[1]])

    @only_all
    def test_mixed_precision_with_a_scaler(self):
        heard = self.quick(SCALER)
        self.assertIn("nbSnbSnbS", heard.end["events"])
        self.assertTrue(heard.end["loaders"][0]["trains"])

    def test_each_start_method(self):
        for method in sample(("spawn", "forkserver")):
            with self.subTest(method=method):
                heard = self.quick(plain(f"num_workers=1, multiprocessing_context={method!r}"))
                self.assertEqual(method, heard.end["observed"]["start_method"])
                for stretch in heard.of("stretch"):
                    if stretch["kind"] != "T":
                        self.assertGreater(stretch["observed"]["getitem_ns"]["count"], 0)

    @only_all
    def test_spawned_workers_of_a_script_that_sets_its_own_path(self):
        """They would not find what we add to a worker: nothing is added."""
        script = (
            plain("num_workers=1, multiprocessing_context='spawn'")
            .replace("import sys,", "import os, sys,")
            .replace("def main():", "def main():\n        os.environ['PYTHONPATH'] = '/nowhere'")
        )
        for stretch in self.quick(script).of("stretch"):
            self.assertIsNone(stretch["observed"])

    def test_a_script_that_catches_all_and_begins_again(self):
        """The script ends where it is stopped all the same, and caught only its own exceptions.
        Standard error may hold what torch 1.13 says, without us too, of an iterator that was
        dropped in the middle of its epoch."""
        for workers in sample((0, 1)):
            with self.subTest(workers=workers):
                wrapped = self.wrapped(RETRIES.format(workers=workers), dict(QUICK, rounds=2))
                self.assertEqual(0, wrapped.wait())
                self.assertEqual("answer", wrapped.main.end["reason"])
                self.assertEqual([], wrapped.left_in_the_end())
                self.assertEqual(
                    {"F", "T", "L"}, {stretch["kind"] for stretch in wrapped.main.of("stretch")}
                )
                self.assertEqual({"ValueError"}, set(wrapped.output().split()))

    def test_one_loader_gives_more_than_another_to_a_step(self):
        heard = self.quick(TURNS.format(before="", turns=3))
        planned = heard.of("steady")[0]
        self.assertEqual(
            {"real", "noise"}, {planned["loader"]["name"], planned["partners"][0]["name"]}
        )
        for stretch in heard.of("stretch"):
            self.assertEqual(4 * stretch["steps"], stretch["samples"])

    @only_all
    def test_a_pass_before_that_is_broken_off_feeds_no_step(self):
        """Its iterator is still there, and backwards follow its last batch."""
        heard = self.quick(TURNS.format(before="next(noises), next(noises)", turns=0))
        self.assertEqual(
            ("real", []),
            (heard.of("steady")[0]["loader"]["name"], heard.of("steady")[0]["partners"]),
        )

    def test_batches_of_a_generator(self):
        wrapped = self.wrapped(WITHOUT, QUICK)
        self.assertEqual((0, "trained\n", ""), (wrapped.wait(), wrapped.output(), wrapped.errors()))
        self.assertEqual(
            ("script ended", False), (wrapped.heard[0].end["reason"], wrapped.heard[0].end["seen"])
        )
        self.assertEqual([], wrapped.heard[0].of("steady"))

    def test_a_bar_is_the_scripts_own(self):
        """Each of its lines, and nothing else, is where it was printed to."""
        wrapped = self.wrapped(
            plain(
                "num_workers=0", step="print(chr(13), number, end='', file=sys.stderr, flush=True)"
            ),
            QUICK,
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.output()))
        printed = wrapped.errors().split("\r")[1:]
        self.assertEqual(list(range(len(printed))), [int(number) for number in printed])
        self.assertEqual(wrapped.main.of("stretch")[-1]["served"], len(printed))


class Interpreters(WrapTest):
    def test_those_that_read_no_environment_run_as_without_us(self):
        for flag in ("-I", "-E", "-S"):
            with self.subTest(flag=flag):
                wrapped = self.wrapped(
                    "import sys; print('sitecustomize' in sys.modules)",
                    QUICK,
                    command=[sys.executable, flag, "train.py"],
                )
                self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
                self.assertEqual([], wrapped.heard)

    @only_all
    def test_a_sitecustomize_of_the_users_beside_a_training(self):
        wrapped = self.answered(
            plain(),
            QUICK,
            files={"sitecustomize.py": "import os\nos.environ['MINE'] = '1'"},
            environment={"PYTHONPATH": wrap_driver.SITE + ":."},
        )
        self.assertEqual(
            {"F", "T", "L"}, {stretch["kind"] for stretch in wrapped.main.of("stretch")}
        )


if __name__ == "__main__":
    unittest.main()
