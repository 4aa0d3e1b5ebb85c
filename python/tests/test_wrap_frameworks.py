"""Loops of frameworks, which wrap DataLoaders and count what they deliver. With the packages of
$BENCHBENCH_WRAP_PYTHON; SKIPPED where it has none."""

import os
import signal
import subprocess
import sys
import unittest

import wrap_frameworks as scripts
from wrap_driver import WrapTest

QUICK = {"stretch": {"ns": 30_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}
PYTHON = os.environ.get("BENCHBENCH_WRAP_PYTHON") or sys.executable
QUIET = {
    "TRANSFORMERS_VERBOSITY": "critical",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def has(package):
    return (
        subprocess.run(
            [
                PYTHON,
                "-c",
                f"import importlib.util, sys; sys.exit(importlib.util.find_spec({package!r}) is "
                "None)",
            ]
        ).returncode
        == 0
    )


def needs(package):
    return unittest.skipUnless(has(package), f"{PYTHON} has no {package}")


class Frameworks(WrapTest):
    def run_script(self, script, batches=2000, sample=scripts.PAIR, plan=(), **fields):
        wrapped = self.wrapped(
            script.format(batches=batches, sample=sample, **fields),
            dict(QUICK, **dict(plan)),
            python=PYTHON,
            environment=QUIET,
        )
        self.assertEqual(0, wrapped.wait(), wrapped.errors())
        self.assertEqual([], wrapped.left_in_the_end())
        return wrapped

    def answer_of(self, *args, **kwargs):
        wrapped = self.run_script(*args, **kwargs)
        self.assertEqual("answer", wrapped.main.end["reason"], wrapped.main.end)
        self.assertEqual(
            {"F", "T", "L"}, {stretch["kind"] for stretch in wrapped.main.of("stretch")}
        )
        for stretch in wrapped.main.of("stretch"):
            self.assertEqual(4 * stretch["steps"], stretch["samples"])
        return wrapped

    @needs("lightning")
    def test_lightning(self):
        wrapped = self.answer_of(scripts.LIGHTNING, bar=True)
        self.assertIn("nbSnbSnbS", wrapped.main.end["events"])
        self.assertEqual(
            [False, True], sorted(loader["trains"] for loader in wrapped.main.end["loaders"])
        )
        self.assertEqual({"train.py"}, {name for name in wrapped.files() if not name.endswith("/")})

    @needs("lightning")
    def test_lightning_would_save_at_its_epochs_end(self):
        wrapped = self.run_script(scripts.LIGHTNING, batches=150, bar=False, plan={"rounds": 50})
        end = wrapped.main.end
        self.assertEqual(("saver called", True), (end["reason"], "save_checkpoint" in end["saver"]))
        self.assertGreaterEqual(len(wrapped.main.of("stretch")), 1)
        self.assertEqual({"train.py"}, {name for name in wrapped.files() if not name.endswith("/")})

    @needs("transformers")
    def test_transformers(self):
        wrapped = self.answer_of(
            scripts.TRANSFORMERS, sample=scripts.NAMED, save=10**6, accumulate=1
        )
        self.assertIn("nbSnbSnbS", wrapped.main.end["events"])
        self.assertEqual(4, wrapped.main.of("steady")[0]["loader"]["own"]["batch_size"])

    @needs("transformers")
    def test_transformers_with_accumulation_and_checkpoints(self):
        wrapped = self.run_script(
            scripts.TRANSFORMERS, sample=scripts.NAMED, save=20, accumulate=2, plan={"rounds": 50}
        )
        end = wrapped.main.end
        self.assertIn(
            end["saver"],
            (
                "transformers.trainer.Trainer._save_checkpoint",
                "transformers.trainer.Trainer.save_model",
            ),
        )
        self.assertIn("nnbbSnnbbS", end["events"])
        self.assertEqual(2, wrapped.main.of("steady")[0]["cycle"])

    def like_a_kill(self, script, **fields):
        """Asserts that it leaves what the same script leaves that is killed at the same step."""
        fields = dict(fields, batches=2000)
        script = scripts.that_counts(script)
        wrapped = self.run_script(script, **fields)
        self.assertEqual("answer", wrapped.main.end["reason"], wrapped.main.end)
        steps = wrapped.files()["steps"].decode()
        killed = self.wrapped(
            script.format(sample=fields.pop("sample", scripts.PAIR), **fields),
            wrap=False,
            python=PYTHON,
            environment=dict(QUIET, KILLED_AT=steps),
        )
        self.assertEqual(-signal.SIGKILL, killed.wait())
        self.assertEqual(set(killed.files()), set(wrapped.files()))
        self.assertEqual(killed.files()["steps"], wrapped.files()["steps"])
        return set(wrapped.files())

    @needs("lightning")
    def test_lightning_leaves_what_a_kill_leaves(self):
        """The script has checkpoints and a log of its own."""
        logs = scripts.LIGHTNING.replace(
            "logger=False", "logger=lightning.pytorch.loggers.CSVLogger('.'), log_every_n_steps=20"
        )
        left = self.like_a_kill(
            logs.replace(
                "return ((self.layer(batch[0]) - batch[1]) ** 2).mean()\n\n        def val",
                "self.log('step', 1.0); return ((self.layer(batch[0]) - batch[1]) ** "
                "2).mean()\n\n        def val",
            ),
            bar=True,
        )
        self.assertIn("lightning_logs/version_0/", left)
        self.assertFalse([name for name in left if name.endswith(".ckpt")])

    @needs("transformers")
    def test_transformers_leave_what_a_kill_leaves(self):
        left = self.like_a_kill(
            scripts.TRANSFORMERS, sample=scripts.NAMED, save=10**6, accumulate=1
        )
        self.assertFalse([name for name in left if "checkpoint" in name])

    @needs("accelerate")
    def test_accelerate(self):
        wrapped = self.answer_of(scripts.ACCELERATE)
        self.assertIn("nbSnbSnbS", wrapped.main.end["events"])
        self.assertEqual("train_loader", wrapped.main.of("steady")[0]["loader"]["name"])

    @needs("torchdata")
    def test_stateful_data_loader(self):
        wrapped = self.answer_of(scripts.STATEFUL)
        self.assertEqual("StatefulDataLoader", wrapped.main.end["loaders"][0]["class"])


if __name__ == "__main__":
    unittest.main()
