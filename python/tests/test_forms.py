"""Small rules: rows of a batch of any form, the end of a warm-up, what an exception shows."""

import collections
import random
import sys
import unittest

from child import FOLDER, torch

sys.path.insert(0, FOLDER)
from benchbench_dl import epoch_beginning, tracebacks, trees
from benchbench_dl.serve import calling  # noqa: E402
from benchbench_dl.step_trace import StepTrace, WarmUp  # noqa: E402

MS = 1_000_000


class Beginnings(unittest.TestCase):
    def test_all_that_workers_make_at_once(self):
        """Two workers, two batches each, one every 10 ms: the first comes after 20, one with it,
        then two more 20 later."""
        first = epoch_beginning.EpochBeginning(20 * MS, 4)
        self.assertEqual([False, False, True], [first.add(wait * MS) for wait in (0, 20, 0)])
        self.assertTrue(first.add(10 * MS))  # none of it
        self.assertEqual(
            {"epoch_gap_ns": 40 * MS, "epoch_gap_batches": 4}, epoch_beginning.facts([first])
        )
        self.assertEqual(20 * MS, first.first_ns)

    def test_whole_ones_before_those_that_were_cut_short(self):
        whole, cut = (
            epoch_beginning.EpochBeginning(20 * MS, 2),
            epoch_beginning.EpochBeginning(90 * MS, 2),
        )
        whole.add(4 * MS)
        self.assertEqual(
            {"epoch_gap_ns": 24 * MS, "epoch_gap_batches": 2},
            epoch_beginning.facts([cut, whole], 7),
        )
        self.assertEqual(
            {"epoch_gap_ns": 90 * MS, "epoch_gap_batches": 1}, epoch_beginning.facts([cut], 7)
        )
        self.assertEqual({"epoch_gap_ns": 7, "epoch_gap_batches": 1}, epoch_beginning.facts([], 7))
        self.assertEqual({"epoch_gap_ns": None, "epoch_gap_batches": 1}, epoch_beginning.facts([]))

    def test_without_workers(self):
        self.assertTrue(epoch_beginning.EpochBeginning(20 * MS, 0).add(10 * MS))


class Rows(unittest.TestCase):
    def test_forms(self):
        import numpy

        pair = collections.namedtuple("Pair", "x y")
        images = [torch.zeros(3, 8 + i, 9) for i in range(5)]
        boxes = [{"boxes": torch.zeros(i, 4)} for i in range(5)]
        cases = (
            (4, torch.zeros(4, 2)),
            (4, [torch.zeros(4, 2), torch.zeros(4)]),
            (4, (torch.zeros(4, 2),)),
            (4, {"image": torch.zeros(4, 2), "label": torch.zeros(4)}),
            (4, {"text": ["a"] * 4, "n": 1}),
            (4, {"nested": {"ids": torch.zeros(4, 7)}}),
            (4, pair(torch.zeros(4), 1)),
            (4, numpy.zeros((4, 2))),
            (4, [numpy.zeros((4, 2)), 1]),
            (5, (images, boxes)),
            (5, (tuple(images), tuple(boxes))),
            (4, [[torch.zeros(4, 3), torch.zeros(4, 2)], torch.zeros(4)]),
            (6, [{"a": torch.zeros(3)}] * 6),
            (6, [(torch.zeros(3), 1)] * 6),
            (3, ["a", "b", "c"]),
            (1, 7),
            (1, "text"),
            (1, torch.tensor(1.0)),
        )
        for rows, batch in cases:
            self.assertEqual(rows, trees.rows_of(batch), batch)

    def test_long_lists_of_numbers_are_not_looked_through(self):
        def read(batch):
            seen = []
            trees.mapped(batch, seen.append)
            return len(seen) + len(trees.leaves(batch))

        tokens = [list(range(512)) for _ in range(64)]
        batch = {"input_ids": tokens, "labels": [0] * 64}
        self.assertEqual((64, 0), (trees.rows_of(batch), read(batch)))
        made = trees.mapped(batch, lambda leaf: leaf)
        self.assertEqual(batch, made)
        self.assertFalse(any(new is old for new, old in zip(made["input_ids"], tokens)))
        mixed = [0, torch.zeros(2)] + [0] * 14
        self.assertEqual(17, read(mixed))  # 16 values, of which 1 is a tensor
        views = {"views": [torch.zeros(4, 3), torch.zeros(4, 3)]}
        self.assertEqual(4, trees.rows_of(views))

    def test_lists_of_samples(self):
        zeros = torch.zeros
        pair = [zeros(8, 3), zeros(8)]
        cases = (
            (32, 32, [zeros(8, 3)] * 32),
            (32, 32, [[zeros(3, 4, 4), 1]] * 32),
            (2, 2, [zeros(8, 3)] * 2),  # collate_fn=list
            (8, 8, [zeros(8, 9)] * 5),
            (8, 8, pair),
            (2, 2, [zeros(2, 3), zeros(2)]),
            (5, 8, [zeros(5, 3), zeros(5)]),
            (32, None, [zeros(8, 3)] * 32),
            (3, None, [zeros(5), zeros(7), zeros(5)]),
            (3, None, [torch.tensor(1.0)] * 3),
            (6, None, [zeros(8, 3).numpy()] * 6),
            (8, None, [zeros(8, 3), zeros(8, 9)]),
            (8, None, pair),
            (4, None, [zeros(4, 3), zeros(2, 7, 7)]),
        )
        for rows, size, batch in cases:
            self.assertEqual(rows, trees.Rows(size)(batch), (size, len(batch)))

    def test_the_first_batch_decides_what_lists_are(self):
        collated, samples = trees.Rows(6), trees.Rows(6)
        self.assertEqual(
            (6, 2), (collated([torch.zeros(6, 3)] * 5), collated([torch.zeros(2, 3)] * 5))
        )
        self.assertEqual(
            (6, 2), (samples([torch.zeros(8, 3)] * 6), samples([torch.zeros(8, 3)] * 2))
        )

    def test_objects_are_rebuilt(self):
        class Encoding(collections.UserDict):
            pass

        held = Encoding({"ids": torch.zeros(2), "more": [1, 2]})
        made = trees.mapped(held, lambda leaf: leaf)
        made.pop("ids")
        made["more"].append(3)
        self.assertEqual((Encoding, 2, [1, 2]), (type(made), len(held["ids"]), held["more"]))


