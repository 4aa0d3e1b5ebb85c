"""The harness's keys on each kind of loader: what is applied, what is kept, what is dropped with a
sentence."""

import sys
import unittest

from child import FOLDER, ChildTest, torch

if torch is not None:
    from torch.utils.data import (
        BatchSampler,
        DataLoader,
        Dataset,
        IterableDataset,
        RandomSampler,
        SequentialSampler,
    )

    class Numbers(Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, index):
            return index

    class Stream(IterableDataset):
        def __iter__(self):
            return iter(range(10))

    class Backwards(torch.utils.data.Sampler):
        def __init__(self):
            """Takes no data set, which torch 1.13 asks for and later ones do not."""

        def __len__(self):
            return 10

        def __iter__(self):
            return iter(range(9, -1, -1))

    class Renamed(DataLoader):
        """Its constructor takes no settings."""

        def __init__(self):
            super().__init__(Numbers(), batch_size=5)
            self.prefix = "n"


sys.path.insert(0, FOLDER)
from benchbench_dl import torch_loader  # noqa: E402


def applied(made, **settings):
    fixed = torch_loader.fixed_settings(made, "make_data")
    is_loader = isinstance(made, DataLoader)
    given, dropped = torch_loader.applicable(settings, fixed, made.num_workers if is_loader else 0)
    return (torch_loader.copied if is_loader else torch_loader.built)(made, given), dropped


class Applying(unittest.TestCase):
    def test_a_dataset(self):
        loader, dropped = applied(
            Numbers(),
            num_workers=2,
            batch_size=4,
            prefetch_factor=3,
            shuffle=True,
            drop_last=True,
            persistent_workers=True,
            multiprocessing_context="spawn",
            pin_memory=False,
        )
        self.assertEqual([], dropped)
        own = torch_loader.own_settings(loader)
        own.pop("in_order")
        self.assertEqual(
            {
                "num_workers": 2,
                "batch_size": 4,
                "prefetch_factor": 3,
                "shuffle": True,
                "drop_last": True,
                "persistent_workers": True,
                "multiprocessing_context": "spawn",
                "pin_memory": False,
            },
            own,
        )

    def test_what_needs_workers(self):
        loader, dropped = applied(
            Numbers(),
            num_workers=0,
            prefetch_factor=4,
            persistent_workers=True,
            multiprocessing_context="fork",
        )
        self.assertEqual(0, loader.num_workers)
        self.assertEqual(
            [
                "prefetch_factor 4 is not applied: there are no workers at num_workers 0",
                "persistent_workers true is not applied: there are no workers at num_workers 0",
                "multiprocessing_context fork is not applied: there are no workers at num_workers "
                "0",
            ],
            dropped,
        )
        self.assertEqual([], applied(Numbers(), num_workers=0, persistent_workers=False)[1])

    def test_a_loader_is_copied(self):
        generator, collate, start = torch.Generator(), list, print
        users = DataLoader(
            Numbers(),
            batch_size=2,
            shuffle=True,
            num_workers=3,
            generator=generator,
            collate_fn=collate,
            worker_init_fn=start,
            persistent_workers=True,
            multiprocessing_context="spawn",
        )
        before = dict(users.__dict__)
        loader, dropped = applied(users, num_workers=0, batch_size=5, drop_last=True)
        self.assertEqual([], dropped)
        self.assertEqual(
            [0, 5, True, False],
            [loader.num_workers, loader.batch_size, loader.drop_last, loader.persistent_workers],
        )
        self.assertIsNone(loader.multiprocessing_context)
        self.assertEqual(
            (generator, collate, start),
            (loader.generator, loader.collate_fn, loader.worker_init_fn),
        )
        self.assertIs(users.sampler, loader.sampler)
        self.assertEqual([5, 5], [len(batch) for batch in loader])
        self.assertEqual(before, users.__dict__)

    def test_nothing_given_leaves_all(self):
        users = DataLoader(Numbers(), batch_size=2, num_workers=3, prefetch_factor=5)
        loader, _ = applied(users)
        self.assertEqual(torch_loader.own_settings(users), torch_loader.own_settings(loader))
        self.assertIs(users.batch_sampler, loader.batch_sampler)

    def test_workers_for_a_loader_that_had_none(self):
        loader, dropped = applied(
            DataLoader(Numbers()),
            num_workers=2,
            multiprocessing_context="fork",
            persistent_workers=True,
        )
        self.assertEqual([], dropped)
        self.assertEqual(10, len(list(loader)))
        self.assertEqual(("fork", 2), (torch_loader.start_method(loader), loader.prefetch_factor))
        loader._iterator._shutdown_workers()

    def test_a_subclass(self):
        loader, _ = applied(Renamed(), batch_size=2)
        self.assertEqual((Renamed, "n", 5), (type(loader), loader.prefix, len(list(loader))))

    def test_shuffle_is_set_and_unset(self):
        shuffled, _ = applied(DataLoader(Numbers(), batch_size=10), shuffle=True)
        self.assertIsInstance(shuffled.sampler, RandomSampler)
        torch.manual_seed(1)
        order = next(iter(shuffled)).tolist()
        self.assertEqual(list(range(10)), sorted(order))
        self.assertNotEqual(list(range(10)), order)
        level, _ = applied(shuffled, shuffle=False)
        self.assertIsInstance(level.sampler, SequentialSampler)
        self.assertEqual(list(range(10)), next(iter(level)).tolist())

    def test_an_own_sampler_stays(self):
        loader, dropped = applied(
            DataLoader(Numbers(), batch_size=10, sampler=Backwards()), shuffle=True, batch_size=5
        )
        self.assertEqual(
            ["shuffle true is not applied: make_data returns a DataLoader with its own sampler"],
            dropped,
        )
        self.assertEqual([9, 8, 7, 6, 5], next(iter(loader)).tolist())

    def test_a_sampler_of_torch_with_options_is_an_own_one(self):
        sampler = RandomSampler(Numbers(), replacement=True, num_samples=30)
        self.assertIn(
            "shuffle", torch_loader.fixed_settings(DataLoader(Numbers(), sampler=sampler), "f")
        )

    def test_an_own_batch_sampler_stays(self):
        sampler = BatchSampler(SequentialSampler(Numbers()), 3, False)
        loader, dropped = applied(
            DataLoader(Numbers(), batch_sampler=sampler),
            batch_size=5,
            shuffle=True,
            drop_last=True,
            num_workers=0,
        )
        self.assertEqual(3, len(dropped))
        for sentence in dropped:
            self.assertIn("make_data returns a DataLoader with its own batch_sampler", sentence)
        self.assertIs(sampler, loader.batch_sampler)

    def test_an_iterable_dataset(self):
        for made in (Stream(), DataLoader(Stream(), batch_size=2)):
            loader, dropped = applied(made, batch_size=4, shuffle=True, drop_last=True)
            self.assertEqual(
                [
                    "shuffle true is not applied: make_data returns an IterableDataset, which "
                    "decides the order itself"
                ],
                dropped,
            )
            self.assertEqual([4, 4], [len(batch) for batch in loader])

    def test_batches_that_the_data_set_makes(self):
        _, dropped = applied(DataLoader(Numbers(), batch_size=None), batch_size=5, drop_last=True)
        self.assertEqual(2, len(dropped))
        self.assertIn("with batch_size=None", dropped[0])

    def test_in_order_needs_a_newer_torch(self):
        loader, dropped = applied(Numbers(), num_workers=2, in_order=False)
        if torch_loader.knows_in_order():
            self.assertEqual((False, []), (loader.in_order, dropped))
        else:
            self.assertEqual(
                [
                    f"in_order false is not applied: torch {torch.__version__} has no in_order, "
                    "which came with 2.7"
                ],
                dropped,
            )

    def test_pinning_without_an_accelerator(self):
        expected = (
            []
            if torch.cuda.is_available()
            else ["pin_memory true is not applied: torch sees no accelerator here"]
        )
        loader, dropped = applied(Numbers(), pin_memory=True)
        self.assertEqual(expected, dropped)
        self.assertEqual(torch.cuda.is_available(), loader.pin_memory)


