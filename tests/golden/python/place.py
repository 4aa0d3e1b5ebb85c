"""The place of a case (a scratch folder, the program, an interpreter), and what a run of the
program came to."""

import functools
import json
import os
import re
import signal
import subprocess
import threading
import time
import uuid

from noise import AFTER, Noise
from processes import MARK, comes_true, left_after, read

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
SECONDS = 900  # only a run that hangs takes so long, with sanitizers too
# QUICK is a window for what only has to run, with batches of 2 ms or so. SLOW is one for the rates
# of slower batches.
QUICK = {
    "class": "selftest",
    "rounds": 1,
    "window": "200ms",
    "window_batches": 100,
    "modes": ["loader"],
}
SLOW = {"class": "normal", "window": "1s", "window_batches": 5}

NOTHING_USABLE = (8, 72)  # exit codes of run and wrap
# Exit codes of tune and wrap where rounds differ too much, or too few of them fit into the budget.
NO_ANSWER = (4, 7, 8, 68, 71, 72)
BUSY = ("R08", "R09", "R16")  # rules that a busy machine breaks
RATE = 0.03  # a rate may differ by this share from that of the control


class Skipped(Exception):
    """Raised by a check for what this machine cannot show."""


BUSY_CORES = 0.7  # two checks that sleep use less, the start of their Python included


class NotJudged(Exception):
    """Raised by a check whose control shows that nothing can be said on this machine now."""


class TimeOff(AssertionError):
    """Raised where a time, or what the program concludes from times, is not as it has to be."""


def assert_time(holds, text):
    """Asserts what a busy machine can break. All other assertions fail on any machine."""
    if not holds:
        raise TimeOff(text)


def full_run(check):
    """Marks a check that runs only where BENCHBENCH_TEST_ALL is set, or where it is named."""
    check.full_run = True
    return check


def failure_of(check, here):
    """Returns the assertion of the check that does not hold, or None."""
    try:
        check(here)
    except AssertionError as error:
        return error
    return None


def judge(why, error):
    """Raises what came of a check. Its times count only where its control gives no reason `why`."""
    if error and not isinstance(error, TimeOff):
        raise error
    if why:
        first = str(error).splitlines()[0] if error else "all assertions held"
        raise NotJudged(f"{why} ({first})")
    if error:
        raise error


def alone(check):
    """Marks a check that compares rates or costs and keeps cores busy itself: nothing else of ours
    runs meanwhile, and its times are not judged where other processes use cores."""

    @functools.wraps(check)
    def checked(here):
        with Noise() as noise:
            error = failure_of(check, here)
        judge(noise.why(), error)

    checked.alone = True
    return checked


def sleeps(check):
    """Marks a check that compares rates or costs with known sleeps and hardly needs a core: another
    such check may run meanwhile. Its times are not judged where the control is late, or where the
    machine does more than such checks and the control do."""

    @functools.wraps(check)
    def checked(here):
        with Noise(others=BUSY_CORES) as noise:
            error = failure_of(check, here)
        why = filter(None, (here.control.why(here.windows()), noise.why()))
        judge(", ".join(why), error)

    checked.sleeps = True
    return checked


def defects(record):
    """Returns the reasons why a trial is not usable that no busy machine gives."""
    return [one for one in record["reasons"] if one["invalid"] and one["rule"] not in BUSY]


class Ran:
    def __init__(self, words, code, out, err, folder):
        self.words, self.code, self.out, self.err, self.folder = words, code, out, err, folder

    @property
    def text(self):
        """Joins all that was printed into one line, so that a sentence is found across a break."""
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
            and one["planned"]["repeat"] == 0
            and all(one["trial"]["settings"].get(key) == value for key, value in wanted.items())
        ]
        assert len(found) == 1, f"{len(found)} records of mode {mode} with {wanted}\n{self}"
        return found[0]

    def facts(self, mode="loader", **settings):
        """Returns what was measured, though other processes may have been in the way."""
        record = self.record(mode, **settings)
        assert record["facts"] and not defects(record), f"{record['reasons']}\n{self}"
        return record["facts"]

    def reasons(self, number):
        """Why the trial of that record FAILED, in one text."""
        record = self.records[number]
        assert record["status"] == "FAILED", f"record {number} is {record['status']}\n{self}"
        return " ".join(reason["text"] for reason in record["reasons"])

    def rate(self, mode="loader", **settings):
        """Returns samples a second of a trial that the program itself believes."""
        facts, record = self.facts(mode, **settings), self.record(mode, **settings)
        assert_time(record["status"] in ("VALID", "NOISY"), f"{record['reasons']}\n{self}")
        return facts["samples"] / (facts["window_ns"] * 1e-9)

    def says(self, *sentences):
        for sentence in sentences:
            assert re.search(sentence, self.text), f"not printed: {sentence}\n{self}"

    def concludes(self, *sentences):
        """Asserts the same of sentences that the program concludes from times."""
        for sentence in sentences:
            assert_time(re.search(sentence, self.text), f"not printed: {sentence}\n{self}")

    def says_not(self, *sentences):
        for sentence in sentences:
            assert not re.search(sentence, self.text), f"printed: {sentence}\n{self}"

    def ended(self, *codes):
        if self.code not in codes and 0 in codes and self.is_all_spoilt():
            assert_time(False, f"no trial can be used\n{self}")
        assert self.code in codes, f"exit code {self.code}, not {codes}\n{self}"

    def answered(self):
        """The exit code is 0, or one that says of the times that there is no answer."""
        self.ended(0, *NO_ANSWER)
        assert_time(self.code == 0, f"there is no answer\n{self}")

    def must_be_believed(self):
        """Leaves a check of which the program itself says that no trial can be used."""
        assert_time(not self.is_all_spoilt(), f"no trial can be used\n{self}")

    def is_all_spoilt(self):
        """True if nothing can be used, for what other processes did alone."""
        records = self.records
        return (
            self.code in NOTHING_USABLE
            and len(records) > 0
            and all(record["facts"] and not defects(record) for record in records)
        )

    def __str__(self):
        return f"$ {' '.join(self.words)}\n{self.out}{self.err}exit code {self.code}"


