"""Batches and loaders of other forms."""

import sys
import unittest

from rows import alone, only_all, quiet, sample
from wrap_driver import WrapTest
from wrap_scripts import plain

QUICK = {"stretch": {"ns": 30_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}

FORM = """
    import resource, time, torch
    from torch.utils.data import DataLoader, Dataset, IterableDataset
    {before}

    weight = torch.ones(1, requires_grad=True)
    train_loader = {loader}
    for epoch in range(1000):
        for batch in train_loader:
            {step}
            weight.sum().backward()
            time.sleep(0.002)
"""

STREAM = """
    class Stream(IterableDataset):
        def __iter__(self):
            for number in range(2000):
                yield torch.ones(3)
"""

MANY = """
    resource.setrlimit(resource.RLIMIT_NOFILE, (120, 120))

    class Many(Dataset):
        def __len__(self):
            return 4000

        def __getitem__(self, index):
            return [torch.ones(2000) for _ in range(16)]
"""

WORDS = """
    class Words(Dataset):
        def __len__(self):
            return 40000

        def __getitem__(self, index):
            return torch.ones(1 + index % 7)

    def pad(items):
        tokens = torch.nn.utils.rnn.pad_sequence(items, batch_first=True)
        return {"tokens": tokens, "lengths": [len(item) for item in items]}
"""


def form(loader, step="pass", before=""):
    return FORM.format(loader=loader, step=step, before=before)


class Forms(WrapTest):
    def stretches(self, script, **members):
        heard = self.answered(script, dict(QUICK, **members)).main
        return {stretch["kind"]: stretch for stretch in heard.of("stretch")}

    def test_an_iterable_data_set(self):
        found = self.stretches(
            form("DataLoader(Stream(), batch_size=4, num_workers=2)", before=STREAM)
        )
        self.assertEqual({4}, {of["samples"] / of["steps"] for of in found.values()})

    @only_all
    def test_batches_of_many_tensors_and_few_descriptors(self):
        found = self.stretches(
            form(
                "DataLoader(Many(), num_workers=1, collate_fn=lambda items: items[0])", before=MANY
            ),
            distinct=16,
            stretch={"ns": 1_000_000, "batches": 8},
        )
        self.assertEqual((16, 0), (found["T"]["distinct"], found["T"]["changed"]))

    def test_variable_lengths_in_a_dict_that_the_step_empties(self):
        found = self.stretches(
            form(
                "DataLoader(Words(), batch_size=8, num_workers=2, shuffle=True, collate_fn=pad)",
                "assert batch.pop('tokens').shape[0] == len(batch.pop('lengths')) == 8",
                WORDS,
            )
        )
        self.assertEqual({8}, {of["samples"] / of["steps"] for of in found.values()})
        self.assertEqual(0, found["T"]["changed"])

    @only_all
    def test_a_loader_that_is_made_for_each_epoch(self):
        script = form("None", before=STREAM).replace(
            "in train_loader:", "in DataLoader(Stream(), batch_size=50, num_workers=1):"
        )
        found = self.stretches(script, rounds=2)
        self.assertGreater(found["F"]["epoch"] + found["T"]["epoch"] + found["L"]["epoch"], 1)

    def test_a_loader_in_a_data_set(self):
        before = """
    class Chained(IterableDataset):
        def __iter__(self):
            return (row for batch in DataLoader(range(300000), batch_size=5) for row in batch)
"""
        heard = self.answered(
            form("DataLoader(Chained(), batch_size=5)", before=before), QUICK
        ).main
        self.assertEqual([], heard.of("steady")[0]["partners"])
        self.assertEqual({1}, {len(of["segments"]) for of in heard.of("stretch")})

    @only_all
    def test_an_epoch_stays_as_long_as_it_was(self):
        loaders = ("num_workers=2", "num_workers=0", "num_workers=2, persistent_workers=True")
        for loader in sample(loaders):
            script = (
                plain(loader, step="count[number] += 1", length=120)
                .replace("for number,", "count = [0] * len(train_loader)\n            for number,")
                .replace(
                    "\n    if __name__",
                    "            assert min(count) == 1, count\n            print('an epoch')\n\n "
                    "   if __name__",
                )
            )
            with self.subTest(loader=loader):
                wrapped = self.answered(script, QUICK)
                self.assertGreater(wrapped.output().count("an epoch"), 1)
                self.assertEqual(3, len(wrapped.main.of("stretch")))

    def test_an_iterator_that_is_asked_by_hand(self):
        script = (
            plain("num_workers=1", length=300)
            .replace(
                "for number, (x, y) in enumerate(train_loader):",
                "iterator = iter(train_loader)\n            for number in range(70):",
            )
            .replace("loss = ", "x, y = next(iterator)\n                loss = ")
        )
        self.assertEqual({"F", "T", "L"}, set(self.stretches(script)))

    @alone
    def test_workers_that_never_rest(self):
        """The data set has a thread of its own."""
        before = (
            STREAM
            + """
    import threading

    def spin(worker):
        def run():
            while True:
                sum(range(1000))
        threading.Thread(target=run, daemon=True).start()
"""
        )
        with quiet():
            found = self.stretches(
                form(
                    "DataLoader(Stream(), batch_size=4, num_workers=1, worker_init_fn=spin)",
                    before=before,
                )
            )
        self.assertFalse(found["T"]["idle"])
        self.assertGreater(
            found["T"]["busy_ns"], 0.05 * sum(end - begin for begin, end in found["T"]["segments"])
        )

    @only_all
    def test_a_script_in_a_shell_script(self):
        wrapped = self.wrapped(
            plain(),
            QUICK,
            files={"run.sh": f"cd .\nexec {sys.executable} train.py\n"},
            command=["sh", "run.sh"],
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("answer", wrapped.main.end["reason"])

    @only_all
    def test_a_module(self):
        wrapped = self.wrapped(plain(), QUICK, command=[sys.executable, "-m", "train"])
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("answer", wrapped.main.end["reason"])

    def test_a_sitecustomize_of_the_users(self):
        import wrap_driver

        wrapped = self.wrapped(
            "import sitecustomize, sys\nprint(sitecustomize.__file__, [p for p in sys.path if "
            "'wrap_site' in p])",
            QUICK,
            files={"sitecustomize.py": "print('mine')"},
            environment={"PYTHONPATH": wrap_driver.SITE + ":."},
            fresh=True,
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual(
            ["mine", "[]"], [line.split()[-1] for line in wrapped.output().splitlines()]
        )
        self.assertIn("work", wrapped.output())


if __name__ == "__main__":
    unittest.main()
