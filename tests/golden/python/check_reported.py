"""Judges `benchbench wrap` by the scripts of cases/reported, each as it is and with --fixed."""

import os

from check_wrap_packages import needs
from expectation import VARIANTS, lay_out_table, list_cases
from judge_cases import Judge
from place import NO_ANSWER, alone, assert_time, full_run

ALWAYS = ("c17_epoch_that_workers_do_not_see", "c18_healthy")
BUDGETS = {"faulty": "60s", "fixed": "30s"}
SHORT = "12s"
# All that is said of these has to be right; the cause is not looked for yet.
WITHOUT_CAUSE = ("c01", "c05", "c08", "c11", "c12", "c17")
PACKAGES = {
    "c05": ("h5py",),
    "c08": ("webdataset", "torchvision", "PIL"),
    "c09": ("webdataset", "torchvision", "PIL"),
}


def judge_case(here, case, variant, budget):
    number = case.partition("_")[0]
    needs(here, *PACKAGES.get(number, ()))
    verdict = Judge(here.program, here.python, here.folder, here.folder, budget).verdict(
        case, variant
    )
    with open(os.path.join(here.folder, f"{case}-{variant}.txt"), encoding="utf-8") as file:
        here.printed.append(file.read())
    text = "\n".join(lay_out_table([verdict]) + here.printed[-1:])
    assert verdict.code is not None and not verdict.left, text
    assert verdict.exits or verdict.code in NO_ANSWER, text
    assert not verdict.harms and not verdict.false, text
    in_time = verdict.exits and verdict.ended and not verdict.late
    assert_time(in_time and verdict.side in verdict.sides, text)
    assert number in WITHOUT_CAUSE or verdict.word == "right", text
    return verdict


def add_check(case, variant):
    is_always = case in ALWAYS and variant == "faulty"

    def check(here):
        judge_case(here, case, variant, SHORT if is_always else BUDGETS[variant])

    marked = alone(check)
    globals()[f"check_reported_{case}_{variant}"] = marked if is_always else full_run(marked)


for case in list_cases():
    for variant in VARIANTS:
        add_check(case, variant)
