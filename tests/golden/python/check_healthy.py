"""Judges `benchbench wrap` by the scripts of cases/healthy, with which nothing is wrong, and
compares rates that it says with loops that have nothing of it in them."""

import os

from check_reported import judge_case
from check_wrap_packages import needs
from compare_rates import (
    ARGUMENTS,
    RATE,
    SHARE,
    compare,
    compare_case,
    lay_out,
    list_off,
    read_job,
    read_last,
    read_printed,
    read_sides,
)
from expectation import CONTROLS, HEALTHY, Run, list_cases, list_noisy
from judge_cases import BUDGET, Judge
from place import NotJudged, alone, assert_time, full_run

PACKAGES = {"lightning": ("lightning",), "transformers": ("transformers",), "pinned": ("PIL",)}
FIGURES = {  # (as wrap says it, as it is) in three rounds
    "L": ((980, 1000), (1010, 1000), (400, 400)),
    "T": ((94, 100), (93, 100), (100, 100)),
    "%": ((55, None), (55, None), (55, 56)),
    "F": ((None, 10), (10, 10), (10, 10)),
}
verdicts = []


def check_healthy_figures_are_compared(here):
    """The machine was slower by half in the last round, for both: ratios are of one round."""
    rows = compare([{name: pairs[at] for name, pairs in FIGURES.items()} for at in range(3)])
    assert [row[0] for row in rows] == ["L", "T", "F"], "without what the script does not print"
    assert list_off(rows) == ["T", "F"], "off by 6 %, and missing once"
    assert rows[0][3:] == (1.0, 0.98, 1.01), rows
    heads, *lines = lay_out(rows)
    assert {line[heads.index("ratio") - 1] for line in lines} == {" "}, lines


def find_printed(here, text):
    """Returns the rate that such a print has; None where it is refused."""
    path = os.path.join(here.folder, "printed")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        return read_printed(path)[0]
    except AssertionError:
        return None


def check_healthy_prints_are_read(here):
    text = "epoch 0: 31.5 samples/s\nepoch 1: 71.0 samples/s, 55 % of the time in validation\n"
    assert (read_last(RATE, text), read_last(SHARE, text)) == (71.0, 55.0)
    assert read_last(SHARE, "71.0 samples/s") is None
    assert read_last(RATE, "1e+06 samples/s") == 1e6
    for printed, rate in ((text, 71.0), ("55 % of the time", None), ("", None)):
        assert find_printed(here, printed) == rate, printed
    job = {"samples_per_second_with_start": 71.2, "outside_share": 0.5}
    report = {"external": {"points": [{"job_time": None}, {"job_time": job}]}}
    assert read_job(report) == (71.2, 50) and read_job(None) == (None, None)
    base = {"base": True, "loader_rate_samples_per_second": {"value": 5}}
    base["trainer_rate_samples_per_second"] = None
    assert read_sides({"points": [{"base": False}, base]}) == [5, None]
    assert read_sides(None) == [None, None]


def exceeds_noisy(verdicts):
    """True if the last control is NOISY, and is not the first one that is."""
    return verdicts[-1].noisy and len(list_noisy(verdicts)) > 1


class Seen:
    """The part of a verdict that says whether the control was NOISY."""

    case, variant = "control", HEALTHY

    def __init__(self, noisy):
        self.noisy = noisy


def check_healthy_noise_fails_only_who_is_noisy(here):
    seen = [Seen(noisy) for noisy in (True, False, True, False, True)]
    exceeding = [exceeds_noisy(seen[: number + 1]) for number in range(len(seen))]
    assert exceeding == [False, False, True, False, True], exceeding


class Starts(Judge):
    """Runs nothing: the runs come from a list of exit codes and seconds."""

    def __init__(self, here, runs):
        super().__init__(here.program, here.python, here.folder, here.folder)
        self.runs = iter(runs)

    def run_words(self, words, kept):
        return Run(*next(self.runs))


def check_healthy_start_is_measured_with_files_in_memory(here):
    control = list_cases(CONTROLS)[0]
    run = Starts(here, [(0, 20), (0, 4), (0, 60)]).run(control, HEALTHY)
    assert (run.start, run.seconds) == (4, 60), run
    try:
        Starts(here, [(1, 2), (1, 2), (0, 60)]).run(control, HEALTHY)
    except AssertionError as error:
        assert "exit code 1" in str(error), error
    else:
        raise AssertionError("a start that failed was measured")


def judge_control(here, case):
    needs(here, *PACKAGES.get(case, ()))
    verdicts.append(judge_case(here, case, HEALTHY, BUDGET))
    noisy = list_noisy(verdicts)
    assert_time(not exceeds_noisy(verdicts), f"NOISY, of which one may be: {', '.join(noisy)}")


def compare_rates(here, case):
    runs = Judge(here.program, here.python, here.folder, here.folder)
    rows, why = compare_case(runs, case)
    here.printed += lay_out(rows)
    if why:
        raise NotJudged(why)
    assert_time(not list_off(rows), "\n".join(here.printed))


def add_checks(judge, cases, prefix):
    for case in cases:

        def check(here, case=case):
            judge(here, case)

        globals()[prefix + case] = full_run(alone(check))


add_checks(judge_control, list_cases(CONTROLS), "check_healthy_")
add_checks(compare_rates, ARGUMENTS, "check_healthy_rates_")