class Iterables(ChildTest):
    def test_are_taken_as_they_are(self):
        child = self.child("def make_data():\n  return [[1, 2], [3, 4]]\n")
        loader = self.loaded(child)["loader"]
        self.assertEqual(("iterable", None), (loader["kind"], loader["length"]))
        self.assertEqual(set(torch_loader.KEYS), set(loader["fixed"]))
        message = self.result(
            child,
            settings={"num_workers": 4, "batch_size": None},
            window={"ns": 0, "batches": 4},
        )
        self.assertEqual(
            [
                "num_workers is not applied: make_data returns an iterable of batches, which is "
                "taken as it is"
            ],
            message["dropped"],
        )

    def test_a_web_loader_makes_batches(self):
        """WebDataset's: an IterableDataset round a DataLoader. A DataLoader round that would make
        batches of batches."""
        child = self.child("""
            import torch
            from torch.utils.data import DataLoader, IterableDataset
            class WebLoader(IterableDataset):
                def __init__(self, loader):
                    self.pipeline = [loader]
                def __iter__(self):
                    return iter(self.pipeline[0])
            def make_data():
                return WebLoader(DataLoader(torch.zeros(64, 4), batch_size=8))
        """)
        self.assertEqual("iterable", self.loaded(child)["loader"]["kind"])
        result = self.result(child)
        self.assertEqual(8 * result["steps"], result["samples"])


if __name__ == "__main__":
    unittest.main()
