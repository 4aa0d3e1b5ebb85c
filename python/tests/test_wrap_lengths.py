"""How a budget is spent."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from benchbench_dl.wrap.lengths import (
    LEAST_NS,
    between_saves,
    in_batches,
    least_between_saves,
    of_kind,
    planned,
    slower,
    watched,
    within_epoch,
)

MS = 10**6
S = 10**9


class Lengths(unittest.TestCase):
    def plan(self, batch_ns, workers=2, budget=(), **plan):
        return planned(
            dict(
                {"rounds": 5, "stretch": {"ns": S, "batches": 16}, "budget": dict(budget)}, **plan
            ),
            batch_ns,
            workers,
            2 * workers,
        )

    def test_what_the_rounds_need(self):
        found = self.plan(MS)
        self.assertEqual(
            (5, S, 16, False),
            tuple(found[key] for key in ("rounds", "stretch_ns", "batches", "short")),
        )
        self.assertAlmostEqual(15.25 * S, found["expected_ns"], delta=S / 4)

    def test_slow_batches_make_longer_stretches(self):
        self.assertEqual(16 * 200 * MS, self.plan(200 * MS)["stretch_ns"])

    def test_whole_groups(self):
        self.assertEqual(20, self.plan(MS, workers=5)["batches"])

    def test_more_than_needed_is_spent_on_longer_stretches(self):
        found = self.plan(MS, budget={"least_ns": 60 * S, "most_ns": 300 * S})
        self.assertEqual(5, found["rounds"])
        self.assertAlmostEqual(60 * S, found["expected_ns"], delta=S)
        self.assertAlmostEqual(60 / 15 * S, found["stretch_ns"], delta=S / 10)

    def test_less_than_needed_makes_them_shorter_then_fewer(self):
        shorter = self.plan(100 * MS, budget={"ns": 50 * S})
        self.assertEqual((5, True), (shorter["rounds"], shorter["short"]))
        self.assertLess(shorter["stretch_ns"], 16 * 100 * MS)
        self.assertLessEqual(shorter["expected_ns"], 50 * S)
        fewer = self.plan(S, budget={"ns": 120 * S})
        self.assertLess(fewer["rounds"], 5)
        self.assertGreaterEqual(fewer["batches"], 4)
        self.assertLessEqual(fewer["expected_ns"], 120 * S)

    def test_a_small_budget_has_all_rounds_of_quick_steps(self):
        found = self.plan(5 * MS, budget={"ns": 8 * S}, rounds=3)
        self.assertEqual((3, True), (found["rounds"], found["short"]))
        self.assertGreater(found["stretch_ns"], 500 * MS)

    def test_no_stretch_is_shorter_than_can_be_used(self):
        found = self.plan(MS, budget={"ns": S})
        self.assertGreaterEqual(found["stretch_ns"], LEAST_NS)
        self.assertLess(found["rounds"], 5)

    def test_what_is_watched_for_a_day_has_some_hundreds_of_stretches(self):
        for batch_ns in (MS // 2, 100 * MS):
            elapsed, stretches = 0, 0
            while elapsed < 24 * 3600 * S:
                size = watched(S, elapsed, batch_ns)
                self.assertLessEqual(size, 200_000 * batch_ns)
                elapsed, stretches = elapsed + size, stretches + 1
            self.assertLess(stretches, 1000)
        self.assertEqual(S, watched(S, 19 * S, MS))

    def test_one_round_at_least(self):
        self.assertEqual(1, self.plan(10 * S, budget={"ns": S})["rounds"])

    def test_slow_steps_hold_fewer_batches_for_t(self):
        default = {"least_ns": 60 * S, "most_ns": 300 * S}
        self.assertEqual(
            (16, None),
            tuple(self.plan(S, budget=default)[key] for key in ("distinct", "needed_ns")),
        )
        found = self.plan(4 * S, budget=default)
        self.assertEqual(
            (4, 4, None), tuple(found[key] for key in ("distinct", "batches", "needed_ns"))
        )
        self.assertLessEqual(found["expected_ns"], 300 * S)

    def test_the_budget_that_one_round_needs(self):
        """2 workers: F 2 + 4 steps, 4 held, T 2 + 4; of L 2 + 4 and the 4 that are prefetched,
        where it is known how long they take."""
        for waits, steps in ((False, 16), (True, 26)):

            def least(budget):
                found = planned({"budget": {"ns": budget}}, 4 * S, 2, 4, waits=waits)
                return found["needed_ns"]

            self.assertEqual(None, least(steps * 4 * S * 5 // 4 + 1))
            self.assertEqual(steps * 4 * S * 5 // 4, least(steps * 4 * S * 5 // 4 - 4))
        self.assertIsNone(planned({"budget": {"ns": S}}, 4 * S, 2, 4, kinds=1)["needed_ns"])

    def test_first_rounds_are_between_two_saves(self):
        """A step of T takes 10 ms. 10 batches at least count, an eighth of them and 4 do not."""

        def within(left, step_ns=10 * MS):
            return between_saves(left, 5, 100, step_ns, 2, 6, 4)

        self.assertEqual((1, 12), within(18))
        self.assertEqual((1, 10), within(16))
        self.assertEqual((1, 4), within(14))  # too few: tried all the same
        self.assertGreaterEqual(within(100)[0], 2)
        for left in range(60, 400, 20):
            rounds, batches = within(left)
            self.assertLessEqual(
                rounds * (batches + batches // 8 + 4) + (rounds - 1) * (6 + 4 + batches), left
            )
        self.assertEqual((5, 100), within(5000))
        self.assertEqual(15, least_between_saves(10 * MS, 2, 4))
        self.assertEqual(116, least_between_saves(MS, 2, 4))
        self.assertEqual(80, least_between_saves(10 * MS, 8, 64))

    def test_a_budget_is_kept(self):
        for batch_ns in (MS // 10, MS, 30 * MS, 300 * MS):
            for workers in (0, 1, 8):
                found = self.plan(batch_ns, workers, budget={"ns": 100 * S})
                self.assertLessEqual(
                    found["expected_ns"], found["ends_after_ns"], (batch_ns, workers, found)
                )
                self.assertEqual(100 * S, found["ends_after_ns"])

    def test_short_epochs_take_longer(self):
        self.assertEqual(1, slower(MS, None, S, 6))
        self.assertEqual(100 / 90, slower(MS, 100, 0, 10))
        self.assertEqual(11, slower(10 * MS, 2, 90 * MS, 6))
        quick, slow = (
            self.plan(MS),
            planned({"rounds": 5, "stretch": {"ns": S}, "budget": {}}, MS, 2, 4, slower=3),
        )
        self.assertEqual(quick["stretch_ns"], slow["stretch_ns"])
        self.assertAlmostEqual(3, slow["expected_ns"] / quick["expected_ns"], places=3)
        self.assertLess(
            planned({"budget": {"ns": 30 * S}}, MS, 2, 4, slower=3)["expected_ns"], 30 * S
        )

    def test_first_rounds_end_with_the_epoch(self):
        found = self.plan(20 * MS, budget={"least_ns": 60 * S, "most_ns": 300 * S})

        def within(left, batch_ns=20 * MS):
            return within_epoch(left, found, batch_ns, 2, 6, 16)

        whole = found["stretch_ns"] // (20 * MS)
        self.assertEqual((0, 0, 16), within(None))
        self.assertEqual((0, 0, 16), within(5 * (2 * whole + 30)))
        self.assertEqual(5, within(5 * (2 * whole + 30) - 1)[0])
        for left in (100, 215, 400, 900):
            rounds, batches, held = within(left)
            self.assertLessEqual(rounds * (2 * batches + 30), left)
            self.assertGreaterEqual(batches, 16)
            self.assertEqual(16, held)
        self.assertEqual((3, 20, 16), within(215))
        self.assertEqual((1, 16, 16), within(62))
        self.assertEqual((1, 20, 4), within(61))  # one round of the least length
        self.assertEqual((1, 6, 4), within(30))
        self.assertEqual((0, 0, 16), within(29))
        self.assertEqual((0, 0, 16), within(200, batch_ns=MS))  # 100 ms are 100 batches there

    def test_t_counts_as_many_batches_as_f(self):
        for kind in "FLfl":
            self.assertEqual({"ns": 4 * S, "batches": 16}, of_kind(kind, 4 * S, 16, 25 * MS))
        self.assertEqual({"ns": LEAST_NS, "batches": 160}, of_kind("T", 4 * S, 16, 25 * MS))
        self.assertEqual({"ns": LEAST_NS, "batches": 16}, of_kind("T", 4 * S, 16, S))
        self.assertEqual({"ns": 0, "batches": 102}, of_kind("T", 0, 102, S))  # ranks

    def test_ranks_count(self):
        found = self.plan(10 * MS, workers=3)
        in_batches(found, 10 * MS, 3)
        self.assertEqual((0, 102), (found["stretch_ns"], found["batches"]))


if __name__ == "__main__":
    unittest.main()
