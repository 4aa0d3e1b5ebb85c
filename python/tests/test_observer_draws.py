"""Random generators of a data set that workers, or epochs, start in the same state; and those that
are as they should be."""

import functools
import random
import unittest
from unittest import mock

import numpy
import torch
from observed import IterableDataset, Reseed, Sleepy, get_worker_info, loader_of, observe
from rows import only_all, sample

from benchbench_dl.observe import generators

shared = numpy.random.default_rng(5)


class Crop:
    def __init__(self, generator):
        self.generator = generator

    def __call__(self, value):
        return value + drawn(self.generator)


class Chain:
    def __init__(self, *transforms):
        self.transforms = list(transforms)

    def __call__(self, value):
        for transform in self.transforms:
            value = transform(value)
        return value


def drawn(generator):
    if isinstance(generator, torch.Generator):
        return float(torch.rand((), generator=generator))
    return float(generator.random() if hasattr(generator, "random") else generator.rand())


class Augmented(Sleepy):
    rng = None

    def __init__(self, transform=None, length=32):
        super().__init__(length)
        self.transform = transform

    def __getitem__(self, index):
        return self.transform(float(index))


class Own(Augmented):
    def __init__(self, rng):
        super().__init__()
        self.rng = rng

    def __getitem__(self, index):
        return drawn(self.rng)


class OfTheModule(Augmented):
    def __getitem__(self, index):
        return float(shared.random())


class Lazy(Augmented):
    def __getitem__(self, index):
        if self.rng is None:
            self.rng = numpy.random.default_rng(get_worker_info().seed)
        return drawn(self.rng)


class Replaced(Own):
    def __getitem__(self, index):
        if self.seeded is not get_worker_info().id:
            seed = int(self.rng.integers(1000)) + get_worker_info().id
            self.rng, self.seeded = numpy.random.default_rng(seed), get_worker_info().id
        return drawn(self.rng)

    seeded = None


class SeededInPlace(Own):
    seeded = False

    def __getitem__(self, index):
        if not self.seeded:
            seed = get_worker_info().seed % 2**31
            getattr(self.rng, "manual_seed", getattr(self.rng, "seed", None))(seed)
            self.seeded = True
        return drawn(self.rng)


class Unused(Own):
    def __getitem__(self, index):
        return float(index)


class Noise(Own):
    """Draws more in a batch than MT19937 holds."""

    def __getitem__(self, index):
        return torch.from_numpy(self.rng.standard_normal((64, 64)))


class Shards(IterableDataset):
    """All workers have to have the same order of shards."""

    def __init__(self, augment=False):
        self.rng = random.Random(3)
        self.augment = augment

    def __iter__(self):
        shards = list(range(40))
        self.rng.shuffle(shards)
        for shard in shards:
            yield shard + (self.rng.random() if self.augment else 0)


def said(dataset, workers=2, epochs=1, **settings):
    return observe(loader_of(dataset, workers, batch_size=4, **settings), epochs)[0]["same_draws"]


def line(text):
    with open(__file__) as file:
        number = next(number for number, one in enumerate(file, 1) if text in one)
    return f"test_observer_draws.py:{number}"


