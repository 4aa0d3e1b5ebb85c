"""One fault: a sweep with it, then what an unhurt program makes of what is left."""

import errno
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

from state import State

SWEEP = """name: short
question: Is nothing lost?
loader: {use: synthetic, num_workers: 1, batch_size: 4, batch_time: 2ms, height: 8, width: 8}
trainer: {use: timed, step_time: 1ms}
measure: {class: selftest, window: 200ms, window_batches: 100, rounds: 1}
"""
# A trial touches 60 to 130 MB for its series at once. In small pages this takes half of the CPU
# time of so short a sweep.
HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
LIMIT_S = 300  # a command takes half a second: only one that hangs takes so long
DOCUMENTED = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130, 143}


class Outcome:
    def __init__(self, code, hit, where, problems):
        self.code, self.hit, self.where, self.problems = code, hit, where, problems


class Ran:
    def __init__(self, code, text):
        self.code, self.text = code, text


def finished(records):
    """Returns the slots with a record that lasts."""
    return [slot(one) for one in records if one["status"] != "ABORTED"]


def slot(record):
    return tuple(record["planned"][key] for key in ("trial", "round", "repeat"))


def whole_lines(text):
    """Returns the records of a journal, without a last line whose writer ended while it wrote."""
    return [json.loads(line) for line in text[: text.rfind(b"\n") + 1].splitlines()]


