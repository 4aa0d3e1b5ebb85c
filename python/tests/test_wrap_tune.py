"""Copies of the loader whose settings are named while the script runs."""

import unittest

from rows import HANG_S, alone, only_all, quiet, sample
from wrap_driver import WrapTest, wait_for
from wrap_scripts import plain, sleeps

QUICK = {
    "tune": True,
    "stretch": {"ns": 30_000_000, "batches": 16},
    "warmup": {"ns": 0},
    "rounds": 1,
}
FIRST = ["F", "T", "L"]


def settings(order="Ff", **given):
    return {"settings": given, "order": order}


def after_first(heard):
    return [stretch for stretch in heard.of("stretch") if stretch["round"] > 0]


def kinds(heard):
    """Returns the kinds of each round after the first, in order."""
    found = {}
    for stretch in after_first(heard):
        found[stretch["round"]] = found.get(stretch["round"], "") + stretch["kind"]
    return [found[number] for number in sorted(found)]


class Points(WrapTest):
    def test_each_with_fresh_workers(self):
        asks = [
            settings(num_workers=3),
            settings("fF", num_workers=2),
            settings("f", num_workers=3),
            settings("F"),
        ]
        heard = self.answered(sleeps(0.01, 0.002, 1, 2), dict(QUICK, asks=asks), at_once=True).main
        planned = heard.of("steady")[0]
        self.assertEqual((True, None), (planned["tunes"], planned["changed"]))
        self.assertEqual(
            FIRST, sorted((s["kind"] for s in heard.of("stretch")[:3]), key=FIRST.index)
        )
        self.assertEqual(["Ff", "fF", "f", "F"], kinds(heard))
        copies = [stretch for stretch in after_first(heard) if stretch["kind"] == "f"]
        self.assertEqual([3, 2, 3], [stretch["settings"]["num_workers"] for stretch in copies])
        self.assertEqual([3, 2, 3], [stretch["copy"]["own"]["num_workers"] for stretch in copies])
        self.assertEqual([3, 2, 3], [len(stretch["workers"]) for stretch in copies])
        self.assertEqual(8, len({pid for stretch in copies for pid in stretch["workers"]}))
        own = {tuple(s["workers"]) for s in heard.of("stretch") if s["kind"] == "F"}
        self.assertEqual(1, len(own))
        self.assertFalse(set(own.pop()) & {pid for stretch in copies for pid in stretch["workers"]})
        for stretch in copies:  # its workers sleep for 10 ms, from some time in its start on
            self.assertGreater(stretch["startup_ns"] + stretch["first_batch_ns"], 10_000_000)
        self.assertNotIn("settings", heard.of("stretch")[0])

    @alone
    def test_what_workers_take_to_start_is_in_no_rate(self):
        script = plain("num_workers=1, worker_init_fn=late").replace(
            "def main():",
            """def late(worker):
        time.sleep(0.5)

    def main():""",
            1,
        )
        with quiet():
            heard = self.answered(script, dict(QUICK, asks=[settings(num_workers=2)] * 2)).main
            copies = [stretch for stretch in heard.of("stretch") if stretch["kind"] == "f"]
            self.assertEqual(2, len(copies))
            for of in copies:
                self.assertGreater(of["startup_ns"] + of["first_batch_ns"], 450_000_000)
        for of in copies:
            self.assertLess(
                sum(end - begin for begin, end in of["segments"]) / of["steps"], 450_000_000 / 16
            )

    @only_all
    def test_the_workers_of_one_end_before_the_next_begins(self):
        script = (
            plain("num_workers=1")
            .replace("{step}", "pass")
            .replace(
                "time.sleep(0.002)",
                """time.sleep(0.002)
                import multiprocessing
                print(len(multiprocessing.active_children()))""",
            )
        )
        wrapped = self.answered(
            script,
            dict(QUICK, asks=[settings(num_workers=2), settings(num_workers=3), settings("F")]),
        )
        seen = [int(line) for line in wrapped.output().split()]
        self.assertEqual({1, 3, 4}, set(seen))
        self.assertEqual(1, seen[-1])


