"""The user's code sees the same with hooks and without; nothing is left behind."""

import gc
import os
import pickle
import threading
import unittest
import weakref

import observed
import torch
from observed import Observer, Sleepy, SleepyStream, loader_of, observe
from rows import HANG_S, only_all, sample

try:
    from torchdata.stateful_dataloader import StatefulDataLoader
except ImportError:
    StatefulDataLoader = None


class Ranks(Sleepy):
    """Its samples are what a worker sees of itself."""

    def __getitem__(self, index):
        info = torch.utils.data.get_worker_info()
        return torch.tensor([index, info.id, info.seed % 1000, self.marked])

    marked = 0


class Mark:
    def __call__(self, worker):
        torch.utils.data.get_worker_info().dataset.marked = 100 + worker


class Refuses(Sleepy):
    def __getitem__(self, index):
        raise LookupError(f"no sample {index}")


def batches_of(make, epochs, hooks):
    torch.manual_seed(7)  # seeds a sampler too that the loader makes at once
    loader = make()
    if hooks is not None:
        return observe(loader, epochs, hooks)[1]
    return [batch for _ in range(epochs) for batch in loader]


class Unseen(unittest.TestCase):
    def same(self, make, epochs=2, levels=(False, True)):
        plain = batches_of(make, epochs, None)
        for hooks in levels:
            hooked = batches_of(make, epochs, hooks)
            self.assertEqual(len(plain), len(hooked))
            self.assertTrue(all(torch.equal(one, other) for one, other in zip(plain, hooked)))

    def test_the_same_batches(self):
        for workers in sample((2, 0)):
            self.same(lambda: loader_of(Sleepy(40), workers, shuffle=True))
            self.same(lambda: loader_of(SleepyStream(20), workers))
        self.same(lambda: loader_of(Sleepy(40), 2, shuffle=True, persistent_workers=True))

    @only_all
    def test_the_same_batches_from_spawned_workers(self):
        self.same(
            lambda: loader_of(Sleepy(16), 1, shuffle=True, multiprocessing_context="spawn"),
            epochs=1,
            levels=(True,),
        )

    def test_lambdas_work_with_fork(self):
        self.same(
            lambda: loader_of(
                Sleepy(16),
                2,
                collate_fn=lambda items: torch.stack(items),
                worker_init_fn=lambda worker: None,
            )
        )

    def test_the_users_worker_init_fn_is_called(self):
        self.same(lambda: loader_of(Ranks(32), 2, worker_init_fn=Mark()))
        batches = observe(loader_of(Ranks(32), 2, worker_init_fn=Mark()))[1]
        self.assertEqual({int(mark) for batch in batches for mark in batch[:, 3]}, {100, 101})

    def test_the_users_loader_is_unchanged(self):
        for workers, persistent in ((0, False), (2, False), (2, True)):
            loader = loader_of(Sleepy(16), workers, persistent_workers=persistent)
            before = dict(vars(loader))
            attributes = dict(vars(loader.dataset))
            fetch = torch.utils.data._utils.fetch
            torchs = [
                dict(vars(kind)) for kind in (torch.utils.data.DataLoader, fetch._MapDatasetFetcher)
            ]
            observe(loader, 2)
            self.assertEqual(before, vars(loader))
            self.assertEqual(attributes, vars(loader.dataset))
            self.assertEqual(
                torchs,
                [
                    dict(vars(kind))
                    for kind in (torch.utils.data.DataLoader, fetch._MapDatasetFetcher)
                ],
            )

    def test_iterators_go_without_the_garbage_collector(self):
        """Each epoch would leave its pipes open, and its workers, if they did not."""
        for workers in (0, 2):
            observer = Observer(True)
            attached = observer.attach(loader_of(Sleepy(16), workers))
            gc.disable()
            try:
                iterator = iter(attached)
                observer.iterator_made(iterator)
                next(iterator)
                inner = iterator._worker_result_queue if workers else iterator._dataset_fetcher
                gone = weakref.ref(iterator), weakref.ref(inner)
                del iterator, inner
                self.assertEqual([reference() for reference in gone], [None, None])
                self.assertEqual(observer.worker_pids(), [])
            finally:
                gc.enable()

    def test_descriptors_stay_open_at_the_end_of_epochs(self):
        observer = Observer(True)
        attached = observer.attach(loader_of(Sleepy(16), 2))
        gc.collect()
        gc.disable()
        self.addCleanup(gc.enable)
        open_before = None
        for _ in range(4):
            iterator = iter(attached)
            observer.iterator_made(iterator)
            for _ in iterator:
                pass
            del iterator, _
            for thread in (
                threading.enumerate()
            ):  # a queue's thread closes its pipe, and may be later than the iterator's end
                if thread.name == "QueueFeederThread":
                    thread.join(HANG_S)
            number = len(os.listdir("/proc/self/fd"))
            open_before = open_before or number
        self.assertLessEqual(number, open_before)

    @unittest.skipIf(StatefulDataLoader is None, "torchdata is needed")
    def test_a_stateful_loader(self):
        for workers in (0, 2):

            def make():
                return StatefulDataLoader(
                    Sleepy(32), num_workers=workers, batch_size=8, shuffle=True
                )

            self.same(make)
            facts, _ = observe(make(), 2)
            self.assertEqual((facts["getitem_ns"]["count"], facts["collate_ns"]["count"]), (64, 8))
            if workers:
                self.assertEqual([worker["samples"] for worker in facts["workers"]], [32, 32])
                self.assertEqual(facts["handover_ns"]["count"], 8)

    def test_worker_pids(self):
        observer = Observer(False)
        iterator = iter(observer.attach(loader_of(Sleepy(16), 2)))
        observer.iterator_made(iterator)
        self.assertEqual(observer.worker_pids(), [worker.pid for worker in iterator._workers])

    def test_an_exception_is_the_users(self):
        for workers in (0, 1):
            with self.assertRaisesRegex(LookupError, "no sample 0"):
                observe(loader_of(Refuses(8), workers))

    def test_an_iterable_that_is_no_loader(self):
        batches = [1, 2, 3]
        observer = Observer(True)
        self.assertIs(observer.attach(batches), batches)
        observer.iterator_made(iter(batches))
        observer.window(True)
        observer.window(False)
        observer.look_at(batches, batches)
        facts = observer.facts()
        self.assertEqual(facts["cpu_count"], os.cpu_count())
        self.assertIsNone(facts["workers"])
        self.assertEqual(observer.worker_pids(), [])

    def test_without_torch(self):
        code = (
            "import sys, json; sys.modules['torch'] = None; sys.path.insert(0, %r)\n"
            "from benchbench_dl.observe.observer import Observer\n"
            "from benchbench_dl.sources import noting_loaders, where_of\n"
            "observer = Observer(True)\n"
            "with noting_loaders(): data = observer.attach([[1], [2]])\n"
            "observer.iterator_made(iter(data)); observer.window(True); observer.window(False)\n"
            "observer.look_at(data, data); print(json.dumps(observer.facts()), observer.failures)"
        )
        printed = observed.run_python(
            "-c", code % os.path.dirname(os.path.dirname(os.path.abspath(observed.__file__)))
        )
        self.assertIn('"threads": null', printed)
        self.assertIn('"getitem_ns": null', printed)
        self.assertTrue(printed.endswith("[]"), printed)

    def test_the_start_of_a_worker_is_picklable_where_the_users_function_is(self):
        observer = Observer(False)
        self.assertIsNone(
            pickle.loads(
                pickle.dumps(observer.attach(loader_of(Sleepy(8), 1)).worker_init_fn)
            ).users
        )


if __name__ == "__main__":
    unittest.main()
