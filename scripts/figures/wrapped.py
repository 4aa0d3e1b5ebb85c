"""The sides of scripts/wrap_figures: a plain script under `benchbench wrap`."""

import json
import os
import tempfile
import time

from sides import Lost, Plain, last_line, run

RATES = {
    "L": "loader_rate_samples_per_second",
    "T": "trainer_rate_samples_per_second",
    "F": "pipeline_rate_samples_per_second",
}
FOREVER = 1e9
NO_ANSWER = 72


class Wrapped:
    def __init__(self, program, python, seconds):
        self.program, self.plain = program, Plain(python, seconds)
        self.options = ("--rounds", "5", "--budget", f"{max(30, round(5 * seconds))}s")

    def words(self, folder, *options):
        return [
            self.program,
            "wrap",
            *options,
            "--out",
            os.path.join(folder, "run"),
            "--json",
            os.path.join(folder, "wrap.json"),
            "--",
        ]

    def report(self, order, *options):
        """The report of a training loop that has no end of its own."""
        with tempfile.TemporaryDirectory() as folder:
            words = self.words(folder, *(options or self.options))
            run(words + self.plain.words("training", order, window=FOREVER), order)
            with open(os.path.join(folder, "wrap.json"), encoding="utf-8") as file:
                return json.load(file)

    def rates(self, order, *options):
        """Samples a second of L, T and F."""
        report = self.report(order, *options)
        point = report["points"][0]
        found = {kind: (point[name] or {}).get("value") for kind, name in RATES.items()}
        if not all(found.values()):
            raise Lost(
                f"the report has no {' and no '.join(kind for kind in found if not found[kind])}: "
                f"{report['conclusion']}"
            )
        return found

    def shares_of_truth(self, order):
        """Of sleeps, each of which notes how long it was."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "truth")
            rates = self.rates(order.within(TRUTH=path), "--rounds", "3", "--budget", "36s")
            with open(path, encoding="utf-8") as file:
                noted = [line.split() for line in file]
        seconds = {
            kind: sum(int(ns) for of, ns in noted if of == kind) * 1e-9
            for kind in ("sample", "step")
        }
        times = {kind: sum(of == kind for of, _ in noted) for kind in seconds}
        truth = {
            "L": order.workers * times["sample"] / seconds["sample"],
            "T": order.batch_size * times["step"] / seconds["step"],
        }
        truth["F"] = min(truth.values())
        return {kind: rates[kind] / truth[kind] for kind in truth}

    def first_batch(self, order):
        """What the script says; the one of three that came first."""
        with tempfile.TemporaryDirectory() as folder:
            words = self.words(folder) + self.plain.words("first_batch", order)
            said = [last_line(run(words, order, may_end_with=(NO_ANSWER,))) for _ in range(3)]
        return min(said, key=lambda one: one["seconds"])

    def whole(self, order, steps):
        """Seconds of a script that is watched to its end: as it says itself, and of the whole
        command."""
        with tempfile.TemporaryDirectory() as folder:
            begun = time.monotonic()
            printed = run(
                self.words(folder, "--keep-going")
                + self.plain.words("training", order, steps=steps),
                order,
            )
            took = time.monotonic() - begun
        said = next(line for line in printed.splitlines() if line.startswith('{"seconds"'))
        return {"script": json.loads(said)["seconds"], "command": took}


class Bare:
    """The same without benchbench."""

    def __init__(self, python, seconds):
        self.plain = Plain(python, seconds)

    def rate(self, order):
        return {"F": self.plain.rate(order, "training")}

    def first_batch(self, order):
        return min(
            (self.plain.ask("first_batch", order) for _ in range(3)), key=lambda one: one["seconds"]
        )

    def whole(self, order, steps):
        begun = time.monotonic()
        said = self.plain.ask("training", order, steps=steps)
        return {"script": said["seconds"], "command": time.monotonic() - begun}
