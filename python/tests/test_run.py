"""`run`: what is measured, against what is known of the loader and the step."""

import struct
import unittest

from child import ChildTest, wait_until
from rows import HANG_S, alone, only_all, quiet, sample

CLOSE = 0.04

DATA = """
    import time, torch
    from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

    class Sleeping(Dataset):
        def __init__(self, size, sleep):
            self.size, self.sleep = size, sleep
        def __len__(self):
            return self.size
        def __getitem__(self, index):
            time.sleep(self.sleep)
            return torch.tensor([float(index)]), index

    class Shards(IterableDataset):
        def __iter__(self):
            info = get_worker_info()
            for index in range(info.id if info else 0, 40, info.num_workers if info else 1):
                yield {"x": torch.tensor([index]), "nested": {"ids": [index, index]}}

    def make_data(size=1000, sleep=0.0):
        return Sleeping(size, sleep)

    class Longer(IterableDataset):
        epoch = 0
        def __iter__(self):
            return iter([torch.zeros(1)] * (8 if self.epoch < 3 else 400))

    class Counting(DataLoader):
        def __iter__(self):
            self.dataset.epoch += 1
            return super().__iter__()

    def make_longer():
        return Counting(Longer(), num_workers=1)

    def make_shards():
        return Shards()

    def make_own(size=30):
        return DataLoader(Sleeping(size, 0.0), batch_size=2, num_workers=2)

    def make_batch_sampler():
        sampler = [[i, i + 1, i + 2] for i in range(0, 30, 3)]
        return DataLoader(Sleeping(30, 0.0), batch_sampler=sampler)

    def make_uncollated():
        def collate(samples):
            return [torch.zeros(9, 3) for _ in samples]
        return DataLoader(Sleeping(30, 0.0), batch_size=4, collate_fn=collate)

    def generate(count=5):
        for i in range(count):
            time.sleep(0.002)
            yield [torch.zeros(3, 2), i]

    class Once:
        def __init__(self):
            self.left = 5
        def __iter__(self):
            while self.left:
                self.left -= 1
                yield [torch.zeros(3, 2)]

    def make_once():
        return Once()

    class Eager:
        iterated = 0
        def __iter__(self):
            self.iterated += 1
            time.sleep(0.03)
            return iter([[torch.full((3, 2), self.iterated)]] * 5)

    def make_eager():
        return Eager()

    class Restarting:
        made = 0
        def __init__(self):
            Restarting.made += 1
            self.left = 5
        def __iter__(self):
            return self
        def __next__(self):
            self.left -= 1
            if self.left < 0:
                self.left = 5
                raise StopIteration
            return [torch.full((3, 2), Restarting.made)]

    def make_restarting():
        return Restarting()

    class Own:
        def __init__(self):
            self._iterator = 7
        def __iter__(self):
            return iter([[torch.zeros(3, 2)]] * 5)

    own = Own()

    def make_with_an_iterator():
        return own

    def its_iterator(batch):
        return own._iterator

    def first_value(batch):
        return float(batch[0][0, 0])

    def setup(device):
        class State:
            model = torch.nn.Linear(3, 4)
            calls = 0
        return State()

    def train_step(batch, state):
        state.calls += 1
        time.sleep(0.005)
        return torch.tensor(float(state.calls))

    def step_that_changes(batch):
        batch[0].add_(1)
        batch.clear()
        return 0.5

    def step_in_numpy(batch):
        if batch[1][0] == 2:
            batch[0].numpy()[0] = 77
        return {"loss": 0.25}
"""


def series_of(message):
    values, at = {}, 0
    for name, count in message["series"]:
        values[name] = list(struct.unpack_from(f"={count}q", message["blob"], at))
        at += 8 * count
    assert at == len(message["blob"])
    return values


def measured_ns(message):
    return sum(end - begin for begin, end in message["segments"])


