#!/usr/bin/env python3
"""judge_cases.py PROGRAM: runs the scripts of cases/reported and cases/healthy under `benchbench
wrap` and says what is right and wrong in each report, as a table on standard output.

Each script is run alone, on two cores, as what is right depends on them: those of cases/reported as
they are and with --fixed. A run that has not ended after --limit seconds is ended, with all that it
started. Exits with 1 where a run is late or leaves processes or files, where a report says
something wrong, or not the cause, and where two controls are NOISY.
--rates compares rates with loops without benchbench instead, see compare_rates.py."""

import argparse
import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from compare_rates import compare_all  # noqa: E402
from expectation import (  # noqa: E402
    CONTROLS,
    HEALTHY,
    VARIANTS,
    Run,
    find_script,
    judge,
    lay_out_table,
    list_cases,
    list_noisy,
    list_variants,
    read_expectation,
)
from noise import Noise  # noqa: E402
from processes import MARK, await_end, files_left, left_after, marked  # noqa: E402

CORES = 2
BUDGET, LIMIT, PATIENCE = "60s", 120, 60
# Longer than any run: what ends a script is the program. A control is as long by itself.
ARGUMENTS = {
    "faulty": ["--seconds", "600"],
    "fixed": ["--seconds", "600", "--fixed"],
    HEALTHY: [],
}


def confine_to_two_cores(words):
    cores = sorted(os.sched_getaffinity(0))[:CORES]
    return ["taskset", "--cpu-list", ",".join(map(str, cores)), *words]


def make_environment(mark, folder):
    """The environment of a run, whose script makes its data in the folder."""
    own = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH")}
    ours = {MARK: mark, "TMPDIR": folder, "BENCHBENCH_CACHE": folder}
    return {**own, **ours, "NO_COLOR": "1", "COLUMNS": "120"}


def end_all(process, mark):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for pid in marked(mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def read_report(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


class Judge:
    """Runs cases. `folder` takes their data; `out` keeps, of each run, its report as JSON and what
    it printed."""

    def __init__(self, program, python, folder, out, budget=BUDGET, limit=LIMIT, patience=PATIENCE):
        self.program, self.python, self.folder = os.path.abspath(program), python, folder
        self.out, self.budget, self.limit, self.patience = out, budget, limit, patience

    def words(self, case, variant, kept):
        asked = ["--budget", self.budget, "--out", f"{kept}.run", "--json", f"{kept}.json"]
        asked += ["--patience", f"{self.patience:g}s"]
        asked += read_expectation(case, variant).get("options", [])
        return [self.program, "wrap", *asked, "--", *self.script(case, ARGUMENTS[variant])]

    def script(self, case, arguments):
        return [self.python, find_script(case), *arguments]

    def run(self, case, variant):
        kept = os.path.join(self.out, f"{case}-{variant}")
        start = self.measure_start(case, kept) if variant == HEALTHY else 0
        run = self.run_words(self.words(case, variant, kept), kept)
        return dataclasses.replace(run, start=start)

    def measure_start(self, case, kept):
        """Returns the seconds of a run without an epoch: the second one, with its files in
        memory."""
        for _ in range(2):
            run = self.run_words(self.script(case, ["--epochs", "0"]), f"{kept}.start")
            if run.code != 0:
                raise AssertionError(f"{case} --epochs 0: exit code {run.code}")
        return run.seconds

    def run_words(self, words, kept):
        """Runs a command to its end, or to the limit. What it prints is kept."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"{kept}.json")  # a run before may have left it
        before, seen = files_left(self.folder, set()), set()
        mark, begin = uuid.uuid4().hex, time.monotonic()
        with open(f"{kept}.txt", "wb") as printed, open(f"{kept}.err", "wb") as said:
            process = subprocess.Popen(
                confine_to_two_cores(words),
                cwd=self.folder,
                env=make_environment(mark, self.folder),
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=said,
                start_new_session=True,
            )
            code = await_end(process, mark, self.limit, seen)
        seconds = time.monotonic() - begin
        left = list(left_after(mark).values()) if code is not None else []
        left += sorted(files_left(self.folder, seen) - before)
        if left:
            print(f"{kept}: left behind: {left}", file=sys.stderr, flush=True)
        end_all(process, mark)
        process.wait()
        return Run(code, seconds, read_report(f"{kept}.json"), len(left), 0, self.patience)

    def verdict(self, case, variant):
        return judge(case, variant, read_expectation(case, variant), self.run(case, variant))


def choose_cases(only):
    """Returns the cases that are named, whole or by the part before their first `_`."""
    words = [word for word in only.split(",") if word]
    names = list_cases() + list_cases(CONTROLS)
    for word in words:
        if word not in names and word not in [name.partition("_")[0] for name in names]:
            sys.exit(f"judge_cases: no case {word}; there are: {', '.join(names)}")
    return [one for one in names if not words or {one, one.partition("_")[0]} & set(words)]


def write_verdicts(verdicts, path):
    rows = [{**dataclasses.asdict(v), "holds": v.holds, "verdict": v.word} for v in verdicts]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("--python", default="/usr/bin/python3", help="with torch")
    parser.add_argument("--only", default="", help="c01,c18_healthy")
    parser.add_argument("--variant", choices=(*VARIANTS, HEALTHY))
    parser.add_argument("--rates", action="store_true", help="compare rates instead")
    parser.add_argument("--budget", default=BUDGET)
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds")
    parser.add_argument("--out", default="judged", help="folder for what each run printed")
    given = parser.parse_args()
    out = os.path.abspath(given.out)
    os.makedirs(out, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="benchbench-cases-") as folder:
        runs = Judge(
            given.program, given.python, folder, out, given.budget, given.limit, given.patience
        )
        if given.rates:
            return compare_all(runs, given.only and choose_cases(given.only))
        verdicts = []
        for case in choose_cases(given.only):
            for variant in list_variants(case):
                if given.variant not in (None, variant):
                    continue
                with Noise() as noise:
                    verdicts.append(runs.verdict(case, variant))
                why = noise.why() or "a quiet machine"
                print(f"{case} {variant}: {verdicts[-1].word} ({why})", file=sys.stderr, flush=True)
    print("\n".join(lay_out_table(verdicts)))
    write_verdicts(verdicts, os.path.join(out, "verdicts.json"))
    return any(verdict.word != "right" for verdict in verdicts) or len(list_noisy(verdicts)) > 1


if __name__ == "__main__":
    sys.exit(main())
