"""benchbench_dl on the loops that people write."""

import array
import time
import unittest

from rows import only_all, sample
from wrap_driver import WrapTest
from wrap_scripts import SAMPLE, SLOW, plain

QUICK = {"stretch": {"ns": 30_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}


class Loops(WrapTest):
    def quick(self, script, **members):
        return self.answered(script, QUICK, **members).main

    def test_a_plain_loop_is_measured_in_rounds_of_the_three(self):
        heard = self.quick(plain("num_workers=2"), rounds=2)
        self.assertEqual(
            ["hello", "steady", "next", "end"],
            [
                m["type"]
                for m in heard.messages
                if m["type"] not in ("progress", "window", "stretch")
            ],
        )
        stretches = heard.of("stretch")
        self.assertEqual(
            [(0, ["F", "L", "T"]), (1, ["F", "L", "T"])],
            [
                (number, sorted(s["kind"] for s in stretches if s["round"] == number))
                for number in (0, 1)
            ],
        )
        self.assertEqual([0, 1, 2], [s["order"] for s in stretches if s["round"] == 0])
        for stretch in stretches:
            self.assertGreaterEqual(stretch["steps"], 16)
            self.assertEqual(4 * stretch["steps"], stretch["samples"])
            if stretch["kind"] != "T":
                self.assertEqual(0, stretch["steps"] % 2)
            lengths = dict(stretch["series"])
            self.assertEqual(
                (stretch["steps"], stretch["steps"] * (stretch["kind"] != "L")),
                (lengths["get"], lengths["step"]),
            )
            self.assertEqual(8 * sum(lengths.values()), len(stretch["blob"]))
        planned = heard.of("steady")[0]
        self.assertEqual(
            ("train_loader", "train.py:14", "train.py:8", 25000),
            tuple(planned["loader"][key] for key in ("name", "where", "getitem_where", "batches")),
        )
        self.assertIn("nbSnbSnbS", planned["events"])

    def test_no_time_is_without_a_name(self):
        """Neither between a step and the fetch after it: what we take there, 20 us of a step of 3
        ms, is a wait."""
        for workers in sample((2, 0)):
            for stretch in self.quick(plain(f"num_workers={workers}")).of("stretch"):
                named = sum(array.array("q", stretch["blob"]))
                whole = sum(end - begin for begin, end in stretch["segments"])
                self.assertAlmostEqual(1, named / whole, delta=0.0002, msg=stretch["kind"])

    def test_edges_are_said_with_the_workers(self):
        heard = self.quick(plain("num_workers=2"))
        edges = heard.of("window")
        self.assertEqual(["begin", "end"] * 3, [edge["edge"] for edge in edges])
        self.assertEqual({2}, {len(edge["workers"]) for edge in edges})
        for stretch in heard.of("stretch"):
            begin, end = [edge["at"] for edge in edges if edge["kind"] == stretch["kind"]]
            [[first, last]] = stretch["segments"]
            self.assertEqual(end, last)
            self.assertTrue(begin <= first < last)

    @only_all
    def test_accumulation_shows_in_the_events(self):
        heard = self.quick(
            plain("num_workers=0", step="pass").replace(
                "optimizer.step()", "if number % 4 == 3: optimizer.step()"
            )
        )
        self.assertIn("nbnbnbnbSnbnbnbnbS", heard.end["events"])

    def test_accumulated_batches_are_counted_together(self):
        """One of four is followed by the optimizer's step, which takes longer: no stall, and as
        many of them in F as in T."""
        heard = self.quick(
            plain("num_workers=0", step="pass").replace(
                "optimizer.step()", "if number % 4 == 3: time.sleep(0.01); optimizer.step()"
            ),
            skip_steps=40,
        )
        self.assertEqual(4, heard.of("steady")[0]["cycle"])
        for stretch in heard.of("stretch"):
            if stretch["kind"] != "L":
                self.assertEqual(0, stretch["steps"] % 4)
                values, lengths = array.array("q", stretch["blob"]), dict(stretch["series"])
                steps = values[lengths["get"] :]
                self.assertEqual(
                    [1] * (len(steps) // 4),
                    [len(set(steps[at + 1 : at + 4])) for at in range(0, len(steps), 4)],
                )
                whole = sum(end - begin for begin, end in stretch["segments"])
                self.assertAlmostEqual(1, sum(values) / whole, delta=0.0002)

    @only_all
    def test_each_step_has_its_own_time_where_none_is_accumulated(self):
        heard = self.quick(plain("num_workers=0"))
        self.assertEqual(1, heard.of("steady")[0]["cycle"])
        values, lengths = (
            array.array("q", heard.of("stretch")[0]["blob"]),
            dict(heard.of("stretch")[0]["series"]),
        )
        self.assertGreater(len(set(values[lengths["get"] :])), 4)

    @only_all
    def test_a_validation_is_left_alone(self):
        wrapped = self.answered(
            plain(
                length=120,
                step="""pass
            begun = time.monotonic_ns()
            with torch.no_grad():
                for x, y in validation:
                    model(x)
            print(begun, time.monotonic_ns())""",
            ).replace(
                "for epoch",
                "validation = DataLoader(Samples(), batch_size=40, num_workers=1)\n        for "
                "epoch",
            ),
            QUICK,
            rounds=2,
        )
        heard = wrapped.main
        planned = heard.of("steady")[0]
        self.assertEqual(("train_loader", []), (planned["loader"]["name"], planned["partners"]))
        self.assertEqual(
            [("train_loader", True), ("validation", False)],
            [(m["name"], m["trains"]) for m in heard.end["loaders"]],
        )
        validations = [tuple(map(int, line.split())) for line in wrapped.output().splitlines()]
        self.assertGreaterEqual(len(validations), 2)
        for begin, end in (
            segment for stretch in heard.of("stretch") for segment in stretch["segments"]
        ):
            self.assertFalse([of for of in validations if of[0] < end and begin < of[1]])

    def test_a_step_that_changes_its_batch(self):
        replayed = [
            s
            for s in self.quick(plain("num_workers=0", step="x.add_(1)")).of("stretch")
            if s["kind"] == "T"
        ][0]
        self.assertEqual((16, 16), (replayed["distinct"], replayed["changed"]))

    def test_without_workers(self):
        heard = self.quick(plain("num_workers=0"))
        self.assertEqual({"F", "T", "L"}, {s["kind"] for s in heard.of("stretch")})
        self.assertEqual("n", heard.end["events"][-1])

    def test_workers_that_persist_over_short_epochs(self):
        heard = self.quick(plain("num_workers=2, persistent_workers=True", length=80), observer=1)
        self.assertGreaterEqual(heard.end["epochs"], 2)
        self.assertGreater(heard.end["epoch_gap_ns"], 0)
        self.assertGreater(heard.end["epoch_start_ns"], 0)
        self.assertEqual(1, len({tuple(s["workers"]) for s in heard.of("stretch")}))

    @only_all
    def test_epochs_shorter_than_the_workers(self):
        heard = self.quick(
            plain("num_workers=2", length=8), stretch={"ns": 10_000_000, "batches": 6}
        )
        for stretch in heard.of("stretch"):
            self.assertGreater(len(stretch["segments"]), 2)
            if stretch["kind"] != "T":
                self.assertIn(
                    "an epoch has 2 batches: all of each are counted", stretch["notes"][0]
                )

    def test_batches_between_two_saves_are_no_epoch(self):
        """Epochs of 100 batches, saved every 12: the first save of an epoch comes after fewer. On a
        clock that the sleeps alone advance: slow steps would leave room between two saves."""
        heard = self.quick(
            plain(
                "num_workers=0",
                length=400,
                step="seen = globals()['seen'] = globals().get('seen', 0) + 1\n"
                "                if seen % 12 == 0: torch.save(1, 'checkpoint')",
            ).replace(SAMPLE, SLOW),
            rounds=3,
            skip_steps=40,
            kinds="F",
            virtual=True,
        )
        self.assertEqual(12, heard.of("steady")[0]["loop"]["between_saves"])
        self.assertEqual([], [note for stretch in heard.of("stretch") for note in stretch["notes"]])

    def test_what_is_observed_of_the_loader(self):
        heard = self.quick(
            plain("num_workers=2").replace(
                "return torch.ones(8), torch.ones(1)",
                "time.sleep(0.001); return torch.ones(8), torch.ones(1)",
            )
        )
        for stretch in heard.of("stretch"):
            if stretch["kind"] == "T":
                self.assertIsNone(stretch["observed"])
                continue
            spent = stretch["observed"]["getitem_ns"]
            self.assertGreater(spent["ns"] / spent["count"], 1e6)
        self.assertEqual("fork", heard.end["observed"]["start_method"])
        self.assertEqual(2, len(heard.end["observed"]["workers"]))

    @only_all
    def test_keep_going(self):
        wrapped = self.wrapped(
            plain("num_workers=0", length=800).replace("range(1000)", "range(1)"),
            dict(QUICK, keep_going=True),
        )
        self.assertEqual(0, wrapped.wait())
        self.assertEqual("script ended", wrapped.main.end["reason"])
        self.assertFalse(wrapped.main.end["steered"])
        self.assertEqual({"F"}, {s["kind"] for s in wrapped.main.of("stretch")})


class NotMeasured(WrapTest):
    def ended(self, script, code, **kwargs):
        wrapped = self.wrapped(script, QUICK, **kwargs)
        self.assertEqual(code, wrapped.wait())
        return wrapped

    def test_a_script_without_torch(self):
        wrapped = self.ended("print('hello')", 0, fresh=True)
        self.assertEqual(([], "hello\n", ""), (wrapped.heard, wrapped.output(), wrapped.errors()))

    @only_all
    def test_a_script_that_ends_before_its_second_step(self):
        wrapped = self.ended(plain(step="raise SystemExit(3)"), 3)
        self.assertEqual(
            ("script ended", False), (wrapped.main.end["reason"], wrapped.main.end["steered"])
        )

    def test_a_script_that_fails(self):
        wrapped = self.ended(plain("num_workers=0", step="raise ValueError('a nan')"), 1)
        self.assertEqual("script failed", wrapped.main.end["reason"])
        self.assertIn("ValueError: a nan", wrapped.errors())
        self.assertNotIn("benchbench", wrapped.errors().replace(wrapped.work, ""))

    def test_nothing_listens(self):
        wrapped = self.wrapped(
            plain("num_workers=0", length=40).replace("range(1000)", "range(2)"),
            wrap=False,
            environment={
                "BENCHBENCH_WRAP": "/nowhere/socket",
                "PYTHONPATH": __import__("wrap_driver").SITE,
            },
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))

    def test_a_sample_that_fails(self):
        for workers in sample((1, 0)):
            wrapped = self.ended(
                plain(f"num_workers={workers}").replace(
                    "return torch.ones(8)",
                    "if index == 100: raise ValueError('a sample')\n            return "
                    "torch.ones(8)",
                ),
                1,
            )
            self.assertIn("ValueError: a sample", wrapped.errors())
            self.assertIn("    for number, (x, y) in enumerate(train_loader):", wrapped.errors())
            self.assertNotIn("benchbench_dl/wrap", wrapped.errors())
            self.assertEqual("script failed", wrapped.main.end["reason"])

    def test_a_torch_that_is_quite_different(self):
        wrapped = self.ended(
            "import torch\nprint(torch.name)", 0, files={"torch.py": "name = 'mine'"}, fresh=True
        )
        self.assertEqual(("mine\n", ""), (wrapped.output(), wrapped.errors()))
        self.assertIn("torch.utils", wrapped.heard[0].messages[0]["failed"])

    def test_benchbench_leaves(self):
        wrapped = self.wrapped(
            plain("num_workers=0", length=40).replace("range(1000)", "range(2)"), {"type": "leave"}
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))

    def test_benchbench_goes_before_anything_was_held_back(self):
        wrapped = self.wrapped(
            plain("num_workers=0", length=400, step="sys.stdout.write('.')").replace(
                "range(1000)", "range(1)"
            ),
            {"warmup": {"ns": 10**11}},
        )
        while not any(heard.of("progress") for heard in wrapped.heard):
            time.sleep(0.01)
        wrapped.heard[0].connection.shutdown(2)
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual(100 * ".", wrapped.output())

    def test_check_runs_nothing_of_the_loop(self):
        wrapped = self.wrapped(plain(step="print('a step')"), dict(QUICK, check=True))
        self.assertEqual((0, "", ""), (wrapped.wait(), wrapped.output(), wrapped.errors()))
        self.assertEqual("checked", wrapped.main.end["reason"])
        self.assertEqual(
            ["train_loader"], [loader["name"] for loader in wrapped.main.end["loaders"]]
        )


if __name__ == "__main__":
    unittest.main()
