"""Steps of the trainers on the CPU next to the same steps in PyTorch, in one plan: each round has a
trial of the one, one of the other, and the first again."""

import json
import os

from contest.contestant import Failed
from figure import Figure
from sides import HERE

TWINS = os.path.join(HERE, "twins.py")
CLASSES, VOCABULARY, LENGTH = 10, 1024, 128
MODEL = {"vocab_size": VOCABULARY, "d_model": 256, "nhead": 4, "num_layers": 2}
MODEL["dim_feedforward"] = 1024


def images(size, batch_size):
    return {
        "dataset": {
            "synthesize": {
                "samples": 256,
                "classes": CLASSES,
                "seed": 7,
                "image": {"mean_width": 256, "mean_height": 256},
            }
        },
        "loader": {
            "batch_size": batch_size,
            "transform": {"random_resized_crop": size, "normalize_on": "worker"},
        },
    }


def sequences(batch_size):
    tokens = {"mean_length": LENGTH, "spread": 0, "max_length": LENGTH, "vocab_size": VOCABULARY}
    return {
        "dataset": {
            "format": "tokens",
            "synthesize": {"samples": 256, "seed": 7, "tokens": tokens},
        },
        "loader": {
            "batch_size": batch_size,
            "transform": {"max_length": LENGTH, "pad_to_multiple_of": LENGTH},
        },
    }


def hidden(size):
    sizes = {"hidden_size": 1024, "hidden_layers": 2}
    return sizes, {**sizes, "size": size, "classes": CLASSES}


# [what it is, the trainer, its settings and the sizes of its twin, its batches]
MLP = ("mlp, 64 px", "mlp", *hidden(64), images(64, 64))
LARGE_MLP = ("mlp, 224 px", "mlp", *hidden(224), images(224, 32))
RESNET = ("resnet18, 64 px", "resnet18", {}, {"classes": CLASSES}, images(64, 16))
TRANSFORMER = (
    "transformer, 128 tokens",
    "transformer",
    MODEL,
    {**MODEL, "longest": LENGTH - 1},
    sequences(8),
)


class Steps(Figure):
    """`settings`: what trainer and twin are both given."""

    def __init__(self, ours, rounds, network, settings):
        self.run, self.rounds, self.network, self.settings = ours, rounds, network, settings
        title = ", ".join([network[0], *settings.values()])
        rows = [(f"steps of {title}, and of PyTorch", "twin")]
        super().__init__("steps", rows, (0.03, "less"), twin=None)

    def run_round(self, number, generator):
        """The plan has all rounds, and an order of its own."""
        if number == 0:
            self.numbers = self.rates(self.run.records_of(self.scenario(), TWIN=self.twin()))

    def twin(self):
        _, name, _, sizes, _ = self.network
        return json.dumps({"network": name, "sizes": sizes, "settings": self.settings})

    def scenario(self):
        _, name, own, _, batches = self.network
        on = {"device": "cpu", "intra_op_threads": 1}
        python = {"use": "python", "script": TWINS, "python": self.run.python}
        ours = {"use": name, **on, **own, **self.settings}
        twin = {**python, "call": "train_step", "setup": "setup", **on}
        return self.run.scenario(
            {"use": "native", "num_workers": 0, **batches["loader"]},
            ours,
            measure={"modes": ["trainer"], "rounds": self.rounds},
            dataset=batches["dataset"],
            sweep={"trainer": [ours, twin]},
        )

    def rates(self, records):
        """Returns {side: {round: samples a second}}."""
        found = {side: {} for side in self.sides}
        for record in records:
            facts, slot = record["facts"], record["planned"]
            if not facts["samples"]:
                raise Failed(f"{record['status']}: {'; '.join(map(str, record['reasons']))}")
            twin = record["trial"]["settings"]["trainer.use"] == "python"
            side = "twin" if twin else "again" if slot["repeat"] else "ours"
            if slot["repeat"] < 2:
                rate = facts["samples"] / (facts["window_ns"] * 1e-9)
                found[side][slot["round"]] = rate
        return found


def steps_figures(ours, rounds):
    yield Steps(ours, rounds, LARGE_MLP, {"precision": "fp32", "optimizer": "loop"})
    for network in (MLP, RESNET, TRANSFORMER):
        for precision in ("fp32", "bf16-mixed"):
            for optimizer in ("loop", "foreach", "fused"):
                settings = {"precision": precision, "optimizer": optimizer}
                yield Steps(ours, rounds, network, settings)
