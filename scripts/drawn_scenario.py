"""A scenario drawn at random from what the parts describe: any of their keys, with values of its
type that keep a run short."""

import math
import os
import re

from parts import keys_under, parts

LENGTH = 40
CODE = {
    "code.py": """
import torch

class Images(torch.utils.data.Dataset):
    def __init__(self, length, size, floats):
        self.length, self.size = length, size
        self.dtype = torch.float32 if floats else torch.uint8
    def __len__(self):
        return self.length
    def __getitem__(self, i):
        return torch.zeros((3, self.size, self.size), dtype=self.dtype), i % 10

def loader(length=256, size=64, floats=True):
    return Images(length, size, floats)

def trainer(batch):
    return None
""",
    "times.csv": "\n".join(f"{0.0005 + 0.0001 * (i * 7 % 13):.4f}" for i in range(LENGTH)) + "\n",
}

# Never drawn: faults that end a trial on purpose, and what names files or code.
LEFT_OUT = (
    "use fault after device device_wait intra_op_threads access path column module setup pick"
    " of.use emulated.memory checkpoint.path prepare prepare_size cache format postprocess.images"
    " decode.backend"  # of a GPU
    " transform.resize"  # drawn with transform.center_crop
).split()
TEXTS = {
    "times": ["times.csv"],
    "script": ["code.py"],
    "checkpoint.bytes": ["1KiB", "64KiB", "1MiB"],
    "python": [os.environ.get("BENCHBENCH_PYTHON") or "/usr/bin/python3"],
}
GIVEN = {"script", "python", "times", "height", "width"}  # always drawn where a part has them
# Values for keys whose type's usual ones would make a run long, or say nothing.
SPANS = {
    "height": (8, 96),
    "width": (8, 96),
    "channels": (1, 4),
    "samples": (64, 4000),
    "num_workers": (0, 4),
    "batch_size": (1, 48),
    "prefetch_factor": (1, 6),
    "max_jobs": (4, 24),
    "in_flight": (1, 8),
    "distinct": (1, 8),
    "kernels": (1, 40),
    "transform.resize": (32, 96),
    "transform.center_crop": (8, 64),
    "transform.random_resized_crop": (8, 64),
    "transform.random_patch": (4, 24),
    "transform.smooth_passes": (1, 2),
    "transform.smooth_sigma": (0, 1),
    "hidden_size": (8, 256),
    "hidden_layers": (0, 3),
    "step_flops": (1e3, 1e7),
    "sample_flops": (1e3, 1e6),
    "element_flops": (0.1, 50),
    "flop_rate": (1e9, 1e11),
    "straggler": (1, 6),
    "spread": (0, 0.8),
    "copy_factor": (0.25, 4),
    "learning_rate": (0, 0.01),
    "emulated.launch_call": (1e-6, 2e-5),
    "emulated.copy_call": (1e-6, 2e-5),
    "emulated.queue": (1, 1024),
}
TOGETHER = {
    "postprocess.": ("postprocess.every", "postprocess.time"),
    "checkpoint.": ("checkpoint.every", "checkpoint.bytes"),
}


SIZES = {
    "image": {"mean_width": 64, "mean_height": 48},
    "volume": {"depth": 8, "height": 24, "width": 24},
    "tokens": {"mean_length": 64},
}
STORES = ["sata_hdd", "sata_ssd", "nvme", "nfs_10gbe", "s3"]
TIED = (None, "worker")  # what the times of a loader are counted per


class Words:
    """The parts and keys that scenarios are drawn from."""

    def __init__(self, benchbench, virtual, loader=None, trainer=None):
        def those(kind, where, only=None):
            every_one = parts(benchbench, kind, where)
            can_run = [one for one in every_one if one.virtual or not virtual]
            return [one for one in can_run if only in (None, one.name)]

        self.virtual = virtual
        self.loaders = those("loader", "loader.use", loader)
        self.trainers = those("trainer", "trainer.use", trainer)
        self.samplers = those("sampler", "loader.access")
        self.formats = parts(benchbench, "sample format", "dataset.format")
        self.loader_keys = keys_under(benchbench, "loader")
        self.trainer_keys = keys_under(benchbench, "trainer")


class Scenario:
    def __init__(self, virtual, blocks):
        self.virtual, self.blocks = virtual, blocks
        loader, trainer = blocks["loader"], blocks["trainer"]
        self.name = f"{loader['use']}-{trainer['use']}"
        # A rate of its own goes on while the trainer works, and so does another process.
        free = loader["use"] in ("rate_limited", "python") or loader.get("per") not in TIED
        on_cpu = trainer["device"] == "cpu" and trainer["use"] != "python"
        self.turns = loader["num_workers"] == 0 and on_cpu and not free


