#!/usr/bin/env python3
"""The checks of scripts/random_scenarios: a report that breaks one thing is found, and that thing
only. And what it draws: the same scenario from the same seed."""

import copy
import os
import random
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(os.path.dirname(HERE)), "scripts")]
from counts import run_unittest  # noqa: E402
from drawn_scenario import Drawer, Scenario  # noqa: E402
from parts import Key, Part  # noqa: E402
from scenario_checks import RATE, broken  # noqa: E402

MODES = ("loader", "trainer", "pipeline")


def estimate(value, off=0.01):
    return {"value": value, "low": value * (1 - off), "high": value * (1 + off), "n": 3}


def report(loader, trainer, pipeline, simulated=True):
    """A report in which nothing is broken but what the rates break."""
    record = {"ablation": "", "round": 0, "status": "VALID", "reasons": [], "steps": 200}
    point = {"status": "VALID", "no_limit": [], "mode_status": dict.fromkeys(MODES, "VALID")}
    for mode, value in zip(MODES, (loader, trainer, pipeline)):
        point[f"{mode}_rate_samples_per_second"] = estimate(value)
    records = [copy.deepcopy({**record, "mode": mode}) for mode in MODES]
    return {"simulated": simulated, "points": [point], "records": records}


def with_reason(rule, voids, status="INVALID", simulated=True):
    made = report(100, 200, 100, simulated)
    made["records"][2]["status"] = status
    made["records"][2]["reasons"] = [{"rule": rule, "invalid": voids, "text": "billed twice"}]
    return made


class Broken(unittest.TestCase):
    def only(self, made, text, turns=False):
        found = broken(made, turns)
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0])

    def test_what_holds(self):
        self.assertEqual(broken(report(100, 200, 100), False), [])
        self.assertEqual(broken(report(200, 100, 66), False), [])
        self.assertEqual(broken(report(100, 200, 66.67), True), [])

    def test_a_rate_above_a_side(self):
        self.only(report(100, 200, 105), "is above L")
        self.only(report(200, 100, 105), "is above T")
        self.assertEqual(broken(report(100, 200, 103), False), [])

    def test_turns(self):
        self.only(report(100, 200, 71), "in turns", turns=True)
        self.only(report(100, 200, 62), "in turns", turns=True)
        self.assertEqual(broken(report(100, 200, 71), False), [])

    def test_a_side_without_a_limit_takes_no_time(self):
        made = report(100, 1, 100)
        made["points"][0].update(no_limit=["trainer"], trainer_rate_samples_per_second=None)
        self.assertEqual(broken(made, True), [])
        made["points"][0]["pipeline_rate_samples_per_second"] = estimate(90)
        self.only(made, "in turns", turns=True)
        made["points"][0]["no_limit"].append("loader")
        self.only(made, "in turns", turns=True)

    def test_a_side_without_a_limit_is_at_least_as_fast_as_it_was_measured(self):
        # 90 is what 100 and 900 make in turns, which "at least 400" allows, and 78 is the least.
        made = report(100, 400, 90)
        made["points"][0].update(no_limit=["trainer"])
        self.assertEqual(broken(made, True), [])
        for pipeline in 70, 105:
            made["points"][0][RATE.format("pipeline")] = estimate(pipeline)
            self.assertIn("in turns", broken(made, True)[-1])
        made = report(400, 100, 105)
        made["points"][0].update(no_limit=["trainer"])
        self.assertEqual(broken(made, False), [])

    def test_a_bound_that_was_disturbed_is_held_to_nothing(self):
        for simulated in True, False:
            made = report(100, 400, 70, simulated)
            made["points"][0].update(no_limit=["trainer"])
            made["points"][0]["mode_status"]["trainer"] = "NOISY"
            self.assertEqual(len(broken(made, True)), simulated)

    def test_identities(self):
        for rule in "I01", "I02", "I03", "I04", "R01", "R02", "R18":
            for simulated in True, False:
                for voids in True, False:
                    made = with_reason(rule, voids, "INVALID" if voids else "NOISY", simulated)
                    self.only(made, f"{rule}: billed twice")

    def test_rules_that_the_machine_breaks(self):
        self.assertEqual(broken(with_reason("R12", True, simulated=False), False), [])
        self.only(with_reason("R12", True), "R12")
        self.assertEqual(broken(with_reason("R06", False, "NOISY"), False), [])

    def test_a_failed_trial(self):
        self.only(with_reason("", False, "FAILED"), "FAILED: billed twice")
        self.only(with_reason("", False, "ABORTED"), "ABORTED: billed twice")

    def test_a_disturbed_rate_is_held_to_nothing(self):
        for simulated in True, False:
            made = report(100, 200, 105, simulated)
            made["points"][0]["mode_status"]["loader"] = "NOISY"
            self.assertEqual(len(broken(made, False)), simulated)

    def test_a_window_of_few_steps_is_off_by_one_batch(self):
        made = report(100, 200, 110)
        made["records"][0]["steps"] = 10
        self.assertEqual(broken(made, False), [])


class Drawn(unittest.TestCase):
    def test_types(self):
        drawer = Drawer(random.Random(1), None)
        for text, kinds in {
            "a whole number, 1 to 10; default 1": int,
            "a number, 0 to 1; default 0.5": float,
            "one of sleep, spin; default spin": str,
            "true or false": bool,
            "a duration such as 12ms, 0s to 24h": str,
            "a size such as 64KiB, 0B to 1TB": str,
            "a rate such as 500/s, at least 1/s": str,
            "a bandwidth such as 1.2GB/s, 1B/s to 1000TB/s": str,
        }.items():
            key = Key("some", f"Does something.\n    {text}")
            self.assertEqual((key.text, key.type), ("Does something.", text))
            self.assertIsInstance(drawer.value(key), kinds)
        self.assertIsNone(drawer.value(Key("some", "Does something.\n    text; required")))

    def test_a_value_is_one_that_the_key_takes(self):
        drawer = Drawer(random.Random(1), None)
        drawn = {drawer.value(Key("some", "a whole number, 3 to 5")) for _ in range(200)}
        self.assertEqual(drawn, {3, 4, 5})
        drawn = {drawer.value(Key("some", "one of a, b; default a")) for _ in range(50)}
        self.assertEqual(drawn, {"a", "b"})

    def test_keys_of_a_part(self):
        part = Part(
            "loader",
            "made_up",
            "  Makes it up.\n  a mock, can run in virtual time\n\n"
            "  loader.height\n    Height of an\n    image.\n    a whole number, 1 to 9\n\n"
            "  loader.args.NAME\n    Passed on.\n    text; not set by default\n",
        )
        self.assertTrue(part.virtual)
        self.assertEqual(list(part.keys), ["height"])
        self.assertEqual(part.keys["height"].text, "Height of an image.")

    def test_turns(self):
        def turns(loader=None, trainer=None):
            blocks = {
                "loader": {"use": "synthetic", "num_workers": 0, **(loader or {})},
                "trainer": {"use": "timed", "device": "cpu", **(trainer or {})},
            }
            return Scenario(True, blocks).turns

        self.assertTrue(turns())
        self.assertFalse(turns({"num_workers": 1}))
        self.assertFalse(turns({"use": "rate_limited"}))
        self.assertFalse(turns({"use": "replay", "per": "batch"}))
        self.assertFalse(turns(trainer={"device": "emulated"}))


if __name__ == "__main__":
    run_unittest()
