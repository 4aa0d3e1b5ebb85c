"""Compares what `benchbench wrap` says of a script with what the script prints and with loops that
have nothing of benchbench in them: the rate of its job, the share of the time outside of its steps,
its loader alone and its step alone. All take turns: a machine that slows down slows all of them."""

import os
import re
import statistics
import sys

from expectation import line_up, list_variants
from noise import Noise
from place import NO_ANSWER

BARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bare_loop.py")
# Some 15 s of each script.
ARGUMENTS = {
    "c15_validation_workers": ["--seconds", "15"],
    "c18_healthy": ["--seconds", "15"],
    "short_epochs": ["--epochs", "10"],
}
SECONDS = "6"  # a bare loop takes so long
ROUNDS = 3
OFF = 0.05
QUIET = 0.1  # cores that other programs may use
RATE, SHARE = r"([\d.]+(?:e[+-]?\d+)?) samples/s", r"([\d.]+) % of the time"


def read_last(pattern, text):
    """Returns the last such number of the text, or None."""
    found = re.findall(pattern, text)
    return float(found[-1]) if found else None


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def read_printed(path):
    """Returns the rate and the share that were printed last; None where no share was."""
    text = read_text(path)
    rate = read_last(RATE, text)
    if rate is None:  # nothing would be compared
        raise AssertionError(f"{path} has no rate:\n{text[-2000:]}")
    return rate, read_last(SHARE, text)


def read_job(report):
    """Returns the rate and the share outside of the steps, in %, as a report says them; None where
    there is none."""
    points = report["external"]["points"] if report else ()
    job = next((one["job_time"] for one in points if one["job_time"]), None)
    return (
        (job["samples_per_second_with_start"], 100 * job["outside_share"]) if job else (None,) * 2
    )


def read_sides(report):
    """Returns L and T of the base likewise."""
    base = next((one for one in report["points"] if one["base"]), {}) if report else {}
    found = [base.get(f"{side}_rate_samples_per_second") for side in ("loader", "trainer")]
    return [one and one["value"] for one in found]


class Scripts:
    """Runs a case in all its forms for one round. `runs`: a Judge."""

    def __init__(self, runs, case, number):
        self.runs, self.case, self.variant = runs, case, list_variants(case)[0]
        self.number, self.kept = number, os.path.join(runs.out, f"{case}-rates-{number}")
        self.script = runs.script(case, ARGUMENTS[case])

    def run_to_end(self, words, kept, codes=(0,)):
        run = self.runs.run_words(words, kept)
        if run.code not in codes:
            said = read_text(f"{kept}.txt") + read_text(f"{kept}.err")
            raise AssertionError(f"exit code {run.code}: {' '.join(words)}\n{said[-2000:]}")
        return run

    def run_wrap(self, words, kept):
        """Returns the report; None where a busy machine left no time for one."""
        return self.run_to_end(words, kept, (0, *NO_ANSWER)).report

    def run_bare(self):
        """Returns the rate and the share that the script prints."""
        self.run_to_end(self.script, f"{self.kept}-bare")
        return read_printed(f"{self.kept}-bare.txt")

    def run_loop(self, what):
        words = [self.runs.python, BARE, self.script[1], what, SECONDS]
        self.run_to_end(words, f"{self.kept}-{what}")
        return read_printed(f"{self.kept}-{what}.txt")[0]

    def run_watched(self):
        """Returns what the report of `--keep-going` says, and what the script printed in that
        run."""
        kept = f"{self.kept}-watched"
        asked = ["--keep-going", "--out", f"{kept}.run", "--json", f"{kept}.json"]
        apart = ["sh", "-c", 'exec "$@" >"$0"', f"{kept}.printed", *self.script]
        report = self.run_wrap([self.runs.program, "wrap", *asked, "--", *apart], kept)
        return read_job(report), read_printed(f"{kept}.printed")

    def run_stopped(self):
        """Returns L and T of a report."""
        kept = f"{self.kept}-stopped"
        return read_sides(self.run_wrap(self.runs.words(self.case, self.variant, kept), kept))

    def measure(self):
        """Returns {figure: (as wrap says it, as it is)}. Each second round begins at the end."""
        forms = {
            "bare": self.run_bare,
            "loader": lambda: self.run_loop("loader"),
            "step": lambda: self.run_loop("step"),
            "watched": self.run_watched,
            "stopped": self.run_stopped,
        }
        order = list(forms) if self.number % 2 == 0 else reversed(list(forms))
        got = {name: forms[name]() for name in order}
        (rate, share), printed = got["watched"]
        return {
            "job's rate, printed meanwhile": (rate, printed[0]),
            "job's rate, printed without wrap": (rate, got["bare"][0]),
            "% outside the steps, printed meanwhile": (share, printed[1]),
            "% outside the steps, printed without wrap": (share, got["bare"][1]),
            "L, bare loop": (got["stopped"][0], got["loader"]),
            "T, bare loop": (got["stopped"][1], got["step"]),
        }


def compare(rounds):
    """Returns [(figure, median of wrap, median of the other, ratio, least, most)]; without those
    that a script does not print. A figure that wrap does not say has no ratio."""
    rows = []
    for figure in rounds[0]:
        pairs = [one[figure] for one in rounds]
        if any(other is None for _, other in pairs):
            continue
        said = [ours for ours, _ in pairs if ours is not None]
        ratios = [ours / other for ours, other in pairs if ours is not None]
        known = len(said) == len(pairs)
        spread = (statistics.median(ratios), min(ratios), max(ratios)) if known else (None,) * 3
        ours = statistics.median(said) if known else None
        rows.append((figure, ours, statistics.median(other for _, other in pairs), *spread))
    return rows


def list_off(rows):
    """Returns the figures that are missing, or off by more than 5 % in the median of rounds."""
    return [figure for figure, _, _, ratio, *_ in rows if ratio is None or abs(ratio - 1) > OFF]


def lay_out(rows):
    heads = ["figure", "wrap", "without", "ratio", "spread"]
    lines = [
        [figure, "-", f"{other:.4g}", "-", "-"]
        if ratio is None
        else [figure, f"{ours:.4g}", f"{other:.4g}", f"{ratio:.3f}", f"{least:.3f} to {most:.3f}"]
        for figure, ours, other, ratio, least, most in rows
    ]
    return line_up([heads, *lines])


def compare_case(runs, case, count=ROUNDS):
    """Returns the rows of a case, and why they are not judged, or an empty text."""
    with Noise(others=QUIET) as noise:
        rounds = [Scripts(runs, case, number).measure() for number in range(count)]
    return compare(rounds), noise.why()


def compare_all(runs, cases):
    """Prints a table for each case; returns True where one is off on a quiet machine."""
    is_off = False
    for case in cases or ARGUMENTS:
        if case not in ARGUMENTS:
            sys.exit(f"judge_cases: rates of {case} are not compared; of: {', '.join(ARGUMENTS)}")
        rows, why = compare_case(runs, case)
        off = "" if why else ", ".join(list_off(rows))
        verdict = f"not judged: {why}" if why else f"OFF: {off}" if off else "within 5 %"
        print("\n".join([f"{case}: {verdict}", *lay_out(rows)]), flush=True)
        is_off = is_off or bool(off)
    return is_off