class WarmingUp(unittest.TestCase):
    def steps(self, durations, **rule):
        rule = WarmUp(
            **dict({"fixed": None, "cap": None, "window": 100 * MS, "slope": 0.05}, **rule)
        )
        since = 0
        for number, ns in enumerate(durations, 1):
            since += ns
            if rule.done_after(1, ns, since):
                return number, rule.steady
        return None, rule.steady

    def test_level_steps(self):
        self.assertEqual((5, True), self.steps([5 * MS] * 50))  # a quarter of the window
        self.assertEqual((3, True), self.steps([50 * MS] * 50))  # at least 3

    def test_falling_steps_are_waited_for(self):
        self.assertEqual(
            (14, True),
            self.steps([16 * MS, 14 * MS, 12 * MS, 10 * MS, 8 * MS, 6 * MS] + [4 * MS] * 50),
        )

    def test_caps(self):
        falling = [int(1000 * MS * 0.8**i) for i in range(60)]
        self.assertEqual((10, False), self.steps(falling))  # 2 windows, and 10 steps
        self.assertEqual((2, False), self.steps(falling, cap=1500 * MS))
        self.assertEqual((3, True), self.steps([5 * MS] * 9, fixed=15 * MS))

    def test_its_cap_leaves_room_for_three_groups(self):
        """Of five workers, each group as long as a window: two are 2 windows and 10 steps."""
        rule = WarmUp(fixed=None, cap=None, window=100 * MS, slope=0.05)
        ended = [rule.done_after(5, 100 * MS, n * 100 * MS) for n in (1, 2, 3)]
        self.assertEqual([False, False, True], ended)
        self.assertTrue(rule.steady)

    def test_noise_is_no_slope(self):
        random.seed(3)
        trace = StepTrace()
        for _ in range(500):
            trace.add(random.randint(9 * MS, 11 * MS))
        self.assertLess(abs(trace.slope_share()), 0.05)
        trace = StepTrace()
        for i in range(500):
            trace.add(10 * MS + i * 10000)
        self.assertAlmostEqual(5 / 12.5, trace.slope_share(), delta=0.02)


class Tracebacks(unittest.TestCase):
    def described(self, action):
        try:
            action()
        except Exception as error:
            return tracebacks.describe(error)

    def test_long_ones_are_cut(self):
        message, text, _ = self.described(lambda: int("x" * 5000))
        self.assertLess(len(message), 2100)
        self.assertLess(len(text), 5000)

    def test_inner_files(self):
        self.assertTrue(tracebacks.is_inner(torch.__file__))
        self.assertTrue(tracebacks.is_inner(calling.__file__))
        self.assertTrue(tracebacks.is_inner(random.__file__))
        self.assertFalse(tracebacks.is_inner("/data/train.py"))
        self.assertFalse(tracebacks.is_inner("/usr/lib/python3/dist-packages/torchvision/io.py"))


if __name__ == "__main__":
    unittest.main()
