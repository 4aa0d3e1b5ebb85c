"""Two loaders that feed the same steps."""

import array
import unittest

from rows import alone, only_all, quiet, sample
from wrap_driver import WrapTest
from wrap_scripts import plain

QUICK = {"stretch": {"ns": 100_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}
SLOW_NS = 20_000_000

SLOW = f"""class Slow(Samples):
        def __getitem__(self, index):
            time.sleep({SLOW_NS / 1e9})
            return super().__getitem__(index)

    def main():
        slow = DataLoader(Slow(), batch_size=1, num_workers=1)"""


def zipped(first, second):
    return (
        plain("num_workers=1")
        .replace("def main():", SLOW, 1)
        .replace(
            "for number, (x, y) in enumerate(train_loader):",
            f"for number, ((x, y), _) in enumerate(zip({first}, {second})):",
        )
    )


class Partners(WrapTest):
    def measured(self, script, **members):
        heard = self.answered(script, dict(QUICK, **members)).main
        return (
            heard.of("steady")[0],
            {stretch["kind"]: stretch for stretch in heard.of("stretch")},
            heard,
        )

    def a_batch_of(self, stretch):
        return sum(end - begin for begin, end in stretch["segments"]) / stretch["steps"]

    def wait_of(self, stretch):
        """(all, of each partner), of a step."""
        lengths = dict(stretch["series"])
        waits = sum(array.array("q", stretch["blob"][: 8 * lengths["get"]])) / stretch["steps"]
        return waits, [(of["name"], of["wait_ns"] / stretch["steps"]) for of in stretch["partners"]]

    @alone
    def test_the_one_that_steps_wait_for_is_measured(self):
        orders = (("slow", "train_loader"), ("train_loader", "slow"))
        with quiet():
            measured = [self.measured(zipped(*loaders)) for loaders in sample(orders)]
        for planned, found, _ in measured:
            with self.subTest():
                self.assertEqual(
                    ("slow", ["train_loader"]),
                    (planned["loader"]["name"], [p["name"] for p in planned["partners"]]),
                )
                waits, [(name, partners)] = self.wait_of(found["F"])
                self.assertEqual("train_loader", name)
                self.assertGreater(waits - partners, SLOW_NS / 2)
                self.assertLess(partners, (waits - partners) / 2)
                self.assertGreater(self.a_batch_of(found["L"]), SLOW_NS)
                self.assertLess(self.a_batch_of(found["T"]), SLOW_NS / 2)

    @alone
    @only_all
    def test_the_one_that_is_asked_for_is_measured_alone(self):
        """The steps wait for the other one, and this wait is no part of L."""
        with quiet():
            planned, found, heard = self.measured(
                zipped("train_loader", "slow"), loader="train_loader"
            )
            self.assertEqual(
                ("train_loader", ["slow"]),
                (planned["loader"]["name"], [p["name"] for p in planned["partners"]]),
            )
            self.assertIn("nobSnobS", heard.end["events"])
            waits, [(name, partners)] = self.wait_of(found["F"])
            self.assertEqual("slow", name)
        self.assertGreater(partners, SLOW_NS / 2)
        self.assertTrue(0 <= waits - partners < partners / 2, (waits, partners))
        self.assertLess(self.a_batch_of(found["L"]), SLOW_NS / 2)
        self.assertTrue(found["T"]["idle"])
        self.assertLess(
            found["T"]["busy_ns"], 0.02 * sum(end - begin for begin, end in found["T"]["segments"])
        )

    def test_alone_there_are_none(self):
        planned, found, heard = self.measured(plain("num_workers=0"))
        self.assertEqual([], planned["partners"])
        self.assertEqual([], found["F"]["partners"])


if __name__ == "__main__":
    unittest.main()
