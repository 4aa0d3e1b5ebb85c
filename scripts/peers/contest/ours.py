"""Our side: short runs of the program, whose own windows begin after its own warm-up."""

import glob
import json
import os
import subprocess
import sys
import tempfile

from contest.contestant import Failed, Slice

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
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
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def find_program():
    """Returns the program that BENCHBENCH_PROGRAM names, else the release preset, which is built;
    and the first line of its version."""
    named = os.environ.get("BENCHBENCH_PROGRAM")
    command = named or os.path.join(ROOT, "scripts", "benchbench")
    try:
        done = subprocess.run([command, "--version"], stdout=subprocess.PIPE, text=True)
    except OSError as error:
        sys.exit(f"{command}: {error.strerror}")
    if done.returncode or not done.stdout.strip():
        sys.exit(f"`{command} --version` printed no version")
    built = os.path.join(ROOT, "build", "release", "bin", "benchbench")
    return named or built, done.stdout.strip().splitlines()[0]


class Program:
    """The program, with options that each of its runs has."""

    def __init__(self, program, *options):
        self.program, self.options = program, options

    def call(self, *arguments, **environment):
        """Returns what it printed."""
        done = subprocess.run(
            [self.program, *arguments],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **environment},
        )
        if done.returncode:
            raise Failed(f"benchbench {arguments[0]}: {why(done)}")
        return done.stdout

    def make_data(self, scenario, form):
        """Returns the place of the data on disk, made where they are not."""
        told = self.call("data", scenario, *self.options, "--set", f"dataset.format={form}")
        for line in told.splitlines():
            kind, _, path = line.partition("\t")
            if kind == form:
                return path
        raise Failed(f"benchbench data told no place of the {form}")

    def records(self, scenario, *words, **environment):
        """Returns the records of a run."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "run")
            self.call("run", scenario, "--quiet", "--out", out, *words, **environment)
            with open(os.path.join(out, "journal.jsonl"), encoding="utf-8") as journal:
                return [json.loads(line) for line in journal]

    def measure(self, scenario, changes, seconds):
        """Returns one slice: the windows of a run added up, with the CPU time inside them."""
        window = max(1.0, seconds / WINDOWS_A_RUN)  # under a second a window would not count
        changes = [f"measure.window={round(1000 * window)}ms", *changes]
        sets = [word for change in changes for word in ("--set", change)]
        return slice_of(self.records(scenario, "--isolation", "none", *self.options, *sets))

    def hand_over(self, workers, prefetch, seconds):
        """Returns a slice of null batches, by the program's own micro benchmark."""
        name = f"hand_over/workers:{workers}/prefetch:{prefetch}/"
        options = ("--benchmark_format=json", f"--benchmark_min_time={seconds}")
        told = self.call("micro", f"^{name}", *options)
        for found in json.loads(told[told.index("{") :])["benchmarks"]:
            if found["name"].startswith(name):
                count, unit = found["iterations"], SECONDS[found["time_unit"]]
                return Slice(count, count * found["real_time"] * unit)
        raise Failed(f"benchbench micro has no {name}")


def write_scenario(folder, samples, settings):
    """Returns the path of a scenario with these settings of compare_peers."""
    path = os.path.join(folder, "scenario.yaml")
    with open(path, "w") as file:
        file.write(SCENARIO.format(**{**vars(settings), "samples": samples}))
    return path


def why(done):
    """Returns the first line of a command that failed which tells an error, else how it ended."""
    said = [line for line in done.stderr.splitlines() if line.startswith(("error", "fio:"))]
    if said:
        return said[0][:160]
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    return f"ended with status {done.returncode}"


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


def data_files(path):
    """Returns the file, or all files below the folder that are data."""
    if os.path.isfile(path):
        return [path]
    found = glob.glob(os.path.join(path, "**", "[!.]*"), recursive=True)
    return sorted(filter(os.path.isfile, found))


def bytes_on_disk(path):
    return sum(map(os.path.getsize, data_files(path)))
