"""`benchbench wrap` on scripts that know nothing of it."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import threading
import uuid

from place import CASES, SECONDS, Ran, assert_time, decoded, full_run, sleeps
from processes import MARK, comes_true, left_after, read

LOOP = os.path.join(CASES, "wrap", "loop.py")
FORMS = os.path.join(CASES, "wrap", "forms.py")  # prints nothing
QUICK = ("--rounds", "2")  # without a budget: a busy machine has room for both


class Wrapped:
    def __init__(
        self,
        here,
        options,
        command,
        env=None,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        out=True,
    ):
        self.here, self.mark = here, uuid.uuid4().hex
        self.folder = os.path.join(here.folder, self.mark[:8])
        words = [
            here.program,
            "wrap",
            *(("--out", self.folder) if out else ()),
            *options,
            "--",
            *command,
        ]
        environment = {
            k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH")
        }
        environment.update(
            BENCHBENCH_CACHE=here.cache,
            NO_COLOR="1",
            COLUMNS="120",
            PYTHONDONTWRITEBYTECODE="1",
            BENCHBENCH_CALLED_AS="benchbench",
            **{MARK: self.mark},
            **(env or {}),
        )
        self.words = ["benchbench", *words[1:]]
        self.process = subprocess.Popen(
            words,
            cwd=here.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        here.started.append(self.process)
        here.watch(self.process, self.folder)

    def finish(self):
        out, err = self.process.communicate(timeout=SECONDS)
        ran = Ran(
            self.words, self.process.returncode, decoded(out or b""), decoded(err), self.folder
        )
        left = left_after(self.mark)
        assert not left, f"still running afterwards: {left}\n{ran}"
        self.here.printed.append(str(ran))
        return ran


def wrap(here, *command, options=QUICK, **start):
    return Wrapped(here, options, command, **start).finish()


def loop(here, *arguments, options=QUICK):
    return wrap(here, here.python, LOOP, *arguments, options=options)


def rates(ran):
    """Samples a second, by mode, over all rounds."""
    found = {}
    for record in ran.records:
        samples, ns = found.get(record["trial"]["mode"], (0, 0))
        facts = record["facts"]
        found[record["trial"]["mode"]] = samples + facts["samples"], ns + facts["window_ns"]
    return {mode: samples / (ns * 1e-9) for mode, (samples, ns) in found.items()}


def check_wrap_plain_loop(here):
    ran = loop(here, "--sample", "0.004", "--step", "0.002")
    ran.ended(0)
    assert ran.out.startswith("training begins\n"), ran
    modes = [record["trial"]["mode"] for record in ran.records]
    assert {mode: modes.count(mode) for mode in modes} == {
        "loader": 2,
        "trainer": 2,
        "pipeline": 2,
    }, ran
    ran.says(
        r"train_loader \(\S*loop.py:\d+\)",
        "once the loop of",
        "was stopped after the last round",
        "loader",
    )
    again = subprocess.run(
        [here.program, "report", ran.folder], capture_output=True, text=True, check=False
    )
    assert again.returncode == 0 and "train_loader" in again.stdout + ran.err, again


@sleeps
def check_wrap_rates_are_true(here):
    """Two workers that sleep 4 x 40 ms a batch, and a step of 120 ms and what it computes: L is 50
    samples/s, T and F 33."""
    ran = loop(
        here, "--sample", "0.040", "--step", "0.120", options=("--rounds", "1", "--budget", "15s")
    )
    ran.answered()
    for mode, rate in {"loader": 50, "trainer": 100 / 3, "pipeline": 100 / 3}.items():
        here.near_rate(rates(ran)[mode], rate)


@full_run
def check_wrap_script_fails(here):
    ran = loop(here, "--fail-at", "5")
    ran.ended(1)
    ran.says("RuntimeError: the script's own fault", "line \\d+, in main")
    assert not os.path.exists(ran.folder), ran


@full_run
def check_wrap_script_ends_before_an_answer(here):
    ran = loop(here, "--steps", "5")
    ran.ended(72)
    assert ran.out == "training begins\ntraining ends\n", ran
    ran.says("ended by itself")


def check_wrap_command(here):
    ran = wrap(here, "no-such-command", "x")
    ran.ended(66)
    ran.says("no-such-command cannot be started: No such file")
    ran = Wrapped(here, (), ()).finish()
    ran.ended(66)
    ran.says("no command")


def check_wrap_command_without_torch(here):
    ran = wrap(here, "sh", "-c", "echo hello; exit 3")
    ran.ended(3)
    assert ran.out == "hello\n", ran
    ran.says("was not seen to import torch")
    ran = wrap(here, "sh", "-c", "exit 0")
    ran.ended(72)


@full_run
def check_wrap_saver_ends_the_run(here):
    ran = loop(
        here,
        "--sample",
        "0.0005",
        "--step",
        "0.001",
        "--save-at",
        "2500",
        options=("--rounds", "50", "--budget", "100s"),
    )
    ran.ended(0)
    ran.says("was stopped before torch.save wrote")
    assert not os.path.exists(os.path.join(here.folder, "model.pt")), ran


def check_wrap_check(here):
    ran = loop(here, options=("--check",))
    ran.ended(0)
    ran.says(r"train_loader \(\S*loop.py:\d+\)", "num_workers=2", "4000 samples|4,000 samples")
    assert not ran.records, ran


@full_run
def check_wrap_keep_going(here):
    ran = loop(
        here, "--steps", "1500", "--sample", "0.0005", "--step", "0.001", options=("--keep-going",)
    )
    ran.ended(0)
    assert "training ends\n" in ran.out, ran
    assert {record["trial"]["mode"] for record in ran.records} == {"pipeline"}, ran


@full_run
def check_wrap_interrupted(here):
    wrapped = Wrapped(here, ("--rounds", "50", "--budget", "100s"), (here.python, LOOP))
    assert comes_true(lambda: "begins" in os.read(wrapped.process.stdout.fileno(), 100).decode()), (
        "it did not begin"
    )
    os.killpg(wrapped.process.pid, signal.SIGINT)
    ran = wrapped.finish()
    ran.ended(130)
    ran.says("KeyboardInterrupt")


def on_terminal(here, *command):
    """Returns what standard error is given where it is a terminal."""
    ours, theirs = pty.openpty()
    said = []

    def listen():
        try:
            while data := os.read(ours, 4096):
                said.append(data)
        except OSError:
            pass  # all processes that had it have ended

    listener = threading.Thread(target=listen)
    listener.start()
    wrapped = Wrapped(here, QUICK, command, stderr=theirs)
    os.close(theirs)
    wrapped.finish().ended(0)
    listener.join()
    os.close(ours)
    return b"".join(said).decode()


@full_run
def check_wrap_progress_on_a_terminal(here):
    """The line that is redrawn would destroy what the script prints there; where it prints
    elsewhere there is one."""
    said = on_terminal(here, here.python, LOOP)
    assert "round 1 of 2: L " in said and "\x1b[K" not in said, said
    said = on_terminal(here, "sh", "-c", f"exec {here.python} {LOOP} > loop.log 2>&1")
    assert "] round 1 of 2 " in said and " s left\x1b[K" in said, said
    assert "\r\x1b[Kbenchbench: " in said, said


@full_run
def check_wrap_copy_of_the_working_directory(here):
    shutil.copy(LOOP, os.path.join(here.folder, "train.py"))
    ran = wrap(
        here,
        "sh",
        "-c",
        f"echo x > made; pwd; exec {here.python} train.py",
        options=(*QUICK, "--copy-cwd"),
    )
    ran.ended(0)
    where = ran.out.splitlines()[0]
    assert where != here.folder and not os.path.exists(where), ran
    assert not os.path.exists(os.path.join(here.folder, "made")), ran
    ran.says(
        r"runs in a copy of \S+ \(\S+ \S+\), which is deleted afterwards",
        r"measuring train_loader \(train.py:\d+\)",
    )
    ran = wrap(here, "true", options=("--copy-cwd", "--keep-going"))
    ran.ended(66)


@full_run
@sleeps
def check_wrap_try_more_workers(here):
    """A loader that binds, at a third of the speed that three workers have."""
    ran = loop(
        here,
        "--workers",
        "1",
        "--sample",
        "0.008",
        "--step",
        "0.004",
        options=("--rounds", "3", "--budget", "45s", "--try", "num_workers=3,prefetch_factor=4"),
    )
    ran.answered()
    ran.says(
        "with num_workers=3, prefetch_factor=4 in turns with its own settings: 3 rounds of 5 "
        "stretches"
    )
    slots = [(record["trial"]["mode"], record["trial"]["points"]) for record in ran.records]
    counts = {str(slot): slots.count(slot) for slot in slots}
    assert set(counts) == {
        str(slot)
        for slot in [
            ("loader", [0]),
            ("trainer", [0, 1]),
            ("pipeline", [0]),
            ("loader", [1]),
            ("pipeline", [1]),
        ]
    }, ran
    assert_time(set(counts.values()) == {3}, f"{counts} within the budget\n{ran}")
    ran.concludes(
        r"[Uu]se DataLoader\(num_workers=3, prefetch_factor=4\): it is [23]\.\d+x as fast"
    )


@full_run
def check_wrap_try_what_cannot_be(here):
    ran = loop(here, options=(*QUICK, "--try", "num_workers=2"))
    ran.ended(0)
    ran.says("--try: num_workers is 2 already", "2 rounds of 3 stretches")
    assert {tuple(record["trial"]["points"]) for record in ran.records} == {(0,)}, ran
    assert any(
        "num_workers is 2 already" in notice
        for record in ran.records
        for notice in record["facts"]["notices"]
    ), ran


def report_again(here, folder, *options):
    """What `report` prints of the folder, as wide as a wrapped script's report is."""
    as_wrapped = {"COLUMNS": "120", "NO_COLOR": "1", "BENCHBENCH_CALLED_AS": "benchbench"}
    return subprocess.run(
        [here.program, "report", folder, *options],
        env={**os.environ, **as_wrapped},
        capture_output=True,
        text=True,
        check=False,
    )


