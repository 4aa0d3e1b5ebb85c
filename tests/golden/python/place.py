"""Where a case runs: a scratch folder, the program, an interpreter; and what a run of the program
came to."""

import functools
import json
import os
import re
import signal
import subprocess
import uuid

from noise import Noise, plain_loop, why_plain_loop
from processes import MARK, comes_true, left_after

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
PATIENCE = int(
    os.environ.get("BENCHBENCH_TEST_PATIENCE", "1")
)  # of a program that is slow by itself, such as one with sanitizers
SECONDS = 150 * PATIENCE  # after which a run hangs
# A window for what only has to run, with batches of 2 ms or so; and one for rates of slower
# batches.
QUICK = {
    "class": "selftest",
    "rounds": 1,
    "window": "200ms",
    "window_batches": 100,
    "modes": ["loader"],
}
SLOW = {"class": "normal", "window": "1s", "window_batches": 5}


class Skipped(Exception):
    """Raised by a check for what this machine cannot show."""


def alone(check):
    """Of a check that compares rates: nothing else runs meanwhile. Where it fails on a machine that
    shows one of the signs of noise.py, it is skipped with that."""

    @functools.wraps(check)
    def checked(here):
        with Noise() as noise:
            try:
                return check(here)
            except AssertionError as error:
                failed = error
        over = plain_loop(here.python)
        why = noise.why() or why_plain_loop(over)
        if why:
            raise Skipped(f"{why} ({str(failed).splitlines()[0]})") from None
        raise AssertionError(
            f"{failed}\n{noise}; batches took a plain loop {100 * (over - 1):.1f} % longer than "
            f"their sleeps"
        ) from failed

    checked.alone = True
    return checked


def sleeps(check):
    """Of one of those that hardly needs a core: another of them may run meanwhile."""
    checked = alone(check)
    checked.sleeps = True
    return checked


class Ran:
    def __init__(self, words, code, out, err, folder):
        self.words, self.code, self.out, self.err, self.folder = words, code, out, err, folder

    @property
    def text(self):
        """All that was printed, on one line, so that a sentence is found across a break."""
        return re.sub(r"\s+", " ", self.out + " " + self.err)

    @property
    def records(self):
        try:
            with open(os.path.join(self.folder, "journal.jsonl"), encoding="utf-8") as file:
                return [json.loads(line) for line in file]
        except OSError:
            return []

    def record(self, mode="loader", **settings):
        """The record of that mode and of these settings, as loader__num_workers=2; the first where
        its trial was repeated."""
        wanted = {key.replace("__", "."): value for key, value in settings.items()}
        found = [
            one
            for one in self.records
            if one["trial"]["mode"] == mode
            and one["slot"]["repeat"] == 0
            and all(one["trial"]["settings"].get(key) == value for key, value in wanted.items())
        ]
        assert len(found) == 1, f"{len(found)} records of mode {mode} with {wanted}\n{self}"
        return found[0]

    def facts(self, mode="loader", **settings):
        record = self.record(mode, **settings)
        # What measuring itself cost is no defect of a program that is slow by itself.
        spoilt = [
            reason
            for reason in record["reasons"]
            if reason["voids"] and not (PATIENCE > 1 and reason["rule"] == "R16")
        ]
        usable = ("VALID", "NOISY", "INVALID") if PATIENCE > 1 else ("VALID", "NOISY")
        assert record["status"] in usable and not spoilt, (
            f"{record['status']} {record['reasons']}\n{self}"
        )
        return record["facts"]

    def rate(self, mode="loader", **settings):
        facts = self.facts(mode, **settings)
        return facts["samples"] / (facts["window_ns"] * 1e-9)

    def says(self, *sentences):
        for sentence in sentences:
            assert re.search(sentence, self.text), f"not printed: {sentence}\n{self}"

    def says_not(self, *sentences):
        for sentence in sentences:
            assert not re.search(sentence, self.text), f"printed: {sentence}\n{self}"

    def ended(self, *codes):
        if self.code == 8 and "TSAN_OPTIONS" in os.environ and "R16 (interference)" in self.text:
            raise Skipped("under the thread sanitizer measuring itself costs more than a trial may")
        assert self.code in codes, f"exit code {self.code}, not {codes}\n{self}"

    def __str__(self):
        return f"$ {' '.join(self.words)}\n{self.out}{self.err}exit code {self.code}"


