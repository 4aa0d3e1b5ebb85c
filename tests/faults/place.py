"""A folder of one check, and the program in it."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from one_case import HUGE_PAGES, finished, whole_lines

MOCKS = """name: mocks
loader: {use: synthetic, num_workers: 1, batch_size: 4, batch_time: 2ms, height: 8, width: 8}
trainer: {use: timed, step_time: 1ms}
measure: {class: selftest, window: 200ms, window_batches: 100, rounds: 2}
"""
IMAGES = """name: images
loader: {use: native, num_workers: 1, batch_size: 8, transform: {random_resized_crop: 32}}
trainer: {use: discard}
dataset:
  format: FORMAT
  synthesize: {samples: 64, seed: 3, image: {mean_width: 64, mean_height: 64}}
measure: {class: selftest, window: 200ms, window_batches: 100, rounds: 4, modes: loader}
"""
NOBODY = 65534
LIMIT_S = 120


class Absent(Exception):
    """Not to be had on this machine."""


class Place:
    """A folder of one check, and the program in it."""

    def __init__(self, program):
        self.program = program
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="benchbench-faults-"))
        self.write("s.yaml", MOCKS)
        self.shown = []

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def begin(self, *words, before=None, environment=None, program=None):
        variables = dict(
            os.environ,
            BENCHBENCH_CACHE=str(self.folder / "cache"),
            NO_COLOR="1",
            BENCHBENCH_CALLED_AS="benchbench",
            **HUGE_PAGES,
        )
        return subprocess.Popen(
            [program or self.program, *words],
            cwd=self.folder,
            env={**variables, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=before,
        )

    def begun_by(self, words):
        """A command of any program."""
        return self.begin(*words[1:], program=shutil.which(words[0]))

    def end(self, process):
        try:
            text = process.communicate(timeout=LIMIT_S)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError(
                "over {} s: {}".format(LIMIT_S, process.communicate()[0].decode(errors="replace"))
            ) from None
        self.shown.append(f"exit {process.returncode}\n{text}")
        assert "a bug in benchbench" not in text, text
        return process.returncode, text

    def run(self, *words, **how):
        return self.end(self.begin(*words, **how))

    def sweep(self, *more, **how):
        return self.run("run", "s.yaml", "--out", "r", *more, **how)

    def records(self, folder="r"):
        path = self.folder / folder / "journal.jsonl"
        return whole_lines(path.read_bytes()) if path.exists() else []

    def begun(self, lines=2, **how):
        """A sweep with some lines in its journal."""
        process = self.begin("run", "s.yaml", "--out", "r", **how)
        until = time.monotonic() + LIMIT_S
        while len(self.records()) < lines and process.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        assert process.poll() is None, self.end(process)
        return process

    def complete(self, folder="r", rounds=2):
        """Every planned run has a record that lasts."""
        done = finished(self.records(folder))
        planned = json.loads((self.folder / folder / "plan.json").read_bytes())["order"]
        assert len(set(done)) == len(done) == len(planned), (len(done), len(planned))
        assert len({one[1] for one in done}) == rounds, done

    def images(self, made="raw"):
        """Data of their own, and a scenario that reads them."""
        self.write("s.yaml", IMAGES.replace("FORMAT", made))
        code, text = self.run("datagen", "s.yaml")
        assert code == 0, text
        files = [
            path
            for path in (self.folder / "cache").rglob("*")
            if path.is_file()
            and path.stat().st_size > 0
            and path.parent.name not in ("datasets", "cache")
        ]
        assert files, list((self.folder / "cache").rglob("*"))
        return files


def has(text, *words):
    for word in words:
        assert word in text, f"no '{word}' in:\n{text}"


def as_nobody():
    if os.geteuid() != 0:
        raise Absent("only root can become another user")
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