@full_run
@sleeps
def check_wrap_tune(here):
    """A loader that binds: three workers keep up with its step. The report of the stored trials is
    the one that was printed, to the letter."""
    printed = os.path.join(here.folder, f"{uuid.uuid4().hex[:8]}.json")
    ran = loop(
        here,
        "--workers",
        "1",
        "--sample",
        "0.008",
        "--step",
        "0.012",
        options=("--tune", "--max-workers", "4", "--budget", "2min", "--json", printed),
    )
    ran.answered()
    ran.says("Why it stopped", r"Not tried: .*in_order \(")
    assert {tuple(record["trial"]["points"]) for record in ran.records} <= {(0,), (0, 1)}, ran
    again = report_again(here, ran.folder)
    assert (
        again.returncode == 0
        and "Why it stopped" in again.stdout
        and "train_loader" in again.stdout
    ), again
    assert ran.out == "training begins\n" + again.stdout, (ran, again)
    for told in (ran.out, again.stdout):
        assert "\nnext " not in told and "Most samples/s for" not in told, told
    both = json.loads(report_again(here, ran.folder, "--json", "-").stdout)
    with open(printed, encoding="utf-8") as file:
        assert json.dumps(json.load(file)["tune"]) == json.dumps(both["tune"]), both["tune"]
    assert both["points"][0]["pipeline_rate_samples_per_second"], both["tune"]
    ran.concludes(
        r"num_workers=[234].*: [\d,]+/s; best so far [\d,]+/s; \d+ s left at most",
        r"DataLoader\(\.\.\., num_workers=[234]",
    )
    assert both["tune"]["chosen"]["num_workers"] in ("2", "3", "4"), both["tune"]


