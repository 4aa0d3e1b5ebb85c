"""Figures of our CUDA module: calibration, copies, trains of kernels, the device's memory."""

import re
import sys

from box import Shares
from records import read_records, sample_seconds, select_records, step_seconds
from table import FAIL, SEEN, Row, at_least, within

SAMPLE_BYTES = 3 * 1024  # of a row of touch.yaml
# (what, our name, torch's, limit)
COPIES = (
    ("copy to the device, pinned", "to_device", "to_device_pinned", at_least(0.98)),
    ("copy from the device, pinned", "from_device", "from_device_pinned", at_least(0.98)),
    ("copy to the device, pageable", "pageable_to_device", "to_device_pageable", None),
    ("copy from the device, pageable", "pageable_from_device", "from_device_pageable", None),
    ("ceiling of the device's memory", "memory", "read_rate", None),
)
TRAINS = (("9ms", 1), ("9ms", 8), ("9ms", 64), ("9ms", 400), ("90ms", 400))


def has_device(box, what):
    """Adds a FAIL if torch has a GPU and the program has none."""
    if box.no_device:
        box.add(Row(what, verdict=SEEN if box.small else FAIL, reason=box.no_device))
    return not box.no_device


def calibration(box, seconds):
    """The raw points come first: where the kernels cannot be calibrated, they say why."""
    if not has_device(box, "calibration of kernels"):
        return
    figures = box.bin / "gpu_figures"
    if not figures.exists():
        return box.add(Row("calibration of kernels", reason="gpu_figures was not built"))
    quick = ["--quick"] if box.stub else []
    done = box.run("calibration", [figures, "--raw", *quick], seconds)
    add_lines(box, "gpu_figures --raw", done)
    box.add(Row("gpu_figures --raw: lines that PASS", str(len(done.rows("^PASS")))))
    box.ours.update(own_figures(done))


def own_figures(done):
    """Returns what gpu_figures says of calls and kernels, by torch's names of the same."""
    calls = done.rows(r"^\w+ +host time of one copy.*  ([\d.]+) us, .*pageable call ([\d.]+) us")
    kernels = done.rows(r"^#.*a kernel takes ([\d.]+) us besides its time")
    names = ("call_pinned", "call_pageable", "kernel_in_graph")
    values = [*(calls[0] if calls else (None, None)), kernels[0] if kernels else None]
    return {name: 1e-6 * float(value) for name, value in zip(names, values) if value is not None}


def add_lines(box, tool, done):
    """Adds a tool's lines that FAIL or are SKIPPED as rows. SKIPPED is SEEN, but for kernels that a
    real GPU does not let us calibrate. Exit code 1 without a FAIL is a traceback."""
    for verdict, text in done.rows(r"^(FAIL|SKIPPED) +(.+)$"):
        what, *rest = re.split(r" {2,}|: ", text, maxsplit=1)
        if verdict == "SKIPPED":
            verdict = FAIL if text.startswith("all figures") and not box.stub else SEEN
        box.add(Row(what, verdict=verdict, reason=" ".join(rest)))
    failed = done.rows("^FAIL") or done.rows("^SKIPPED +all figures")
    box.require_end(tool, done, (0, 6, 77) + ((1,) if failed else ()))


def largest(box, name):
    """Returns the best of torch's figures of that name, over all sizes."""
    return max((v for key, v in box.truth.items() if key.startswith(name)), default=None)


def copies(box, seconds):
    if not has_device(box, "rates of the link"):
        return
    done = box.run("link", [box.program, "probe-module", "cuda-link"], seconds)
    ours = {key: float(value) for key, value in done.rows(r"^benchbench-link (\S+) (\S+)$")}
    box.require_end("benchbench probe-module cuda-link", done, (0,))
    for what, name, theirs, limit in COPIES:
        box.judge(what, ours.get(name), largest(box, theirs), "B/s", limit, no_truth(box, theirs))


def no_truth(box, name):
    return box.why_not or ("" if largest(box, name) is not None else "torch's figure is missing")


def trains(box, seconds):
    if not has_device(box, "steps of many kernels"):
        return
    shares = Shares(seconds, 3, 2)
    spins(box, shares.next())
    touch(box, shares.next())


def spins(box, seconds):
    box.benchbench("spins", "spins.yaml", seconds)
    records = read_records(box.runs / "spins")
    for step, kernels in TRAINS:
        settings = {"trainer.step_time": step, "trainer.kernels": kernels}
        ours = step_seconds(select_records(records, "trainer", settings))
        known = float(step[:-2]) / 1e3
        count = "1 kernel" if kernels == 1 else f"{kernels} kernels"
        box.judge(f"step of {step}, {count}", ours, known, "s", within(0.005))
    box.judge_trials("steps of many kernels", records)


def touch(box, seconds):
    height = 16 if box.stub else 1024
    box.benchbench("touch", "touch.yaml", seconds, "--set", f"loader.height={height}")
    ours = sample_seconds(select_records(read_records(box.runs / "touch"), "trainer"))
    rate = SAMPLE_BYTES * height / ours if ours else None
    truth, limit = box.truth.get("read_rate_805"), at_least(0.85)
    why_not = no_truth(box, "read_rate_805")
    box.judge("touch: a batch read by a kernel", rate, truth, "B/s", limit, why_not)


def check(box, seconds):
    if not has_device(box, "gpu_check --quick"):
        return
    words = [sys.executable, box.source / "scripts" / "gpu_check", "--quick"]
    words += ["--build", box.bin.parent, "--out", box.logs / "check"]
    done = box.run("check", words, seconds)
    add_lines(box, "gpu_check", done)
    box.add(Row("gpu_check --quick: lines that PASS", str(len(done.rows("^PASS")))))
