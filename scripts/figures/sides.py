"""The two sides of each figure: a run of the program, and the script that a person would write
instead."""

import dataclasses
import json
import os
import subprocess
import tempfile
import time

from contest.contestant import Failed
from contest.ours import ROOT, Program

HERE = os.path.dirname(os.path.abspath(__file__))
OWN = os.path.join(HERE, "loaders.py")
TRAIN = os.path.join(ROOT, "configs", "python", "train.py")


@dataclasses.dataclass
class Order:
    """What both sides are asked for, word by word the same."""

    script: str
    call: str
    num_workers: int
    batch_size: int
    args: dict = dataclasses.field(default_factory=dict)
    step: str = ""
    setup: str = ""
    prefetch_factor: int = 2
    environment: dict = dataclasses.field(default_factory=dict)


class Ours:
    def __init__(self, program, python, seconds):
        self.program, self.python, self.seconds = Program(program), python, seconds

    def records_of(self, scenario, **environment):
        """Returns those of a run of the scenario, with more variables."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "figure.yaml")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(scenario, file)  # JSON is YAML
            return self.program.records(path, **environment)

    def scenario(self, loader, trainer, **more):
        """A scenario whose trials are run three times."""
        window = f"{max(1000, round(1000 * self.seconds / 3))}ms"
        measure = {"window": window, "window_batches": 5, **more.pop("measure")}
        parts = {"loader": loader, "trainer": trainer, "measure": measure}
        return {"name": "figure", "question": "How fast?", **parts, **more}

    def records(self, order, mode="loader", trainer=None, **measure):
        part = {"use": "python", "script": order.script, "python": self.python}
        if order.step and not trainer:
            trainer = {**part, "call": order.step}
            trainer.update({"setup": order.setup} if order.setup else {})
        same = ("call", "args", "num_workers", "batch_size", "prefetch_factor")
        loader = {**part, "shuffle": True, **{name: getattr(order, name) for name in same}}
        trainer = {"device": "cpu", "intra_op_threads": 1, **(trainer or {"use": "discard"})}
        measure = {"modes": [mode], "rounds": 1, "warmup": "500ms", **measure}
        return self.records_of(self.scenario(loader, trainer, measure=measure))

    def rate(self, order, mode="loader", trainer=None, **measure):
        facts = [record["facts"] for record in self.records(order, mode, trainer, **measure)]
        return sum(f["samples"] for f in facts) / (sum(f["window_ns"] for f in facts) * 1e-9)

    def seconds_to_first_batch(self, order):
        """Returns those from the start of the interpreter; the least of those of a run."""
        parts = ("spawn_ns", "import_ns", "call_ns", "workers_start_ns")
        all_facts = [record["facts"] for record in self.records(order)]
        return 1e-9 * min(
            facts["first_batch_ns"] + sum(facts["external"][name] for name in parts)
            for facts in all_facts
            if facts["external"]["spawn_ns"] is not None  # others share the process of one before
        )


class Plain:
    """The same without benchbench."""

    def __init__(self, python, seconds):
        self.python, self.seconds = python, seconds

    def words(self, what, order, **more):
        asked = {**dataclasses.asdict(order), "what": what, "window": self.seconds, **more}
        return [self.python, os.path.join(HERE, "plain.py"), json.dumps(asked)]

    def ask(self, what, order, **more):
        return last_line(run(self.words(what, order, **more), order))

    def rate(self, order, what="loader"):
        return self.ask(what, order)["rate"]

    def first_batch(self, order):
        """Returns what the script says of the one of three that came first."""
        return soonest(lambda: self.ask("first_batch", order))

    def whole(self, order, steps):
        return timed(lambda: self.ask("training", order, steps=steps))


def soonest(ask):
    return min((ask() for _ in range(3)), key=lambda said: said["seconds"])


def timed(ask):
    """Returns the seconds of a script to its end: as it says itself, and of the whole command."""
    begun = time.monotonic()
    said = ask()
    return {"script": said["seconds"], "command": time.monotonic() - begun}


def run(words, order, may_end_with=(0,)):
    """Returns what it printed."""
    environment = {**os.environ, **order.environment}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # users have none
    environment["STARTED_NS"] = str(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
    done = subprocess.run(
        words, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL
    )
    if done.returncode not in may_end_with:
        said = f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
        raise Failed(f"{' '.join(words[:2])}: {said}")
    return done.stdout


def last_line(printed):
    """Returns the last line that is a JSON object."""
    return json.loads([line for line in printed.splitlines() if line.startswith("{")][-1])
