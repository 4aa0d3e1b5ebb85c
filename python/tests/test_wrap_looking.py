"""benchbench_dl finds the loader of a script that it measures, and its name."""

import unittest

from rows import only_all, sample
from wrap_driver import WrapTest
from wrap_scripts import plain

QUICK = {"stretch": {"ns": 30_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}
AT_ONCE = {"at_once": True}

# Before the training: 120 batches of a loader without a sign of one.
FIRST = """{loader} = DataLoader(Samples(), batch_size=4)
        for number, (x, y) in enumerate({loader}):
            time.sleep(0.002)
            {look}
            if number == 119:
                break
        for epoch"""

REPLAYED = """
    import torch

    graph = torch.cuda.CUDAGraph.__new__(torch.cuda.CUDAGraph)
    torch._C._CUDAGraph.replay = lambda graph: None
"""


def after(look, loader="other"):
    return plain("num_workers=1").replace("for epoch", FIRST.format(look=look, loader=loader), 1)


class Which(WrapTest):
    def planned(self, script, **members):
        return self.answered(script, dict(QUICK, **members)).main.of("steady")

    def measured(self, script, **members):
        [planned] = self.planned(script, **members)
        return planned["loader"]["name"], planned["loader"]["trains"]

    @only_all
    def test_a_look_at_the_data_comes_first(self):
        self.assertEqual(("train_loader", True), self.measured(after("x.mean()")))

    def test_a_look_at_the_data_by_the_loader_that_trains(self):
        script = after("x.mean()", loader="train_loader")
        [planned] = self.planned(script)
        self.assertEqual(2, planned["loader"]["epochs"])
        self.assertTrue(planned["loader"]["trains"])

    @only_all
    def test_a_validation_comes_first(self):
        self.assertEqual(
            ("train_loader", True), self.measured(after("model.eval()(x); model.train()"))
        )

    def test_a_loop_without_a_backward(self):
        script = (
            plain("num_workers=0")
            .replace("loss.backward()", "pass")
            .replace("optimizer.step()", "pass")
        )
        self.assertEqual(("train_loader", False), self.measured(script, **AT_ONCE))

    def test_a_step_without_a_backward_of_torchs(self):
        self.assertEqual(
            ("train_loader", True),
            self.measured(plain("num_workers=0").replace("loss.backward()", "pass")),
        )

    def test_a_step_that_is_a_graph(self):
        """The replay of one is all that such a loop shows; a validation's has no gradients."""
        script = REPLAYED.strip("\n") + plain("num_workers=0").replace(
            "loss.backward()", "graph.replay()"
        ).replace("optimizer.step()", "pass")
        self.assertEqual(("train_loader", True), self.measured(script, **AT_ONCE))
        without = script.replace("graph.replay()", "with torch.no_grad(): graph.replay()")
        self.assertEqual(("train_loader", False), self.measured(without, **AT_ONCE))

    def test_what_was_not_the_training_does_not_count(self):
        """Measuring has begun when the first backward shows that it was none."""
        heard = self.answered(
            after("x.mean()"), dict(QUICK, **AT_ONCE), stretch={"ns": 500_000_000, "batches": 16}
        ).main
        first, second = heard.of("steady")
        self.assertEqual(
            [("other", False), ("train_loader", True)],
            [(of["loader"]["name"], of["loader"]["trains"]) for of in (first, second)],
        )
        since = [
            m for m in heard.messages[heard.messages.index(second) :] if m["type"] == "stretch"
        ]
        self.assertEqual(3, len(since))
        self.assertEqual(
            ["begin", "end"] * (len(heard.of("window")) // 2),
            [edge["edge"] for edge in heard.of("window")],
        )


class Names(WrapTest):
    def planned(self, script, **members):
        return self.answered(script, dict(QUICK, **members)).main.of("steady")[0]

    def test_the_callers_variable(self):
        script = (
            plain("num_workers=0")
            .replace(
                "for epoch in range(1000):",
                "run(model, optimizer, train_loader)\n\n"
                "    def run(model, optimizer, loader):\n        for epoch in range(1000):",
            )
            .replace("enumerate(train_loader)", "enumerate(loader)")
        )
        self.assertEqual("train_loader", self.planned(script)["loader"]["name"])
        for called in sample(("train.py:14", "loader", "train_loader")):
            with self.subTest(called=called):
                self.assertEqual(
                    "train_loader", self.planned(script, loader=called)["loader"]["name"]
                )

    def test_two_of_one_name(self):
        script = plain("num_workers=0").replace(
            "for epoch",
            """for train_loader in (train_loader, DataLoader(Samples(), batch_size=2)):
          next(iter(train_loader))
        for epoch""",
        )
        planned = self.planned(script)
        self.assertEqual(
            ("train.py:15", ["train.py:14"]), (planned["loader"]["name"], planned["others"])
        )


class Asked(WrapTest):
    def refused(self, script, **members):
        wrapped = self.wrapped(script, dict(QUICK, **members))
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("refused", wrapped.main.end["reason"])
        return wrapped.main.end["message"], wrapped.output().count("a step")

    def test_a_name_that_is_none(self):
        message, steps = self.refused(
            plain("num_workers=0", step="print('a step')"), loader="trainloader"
        )
        self.assertEqual(
            "no loader is called trainloader (did you mean train_loader?); iterated so far: "
            "train_loader",
            message,
        )
        self.assertLess(steps, 80)

    def test_a_name_that_is_none_in_an_evaluation(self):
        script = plain("num_workers=0", step="print('a step')")
        for line in ("loss.backward()", "optimizer.step()", "optimizer.zero_grad()"):
            script = script.replace(line, "pass")
        message, steps = self.refused(script, loader="trainloader", **AT_ONCE)
        self.assertIn("no loader is called trainloader", message)
        self.assertLess(steps, 80)

    def test_a_name_that_is_none_in_short_epochs(self):
        message, steps = self.refused(
            plain("num_workers=0", step="print('a step')", length=40), loader="samples"
        )
        self.assertEqual("no loader is called samples; iterated so far: train_loader", message)
        self.assertEqual(10, steps)

    def test_a_name_that_is_none_is_watched_to_the_end(self):
        wrapped = self.wrapped(
            plain("num_workers=0", length=400).replace("range(1000)", "range(1)"),
            dict(QUICK, loader="other", keep_going=True),
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual(["refused"], [end["reason"] for end in wrapped.main.of("end")])

    def test_a_loader_that_is_iterated_late(self):
        script = (
            plain("num_workers=0")
            .replace("for epoch", "late = DataLoader(Samples(), batch_size=4)\n        for epoch")
            .replace("enumerate(train_loader)", "enumerate(late if epoch else train_loader)")
            .replace("{step}", "")
            .replace(
                "time.sleep(0.002)",
                """time.sleep(0.002)
                if epoch == 0 and number == 100: break""",
            )
        )
        heard = self.answered(script, dict(QUICK, loader="late")).main
        self.assertEqual("late", heard.of("steady")[0]["loader"]["name"])


if __name__ == "__main__":
    unittest.main()
