"""T: held batches of the loader, in turns with the step."""

import sys
import unittest
from types import SimpleNamespace
from unittest import mock

import virtual
from child import FOLDER, ChildTest, torch, wait_until
from test_run import DATA, series_of

sys.path.insert(0, FOLDER)
from benchbench_dl.serve import replay  # noqa: E402

REAL_FREE_MEMORY = replay.free_memory


class Replayed(ChildTest):
    def load(self, step, virtual=False, **args):
        child = self.child(DATA, virtual=virtual)
        self.loaded(child, step=step, setup="setup" if step == "train_step" else None, args=args)
        return child

    def test_batches_are_fetched_before(self):
        child = self.load("train_step", virtual=True, sleep=0.001)
        message = self.result(child, "replayed", {"num_workers": 2, "batch_size": 4}, distinct=6)
        self.assertEqual((6, 0, []), (message["distinct"], message["changed"], message["notes"]))
        self.assertEqual({0}, set(series_of(message)["get"]))
        self.assertEqual(4 * message["steps"], message["samples"])
        self.assertTrue(wait_until(lambda: child.processes() == [child.pid]))

    def test_changes_in_place_are_noticed_and_containers_are_new(self):
        child = self.load("step_that_changes")
        message = self.result(child, "replayed", {"num_workers": 0, "batch_size": 2}, distinct=4)
        self.assertEqual((4, 4), (message["distinct"], message["changed"]))
        self.assertEqual(
            [
                "the step changed 4 of 4 batches in place: a changed batch comes again as the step "
                "left it"
            ],
            message["notes"],
        )
        child = self.load("step_in_numpy")
        message = self.result(child, "replayed", {"num_workers": 0, "batch_size": 2}, distinct=4)
        self.assertEqual(
            (4, 1, 0.25), (message["distinct"], message["changed"], message["loss_last"])
        )

    def test_fewer_than_asked_for(self):
        child = self.load("train_step", size=11)
        message = self.result(child, "replayed", {"num_workers": 0, "batch_size": 4}, distinct=16)
        self.assertEqual(2, message["distinct"])  # the last one holds 3
        self.assertEqual(
            ["2 of 16 batches are replayed: an epoch has no more of full size"], message["notes"]
        )

    def replayed_rows(self, sizes, distinct=16):
        """Replays a loader whose batches hold `sizes` rows, one epoch after the other."""
        epochs = SimpleNamespace(got=0, ended=0, prefetched=0, close=lambda: None)

        def get():
            epochs.ended, at = divmod(epochs.got, len(sizes))
            epochs.got += 1
            return [torch.zeros(sizes[at], 2)]

        epochs.get = get
        made = replay.Replay(epochs, distinct, None, lambda: None)
        return [made.get()[0].shape[0] for _ in range(made.facts()["distinct"])], made.notes

    def test_batches_of_any_size_are_replayed(self):
        sizes = [12, 26, 9, 32, 8, 20]
        self.assertEqual(
            (sizes, ["6 of 16 batches are replayed: an epoch has no more"]),
            self.replayed_rows(sizes),
        )
        self.assertEqual((sizes[:4], []), self.replayed_rows(sizes, 4))
        self.assertEqual((sizes[:5], []), self.replayed_rows(sizes, 5))

    def test_the_rest_of_an_epoch_is_not_replayed(self):
        of_full_size = ["3 of 4 batches are replayed: an epoch has no more of full size"]
        self.assertEqual(([8, 8, 8], of_full_size), self.replayed_rows([8, 8, 8, 3], 4))
        self.assertEqual(([8, 8, 8], []), self.replayed_rows([8, 8, 8, 3], 3))
        self.assertEqual(
            ([3], ["1 of 4 batches are replayed: an epoch has no more"]), self.replayed_rows([3], 4)
        )

    def test_memory_caps_them(self):
        replay.free_memory = lambda: 4 * 4000
        self.addCleanup(setattr, replay, "free_memory", REAL_FREE_MEMORY)
        epochs = SimpleNamespace(
            get=lambda: [torch.zeros(10, 100)], ended=0, prefetched=0, close=lambda: None
        )
        made = replay.Replay(epochs, 16, None, lambda: None)
        self.assertEqual(2, made.facts()["distinct"])
        self.assertEqual(
            ["2 of 16 batches are replayed: more would take over half of the free memory"],
            made.notes,
        )

    def test_batches_are_copies(self):
        batch = {"x": [torch.zeros(2)], "name": "a", "pair": (torch.ones(1), 3)}
        epochs = SimpleNamespace(get=lambda: batch, ended=0, prefetched=0, close=lambda: None)
        made = replay.Replay(epochs, 1, None, lambda: None)
        batch["x"][0].add_(1)
        first, second = made.get(), made.get()
        self.assertEqual([0.0, 0.0], first["x"][0].tolist())
        self.assertIs(first["x"][0], second["x"][0])
        self.assertIsNot(first["x"], second["x"])
        self.assertEqual(("a", 3), (first["name"], first["pair"][1]))

    def test_what_an_iterable_holds_stays(self):
        child = self.child(DATA)
        self.loaded(child, "make_with_an_iterator", step="its_iterator")
        self.assertEqual(7, self.result(child, "replayed", distinct=2)["loss_last"])

    def test_a_rate(self):
        """Each look at the clock takes 1 us, and each step 5 ms."""
        clock = virtual.ClockOfEach(look_ns=1000)
        epochs = SimpleNamespace(
            get=lambda: [torch.zeros(4, 2)], ended=0, prefetched=0, close=lambda: None
        )
        with mock.patch.object(replay, "now", clock.monotonic_ns), mock.patch.object(
            replay.time, "sleep", clock.sleep
        ):
            made = replay.Replay(epochs, 2, 400, lambda: None)
            made.get()
            begin = clock.monotonic_ns()
            for _ in range(100):
                clock.sleep(0.005)
                made.get()
            self.assertAlmostEqual(1e9, clock.monotonic_ns() - begin, delta=20_000)


if __name__ == "__main__":
    unittest.main()