class Drawer:
    def __init__(self, random, words):
        self.random, self.words = random, words

    def likely(self, share):
        return self.random.random() < share

    def log_uniform(self, low, high):
        return math.exp(self.random.uniform(math.log(low), math.log(high)))

    def whole(self, key):
        low, high = SPANS.get(key.name, (0, 64))
        taken = [int(n) for n in re.findall(r"\d+", key.type)[:2]] if " to " in key.type else []
        if taken:
            low, high = max(low, taken[0]), min(high, taken[1])
        return min(high, low + int(self.log_uniform(1, high - low + 2)) - 1)

    def value(self, key):
        """Returns a value of the key, None where its type has none that can be drawn."""
        kind = key.type.split(";")[0]
        if key.name in TEXTS:
            return self.random.choice(TEXTS[key.name])
        if kind.startswith("one of "):
            return self.random.choice(kind[len("one of ") :].split(", "))
        if kind.startswith("true or false"):
            return self.likely(0.5)
        if kind.startswith("a whole number"):
            return self.whole(key)
        if kind.startswith(("a number, 0 to 1", "a number, 0.0001 to 1")):
            return round(self.random.uniform(0.05, 1), 3)
        if key.name in SPANS and kind.startswith("a number"):
            return float(f"{self.random.uniform(*SPANS[key.name]):.3g}")
        if kind.startswith("a duration"):
            return f"{1e6 * self.log_uniform(*SPANS.get(key.name, (2e-5, 4e-3))):.1f}us"
        if kind.startswith("a size"):
            return f"{int(self.log_uniform(1, 1024))}KiB"
        if kind.startswith("a rate"):
            return f"{self.log_uniform(*SPANS.get(key.name, (500, 50000))):.3g}/s"
        if kind.startswith("a bandwidth"):
            return f"{self.log_uniform(0.3, 60):.3g}GB/s"
        return None

    def draw(self, given, keys, share):
        for name, key in keys.items():
            if name in LEFT_OUT or name in given:
                continue
            if key.required or name in GIVEN or self.likely(share):
                value = self.value(key)
                given.update({} if value is None else {name: value})

    def loader(self):
        part = self.random.choice(self.words.loaders)
        given = {"use": part.name}
        for name in ("num_workers", "batch_size"):
            given[name] = self.value(self.words.loader_keys[name])
        if "runs in a process of its own" in part.text:
            given["call"], given["args.length"] = "loader", self.random.randrange(64, 2000)
            given["args.size"], given["args.floats"] = self.random.randrange(8, 80), True
        self.draw(given, part.keys, 0.3)
        self.draw(given, self.words.loader_keys, 0.2)
        if "transform.center_crop" in given:
            given["transform.resize"] = self.value(part.keys["transform.resize"])
        if given.get("residency") == "device":  # few have such a device, and rows that it can keep
            del given["residency"]
        if self.likely(0.4):
            sampler = self.random.choice(self.words.samplers)
            given["access"] = sampler.name
            self.draw(given, sampler.keys, 0.5)
        if given["num_workers"] == 0:  # both say how far workers may run ahead
            given = {k: v for k, v in given.items() if k not in ("prefetch_factor", "max_jobs")}
        return part, given

    def trainer(self):
        part = self.random.choice(self.words.trainers)
        given = {"use": part.name, "device": "cpu"}
        own = "runs in a process of its own" in part.text
        if own:
            given["call"] = "trainer"
        on_device = "enqueue" in part.text or "at" in part.keys
        emulated = on_device and self.likely(0.6)
        keys = {
            n: k
            for n, k in self.words.trainer_keys.items()
            if emulated or not (n.startswith("emulated.") or k.text.startswith("On an accelerator"))
        }
        if emulated:
            given["device"] = "emulated"
        self.draw(given, part.keys, 0.5)
        if not own:
            self.draw(given, keys, 0.2)
        # A device's copies replace the first ones, and only a device has the others.
        dropped = ("copy_bandwidth", "copy_factor") if emulated else ("kernels", "at")
        given = {k: v for k, v in given.items() if k not in dropped}
        for begin, names in TOGETHER.items():
            for name in names if any(k.startswith(begin) for k in given) else ():
                given[name] = self.value(self.words.trainer_keys[name])
        return part, given

    def dataset(self, loader, trainer):
        kinds = ["image"]
        if "makes any data" in loader.text and "takes any data" in trainer.text:
            kinds += ["volume", "tokens"]
        kind = self.random.choice(kinds) if "reads `dataset`" in loader.text else "image"
        data = {"samples": self.random.randrange(48, 200)}
        given = {"synthesize": {**data, kind: SIZES[kind]}}
        held = "holds any data" if kind == "volume" else f"holds {kind.rstrip('s')}s"
        formats = [f for f in self.words.formats if held in f.text]
        if formats and self.likely(0.7):
            given["format"] = self.random.choice(formats).name
        if self.words.virtual or self.likely(0.3):
            given["storage"] = {"like": self.random.choice(STORES)}
        return given

    def scenario(self):
        loader, of_loader = self.loader()
        trainer, of_trainer = self.trainer()
        measure = {"modes": ["loader", "trainer", "pipeline"], "warmup": "50ms"}
        if self.words.virtual:
            real = loader.text.find(" real, ") >= 0
            measure.update({"rounds": 3, "window": "1s", "window_batches": 40 if real else 200})
        else:
            measure.update({"rounds": 2, "class": "selftest", "window": "300ms"})
            measure["window_batches"] = 100
            if "training step in libtorch" in trainer.text:  # up to a second each on a few cores
                measure.update({"class": "normal", "window": "1s", "window_batches": 5})
                of_loader["batch_size"] = self.random.randrange(1, 3)
                of_trainer.pop("precision", None)  # bf16 is emulated by most CPUs, at a tenth
        blocks = {
            "dataset": self.dataset(loader, trainer),
            "loader": of_loader,
            "trainer": of_trainer,
            "measure": measure,
        }
        return Scenario(self.words.virtual, blocks)
