"""The judge of cases/reported finds what is wrong in a report: its own mistakes would hide ours."""

import functools
import json
import os
import stat
import subprocess
from unittest import mock

from expectation import (
    CONTROLS,
    HEALTHY,
    REPORTED,
    Run,
    find_line,
    find_script,
    judge,
    lay_out_table,
    list_cases,
    list_noisy,
    list_variants,
    read_expectation,
)
from judge_cases import Judge
from processes import (
    MARK,
    await_end,
    comes_true,
    files_left,
    marked,
    shared_memory_left,
)

CASE = "c09_webdataset_shuffle_fill"
RIGHT_PLACE = "/home/someone/" + find_line(find_script(CASE), "initial=1000")
MORE_WORKERS = {"id": "more_workers", "arguments": {"key": "loader.num_workers", "to": "4"}}
LONGER = {"id": "longer_epochs", "arguments": {}}
DEVICE = {"id": "by_hand", "arguments": {"component": "compute_bound"}}


def make_report(
    binds="trainer",
    doubt=None,
    findings=(("epoch gap", RIGHT_PLACE),),
    advice=(LONGER,),
    noisy=False,
):
    values = {"binds": binds, "doubt": doubt, "advice": list(advice), "noisy": noisy}
    return {
        "conclusion_values": values,
        "external": {"findings": [{"kind": kind, "where": where} for kind, where in findings]},
    }


def judged(said=None, code=0, seconds=70.0, left=0, case=CASE, variant="faulty"):
    run = Run(code, seconds, make_report() if said is None else said, left)
    return judge(case, variant, read_expectation(case, variant), run)


def check_expectation_right_report(here):
    verdict = judged()
    assert verdict.word == "right" and verdict.caused and verdict.placed, verdict
    assert judged(make_report("loader")).word == "right", "either side is right here"
    assert judged(make_report(findings=()), variant="fixed").word == "right"


def check_expectation_wrong_side(here):
    for side in ("contention", "unclear", "not measured"):
        assert judged(make_report(side)).word == "WRONG", side
    assert judged(make_report("unclear")).side == "none"
    assert judged(make_report("trainer", "sides alike")).word == "WRONG", (
        "it says that none can be named"
    )
    assert judged(make_report("trainer", "few rounds")).word == "right"


def check_expectation_false_finding(here):
    found = (("epoch gap", RIGHT_PLACE), ("uneven samples", None))
    assert judged(make_report(findings=found)).word == "WRONG"
    assert judged(make_report(findings=found)).false == ["uneven samples"]
    assert judged(make_report(findings=found[:1]), variant="fixed").word == "WRONG"


def check_expectation_no_end(here):
    assert judged(code=None).word == "WRONG"
    assert judged(seconds=115.0).word == "WRONG", "it ends too late"
    assert judged(left=1).word == "WRONG", "a process is left"
    for code in (72, 65, -9):
        assert judged(code=code).word == "WRONG", code


def judge_times(seconds, first=10.0, hang=None, step_ms=900.0):
    report = make_report()
    report["points"] = [{"step_ms": {"value": step_ms}}, {"step_ms": None}]
    report["ending"] = {"first_stretch_s": first, "hang": hang}
    run = Run(0, seconds, report, 0, 0, 20)
    return judge(CASE, "faulty", read_expectation(CASE, "faulty"), run)


def check_expectation_times(here):
    """An answer comes 60 s after the first stretch, the end of a hang 10 s after its patience."""
    assert judge_times(70.0).word == "right"
    late = judge_times(71.0)
    assert (late.word, late.late, late.times["answer"]) == ("WRONG", ["answer"], 61.0), late
    assert judge_times(71.0, None).late == [], "nothing was measured"
    hang = {"last_sign_s": 40.0, "said_after_s": 20.5}
    assert judge_times(70.0, hang=hang).late == []
    assert judge_times(70.5, hang=hang).late == ["hung"]
    assert judge_times(70.0, hang={**hang, "said_after_s": 31.0}).late == ["said"]
    assert judge_times(90.0, step_ms=2000.0).late == [], "its steps are slow"
    heads, row, *_ = lay_out_table([late])
    assert row[heads.index("answer") :].startswith("61 s LATE"), row