class Place:
    def __init__(self, folder, program, python, cache, show=False):
        self.folder, self.program, self.python, self.cache, self.show = (
            folder,
            program,
            python,
            cache,
            show,
        )
        self.left = []  # (what was done, what was left running): the orphan table
        self.printed = []
        self.started = []

    def scenario(
        self,
        script,
        call="make_data",
        trainer=None,
        measure=None,
        sweep=None,
        dataset=None,
        ours=None,
        **loader,
    ):
        """Writes a scenario; a script's name is below cases/. `ours`: a loader of benchbench's
        instead."""
        path = os.path.join(CASES, script)
        part = {"use": "python", "script": path, "python": self.python}
        whole = {
            "name": "case",
            "question": "What comes of it?",
            "loader": ours or {**part, "call": call, **loader},
            "trainer": {"use": "discard", "device": "cpu", "intra_op_threads": 1},
            "measure": {**QUICK, **(measure or {})},
        }
        if trainer:
            own = part if trainer.get("use", "python") == "python" else {}
            whole["trainer"] = {**own, "device": "cpu", "intra_op_threads": 1, **trainer}
        if sweep:
            whole["sweep"] = sweep
        if dataset:
            whole["dataset"] = dataset
        name = os.path.join(self.folder, f"{uuid.uuid4().hex[:8]}.yaml")
        with open(name, "w", encoding="utf-8") as file:
            json.dump(whole, file, indent=1)  # JSON is YAML
        return name

    def start(self, file, *options, env=None, command="run", **popen):
        out = file[: -len(".yaml")]
        words = [
            command,
            file,
            *(["--quiet", "--out", out] if command in ("run", "tune") else []),
            *options,
        ]
        return self.start_words(words, out, env, **popen)

    def start_words(self, words, out="", env=None, **popen):
        mark = uuid.uuid4().hex
        words = [self.program, *words]
        environment = {
            k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH")
        }
        environment.update(
            BENCHBENCH_CACHE=self.cache,
            NO_COLOR="1",
            COLUMNS="120",
            BENCHBENCH_CALLED_AS="benchbench",
        )
        environment.update({MARK: mark}, **(env or {}))
        popen = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen}
        process = subprocess.Popen(
            words,
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            **popen,
        )
        self.started.append(process)
        process.mark, process.words_of, process.folder_of = mark, ["benchbench", *words[1:]], out
        return process

    def finish(self, process, what=""):
        """Waits for its end, and 5 s more at most for that of all that it started."""
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.close()
            raise AssertionError(
                f"still running after {SECONDS} s: {' '.join(process.words_of)}"
            ) from None
        ran = Ran(
            process.words_of, process.returncode, decoded(out), decoded(err), process.folder_of
        )
        left = left_after(process.mark, 5)
        self.left.append((what or os.path.basename(ran.folder), left))
        assert not left, f"still running 5 s later: {left}\n{ran}"
        self.printed.append(str(ran))
        return ran

    def close(self):
        """After a check that failed."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.communicate()

    def first_reason(self, file, what, **start):
        """Why its first trial FAILED, with what was printed; the trials after it are
        interrupted."""
        process = self.start(file, **start)
        journal = os.path.join(process.folder_of, "journal.jsonl")
        comes_true(
            lambda: (
                process.poll() is not None
                or (os.path.exists(journal) and os.path.getsize(journal) > 0)
            ),
            SECONDS,
        )
        process.send_signal(signal.SIGINT)
        ran = self.finish(process, what)
        ran.ended(130)
        assert ran.records and ran.records[0]["status"] == "FAILED", ran
        return " ".join(
            text
            for reason in ran.records[0]["reasons"]
            for text in (reason["text"], reason["details"])
        )

    def run(self, file, *options, what="", **start):
        return self.finish(self.start(file, *options, **start), what)


def decoded(data):
    return (data or b"").decode("utf-8", "replace")


def near(value, wanted, share):
    assert abs(value / wanted - 1) <= share, (
        f"{value:.4g} is not within {100 * share:g} % of {wanted:.4g}"
    )


def between(what, value, references, share):
    """Near what was measured of the same without benchbench, before and after it; where that itself
    changed by more, nothing is known."""
    low, high = min(references), max(references)
    if high > low * (1 + share):
        raise Skipped(
            f"machine too noisy: {what} was {low:.4g} once and {high:.4g} another time, without "
            f"benchbench"
        )
    assert low * (1 - share) <= value <= high * (1 + share), (
        f"{what}: {value:.4g} is not within {100 * share:g} % of {low:.4g} to {high:.4g}"
    )
