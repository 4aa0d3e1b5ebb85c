"""Nights as `benchbench run` would have left them, from one real run of mocks in virtual time: its
records with their times stretched.

All times of a record are stretched alike, so that it is as consistent as it was, and those of the
pipeline 2.5 times as much, so that whatever changes alone stays below the sides alone (I05). The
checksum of each line is made anew."""

import json
import pathlib
import subprocess

SCENARIO = """name: night
loader: {use: synthetic, num_workers: 1, batch_size: 4, batch_time: 5ms}
trainer: {use: timed, step_time: 2ms, device: cpu}
measure:
  {modes: [loader, trainer, pipeline], rounds: 1, class: selftest, window: 1s, window_batches: 100}
"""


def crc32c_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ 0x82F63B78 if value & 1 else value >> 1
        table.append(value)
    return table


TABLE = crc32c_table()


def crc32c(text):
    value = 0xFFFFFFFF
    for byte in text:
        value = TABLE[(value ^ byte) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFF


def sealed(document):
    document.pop("crc", None)
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()[:-1]
    return text + b',"crc":"%08x"}\n' % crc32c(text)


def stretched(value, by, key=""):
    if isinstance(value, dict):
        times = {"mean", "p50", "p90", "p99", "max"} <= value.keys()
        return {k: v * by if times and k != "n" else stretched(v, by, k) for k, v in value.items()}
    if key == "ns" or key.endswith("_ns"):
        return round(value * by) if isinstance(value, int) else value
    return value


class FirstRun:
    """The run that the nights are made from."""

    def __init__(self, program, folder):
        scenario, run = pathlib.Path(folder) / "night.yaml", pathlib.Path(folder) / "first"
        scenario.write_text(SCENARIO)
        subprocess.run(
            [program, "run", scenario, "--clock", "simulated", "--quiet", "--out", run],
            check=True,
            capture_output=True,
            timeout=300,
        )
        self.plan = json.loads((run / "plan.json").read_bytes())
        self.environment = json.loads((run / "environment.json").read_bytes())
        journal = (run / "journal.jsonl").read_bytes()
        self.records = [json.loads(line) for line in journal.splitlines()]


class Nights:
    def __init__(self, first, runs):
        self.first, self.runs = first, runs
        self.runs.mkdir()

    def add(self, night, slower=None, labels=(), build=None, facts=None):
        """`slower`: by mode, what its time is stretched by; `facts`: what else its records say."""
        folder = self.runs / f"night-{night}"
        folder.mkdir()
        plan = dict(self.first.plan, labels=[["night", night], *map(list, labels)])
        (folder / "plan.json").write_bytes(sealed(plan))
        environment = dict(self.first.environment, **({"build": build} if build else {}))
        (folder / "environment.json").write_bytes(sealed(environment))
        lines = []
        for record in self.first.records:
            made = json.loads(json.dumps(record))
            mode = record["trial"]["mode"]
            by = (slower or {}).get(mode, 1) * (2.5 if mode == "pipeline" else 1)
            made["facts"] = stretched(made["facts"], by)
            made["facts"][
                "each_worker"
            ] = []  # lists of numbers, which say no more than the workers together
            made["facts"].update(facts or {})
            made["started_at"] = f"{night}T02:00:00Z"
            made["environment"] = dict(made["environment"], **({"build": build} if build else {}))
            lines.append(sealed(made))
        (folder / "journal.jsonl").write_bytes(b"".join(lines))
        return folder