class Refused(WrapTest):
    def test_what_cannot_be_tried(self):
        asks = [
            settings(num_workers=2, batch_size=8),
            settings(multiprocessing_context="spawn"),
            settings(num_workers=1),
            settings(num_workers=0, prefetch_factor=4),
            settings(num_workers=2),
        ]
        heard = self.answered(plain("num_workers=1"), dict(QUICK, asks=asks)).main
        self.assertEqual(["Ff"], kinds(heard))
        said = [" ".join(asked["refused"]) for asked in heard.of("next")]
        for words, refused in zip(
            ("batch_size", "start method", "own settings", "prefetch_factor"),
            said[1:],
        ):
            self.assertIn(words, refused)
        self.assertEqual(["", ""], [said[0], said[-1]])
        self.assertEqual(6, len(heard.of("next")))

    def test_a_setting_that_it_would_not_have_is_not_left_out(self):
        """Leaving it out would say that both loaders have it."""
        heard = self.answered(
            plain("num_workers=1"), dict(QUICK, asks=[settings(num_workers=2, pin_memory=True)])
        ).main
        fixed = heard.of("steady")[0]["fixed"]
        if "pin_memory" not in fixed:
            self.skipTest("memory can be pinned here")
        self.assertEqual([], kinds(heard))
        self.assertIn("pin_memory", " ".join(heard.of("next")[1]["refused"]))

    def test_loaders_that_cannot_be_copied(self):
        heard = self.answered(plain("num_workers=1, sampler=iter(range(5000))"), QUICK).main
        planned = heard.of("steady")[0]
        self.assertFalse(planned["tunes"])
        self.assertIn("cannot be iterated twice", " ".join(planned["dropped"]))
        self.assertEqual(
            (1, FIRST),
            (
                len(heard.of("next")),
                sorted((s["kind"] for s in heard.of("stretch")), key=FIRST.index),
            ),
        )

    @only_all
    def test_a_script_that_is_only_watched(self):
        wrapped = self.wrapped(
            plain(length=160).replace("range(1000)", "range(3)"), dict(QUICK, keep_going=True)
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertFalse(wrapped.main.of("steady")[0]["tunes"])
        self.assertEqual({"F"}, {s["kind"] for s in wrapped.main.of("stretch")})


class Answers(WrapTest):
    IMPATIENT = plain("num_workers=1").replace(
        "    def main():",
        "    from benchbench_dl.wrap import orders\n    orders.WAIT_S = 0.2\n\n    def main():",
    )

    def test_none_in_time(self):
        """The script goes on; the answer holds for the round that follows."""
        asks = [dict(settings(num_workers=2), late=True)]
        heard = self.answered(self.IMPATIENT, dict(QUICK, asks=asks)).main
        self.assertEqual(["Ff"], kinds(heard))
        self.assertEqual(2, len(heard.of("next")))

    def test_none_at_all(self):
        """The script goes on unmeasured until benchbench stops it."""
        wrapped = self.wrapped(self.IMPATIENT, dict(QUICK, asks=["nothing"]))

        def waits():
            said = [message for heard in wrapped.heard for message in heard.of("progress")]
            return any(message["phase"] == "waiting" for message in said)

        self.assertTrue(wait_for(waits, 300))
        wrapped.main.send(type="stop")
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("stopped", wrapped.main.end["reason"])
        self.assertEqual(1, len(wrapped.main.of("next")))
        self.assertEqual([], kinds(wrapped.main))

    def test_stop_and_leave(self):
        for kind in sample(("leave", "stop")):
            with self.subTest(kind=kind):
                wrapped = self.wrapped(plain("num_workers=1"), dict(QUICK, asks=[{"type": kind}]))
                self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
                self.assertEqual("stopped", wrapped.main.end["reason"])

    def test_benchbench_goes(self):
        wrapped = self.wrapped(plain("num_workers=1"), dict(QUICK, asks=["nothing"]))
        self.assertTrue(wait_for(lambda: any(heard.of("next") for heard in wrapped.heard), HANG_S))
        for heard in wrapped.heard:
            heard.connection.shutdown(2)
        self.assertEqual(1, wrapped.wait())
        self.assertEqual([], wrapped.left_in_the_end())


class Promises(WrapTest):
    def test_epochs_are_as_long_as_ever(self):
        """The copy's batches, in place of the loader's own, count in them too."""
        script = plain("num_workers=1", length=640, step="counted = number + 1").replace(
            "for number, (x, y)", "print(counted if epoch else 160)\n            for number, (x, y)"
        )
        wrapped = self.answered(
            script,
            dict(QUICK, asks=[settings("f", num_workers=2)] * 3 + [settings(num_workers=2)]),
        )
        printed = wrapped.output().split()
        self.assertGreater(len(printed), 1)
        self.assertEqual({"160"}, set(printed))

    @only_all
    def test_none_of_its_iterators_outlives_its_epoch(self):
        script = (
            plain("num_workers=1", length=96)
            .replace(
                "def main():",
                """def main():
        import gc, weakref
        gc.disable()
        alive = []""",
                1,
            )
            .replace(
                "for number, (x, y) in enumerate(train_loader):",
                """print(len([of for of in alive if of() is not None]))
            iterator = iter(train_loader)
            alive.append(weakref.ref(iterator))
            while True:
                try:
                    x, y = next(iterator)
                except StopIteration:
                    del iterator
                    break""",
            )
        )
        wrapped = self.answered(
            script, dict(QUICK, asks=[settings(num_workers=2), settings("f", num_workers=3)] * 2)
        )
        self.assertEqual({"0"}, set(wrapped.output().split()))

    @only_all
    def test_nothing_is_saved_once_it_was_changed(self):
        script = plain("num_workers=1", length=800).replace(
            "for number, (x, y)",
            """if epoch:
                torch.save(model.state_dict(), "model.pt")
            for number, (x, y)""",
        )
        wrapped = self.wrapped(script, dict(QUICK, asks=[settings("f", num_workers=2)] * 1000))
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("saver called", wrapped.main.end["reason"])
        self.assertIn("f", kinds(wrapped.main))
        self.assertNotIn("model.pt", wrapped.files())
        self.assertEqual([], wrapped.left_in_the_end())


if __name__ == "__main__":
    unittest.main()
