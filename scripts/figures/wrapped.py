"""A plain script under `benchbench wrap`, for scripts/wrap_figures."""

import dataclasses
import json
import os
import tempfile

from contest.contestant import Failed
from sides import Plain, last_line, run, soonest, timed

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
        kept = ("--out", f"{folder}/run", "--json", f"{folder}/wrap.json")
        return [self.program, "wrap", *options, *kept, "--"]

    def report(self, order, *options):
        """Returns the report of a training loop that has no end of its own."""
        with tempfile.TemporaryDirectory() as folder:
            words = self.words(folder, *(options or self.options))
            run(words + self.plain.words("training", order, window=FOREVER), order)
            with open(f"{folder}/wrap.json", encoding="utf-8") as file:
                return json.load(file)

    def rates(self, order, *options):
        """Returns samples a second of L, T and F."""
        report = self.report(order, *options)
        point = report["points"][0]
        found = {kind: (point[name] or {}).get("value") for kind, name in RATES.items()}
        lost = [kind for kind in found if not found[kind]]
        if lost:
            raise Failed(f"the report has no {' and no '.join(lost)}: {report['conclusion']}")
        return found

    def shares_of_truth(self, order):
        """Returns the rates over those of the sleeps, each of which notes how long it was."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "truth")
            noting = {**order.environment, "TRUTH": path}
            order = dataclasses.replace(order, environment=noting)
            rates = self.rates(order, "--rounds", "3", "--budget", "36s")
            with open(path, encoding="utf-8") as file:
                noted = [line.split() for line in file]
        truth = {
            "L": order.num_workers * times_a_second("sample", noted),
            "T": order.batch_size * times_a_second("step", noted),
        }
        truth["F"] = min(truth.values())
        return {kind: rates[kind] / truth[kind] for kind in truth}

    def first_batch(self, order):
        with tempfile.TemporaryDirectory() as folder:
            words = self.words(folder) + self.plain.words("first_batch", order)
            return soonest(lambda: last_line(run(words, order, may_end_with=(NO_ANSWER,))))

    def whole(self, order, steps):
        """Seconds of a script that is watched to its end."""
        with tempfile.TemporaryDirectory() as folder:
            words = self.words(folder, "--keep-going")
            words += self.plain.words("training", order, steps=steps)
            return timed(lambda: last_line(run(words, order)))


def times_a_second(kind, noted):
    ns = [int(one) for of, one in noted if of == kind]
    return len(ns) / (sum(ns) * 1e-9)