def alive_in(session):
    """Processes of a session that are no zombies: {id: name}."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        name, state, its_session = process_stat(folder.name)
        if its_session == session and state not in "ZX":
            found[int(folder.name)] = name
    return found


def process_stat(pid):
    """Returns its name, its state as a letter, X where there is no such process, and its
    session."""
    try:
        head, _, rest = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")
    except OSError:
        return "", "X", 0
    state, _, _, session = rest.split()[:4]
    return head.partition("(")[2], state, int(session)


def wait_until(holds):
    """Looks again and again until it holds, or for LIMIT_S. Returns whether it does."""
    until = time.monotonic() + LIMIT_S
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


class Case:
    """A sweep with one `fault`, CALL:N:ACTION, and what the unhurt program makes of the rest."""

    def __init__(self, program, shim, clock, fault):
        self.program, self.shim, self.clock, self.fault = program, shim, clock, fault
        self.call, _, self.action = fault.split(":")
        self.problems = []
        # On the real clock a busy machine may make all trials INVALID.
        self.done = (0,) if clock == "simulated" else (0, 8)

    def wrong(self, what, ran=None):
        self.problems.append(what + ("\n" + ran.text.strip() if ran else ""))

    def command(self, *words, faulty=False):
        environment = dict(
            os.environ,
            BENCHBENCH_CACHE=str(self.folder / "cache"),
            NO_COLOR="1",
            BENCHBENCH_CALLED_AS="benchbench",
            **HUGE_PAGES,
        )
        if faulty:
            environment.update(
                LD_PRELOAD=self.shim,
                BENCHBENCH_FAULT=self.fault,
                BENCHBENCH_FAULT_STATE=self.state.path,
            )
        process = subprocess.Popen(
            [self.program, *words],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            text, _ = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            text, _ = process.communicate()
            self.wrong(f"{words[0]} took over {LIMIT_S} s")
        self.session = process.pid
        return Ran(process.returncode, text.decode(errors="replace"))

    def sweep(self, *more, faulty=False):
        return self.command(
            "run", "s.yaml", "--out", "r", "--clock", self.clock, *more, faulty=faulty
        )

    def journal(self):
        path = self.folder / "r" / "journal.jsonl"
        return path.read_bytes() if path.exists() else b""

    def run(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="benchbench-fault-"))
        try:
            self.state = State(str(self.folder / "state"))
            (self.folder / "s.yaml").write_text(SWEEP)
            (self.folder / "cache").mkdir()
            hurt = self.sweep(faulty=True)
            state = self.state.read()
            if self.fault.endswith(":count"):
                return hurt, state
            if state.hit:
                self.check(hurt, state)
            return Outcome(hurt.code, state.hit, state.where, self.problems)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    # The promises of docs/faults.md.

    def check(self, hurt, state):
        self.nothing_runs_on()
        before = self.journal()
        if len(before) < state.acknowledged:
            self.wrong(
                f"{state.acknowledged} bytes of the journal were acknowledged, "
                f"{len(before)} are there",
                hurt,
            )
        shown = [int(number) for number in re.findall(r"^\[ *(\d+)/\d+\]", hurt.text, re.M)]
        if len(whole_lines(before)) < max(shown, default=0):
            self.wrong(
                f"{max(shown)} trials were shown as finished, "
                f"{len(whole_lines(before))} are in the journal",
                hurt,
            )
        self.told(hurt)
        self.reports(hurt)
        self.resumes(before)

    def nothing_runs_on(self):
        # A kernel may take its time to end orphans.
        if not wait_until(lambda: not alive_in(self.session)):
            self.wrong(f"processes are left: {alive_in(self.session)}")

    def cause(self):
        """Returns an expression that matches a text which names the cause."""
        if self.action == "kill":
            return "killed by SIGKILL"
        if self.call == "malloc":
            return (
                "results.h5 was not written|out of memory|Cannot allocate memory|"
                "memory allocation failed|bad_alloc"
            )
        if self.call == "send" or self.state.where.startswith("pipe:"):
            # The program says of a broken channel that the process at its other end has ended.
            return (
                "the trial's process|the process writing results.h5|"
                "ended before the trial started|Broken pipe|Input/output error"
            )
        if self.call == "read" and self.state.where.endswith("results.h5.tmp"):
            # The HDF5 library frees memory that it has not allocated, or says what it was doing,
            # not why that failed.
            return (
                "Input/output error|results.h5 was killed by SIG(ABRT|SEGV)|"
                "results.h5.tmp: .*cannot"
            )
        if self.call == "pwrite":
            # The process that closes the file does not see that a write failed. The program counts
            # the records afterwards.
            return (
                "No space left on device|records were found when it was read back|"
                "results.h5.tmp: .*cannot"
            )
        return re.escape(
            os.strerror(errno.EIO if self.action == "short" else getattr(errno, self.action))
        )

    def told(self, hurt):
        if self.action == "kill" and hurt.code == -signal.SIGKILL:
            return
        if hurt.code not in DOCUMENTED:
            self.wrong(f"exit {hurt.code} is not documented", hurt)
        if hurt.code not in self.done and not re.search(self.cause(), hurt.text):
            self.wrong(f"exit {hurt.code}, and no word of '{self.cause()}'", hurt)
        if "a bug in benchbench" in hurt.text:
            self.wrong("the fault is taken for one of benchbench", hurt)
        if hurt.code == 0 and not (self.folder / "r" / "results.h5").exists():
            self.wrong("exit 0 without results.h5", hurt)

    def reports(self, hurt):
        report = self.command("report", "r")
        none = not (self.folder / "r" / "plan.json").exists()
        if report.code != 2 if none else report.code not in (0, 1, 8):
            self.wrong(f"report: exit {report.code}", report)
        if none and self.journal():
            self.wrong("records without a plan", hurt)

    def resumes(self, before):
        resumed = self.sweep("--resume", "--retry-failed")
        if resumed.code not in self.done:
            self.wrong(f"--resume: exit {resumed.code}", resumed)
            return
        after = self.journal()
        kept = before[: before.rfind(b"\n") + 1]
        if not after.startswith(kept):
            self.wrong("--resume changed what was there")
        records = whole_lines(after)
        slots = finished([one for one in records if one["status"] != "FAILED"])
        if len(set(slots)) != len(slots):
            self.wrong(f"slots with two records: {slots}")
        planned = json.loads((self.folder / "r" / "plan.json").read_bytes().splitlines()[0])
        missing = {slot({"planned": one}) for one in planned["order"]} - set(slots)
        if missing:
            self.wrong(f"slots without a record: {missing}")
        left = [path.name for path in (self.folder / "r").rglob("*.tmp")]
        if left:
            self.wrong(f"left behind: {left}")
        report = self.command("report", "r")
        if report.code not in (0, 8):
            self.wrong(f"report after --resume: exit {report.code}", report)
