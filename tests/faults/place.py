"""A folder of one check, and the program in it."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from one_case import HUGE_PAGES, LIMIT_S, finished, process_stat, slot, wait_until, whole_lines

MOCKS = """name: mocks
loader: {use: synthetic, num_workers: 1, batch_size: 4, batch_time: 2ms, height: 8, width: 8}
trainer: {use: timed, step_time: 1ms}
measure: {class: selftest, window: 200ms, window_batches: 100, rounds: 1}
"""
IMAGES = """name: images
loader: {use: native, num_workers: 1, batch_size: 8, transform: {random_resized_crop: 32}}
trainer: {use: discard}
dataset:
  format: FORMAT
  synthesize: {samples: 64, seed: 3, image: {mean_width: 64, mean_height: 64}}
measure: {class: selftest, window: 200ms, window_batches: 100, rounds: 1, modes: loader}
"""
NOBODY = 65534
# Exit codes of a run whose trials all ended, and of one with a trial that FAILED. Code 8: a busy
# machine made all trials INVALID.
MEASURED = (0, 8)
TRIAL_FAILED = (1, 8)


class Absent(Exception):
    """Raised for what this machine does not have."""


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
        if process.returncode is None:
            process.send_signal(signal.SIGCONT)
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
        """A sweep with some lines in its journal and some still to come, whose supervisor stands
        still until `end`. One that was over before it could be stopped is begun again, longer."""
        for more in ((), ("--rounds", "20"), ("--rounds", "200")):
            shutil.rmtree(self.folder / "r", ignore_errors=True)
            process = self.begin("run", "s.yaml", "--out", "r", *more, **how)
            if self.stopped_midway(process, lines):
                return process
            code, text = self.end(process)
            assert code in MEASURED, (code, text)
        raise AssertionError("a sweep of 200 rounds was over before it could be stopped")

    def stopped_midway(self, process, lines):
        """Stops the supervisor where its journal has so many lines. Returns whether trials are left
        for it to run."""

        def over():
            return process.poll() is not None

        wait_until(lambda: over() or self.line_count() >= lines)
        process.send_signal(signal.SIGSTOP)
        wait_until(lambda: over() or process_stat(process.pid)[1] == "T")
        return not over() and lines <= self.line_count() < len(self.planned())

    def line_count(self):
        path = self.folder / "r" / "journal.jsonl"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def planned(self, folder="r"):
        plan = json.loads((self.folder / folder / "plan.json").read_bytes())
        return [slot({"planned": one}) for one in plan["order"]]

    def complete(self, folder="r"):
        """Every planned run has a record that lasts, and only one."""
        done, planned = finished(self.records(folder)), self.planned(folder)
        assert sorted(done) == sorted(planned), (done, planned)

    def images(self, made="raw"):
        """Data of their own, and a scenario that reads them."""
        self.write("s.yaml", IMAGES.replace("FORMAT", made))
        code, text = self.run("data", "s.yaml")
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
