"""L, T and F of a script whose samples and steps take known times; of more workers,
scripts/wrap_figures."""

import statistics
import unittest

from rows import alone, only_all, quiet
from wrap_driver import WrapTest
from wrap_scripts import sleeps, truth

CLOSE = 0.03
QUIET = CLOSE / 2  # how late a bare loop may be, where CLOSE is to mean something


class KnownSleeps(WrapTest):
    def measure(self, sample, step, workers, prefetch, virtual=False):
        """{kind: rate and truth, medians over the rounds}."""
        wrapped = self.answered(
            sleeps(sample, step, workers, prefetch),
            rounds=3,
            warmup={"ns": 0},
            at_once=True,
            virtual=virtual,
        )
        text = wrapped.files()["truth"].decode()
        found = {}
        for stretch in wrapped.main.of("stretch"):
            seconds = sum(end - begin for begin, end in stretch["segments"]) / 1e9
            made = {
                "L": max(1, workers) / truth(text, "L", stretch["segments"])
                if stretch["kind"] != "T"
                else None,
                "T": 1 / truth(text, "T", stretch["segments"]) if stretch["kind"] != "L" else None,
            }
            if stretch["kind"] == "F":
                made["F"] = (
                    min(made["L"], made["T"]) if workers else 1 / (1 / made["L"] + 1 / made["T"])
                )
            found.setdefault(stretch["kind"], []).append(
                stretch["steps"] / seconds / made[stretch["kind"]]
            )
        return {kind: statistics.median(ratios) for kind, ratios in found.items()}

    def check(self, *args):
        with quiet(QUIET, turn=max(args[:2])):
            ratios = self.measure(*args)
            self.assertEqual({"F", "L", "T"}, set(ratios))
        print(args, {kind: round(ratio, 3) for kind, ratio in sorted(ratios.items())})
        for kind, ratio in ratios.items():
            self.assertLess(abs(ratio - 1), CLOSE, f"{kind} is {ratio:.3f} of the truth: {ratios}")

    @alone
    def test_two_workers(self):
        self.check(0.08, 0.02, 2, 2)

    @only_all
    @alone
    def test_a_slow_step(self):
        self.check(0.025, 0.04, 2, 2)

    def test_without_workers(self):
        """Only sleeps advance the clock."""
        ratios = self.measure(0.02, 0.02, 0, None, virtual=True)
        self.assertEqual({"F", "L", "T"}, set(ratios))
        for ratio in ratios.values():
            self.assertAlmostEqual(1, ratio, places=9)


if __name__ == "__main__":
    unittest.main()