@full_run
def check_wrap_tune_target(here):
    """A rate that no setting reaches: with --strict 73, or 71 where half a minute leaves open
    whether anything is faster, and it is said what there is."""
    ran = loop(
        here,
        "--workers",
        "1",
        "--sample",
        "0.008",
        "--step",
        "0.012",
        options=(
            "--tune",
            "--max-workers",
            "2",
            "--budget",
            "30s",
            "--strict",
            "--target-rate",
            "100000",
        ),
    )
    ran.ended(71, 73)
    ran.says("Target 100,000 samples/s: (not reached|out of reach)")


def check_wrap_tune_what_cannot_be(here):
    for other in ("--try", "--check", "--keep-going"):
        ran = loop(
            here, options=("--tune", other, *(("num_workers=2",) if other == "--try" else ()))
        )
        ran.ended(66)
        ran.says(f"--tune and {other} exclude each other")
    ran = loop(here, options=("--max-workers", "4"))
    ran.ended(66)


def check_wrap_killed_itself(here):
    """The records until then are there, and the script, whose batches were replaced, is not left
    behind."""
    wrapped = Wrapped(here, ("--rounds", "20", "--budget", "100s"), (here.python, LOOP))
    journal = os.path.join(wrapped.folder, "journal.jsonl")
    assert comes_true(lambda: read(journal).count(b"\n") >= 4), "no four records"
    wrapped.process.kill()
    ran = wrapped.finish()
    ran.ended(-signal.SIGKILL)
    again = subprocess.run(
        [here.program, "report", ran.folder], capture_output=True, text=True, check=False
    )
    assert again.returncode == 0 and "NOT RUN: 5" in again.stdout, again