class SelfTimed(ChildTest):
    def rate_of_sleeps(self, child, workers):
        """Returns the rate as a share of what the samples allow."""
        message = self.result(
            child,
            settings={"num_workers": workers, "batch_size": 2},
            window={"ns": 4e8, "batches": 4},
        )
        slept = message["getitem_ns"]["ns"] / message["getitem_ns"]["count"]
        self.assertGreaterEqual(slept, 20_000_000)
        self.assertEqual(0, message["steps"] % max(1, workers))
        return message["samples"] * slept / measured_ns(message) / max(1, workers)

    def test_sleeps_are_the_rate_without_workers(self):
        child = self.child(DATA, virtual=True)
        self.loaded(child, args={"sleep": 0.02})
        self.assertEqual(1, self.rate_of_sleeps(child, 0))

    @alone
    def test_sleeps_are_the_rate(self):
        child = self.child(DATA)
        self.loaded(child, args={"sleep": 0.02})
        with quiet():
            rates = [self.rate_of_sleeps(child, workers) for workers in sample((2, 1))]
        for rate in rates:
            self.assertAlmostEqual(1, rate, delta=CLOSE)

    def test_series_add_up_to_the_segments(self):
        child = self.child(DATA, virtual=True)
        self.loaded(child, step="train_step", setup="setup", args={"sleep": 0.001})
        for way in ("self-timed", "all in Python"):
            message = self.result(child, way, {"num_workers": 0, "batch_size": 2})
            series = series_of(message)
            self.assertEqual([2_000_000] * message["steps"], series["get"])
            self.assertEqual(2 * message["steps"], message["samples"])
            self.assertEqual(measured_ns(message), sum(series["get"]) + sum(series["step"]))
            steps = [] if way == "self-timed" else [5_000_000] * message["steps"]
            self.assertEqual(steps, series["step"])

    def test_workers_are_discarded_first(self):
        child = self.child(DATA)
        self.loaded(child)
        message = self.result(
            child,
            settings={"num_workers": 3, "batch_size": 1, "prefetch_factor": 3},
            window={"ns": 0, "batches": 4},
        )
        # The last 3 are a group, after which the rule of warming up is asked.
        self.assertEqual(3 * 3 + 3 + 3, message["warmup_steps"])
        self.assertEqual(6, message["steps"])  # whole groups, so 2 more than were asked for
        self.assertEqual(1, len(message["segments"]))
        self.assertGreater(message["startup_ns"], 0)
        self.assertGreater(message["first_batch_ns"], 0)

    def test_epoch_gaps_are_left_out(self):
        child = self.child(DATA)
        self.loaded(child, args={"size": 31, "sleep": 0.001})
        message = self.result(
            child, settings={"num_workers": 2, "batch_size": 1}, window={"ns": 0, "batches": 60}
        )
        self.assertGreaterEqual(message["epochs"], 2)
        self.assertEqual(message["epochs"] + 1, len(message["segments"]))
        for (_, end), (begin, _) in zip(message["segments"], message["segments"][1:]):
            self.assertGreater(begin, end)
        self.assertGreater(message["epoch_gap_ns"], message["epoch_start_ns"])
        self.assertEqual((60, 60), (message["steps"], message["samples"]))
        # An epoch has 31 batches: 6 are discarded, and the last one fills no group.
        self.assertEqual(measured_ns(message), sum(series_of(message)["get"]))
        edges = [m["edge"] for m in child.heard if m["type"] == "window"]
        self.assertEqual(["begin", "end"] * len(message["segments"]), edges)

    def test_workers_are_there_until_their_end_was_seen(self):
        child = self.child(DATA)
        self.loaded(child, args={"size": 31, "sleep": 0.001})
        child.send(
            "run",
            way="self-timed",
            settings={"num_workers": 2, "batch_size": 1},
            seed=1,
            trainer_seed=2,
            device="cpu",
            window={"ns": 0, "batches": 60},
            warmup={"ns": 0},
        )
        message, ends = child.receive()[0], 0
        while message["type"] != "result":
            self.assertNotEqual("error", message["type"], message)
            if message["type"] == "window" and message["edge"] == "end":
                child.socket.settimeout(0.2)
                with self.assertRaises(OSError):
                    child.receive()
                child.socket.settimeout(HANG_S)
                # Of the first epoch it is not known which batch is the last one; the second one's
                # workers end with it.
                if ends > 0:
                    self.assertEqual(2, len(message["workers"]))
                    self.assertLessEqual(set(message["workers"]), set(child.processes()))
                ends += 1
                child.send("seen")
            message = child.receive()[0]
        self.assertGreaterEqual(ends, 3)
        self.assertEqual((60, ends), (message["steps"], len(message["segments"])))

    def test_an_epoch_longer_than_the_last_goes_on(self):
        child = self.child(DATA)
        self.loaded(child, "make_longer")
        message = self.result(
            child, settings={"num_workers": 1, "batch_size": 1}, window={"ns": 0, "batches": 40}
        )
        self.assertEqual((2, 40), (message["epochs"], message["steps"]))
        self.assertEqual(
            4, len(message["segments"])
        )  # the third is cut where the second ended, and once only

    def test_epochs_that_are_short(self):
        child = self.child(DATA)
        self.loaded(child, args={"size": 5})
        message = self.result(
            child, settings={"num_workers": 2, "batch_size": 1}, window={"ns": 0, "batches": 6}
        )
        self.assertFalse(message["steady"])
        self.assertEqual(
            [
                "an epoch has 5 batches: the first 3 of each are discarded, not 6 as prefetching "
                "asks for"
            ],
            message["notes"],
        )

    def of_few_batches(self, child, size, workers):
        """(what was measured over epochs of that many batches, 200 ms each, the mean wait for
        one)."""
        self.loaded(child, args={"size": size, "sleep": 0.2})
        message = self.result(
            child,
            settings={"num_workers": workers, "batch_size": 1},
            window={"ns": 0, "batches": 4},
        )
        self.assertFalse(message["steady"])
        self.assertEqual(1, len(message["notes"]))
        self.assertIn(
            "all of each are counted, from when iter() returned, and none discarded",
            message["notes"][0],
        )
        self.assertEqual((4, 4), (message["steps"], message["samples"]))
        self.assertEqual(4 // size, len(message["segments"]))
        took = sum(series_of(message)["get"])
        self.assertEqual(measured_ns(message), took)
        self.assertGreaterEqual(took, 200_000_000 * 4 // size)
        return message, took // 4

    def test_epochs_of_no_more_batches_than_workers(self):
        child = self.child(DATA)
        for size in (2, 1):
            message, mean_get = self.of_few_batches(child, size, 2)
            # It stands for the wait for the first batch, which is counted.
            self.assertGreater(message["epoch_gap_ns"], mean_get)

    def test_an_epoch_of_one_batch(self):
        """The gap holds the mean wait in place of its own: none is in both."""
        for workers in (0, 1):
            child = self.child(DATA, virtual=True)
            message, mean_get = self.of_few_batches(child, 1, workers)
            self.assertEqual((200_000_000,) * 2, (mean_get, message["epoch_gap_ns"]))

    def test_warm_up_of_a_fixed_time(self):
        child = self.child(DATA)
        self.loaded(child, args={"sleep": 0.001})
        message = self.result(child, settings={"num_workers": 0}, warmup={"ns": 5e7})
        self.assertGreater(message["warmup_ns"], 5e7)
        self.assertTrue(message["steady"])

    def test_warm_up_until_steady(self):
        child = self.child(DATA)
        self.loaded(child, args={"sleep": 0.002})
        message = self.result(
            child, settings={"num_workers": 0}, window={"ns": 4e7, "batches": 1}, warmup={}
        )
        self.assertGreaterEqual(message["warmup_steps"], 4)  # one is discarded
        message = self.result(child, settings={"num_workers": 0}, warmup={"cap_ns": 1})
        self.assertEqual((2, False), (message["warmup_steps"], message["steady"]))

    def test_both_time_and_batches_are_reached(self):
        child = self.child(DATA)
        self.loaded(child, args={"sleep": 0.002})
        message = self.result(child, settings={"num_workers": 0}, window={"ns": 1, "batches": 20})
        self.assertEqual(20, message["steps"])
        message = self.result(child, settings={"num_workers": 0}, window={"ns": 6e7, "batches": 1})
        self.assertGreater(measured_ns(message), 6e7)

    def test_progress_has_the_rate(self):
        child = self.child(DATA, virtual=True)
        self.loaded(child, args={"sleep": 0.01})
        self.result(child, settings={"num_workers": 0}, window={"ns": 4e8, "batches": 1})
        heard = [m for m in child.heard if m["type"] == "progress" and m["phase"] == "measuring"]
        self.assertEqual({100}, {message["rate"] for message in heard})

    def test_progress_has_worker_ids(self):
        child = self.child(DATA)
        self.loaded(child, args={"sleep": 0.01})
        self.result(child, settings={"num_workers": 2}, window={"ns": 6e8, "batches": 1})
        heard = [m for m in child.heard if m["type"] == "progress"]
        self.assertEqual(["starting", "finishing"], [heard[0]["phase"], heard[-1]["phase"]])
        measuring = [m for m in heard if m["phase"] == "measuring"]
        self.assertGreater(len(measuring), 0)
        self.assertEqual(2, len(measuring[-1]["workers"]))
        self.assertTrue(
            wait_until(lambda: child.processes() == [child.pid])
        )  # none is left after the run

    def test_threads_and_hooks(self):
        child = self.child(DATA)
        self.loaded(child)
        for threads, hooks in ((1, 1), (2, 0)):
            message = self.result(
                child, settings={"num_workers": 1}, intra_op_threads=threads, observer=hooks
            )
            self.assertEqual(threads, message["threads"])
            self.assertEqual(bool(hooks), message["getitem_ns"] is not None)

    def test_what_could_not_be_observed_is_said(self):
        child = self.child(
            DATA
            + """
    class Secret(Sleeping):
        def __getattribute__(self, name):
            if name == "__dict__":
                raise ValueError("no looking inside")
            return super().__getattribute__(name)
    def make_secret():
        return Secret(1000, 0.0)
"""
        )
        self.loaded(child, "make_secret")
        message = self.result(child, settings={"num_workers": 1})
        self.assertEqual(
            ["not all of the loader could be observed: ValueError: no looking inside"],
            message["notes"],
        )

    def test_threads_of_the_script_stay(self):
        child = self.child(
            "import torch\ntorch.set_num_threads(3)\ndef make_data():\n  return [[torch.zeros(4, "
            "2)]] * 50\n"
        )
        self.loaded(child)
        for threads, notes in (
            (0, []),
            (None, []),
            (3, []),
            (1, ["torch runs with 1 thread, as trainer.intra_op_threads says; your script had 3"]),
        ):
            message = self.result(child, intra_op_threads=threads)
            self.assertEqual((threads or 3, notes), (message["threads"], message["notes"]))

    def test_own_settings_stay(self):
        child = self.child(DATA)
        self.loaded(child, "make_own")
        message = self.result(child, window={"ns": 0, "batches": 4})
        self.assertEqual(2 * message["steps"], message["samples"])
        self.assertEqual(2, len(child.heard[-1]["workers"] or child.heard[-2]["workers"]))

    @only_all
    def test_start_methods(self):
        for method in sample(("forkserver", "spawn")):
            child = self.child(DATA, fresh=True)
            self.loaded(child, args={"size": 64})
            message = self.result(
                child,
                settings={"num_workers": 1, "multiprocessing_context": method},
                window={"ns": 0, "batches": 1},
            )
            self.assertEqual(1, message["steps"])
            self.assertEqual("bye", child.stop()["type"])
            self.assertTrue(wait_until(lambda: not child.processes()), f"{method} leaves processes")

    def test_batches_that_are_lists_of_samples(self):
        child = self.child(DATA)
        self.loaded(child, "make_uncollated")
        message = self.result(child, window={"ns": 0, "batches": 4})
        self.assertEqual(4 * message["steps"], message["samples"])
        self.assertEqual(message["samples"], message["getitem_ns"]["count"])

    def test_an_iterable_dataset(self):
        child = self.child(DATA)
        self.loaded(child, "make_shards")
        message = self.result(
            child, settings={"num_workers": 2, "batch_size": 2}, window={"ns": 0, "batches": 30}
        )
        self.assertEqual(2 * message["steps"], message["samples"])
        self.assertGreater(message["epochs"], 0)

    def test_generators_are_made_again_for_each_epoch(self):
        child = self.child(DATA)
        for call in ("generate", "make_once"):
            self.loaded(child, call)
            message = self.result(child, window={"ns": 0, "batches": 12})
            self.assertEqual(3 * message["steps"], message["samples"])
            self.assertGreaterEqual(message["epochs"], 2)
        self.assertEqual(1, len(message["notes"]))
        self.assertIn("make_once is called again for each epoch", message["notes"][0])

    def test_an_epoch_takes_one_iter(self):
        child = self.child(DATA)
        self.loaded(child, "make_eager", step="first_value")
        message = self.result(child, "all in Python", window={"ns": 0, "batches": 12})
        self.assertEqual(message["epochs"] + 1, message["loss_last"])  # 1 in the first epoch

    def test_an_iterator_that_starts_again_is_not_made_again(self):
        child = self.child(DATA)
        self.loaded(child, "make_restarting", step="first_value")
        message = self.result(child, "all in Python", window={"ns": 0, "batches": 12})
        self.assertGreaterEqual(message["epochs"], 2)
        self.assertEqual((1, []), (message["loss_last"], message["notes"]))

    def test_batches_of_an_epoch_where_its_samples_are_not_known(self):
        child = self.child(DATA)
        for call, window, batches in (
            ("make_batch_sampler", 4, 10),
            ("generate", 12, 5),
            ("generate", 1, None),
        ):
            self.loaded(child, call)
            message = self.result(child, window={"ns": 0, "batches": window})
            self.assertEqual((batches, window > 10), (message["batches"], message["epochs"] > 0))

    def test_numpy_without_torch(self):
        child = self.child(
            "import numpy\ndef make_data():\n  return [numpy.zeros((4, 2)) for _ in range(9)]\n",
            fresh=True,
        )
        self.assertNotIn("torch", self.loaded(child)["versions"])
        message = self.result(child)
        self.assertEqual(4 * message["steps"], message["samples"])

    def test_random_numbers_are_seeded(self):
        child = self.child(
            "import random\nseen = []\ndef make_data():\n  while True:\n    yield "
            "[random.random()]\n"
            "def step(batch):\n  return batch[0]\n"
        )
        losses = []
        for _ in range(2):
            self.loaded(child, step="step")
            losses.append(self.result(child, "all in Python")["loss_first"])
        self.assertEqual(losses[0], losses[1])


class AllInPython(ChildTest):
    def test_step_and_loss(self):
        child = self.child(DATA)
        self.loaded(child, step="train_step", setup="setup")
        message = self.result(child, "all in Python", {"num_workers": 0, "batch_size": 4})
        self.assertEqual(
            (1, message["warmup_steps"] + message["steps"], 16),
            (message["loss_first"], message["loss_last"], message["parameters"]),
        )
        self.assertGreater(min(series_of(message)["step"]), 5e6)

    def test_a_step_that_takes_no_state(self):
        child = self.child(DATA)
        self.loaded(child, step="step_in_numpy", setup="setup")
        self.assertEqual(
            0.25,
            self.result(child, "all in Python", {"num_workers": 0, "batch_size": 2})["loss_last"],
        )

    def test_needs_a_step(self):
        child = self.child(DATA)
        self.loaded(child)
        self.error(child.run("all in Python"), "scenario", "needs a trainer")


if __name__ == "__main__":
    unittest.main()