class Place:
    def __init__(self, folder, program, python, cache, control=None):
        self.folder, self.program, self.python, self.cache = folder, program, python, cache
        self.control, self.watchers = control, []
        self.seen = []  # (when, the folder of the run, the number of the record)
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
        self.watch(process, out)
        process.mark, process.words_of, process.folder_of = mark, ["benchbench", *words[1:]], out
        return process

    def finish(self, process, what=""):
        """Waits for its end, and for the end of all that it started."""
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
        left = left_after(process.mark)
        self.left.append((what or os.path.basename(ran.folder), left))
        assert not left, f"still running afterwards: {left}\n{ran}"
        self.printed.append(str(ran))
        return ran

    def close(self):
        """Ends what a check that failed has left running."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.communicate()

    def watch(self, process, folder):
        """Notes when each record of the run is written, for a check that has a control."""
        if self.control:
            watcher = threading.Thread(target=self._watch, args=(process, folder), daemon=True)
            watcher.start()
            self.watchers.append(watcher)

    def _watch(self, process, folder):
        journal, written = os.path.join(folder, "journal.jsonl"), 0
        has_ended = False
        while not has_ended:
            has_ended = process.returncode is not None
            before, written = written, read(journal).count(b"\n")
            self.seen += [(time.monotonic(), folder, number) for number in range(before, written)]
            time.sleep(0.05)

    def windows(self):
        """[(begin, end, seconds)] of each record: its window took so many seconds somewhere between
        the two."""
        for watcher in self.watchers:
            watcher.join()
        found = []
        for at, folder, number in self.seen:
            facts = Ran([], 0, "", "", folder).records[number]["facts"]
            if facts and facts["window_ns"]:
                seconds = facts["window_ns"] * 1e-9
                found.append((at - seconds - AFTER, at, seconds))
        return found

    def near_rate(self, rate, wanted):
        """Compares a rate that is known from sleeps: those of the control were as late."""
        over = self.control.over(self.windows())
        assert_time(
            abs(rate * over / wanted - 1) <= RATE,
            f"{rate:.4g} a second is not within {100 * RATE:g} % of {wanted:.4g}, where batches of "
            f"a loop without benchbench took {over:.3f} of their sleeps",
        )

    def first(self, file, *options, records=1, what="", **start):
        """Runs until there are so many records, then interrupts: each further trial would start an
        interpreter of its own."""
        process = self.start(file, *options, **start)
        journal = os.path.join(process.folder_of, "journal.jsonl")
        comes_true(
            lambda: process.poll() is not None or read(journal).count(b"\n") >= records, SECONDS
        )
        process.send_signal(signal.SIGINT)
        ran = self.finish(process, what)
        assert len(ran.records) >= records, ran
        return ran

    def first_reason(self, file, what, **start):
        """Why its first trial FAILED, with what was printed."""
        ran = self.first(file, what=what, **start)
        ran.ended(130)
        assert ran.records[0]["status"] == "FAILED", ran
        return " ".join(
            text
            for reason in ran.records[0]["reasons"]
            for text in (reason["text"], reason["details"])
        )

    def run(self, file, *options, what="", **start):
        return self.finish(self.start(file, *options, **start), what)


def decoded(data):
    return (data or b"").decode("utf-8", "replace")


def line_of(script, text):
    """FILE:LINE of the first line of a script below cases/ that holds the text."""
    with open(os.path.join(CASES, script), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if text in line:
                return f"{os.path.basename(script)}:{number}"
    raise AssertionError(f"{script} has no line with {text}")


def near(value, wanted, share):
    assert_time(
        abs(value / wanted - 1) <= share,
        f"{value:.4g} is not within {100 * share:g} % of {wanted:.4g}",
    )


def between(what, value, references, share):
    """Asserts a value near two that were measured without benchbench, before and after it. Where
    these differ by more than the share, nothing is known."""
    low, high = min(references), max(references)
    if high > low * (1 + share):
        raise NotJudged(
            f"{what} was {low:.4g} once and {high:.4g} another time, without benchbench"
        )
    assert_time(
        low * (1 - share) <= value <= high * (1 + share),
        f"{what}: {value:.4g} is not within {100 * share:g} % of {low:.4g} to {high:.4g}",
    )