@full_run
def check_wrap_record_cannot_be_written(here):
    """Known before the script is started."""
    ran = loop(here, options=(*QUICK, "--out", "/proc/record"))
    ran.ended(69)
    ran.says("no record could be kept there", "choose another folder with --out")
    ran.says_not("training begins", "once the loop of", "--resume")


@full_run
def check_wrap_home_that_takes_nothing(here):
    """The script and the measuring go on, and the report is printed."""
    ran = wrap(
        here,
        here.python,
        LOOP,
        options=("--rounds", "1"),
        env={"HOME": "/proc", "XDG_STATE_HOME": ""},
        out=False,
    )
    ran.ended(69)
    ran.says(
        "error: the record was not written: /proc/.local/state/benchbench/wrap/loop-",
        "the measuring goes on",
        "samples/s",
    )


@full_run
def check_wrap_standard_output_that_takes_nothing(here):
    """The record is there."""
    with open("/dev/full", "w", encoding="utf-8") as full:
        ran = wrap(
            here,
            here.python,
            FORMS,
            "plain",
            options=("--rounds", "1"),
            stdout=full,
        )
    ran.ended(69)
    ran.says("error: standard output could not be written")
    assert "hint: \n" not in ran.err, ran
    assert len(ran.records) == 3, ran


@full_run
def check_wrap_json(here):
    ran = loop(here, options=(*QUICK, "--json", "wrap.json", "--trace", "wrap.trace"))
    ran.ended(0)
    with open(os.path.join(here.folder, "wrap.trace"), encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    assert {"step", "get_blocked"} <= {event["name"] for event in events}, events[:20]
    again = subprocess.run(
        [here.program, "report", ran.folder, "--trace", "-"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0 and len(json.loads(again.stdout)["traceEvents"]) == len(events), (
        again.stderr
    )
    with open(os.path.join(here.folder, "wrap.json"), encoding="utf-8") as file:
        report = json.load(file)
    assert report["points"], report


@full_run
def check_wrap_progress_beside_a_bar(here):
    """Each message begins on a line of its own, wherever the script's bar stands."""
    said = on_terminal(here, here.python, os.path.join(CASES, "wrap", "forms.py"), "bar")
    lines = [line for line in re.split("[\r\n]+", said) if "benchbench: " in line]
    assert len(lines) >= 4 and all(line.startswith("benchbench: ") for line in lines), lines
