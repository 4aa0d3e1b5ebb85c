"""A changed copy of the loader in turns with the script's own."""

import statistics
import unittest

import torch
from rows import alone, only_all, quiet
from wrap_driver import WrapTest
from wrap_scripts import plain, sleeps, truth

QUICK = {"stretch": {"ns": 30_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}


class Try(WrapTest):
    @alone
    def test_more_workers(self):
        """Rates are held against what samples slept in truth, which on a busy machine is more."""
        with quiet():
            wrapped = self.answered(
                sleeps(0.04, 0.01, 1, 2),
                dict(QUICK, **{"try": {"num_workers": 3}}),
                at_once=True,
            )
            heard, slept = wrapped.main, wrapped.files()["truth"].decode()
            self.check_more_workers(heard)
        at_once = {
            of["kind"]: heard.rates(of["kind"])[0] * truth(slept, "L", of["segments"])
            for of in heard.of("stretch")
            if of["kind"] != "T"
        }
        for old, new in ("Ff", "Ll"):
            self.assertTrue(2.4 < at_once[new] / at_once[old] < 3.6, at_once)

    def check_more_workers(self, heard):
        planned = heard.of("steady")[0]
        self.assertEqual(
            (1, 3), tuple(planned[which]["own"]["num_workers"] for which in ("loader", "changed"))
        )
        workers = {
            kind: {pid for s in heard.of("stretch") if s["kind"] == kind for pid in s["workers"]}
            for kind in "FLfl"
        }
        self.assertEqual((1, 3), (len(workers["F"]), len(workers["f"])))
        self.assertFalse(workers["F"] & workers["f"])
        self.assertEqual((workers["F"], workers["f"]), (workers["L"], workers["l"]))
        for stretch in heard.of("stretch"):
            self.assertEqual(stretch["kind"] in "Ll", dict(stretch["series"])["step"] == 0)
        self.assertEqual(3, len(heard.end["changed"]["observed"]["workers"]))

    @alone
    @only_all
    def test_workers_where_there_were_none(self):
        """Sample and step take 15 ms each: in turn without workers, at once with them."""
        with quiet():
            heard = self.answered(
                sleeps(0.015, 0.015, 0, None),
                dict(QUICK, **{"try": {"num_workers": 2}}),
                at_once=True,
            ).main
            self.assertEqual(
                {(kind, 2 if kind in "fl" else 0) for kind in "FTLfl"},
                {(s["kind"], len(s["workers"])) for s in heard.of("stretch")},
            )
        rate = {kind: statistics.median(heard.rates(kind)) for kind in "FTLfl"}
        self.assertTrue(1.6 < rate["f"] / rate["F"] < 2.4, rate)
        self.assertTrue(1.6 < rate["l"] / rate["L"] < 2.4, rate)

    @only_all
    def test_over_short_epochs(self):
        heard = self.answered(
            plain("num_workers=1, persistent_workers=True", length=120),
            dict(QUICK, **{"try": {"num_workers": 2}}),
            rounds=2,
        ).main
        self.assertEqual(2 * "FTLfl".__len__(), len(heard.of("stretch")))
        self.assertGreater(heard.end["changed"]["epochs"], 1)

    def refused(self, settings, *words, loader="num_workers=1", script=None):
        heard = self.answered(script or plain(loader), dict(QUICK, **{"try": settings})).main
        planned = heard.of("steady")[0]
        self.assertIsNone(planned["changed"])
        for word in words:
            self.assertIn(word, " ".join(planned["dropped"]))
        self.assertEqual({"F", "T", "L"}, {s["kind"] for s in heard.of("stretch")})

    @only_all
    def test_another_start_method(self):
        self.refused({"multiprocessing_context": "spawn"}, "start method")

    @only_all
    def test_a_setting_that_needs_workers(self):
        self.refused(
            {"prefetch_factor": 4}, "prefetch_factor", "no workers", loader="num_workers=0"
        )

    def test_pinning_without_an_accelerator_is_no_other_loader(self):
        if torch.cuda.is_available():
            self.skipTest("there is an accelerator")
        self.refused({"pin_memory": True}, "pin_memory true is not applied: torch sees no accel")

    def test_settings_that_the_loader_has(self):
        self.refused(
            {"num_workers": 1, "prefetch_factor": 2},
            "num_workers is 1 already",
            "prefetch_factor is 2 already",
        )

    @only_all
    def test_a_sampler_for_once(self):
        self.refused(
            {"num_workers": 2},
            "cannot be iterated twice",
            loader="num_workers=1, sampler=iter(range(5000))",
        )


class Notes(WrapTest):
    @only_all
    def test_the_scripts_epochs_are_not_those_of_the_copy(self):
        """24 batches each: stretches of the copy go on over the ends of the script's."""
        heard = self.answered(
            plain("num_workers=1", length=96), dict(QUICK, rounds=3, **{"try": {"num_workers": 2}})
        ).main
        stretches = [stretch for stretch in heard.of("stretch") if stretch["kind"] == "f"]
        self.assertEqual(3, len(stretches))
        self.assertEqual(
            [],
            [
                note
                for stretch in stretches
                for note in stretch["notes"]
                if note.startswith("an epoch has")
            ],
        )


if __name__ == "__main__":
    unittest.main()