def check_expectation_files_that_are_left(here):
    for name in ("pymp-abcd", "benchbench-wrap-x", "tmpabcd"):
        os.mkdir(os.path.join(here.folder, name))
    left = {os.path.basename(path) for path in files_left(here.folder, set())}
    assert {"pymp-abcd", "benchbench-wrap-x"} <= left and "tmpabcd" not in left, left


def check_expectation_shared_memory_that_is_left(here):
    """Files of processes that were seen, have ended, and are of this user."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    for pid in (ended.pid, os.getpid()):
        open(os.path.join(here.folder, f"torch_{pid}_7_0"), "w").close()
    find = functools.partial(shared_memory_left, folder=here.folder)
    assert find() == find({ended.pid, os.getpid()}) == [f"torch_{ended.pid}_7_0"], find()
    assert find({os.getpid()}) == [], "another program's"
    with mock.patch.object(os, "getuid", lambda: os.stat(here.folder).st_uid + 1):
        assert find() == [], "another user's"


def check_expectation_marked_processes_are_seen(here):
    """One that has ended before the command does is among them."""
    script = "import subprocess, sys; sys.exit(subprocess.call(['sh', '-c', 'read a; exit 5']))"
    process = subprocess.Popen(
        [here.python, "-c", script],
        stdin=subprocess.PIPE,
        env={**os.environ, MARK: "seen-check"},
    )
    seen = set()
    assert comes_true(lambda: len(marked("seen-check")) == 2)
    children = set(marked("seen-check"))
    assert await_end(process, "seen-check", 0.0, seen) is None
    process.communicate(b"\n")
    assert await_end(process, "seen-check", 60, seen) == 5 and seen == children, (seen, children)


def check_expectation_harmful_advice(here):
    assert judged(make_report(advice=(MORE_WORKERS, LONGER))).word == "WRONG"
    assert judged(make_report(advice=(LONGER, MORE_WORKERS))).word == "right", "only the first"
    assert judged(make_report(advice=(DEVICE,))).word == "WRONG"
    other = {"id": "by_hand", "arguments": {"component": "decode"}}
    assert judged(make_report(advice=(other,))).word == "right", "its arguments decide"
    assert judged(make_report(advice=())).word == "right"


def check_expectation_cause_and_place(here):
    missing = judged(make_report(findings=()))
    assert missing.word == "no cause" and missing.holds and not missing.caused, missing
    for where in (None, "train.py:1", "other.py:71"):
        elsewhere = judged(make_report(findings=(("epoch gap", where),)))
        assert elsewhere.word == "no cause" and elsewhere.caused, elsewhere


def check_expectation_no_report(here):
    run = Run(0, 70.0)
    verdict = judge(CASE, "faulty", read_expectation(CASE, "faulty"), run)
    assert verdict.word == "WRONG" and verdict.side == "none", verdict
    silent = judge("c03_cycle_keeps_batches", "faulty", read_expectation(CASE, "faulty"), run)
    assert silent.word != "right", silent


def is_refused(function, *arguments):
    try:
        function(*arguments)
    except ValueError:
        return True
    return False


def judge_control(seconds=70.0, start=15.0, **said):
    report = make_report(**{"findings": (), "advice": (), **said})
    run = Run(0, seconds, report, 0, start)
    return judge("gan", HEALTHY, read_expectation("gan", HEALTHY), run)


def check_expectation_of_controls(here):
    """Nothing may be found; the time counts from the start of the script itself."""
    assert judge_control().word == "right" and judge_control().caused is None
    assert judge_control(start=5.0).word == "WRONG", "65 s after its own start"
    assert judge_control(findings=(("epoch gap", None),)).word == "WRONG"
    assert judge_control(binds="loader").word == "WRONG"
    assert judge_control(advice=(MORE_WORKERS,)).word == "WRONG"


def check_expectation_noisy_controls(here):
    noisy = judge_control(noisy=True)
    assert noisy.word == "right", "one of ten may be"
    verdicts = [noisy, judge_control(), judged(make_report(noisy=True)), noisy]
    assert list_noisy(verdicts) == ["gan", "gan"], "controls alone"
    heads, first, second, *_ = lay_out_table(verdicts)
    at = heads.index("noisy")
    assert first.startswith("gan ") and first[at:].startswith("NOISY"), first
    assert second[at] == "-", second


def check_expectation_mistakes_in_it(here):
    """A name that is mistyped would make each report right."""
    assert len(list_cases(CONTROLS)) == 10 and len(list_cases()) == 12
    for case in list_cases() + list_cases(CONTROLS):
        for variant in list_variants(case):
            assert read_expectation(case, variant)["codes"], case
    os.mkdir(os.path.join(here.folder, CASE))
    with open(os.path.join(REPORTED, CASE, "expect.json"), encoding="utf-8") as file:
        right = json.load(file)["faulty"]
    for wrong in ({"side": ["loader"]}, {"sides": ["laoder"]}, {"codes": None}, {}):
        changed = {k: v for k, v in {**right, **wrong}.items() if v is not None}
        with open(os.path.join(here.folder, CASE, "expect.json"), "w", encoding="utf-8") as file:
            json.dump({"faulty": changed}, file)
        assert is_refused(read_expectation, CASE, "faulty", here.folder) == bool(wrong), wrong
    assert is_refused(find_line, find_script(CASE), "no such line")


def check_expectation_table_lines_up(here):
    rows = lay_out_table(
        [judged(), judged(make_report("contention"), code=None), judged(variant="fixed")]
    )
    heads, first, second, _, last = rows
    for head in ("variant", "side", "verdict"):
        at = heads.index(head)
        assert first[at - 1] == second[at - 1] == " " and first[at] != " ", rows
    assert "contention, not trainer/loader" in second and second.endswith("WRONG"), rows
    assert last.startswith("1 of 3 end in time") and "1 of 2 faults" in last, rows


def write_program(here, text):
    program = os.path.join(here.folder, "program")
    with open(program, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(program, stat.S_IRWXU)
    return program


def read_kept(here, name):
    with open(os.path.join(here.folder, name), encoding="utf-8") as file:
        return file.read()


def check_expectation_start_of_a_control(here):
    """It is measured without benchbench; a script of cases/reported has none."""
    echo = write_program(here, 'echo "$@"\n')
    runs = Judge(echo, echo, here.folder, here.folder)
    assert runs.run("gan", HEALTHY).start > 0
    assert read_kept(here, "gan-healthy.start.txt") == f"{find_script('gan')} --epochs 0\n"
    assert read_kept(here, "gan-healthy.txt").endswith(f"{find_script('gan')}\n"), "for ever"
    assert runs.run(CASE, "fixed").start == 0
    assert read_kept(here, f"{CASE}-fixed.txt").endswith("--seconds 600 --fixed\n")


def check_expectation_run_without_end(here):
    """It is ended after the limit, with what it started; a report of an earlier run is not its."""
    program = write_program(here, "setsid sleep 1000 &\necho $!\nexec sleep 1000\n")
    with open(os.path.join(here.folder, f"{CASE}-faulty.json"), "w", encoding="utf-8") as file:
        json.dump(make_report(), file)
    for limit in (0.5, 4, 30):  # a busy machine may have started nothing by then
        run = Judge(program, here.python, here.folder, here.folder, limit=limit).run(CASE, "faulty")
        assert run.code is None and run.report is None, run
        said = read_kept(here, f"{CASE}-faulty.txt")
        if said:
            break
    child = int(said)
    assert comes_true(lambda: not os.path.exists(f"/proc/{child}"), 30), child
