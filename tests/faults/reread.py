#!/usr/bin/env python3
"""reread.py PROGRAM [--whole] [--seed N]: the files of a run's folder, with right checksums, are
input.

One value of plan.json or of a record is replaced by another, and the line sealed anew: `report` and
its JSON say what is wrong with it, or use it, and never crash or call it a bug of benchbench.
Without --whole each value is tried in a few places, with BENCHBENCH_TEST_ALL 150 of the
replacements."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "run")]

from counts import all_are_asked_for, note, note_end  # noqa: E402

VALUES = (
    0,
    1,
    -1,
    7,
    4294967295,
    18446744073709551615,
    1e300,
    "",
    "nan",
    "\x1b[2J",
    "none",
    True,
    None,
    [],
    {},
    [1],
    [[1, 2]],
)
SWEEP = """name: swept
question: Is what is read checked?
loader: {use: synthetic, num_workers: 1, batch_size: 4, batch_time: 200us}
trainer: {use: timed, step_time: 100us}
sweep: {loader.batch_time: [100us, 300us]}
measure: {class: selftest, window: 200ms, window_batches: 100, rounds: 2, substitute: true}
"""
ABSENT = "(absent)"
LIMIT_S = 300  # only a command that hangs takes so long
TRIED = 150  # replacements, with BENCHBENCH_TEST_ALL
PLACES = 3  # the sample tries each value in so many


def table():
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        yield byte


CRC32C = tuple(table())


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ CRC32C[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


def sealed(content):
    content = {key: value for key, value in content.items() if key != "crc"}
    body = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()[:-1]
    return body + b',"crc":"%08x"}\n' % crc32c(body)


def paths(value, path=()):
    """Yields the path of every value in it, containers too."""
    if path:
        yield path
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value[:2])
        if isinstance(value, list)
        else ()
    )
    for key, one in inside:
        yield from paths(one, path + (key,))


def replaced(content, path, value):
    content = json.loads(json.dumps(content))
    within = content
    for key in path[:-1]:
        within = within[key]
    if value == ABSENT:
        del within[path[-1]]
    else:
        within[path[-1]] = value
    return content


class Store:
    """A run's folder, whose copies are changed."""

    def __init__(self, program):
        self.program = program
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="benchbench-reread-"))
        (self.folder / "s.yaml").write_text(SWEEP)
        self.command("run", "s.yaml", "--clock", "simulated", "--out", "r", "--cache", "cache")
        self.plan = json.loads((self.folder / "r/plan.json").read_bytes())
        lines = (self.folder / "r/journal.jsonl").read_bytes().splitlines(keepends=True)
        self.record, self.other_records = json.loads(lines[0]), b"".join(lines[1:])

    def command(self, *words):
        return subprocess.run(
            [self.program, *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT_S,
        )

    def write(self, folder, file, path, value):
        shutil.copytree(self.folder / "r", folder, ignore=shutil.ignore_patterns("results.h5"))
        if file == "plan":
            (folder / "plan.json").write_bytes(sealed(replaced(self.plan, path, value)))
            return
        record = sealed(replaced(self.record, path, value))
        (folder / "journal.jsonl").write_bytes(record + self.other_records)

    def problem(self, file, path, value):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "r"
        try:
            self.write(folder, file, path, value)
            ran = self.command(
                "report", str(folder), "--detail", "--json", str(folder / "report.json")
            )
            if ran.returncode < 0 or ran.returncode > 9 or b"a bug in benchbench" in ran.stdout:
                return "report: exit {}\n{}".format(
                    ran.returncode, ran.stdout.decode(errors="replace")[-600:]
                )
        except subprocess.TimeoutExpired:
            return f"over {LIMIT_S} s"
        finally:
            shutil.rmtree(folder.parent, ignore_errors=True)
        return ""


def chosen(cases, rng):
    """Some of the replacements: without BENCHBENCH_TEST_ALL as many of each value."""
    if all_are_asked_for():
        return rng.sample(cases, TRIED)
    values = (*VALUES, ABSENT)
    of_value = [cases[number :: len(values)] for number in range(len(values))]
    return [case for places in of_value for case in rng.sample(places, PLACES)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    store = Store(arguments.program)
    assert sealed(store.plan) == (store.folder / "r/plan.json").read_bytes(), (
        "sealed otherwise than by benchbench"
    )
    cases = [
        (file, path, value)
        for file, content in (("plan", store.plan), ("record", store.record))
        for path in paths(content)
        for value in (*VALUES, ABSENT)
    ]
    if not arguments.whole:
        cases = chosen(cases, random.Random(arguments.seed))
    note("started", "test_faults_reread", len(cases))
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for case, problem in zip(cases, pool.map(lambda case: store.problem(*case), cases)):
            if problem:
                wrong += 1
                print(
                    "{} {} = {!r}: {}".format(
                        case[0], ".".join(map(str, case[1])), case[2], problem
                    ),
                    flush=True,
                )
    shutil.rmtree(store.folder)
    print(f"{len(cases)} replaced values, {wrong} wrong")
    note_end("test_faults_reread", len(cases) - wrong, wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
