"""The two sides of each figure: a run of the program, and the script that a person would write
instead."""

import copy
import json
import os
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
OWN = os.path.join(HERE, "loaders.py")
TRAIN = os.path.normpath(os.path.join(HERE, "..", "..", "configs", "python", "train.py"))


class Lost(Exception):
    """A side that did not deliver a number."""


class Order:
    """What both sides are asked for, word by word the same."""

    def __init__(
        self,
        script,
        call,
        workers,
        batch_size,
        args=None,
        step=None,
        setup=None,
        prefetch=2,
        environment=(),
    ):
        self.script, self.call, self.workers, self.batch_size = script, call, workers, batch_size
        self.args, self.step, self.setup, self.prefetch = args or {}, step, setup, prefetch
        self.environment = dict(environment)

    def within(self, **environment):
        """The same with more variables."""
        other = copy.copy(self)
        other.environment = {**self.environment, **environment}
        return other


class Ours:
    def __init__(self, program, python, seconds):
        self.program, self.python, self.seconds = program, python, seconds

    def records(self, order, mode="loader", trainer=None, **measure):
        return self.records_of(self.scenario(order, mode, trainer, measure))

    def records_of(self, scenario, **environment):
        """Those of a run of the scenario, with more variables."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "figure.yaml")
            with open(file, "w", encoding="utf-8") as out:
                json.dump(scenario, out)  # JSON is YAML
            words = [self.program, "run", file, "--quiet", "--out", os.path.join(folder, "run")]
            done = subprocess.run(
                words,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                cwd=folder,
                env={**os.environ, **environment},
            )
            if done.returncode:
                raise Lost(
                    f"benchbench run: exit code {done.returncode}\n{done.stdout}{done.stderr}"
                )
            with open(os.path.join(folder, "run", "journal.jsonl"), encoding="utf-8") as journal:
                return [json.loads(line) for line in journal]

    def scenario(self, order, mode, trainer, measure):
        part = {"use": "python", "script": order.script, "python": self.python}
        if order.step and not trainer:
            trainer = {
                **part,
                "call": order.step,
                **({"setup": order.setup} if order.setup else {}),
            }
        # A trial is run three times.
        window = {
            "window": f"{max(1000, round(1000 * self.seconds / 3))}ms",
            "window_batches": 5,
        }
        loader = {
            **part,
            "call": order.call,
            "args": order.args,
            "num_workers": order.workers,
            "batch_size": order.batch_size,
        }
        return {
            "name": "figure",
            "question": "How fast?",
            "loader": {**loader, "prefetch_factor": order.prefetch, "shuffle": True},
            "trainer": {"device": "cpu", "intra_op_threads": 1, **(trainer or {"use": "discard"})},
            "measure": {"modes": [mode], "rounds": 1, "warmup": "500ms", **window, **measure},
        }

    def rate(self, order, mode="loader", trainer=None, **measure):
        facts = [record["facts"] for record in self.records(order, mode, trainer, **measure)]
        return sum(f["samples"] for f in facts) / (sum(f["window_ns"] for f in facts) * 1e-9)

    def seconds_to_first_batch(self, order):
        """From the start of the interpreter; the least of those of a run."""
        totals = []
        for record in self.records(order):
            facts = record["facts"]
            external = facts["external"]
            parts = [
                external[name] for name in ("spawn_ns", "import_ns", "call_ns", "workers_start_ns")
            ]
            totals.append(sum(parts) + facts["first_batch_ns"])
        return min(totals) * 1e-9


class Plain:
    def __init__(self, python, seconds):
        self.python, self.seconds = python, seconds

    def words(self, what, order, **more):
        asked = {
            "what": what,
            "script": order.script,
            "call": order.call,
            "args": order.args,
            "num_workers": order.workers,
            "prefetch": order.prefetch,
            "batch_size": order.batch_size,
            "shuffle": True,
            "step": order.step,
            "setup": order.setup,
            "threads": 1,
            "warmup": 0.5,
            "window": self.seconds,
            "batches": 15,
            **more,
        }
        return [self.python, os.path.join(HERE, "plain.py"), json.dumps(asked)]

    def ask(self, what, order, **more):
        return last_line(run(self.words(what, order, **more), order))

    def rate(self, order, what="loader"):
        return self.ask(what, order)["rate"]

    def seconds_to_first_batch(self, order):
        return min(self.ask("first_batch", order)["seconds"] for _ in range(3))

    def copy_seconds(self, order):
        return self.ask("copy", order)["seconds"]


def run(words, order, may_end_with=(0,)):
    """What it printed."""
    # Users have no PYTHONDONTWRITEBYTECODE.
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    environment.update(
        order.environment, STARTED_NS=str(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
    )
    done = subprocess.run(
        words, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL
    )
    if done.returncode not in may_end_with:
        raise Lost(
            f"{' '.join(words[:2])}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def last_line(printed):
    return json.loads(printed.splitlines()[-1])