class SameDraws(unittest.TestCase):
    def only(self, entries):
        self.assertEqual(len(entries), 1, entries)
        return entries[0]

    def test_each_kind_of_generator(self):
        kinds = {
            "numpy Generator": numpy.random.default_rng(0),
            "numpy RandomState": numpy.random.RandomState(0),
            "random.Random": random.Random(0),
            "torch.Generator": torch.Generator(),
        }
        for kind, generator in kinds.items():
            with self.subTest(kind=kind):
                entry = self.only(said(Own(generator)))
                self.assertEqual(
                    (entry["what"], entry["workers"], entry["every_epoch"]),
                    (f"self.rng ({kind})", 2, True),
                )
                self.assertTrue(entry["where"].endswith(line("self.rng = rng")), entry["where"])

    def test_other_bit_generators(self):
        for make in (numpy.random.PCG64DXSM, numpy.random.Philox, numpy.random.MT19937):
            entry = self.only(said(Own(numpy.random.Generator(make(1)))))
            self.assertEqual(entry["workers"], 2, make)

    def test_nested_in_transforms(self):
        entry = self.only(said(Augmented(Chain(Crop(numpy.random.default_rng(1))))))
        self.assertEqual(entry["what"], "self.transform.transforms[0].generator (numpy Generator)")
        self.assertTrue(entry["where"].endswith(line("self.generator = generator")))

    def test_nested_in_a_subset_and_a_dict(self):
        dataset = Augmented()
        dataset.transforms = {"train": Crop(random.Random(1))}
        dataset.transform = dataset.transforms["train"]
        entry = self.only(said(torch.utils.data.Subset(dataset, range(32))))
        self.assertIn(
            entry["what"],
            (
                "self.dataset.transforms['train'].generator (random.Random)",
                "self.dataset.transform.generator (random.Random)",
            ),
        )

    def test_a_global_of_the_users_module(self):
        entry = self.only(said(OfTheModule()))
        self.assertEqual(entry["what"], "shared (numpy Generator)")
        self.assertTrue(entry["where"].endswith(line("shared = numpy")))

    def test_in_a_closure_and_a_partial(self):
        rng = numpy.random.default_rng(2)
        self.assertEqual(
            self.only(said(Augmented(lambda value: value + rng.random())))["what"],
            "rng (numpy Generator)",
        )
        jitter = functools.partial(
            lambda value, generator: value + generator.random(),
            generator=numpy.random.default_rng(3),
        )
        self.assertEqual(
            self.only(said(Augmented(jitter)))["what"],
            "self.transform.keywords['generator'] (numpy Generator)",
        )

    @only_all
    def test_spawned_workers(self):
        entry = self.only(said(Own(numpy.random.default_rng(0)), multiprocessing_context="spawn"))
        self.assertEqual((entry["workers"], entry["every_epoch"]), (2, True))

    def test_a_batch_that_draws_a_lot(self):
        self.assertEqual(self.only(said(Noise(numpy.random.RandomState(0))))["workers"], 2)

    def test_one_worker_repeats_itself_each_epoch(self):
        entry = self.only(said(Own(numpy.random.default_rng(0)), workers=1, epochs=2))
        self.assertEqual((entry["workers"], entry["every_epoch"]), (1, True))

    def test_epochs_that_start_differently(self):
        dataset = Own(numpy.random.default_rng(0))
        loader = loader_of(dataset, 2, batch_size=4)
        entry = self.only(observe(loader, 2, each=lambda _: dataset.rng.random())[0]["same_draws"])
        self.assertEqual((entry["workers"], entry["every_epoch"]), (2, False))

    def test_an_epoch_that_is_to_come(self):
        """Seen from the generator that the next workers will get."""
        dataset = Own(numpy.random.default_rng(0))
        self.assertTrue(self.only(said(dataset))["every_epoch"])
        entry = self.only(
            observe(loader_of(dataset, 2), each=lambda _: dataset.rng.random())[0]["same_draws"]
        )
        self.assertFalse(entry["every_epoch"])

    def test_states_of_one_stream(self):
        one, other = random.Random(1), random.Random(2)
        before = generators.state_of(one)
        for _ in range(3000):
            one.random()
        with mock.patch.object(generators, "_reaches_far", lambda *_: False):
            self.assertTrue(generators.continues(before, generators.state_of(one)))
            self.assertFalse(generators.continues(before, generators.state_of(other)))

    def test_persistent_workers_go_on(self):
        entry = self.only(said(Own(numpy.random.default_rng(0)), epochs=2, persistent_workers=True))
        self.assertEqual((entry["workers"], entry["every_epoch"]), (2, False))
        self.assertEqual(
            said(Own(numpy.random.default_rng(0)), workers=1, epochs=2, persistent_workers=True), []
        )

    def test_samples_of_a_stream_that_draw(self):
        self.assertEqual(self.only(said(Shards(augment=True)))["workers"], 2)

    def test_silent(self):
        seeded = [Own(numpy.random.RandomState(0)), Own(random.Random(0)), Own(torch.Generator())]
        controls = {
            "no generator": Sleepy(32),
            "made in the worker": Lazy(),
            "not drawn from": Unused(numpy.random.default_rng(0)),
            "replaced in the worker": Replaced(numpy.random.default_rng(0)),
            "an order of shards": Shards(),
            "the system's": Own(random.SystemRandom()),
            "torch seeds it": Own(numpy.random.mtrand._rand),
            **{
                f"seeded in place {index}": SeededInPlace(own.rng)
                for index, own in enumerate(seeded)
            },
        }
        for name, dataset in sample(controls.items(), 7):
            with self.subTest(name):
                self.assertEqual(said(dataset), [])

    def test_silent_where_worker_init_fn_seeds(self):
        self.assertEqual(said(Own(numpy.random.default_rng(0)), worker_init_fn=Reseed()), [])

    def test_silent_where_the_epoch_is_set(self):
        class WithEpochs(Own):
            def set_epoch(self, epoch):
                self.rng = numpy.random.default_rng(epoch)

        self.assertEqual(said(WithEpochs(numpy.random.default_rng(0)), workers=1, epochs=2), [])

    def test_without_workers_nothing_is_said(self):
        self.assertIsNone(said(Own(numpy.random.default_rng(0)), workers=0))


if __name__ == "__main__":
    unittest.main()
