"""Steps of our networks against torchvision's: in turns in one plan, on one batch that stays on the
device. The plans are written here, since what means nothing on a CPU is left out there."""

import json

from machine_parts import torch_of
from records import read_records
from reports import point_of, rate_of, ratio_of, read_report, trial_memory
from table import (
    FAIL,
    PASS,
    SEEN,
    Row,
    at_least,
    at_most,
    judged,
    judged_in_turns,
    within,
)

ONE = 0.995  # a ratio of 1.00 as it is written
ON_ACCELERATORS = {"copy", "cudnn_benchmark", "graph", "non_blocking", "copy_stream"}
ON_CPU = {"resnet50": "resnet18", "tf32": "fp32"}
BATCH = {"use": "synthetic", "num_workers": 1, "batch_time": "1ms", "dtype": "float32"}
PHOTOGRAPHS = {"mean_width": 500, "mean_height": 375, "spread": 0.2, "quality": 90}
KINDS = ("fp32", "tf32", "ieee", "bf16-true", "fp16-mixed")


def measure(box, rounds, window, *modes):
    quick = {"rounds": 1, "window": "1s", "window_batches": 5}
    return {**(quick if box.small else {"rounds": rounds, "window": window}), "modes": list(modes)}


def side(box):
    return 32 if box.small else 224


def held_batch(box, size):
    rows = 2 if box.small else size
    return {**BATCH, "batch_size": rows, "height": side(box), "width": side(box), "wait": "sleep"}


def ours(box, use="resnet50", **settings):
    """Returns a trainer of ours, bf16-mixed on a batch that stays on the device unless settings say
    otherwise."""
    made = {"use": use, "memory_format": "channels_last", "precision": "bf16-mixed"}
    made.update(device="cuda:0", cudnn_benchmark=True, copy="once")
    made.update(settings)
    if not box.small:
        return made
    made["device"] = "cpu"
    kept = {key: value for key, value in made.items() if key not in ON_ACCELERATORS}
    return {key: ON_CPU.get(value, value) for key, value in kept.items()}


def twin(box, setup="setup", call="train_step_held"):
    """Returns torchvision's step, as a trainer of a plan."""
    made = {"use": "python", "script": "twin.py", "call": call, "setup": setup}
    return {**made, "python": box.python, "device": "cpu" if box.small else "cuda:0"}


def run(box, name, seconds, environment=None, **scenario):
    """Runs a scenario; returns its report, {} where there is none."""
    path = box.work / "user" / f"{name}.yaml"  # YAML holds JSON
    path.write_text(json.dumps({"name": name, **scenario}, indent=1), encoding="utf-8")
    report = box.runs / f"{name}.json"
    words = ("--json", report, "--cache", box.work / "cache")
    box.benchbench(name, path.name, seconds, *words, **torch_of(box), **(environment or {}))
    return read_report(report)


def in_turns(box, name, seconds, rows, base, others, rounds=5):
    """Runs trainers against `base` in one plan. `others`: (what, trainer, Limit or None, what the
    lower end of the ratio's interval must reach, or None), a row each."""
    trainers = [trainer for _, trainer, _, _ in others]
    distinct = [one for at, one in enumerate(trainers) if one not in trainers[:at]]
    plan = {"loader": held_batch(box, rows), "trainer": base, "sweep": {"trainer": distinct}}
    report = run(box, name, seconds, measure=measure(box, rounds, "2s", "trainer"), **plan)
    for what, trainer, limit, low in others:
        points = point_of(report, trainer), point_of(report, base)
        add_ratio(box, f"{what}, batch of {rows}", report, points, limit, low)
    box.judge_trials(f"ours and the twin, {name}", read_records(box.runs / name))
    return report


def add_ratio(box, what, report, points, limit=None, low=None):
    """Adds the row of two points that were measured in turns."""
    rates, estimate = map(rate_of, points), ratio_of(report, *points)
    value = estimate.get("value") if estimate else None
    row = judged(what, *rates, "/s", limit, box.why_not, value)
    box.add(judged_in_turns(row, estimate, low))


def optimizers(box):
    """Returns our step with each optimizer, and as one graph."""
    return {
        "loop": ours(box, optimizer="loop"),
        "foreach": ours(box, optimizer="foreach"),
        "fused": ours(box, optimizer="fused", graph=False),
        "fused, graph": ours(box, optimizer="fused", graph=True),
    }


def networks(box, seconds):
    limits = {"loop": (None, None), "fused, graph": (at_least(ONE), None)}
    rows = [
        (f"our ResNet-50, {how}", trainer, *limits.get(how, (at_least(ONE), 0.99)))
        for how, trainer in optimizers(box).items()
    ]
    in_turns(box, "networks", seconds, 256, twin(box), rows)


def few(box, seconds):
    """At 32 images a step waits for its launches, which a graph saves."""
    made = optimizers(box)
    graph = twin(box) if box.small else twin(box, "setup_graph", "replay_step")
    rows = [
        ("the twin's own graph", graph, None, None),
        ("our ResNet-50, fused", made["fused"], at_least(ONE), None),
        ("our ResNet-50, fused, graph", made["fused, graph"], at_least(1.5), None),
    ]
    report = in_turns(box, "few", seconds, 32, twin(box), rows)
    points = point_of(report, made["fused, graph"]), point_of(report, graph)
    add_ratio(box, "our graph against the twin's, batch of 32", report, points, at_least(ONE))


