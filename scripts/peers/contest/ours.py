"""Our side: short runs of the program, whose own windows begin after its own warm-up."""

import glob
import json
import os
import subprocess
import tempfile

from contest.contestant import Failed, Slice

SCENARIO = """\
name: compare_peers
question: How many samples a second does the native loader deliver?
dataset:
  synthesize:
    samples: {samples}
    seed: 7
    image: {{mean_width: 500, mean_height: 375, spread: 0.2, quality: 90}}
    classes: 16
  format: image_folder
loader:
  use: native
  batch_size: {batch_size}
  prefetch_factor: {prefetch}
  shuffle: true
  transform: {{random_resized_crop: {crop}, horizontal_flip: 0.5, normalize: none}}
trainer: {{use: discard}}
measure: {{modes: [loader], rounds: 1}}
"""
# One round of one point is measured three times (the instrument's own comparison of like with
# like).
WINDOWS_A_RUN = 3


class Program:
    def __init__(self, program, cache):
        self.program, self.cache = program, cache

    def call(self, *arguments):
        done = subprocess.run(
            [self.program, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        if done.returncode:
            raise Failed(f"benchbench {arguments[0]}: {why(done)}")
        return done.stdout

    def write_scenario(self, folder, **settings):
        path = os.path.join(folder, "scenario.yaml")
        with open(path, "w") as file:
            file.write(SCENARIO.format(**settings))
        return path

    def make_data(self, scenario, form, changes):
        """Where the data lie on disk, made where they are not."""
        sets = [
            argument
            for change in [f"dataset.format={form}", *changes]
            for argument in ("--set", change)
        ]
        for line in self.call("data", scenario, "--cache", self.cache, *sets).splitlines():
            kind, _, path = line.partition("\t")
            if kind == form:
                return path
        raise Failed(f"benchbench data named no place of the {form}")

    def measure(self, scenario, changes, seconds):
        """One slice: the windows of a run added up, with the CPU time inside them."""
        with tempfile.TemporaryDirectory() as folder:
            window = max(1.0, seconds / WINDOWS_A_RUN)  # under a second a window would not count
            sets = [f"measure.window={round(1000 * window)}ms", *changes]
            self.call(
                "run",
                scenario,
                "--quiet",
                "--isolation",
                "none",
                "--cache",
                self.cache,
                "--out",
                os.path.join(folder, "run"),
                *[part for change in sets for part in ("--set", change)],
            )
            with open(os.path.join(folder, "run", "journal.jsonl")) as journal:
                records = [json.loads(line) for line in journal]
        return slice_of(records)

    def hand_over(self, workers, prefetch, seconds):
        """Seconds a null batch, by the program's own micro benchmark."""
        name = f"hand_over/workers:{workers}/prefetch:{prefetch}/"
        told = self.call(
            "micro", f"^{name}", "--benchmark_format=json", f"--benchmark_min_time={seconds}"
        )
        for found in json.loads(told[told.index("{") :])["benchmarks"]:
            if found["name"].startswith(name):
                unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[found["time_unit"]]
                return Slice(found["iterations"], found["iterations"] * found["real_time"] * unit)
        raise Failed(f"benchbench micro has no {name}")


def why(done):
    """Of a command that failed: its first line that tells an error, else how it ended."""
    said = [line for line in done.stderr.splitlines() if line.startswith(("error", "fio:"))]
    if said:
        return said[0][:160]
    return (
        f"ended by signal {-done.returncode}"
        if done.returncode < 0
        else f"ended with status {done.returncode}"
    )


def slice_of(records):
    """INVALID and FAILED trials are no measurement; NOISY ones are, the rounds' interval tells
    their noise."""
    for record in records:
        if record["status"] not in ("VALID", "NOISY"):
            reasons = "; ".join(reason["text"] for reason in record["reasons"]) or "no reason told"
            raise Failed(f"{record['status']}: {reasons[:160]}")
    facts = [record["facts"] for record in records]
    return Slice(
        sum(f["samples"] for f in facts),
        sum(f["window_ns"] for f in facts) * 1e-9,
        sum(f["cpu_user_s"] + f["cpu_system_s"] for f in facts),
    )


def bytes_on_disk(path):
    """Of a file, or of all files below a folder that are data."""
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(file) for file in data_files(path))


def data_files(path):
    if os.path.isfile(path):
        return [path]
    found = glob.glob(os.path.join(path, "**", "*"), recursive=True)
    return sorted(
        file
        for file in found
        if os.path.isfile(file) and not os.path.basename(file).startswith(".")
    )
