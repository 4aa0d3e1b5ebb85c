"""The time that each epoch pays for starting its workers, against known sleeps, without what
workers that stay pay too."""

import unittest

from child import ChildTest
from rows import alone, only_all, quiet, sample

SCRIPT = """
    import multiprocessing.util, time, torch
    from torch.utils.data import DataLoader, Dataset, IterableDataset, SequentialSampler

    class Rows(Dataset):
        opened = False
        def __init__(self, opens):
            self.opens = opens
        def __len__(self):
            return 6
        def __getitem__(self, index):
            if not self.opened:  # each worker anew, with its first sample
                self.opened = True
                time.sleep(self.opens)
            time.sleep(0.002)
            return torch.zeros(2)

    class Slow(SequentialSampler):
        def __iter__(self):
            time.sleep(0.4)
            yield from super().__iter__()

    class Lists(IterableDataset):
        def __init__(self, takes=0.4):
            self.takes = takes
        def __iter__(self):  # at once
            time.sleep(self.takes)
            return iter([torch.zeros(2)] * 6)

    class ListsLater(IterableDataset):
        def __iter__(self):  # with the first sample
            time.sleep(0.4)
            for _ in range(6):
                yield torch.zeros(2)

    class EndsLate(IterableDataset):
        def __iter__(self):
            for _ in range(6):
                yield torch.zeros(2)
            time.sleep(0.4)

    def prepare(worker):
        time.sleep(0.4)

    def end_slowly(worker):  # once torch ends it
        multiprocessing.util.Finalize(None, time.sleep, (0.4,), exitpriority=1)

    def make_data(what, persistent=False, workers=1):
        rows = Rows(0.4 if what == "opens" else 0)
        settings = {"batch_size": 2, "num_workers": workers, "persistent_workers": persistent}
        if what == "prepares":
            return DataLoader(rows, worker_init_fn=prepare, **settings)
        if what == "prepares and draws":
            return DataLoader(rows, worker_init_fn=prepare, sampler=Slow(rows), **settings)
        if what.startswith("ends slowly"):
            data = Lists(0) if "stream" in what else rows
            return DataLoader(data, worker_init_fn=end_slowly, **settings)
        if what == "draws":
            return DataLoader(rows, sampler=Slow(rows), **settings)
        if what == "lists":
            return DataLoader(Lists(), **settings)
        if what == "lists later":
            return DataLoader(ListsLater(), **settings)
        if what == "ends late":
            return DataLoader(EndsLate(), **settings)
        return DataLoader(rows, **settings)
"""


TAKES = 400  # ms
NONE = (0, 30)  # ms: the samples take 2 each, wherever they fall
ALL = (TAKES, TAKES + 30)


class StartUp(ChildTest):
    """Most cases have a clock that only the script's sleeps advance. Those have the real one where
    it matters what happens at once."""

    def ran(self, what, settings=None, observer=1, is_virtual=True, **args):
        """(of the first epoch, mean of the later ones, mean gap without these), in ms."""
        child = self.child(SCRIPT, virtual=is_virtual)
        self.loaded(child, args={"what": what, **args})
        message = self.result(
            child, settings=settings or {}, observer=observer, window={"ns": 0, "batches": 2}
        )
        self.assertGreaterEqual(message["epochs"], 1)
        names = ("workers_start_ns", "epoch_start_ns", "epoch_gap_ns")
        first, later, gap = [message[name] / 1e6 if name in message else None for name in names]
        return first, later, gap - later

    def within(self, milliseconds, bounds):
        self.assertTrue(bounds[0] <= milliseconds <= bounds[1], (milliseconds, bounds))

    def test_what_workers_do_before_their_first_sample(self):
        first, later, rest = self.ran("prepares")
        self.within(first, ALL)
        self.within(later, ALL)
        self.within(rest, NONE)

    @only_all
    def test_what_spawned_workers_do_before(self):
        """The clock is real, and can only be later."""
        settings = {"multiprocessing_context": "spawn"}
        first, later, _ = self.ran("prepares", settings, is_virtual=False)
        self.assertGreater(min(first, later), TAKES)

    @alone
    def test_what_the_first_fetch_opens(self):
        with quiet():
            first, later, rest = self.ran("opens", is_virtual=False)
        self.assertLess(first, TAKES / 2)  # a cold file may add to the first epoch
        self.assertGreater(later, 390)
        self.assertLess(rest, TAKES / 2)

    def test_the_sampler_is_not_of_it(self):
        for workers in (1, 2):
            first, later, rest = self.ran("draws", workers=workers)
            self.within(first, NONE)
            self.within(later, NONE)
            self.within(rest, ALL)

    @alone
    def test_a_sampler_that_draws_while_workers_prepare(self):
        """Both take 400 ms, at once."""
        with quiet():
            _, later, rest = self.ran("prepares and draws", is_virtual=False)
        self.assertLess(later, TAKES / 2)
        self.assertGreater(rest, 390)

    def test_the_iteration_of_a_stream_is_not_of_it(self):
        for what in ("lists", "lists later"):
            with self.subTest(what):
                first, later, rest = self.ran(what)
                self.within(first, NONE)
                self.within(later, NONE)
                self.within(rest, ALL)

    @alone
    def test_what_a_stream_does_after_its_last_sample_is_not_of_it(self):
        for workers in sample((2, 1)):
            with quiet():
                _, later, rest = self.ran("ends late", workers=workers, is_virtual=False)
            self.assertLess(later, TAKES / 2)
            self.assertGreater(rest, 390)

    def test_ending_workers_is_of_it(self):
        for what in ("ends slowly", "ends slowly, a stream"):
            with self.subTest(what):
                _, later, rest = self.ran(what)
                self.within(later, ALL)
                self.within(rest, NONE)

    def test_workers_that_stay(self):
        first, later, rest = self.ran("prepares", persistent=True)
        self.within(first, ALL)
        self.within(later, NONE)
        self.within(rest, NONE)

    def test_without_hooks_it_is_iter(self):
        first, later, rest = self.ran("prepares", observer=0)
        self.assertIsNone(first)
        self.within(later + rest, ALL)


if __name__ == "__main__":
    unittest.main()