def kinds(box, seconds):
    limits = {"fp32": at_least(ONE)}
    rows = [
        (f"our ResNet-50, {kind}", ours(box, precision=kind), limits.get(kind), None)
        for kind in KINDS
    ]
    forward = ours(box, **{"pass": "forward"})
    rows.append(("our ResNet-50, forward pass, bf16-mixed", forward, None, None))
    in_turns(box, "kinds", seconds, 256, twin(box, "setup_full"), rows, rounds=3)


def fed(box, seconds):
    """A real loader that is faster than the step must not lengthen it."""
    count, workers, rows = (64, 1, 2) if box.small else (8192, 16, 256)
    images = {"samples": count, "seed": 7, "image": PHOTOGRAPHS, "classes": 100}
    transform = {"random_resized_crop": side(box), "normalize_on": "device"}
    loader = {"use": "native", "num_workers": workers, "batch_size": rows, "transform": transform}
    own = {} if box.small else {"non_blocking": True, "copy_stream": "own"}
    trainer = ours(box, **own)
    trainer.pop("copy", None)
    report = run(
        box,
        "fed",
        seconds,
        dataset={"format": "image_folder", "synthesize": images},
        loader={**loader, "pin_memory": not box.small},
        trainer=trainer,
        measure=measure(box, 3, "3s", "loader", "trainer", "pipeline"),
        sweep={"loader.transform.normalize_on": ["device", "worker"]},
    )
    for place, most in (("device", 1.005), ("worker", None)):
        point = point_of(report, {"transform.normalize_on": place}, "loader.")
        there = report_rate(report, "trainer_rate_device") if (point or {}).get("base") else None
        alone = there or rate_of(point)
        together = rate_of(point, "pipeline")
        what = f"ResNet-50 fed by our loader, normalised on the {place}"
        steps = [rows / rate if rate else None for rate in (together, alone)]
        box.judge(what, *steps, "s", at_most(most) if most else None, box.why_not)
        over = (point or {}).get("headroom_ratio")
        said = f"{over['value']:.2f} of the step's" if over else "not measured"
        box.add(Row(f"its loader alone, normalised on the {place}", reason=said))
    box.add(card_in_report(box, report))


def language(box, seconds):
    """A step on tokens: batches differ in width, so that no twin gets them."""
    layers, width = (1, 64) if box.small else (12, 768)
    tokens = {"mean_length": 400, "max_length": 1024, "vocab_size": 50257}
    if box.small:
        tokens.update(mean_length=20, max_length=32, vocab_size=100)
    model = {"num_layers": layers, "d_model": width, "dim_feedforward": 4 * width}
    trainer = ours(box, "transformer", vocab_size=tokens["vocab_size"], **model, nhead=width // 64)
    trainer.pop("memory_format")
    others = ("foreach", "fused")
    report = run(
        box,
        "language",
        seconds,
        dataset={"format": "tokens", "synthesize": {"samples": 2048, "seed": 7, "tokens": tokens}},
        loader={"use": "native", "num_workers": 1, "batch_size": 2 if box.small else 32},
        trainer=trainer,
        measure=measure(box, 1, "2s", "trainer"),
        sweep={"trainer.optimizer": list(others)},
    )
    for optimizer in others:
        rate = rate_of(point_of(report, {"optimizer": optimizer}))
        what = f"our transformer {layers} x {width}, {optimizer}"
        box.judge(what, rate, None, "/s", not_judged=box.why_not)
    box.judge_trials("our transformer", read_records(box.runs / "language"))


def report_rate(report, name):
    return ((report.get(name) or {}).get("samples_per_second") or {}).get("value")


def card_in_report(box, report):
    """Returns a row of what a report of a network says of the device: all of it, on a GPU."""
    device = [one for one in report.get("timelines", ()) if one["name"] == "device"]
    parts = {one["name"]: one["ms"] for line in device for one in line["parts_ms"]}
    read = {one["name"]: one["mean"] for one in report.get("probes", ()) if one["mean"] is not None}
    gpu = report.get("gpu") or {}
    step = device[0]["step_ms"] if device else None
    idle = [parts.get(name) for name in ("idle_for_data", "idle_other")]
    found = {
        "idle": f"{sum(idle) / step:.1%}" if step and None not in idle else None,
        "copies": f"{parts['copy_exposed'] / step:.1%}" if "copy_exposed" in parts else None,
        "clock": f"{read['gpu_clock'] / 1e6:.0f} MHz" if "gpu_clock" in read else None,
        "power": f"{read['gpu_power']:.0f} W" if "gpu_power" in read else None,
        "a sample": f"{gpu['joules_per_sample']:.3f} J" if gpu.get("joules_per_sample") else None,
    }
    said = ", ".join(f"{name} {value or '-'}" for name, value in found.items())
    verdict = PASS if all(found.values()) else SEEN if box.small else FAIL
    return Row("a network's report of the card", verdict=verdict, reason=said)


def memory(box, seconds):
    """Trials of one process give back what they took."""
    early, late = (2, 4) if box.small else (5, 50)
    rates = [round(0.001 * (at + 1), 3) for at in range(late)]
    run(
        box,
        "memory",
        seconds,
        loader=held_batch(box, 32),
        trainer=ours(box, use="resnet18", learning_rate=rates[0]),
        measure={**measure(box, 1, "1s", "trainer"), "window_batches": 5},
        sweep={"trainer.learning_rate": rates},
    )
    records = read_records(box.runs / "memory")
    for what, probe in (("device", "gpu_memory"), ("host", "memory")):
        sizes = [trial_memory(records, probe, count) for count in (late, early)]
        name = f"{what} memory after {late} trials against {early}"
        limit = None if box.small and not sizes[0] else within(0.01)
        box.judge(name, *sizes, "B", limit, box.why_not)
    box.judge_trials("one process", records)
