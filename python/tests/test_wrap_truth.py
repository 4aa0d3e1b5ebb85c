"""L, T and F of a script whose samples and steps take known times; of more workers,
scripts/wrap_figures."""

import statistics
import unittest

from rows import alone
from wrap_driver import WrapTest
from wrap_scripts import sleeps, truth

CLOSE = 0.05


class KnownSleeps(WrapTest):
    def measure(self, sample, step, workers, prefetch, **plan):
        """{kind: rate and truth, medians over the rounds}."""
        wrapped = self.answered(
            sleeps(sample, step, workers, prefetch),
            rounds=3,
            warmup={"ns": 0},
            patience={"ns": 0},
            **plan,
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

    def check(self, *args, **kwargs):
        for _ in range(3):
            ratios = self.measure(*args, **kwargs)
            if all(abs(ratio - 1) < CLOSE for ratio in ratios.values()):
                break
        print(args, {kind: round(ratio, 3) for kind, ratio in sorted(ratios.items())})
        self.assertEqual({"F", "L", "T"}, set(ratios))
        for kind, ratio in ratios.items():
            self.assertLess(abs(ratio - 1), CLOSE, f"{kind} is {ratio:.3f} of the truth: {ratios}")

    @alone
    def test_two_workers(self):
        self.check(0.08, 0.02, 2, 2)

    @alone
    def test_a_slow_step(self):
        self.check(0.05, 0.08, 2, 2)

    @alone
    def test_without_workers(self):
        self.check(0.02, 0.02, 0, None)


if __name__ == "__main__":
    unittest.main()
