"""Faults on purpose: each costs its own trial, and no other."""

import shutil

from device_parts import ending, has_device
from python_parts import words_of
from records import read_records
from table import FAIL, PASS, SEEN, Row

KINDS = {
    "none": "a trial among others that fail",
    "trap": "a kernel that traps",
    "memory": "out of the device's memory",
}


def faults(box, seconds):
    box.benchbench("faults", "faults.yaml", seconds, *words_of(box, "loader"))
    records = read_records(box.runs / "faults")
    for kind, what in KINDS.items():
        found = [one for one in records if one["trial"]["settings"]["loader.args.fault"] == kind]
        failed = [one for one in found if one["status"] == "FAILED"]
        good = bool(found) and len(failed) == (0 if kind == "none" else len(found))
        said = failed[0]["reasons"][0]["text"] if failed else f"{len(found)} trials, none failed"
        verdict = FAIL if not good else SEEN if box.small else PASS
        box.add(Row(what, f"{len(failed)} FAILED", verdict=verdict, reason=said))


def sanitizer(box, seconds):
    what = "compute-sanitizer, memcheck of gpu_figures"
    if not has_device(box, what):
        return
    folders = (None, "/usr/local/cuda/bin")
    tool = next(filter(None, (shutil.which("compute-sanitizer", path=one) for one in folders)), None)
    if box.small or not tool:
        why = box.why_not or "there is no compute-sanitizer here"
        return box.add(Row(what, reason=why))
    words = [tool, "--tool", "memcheck", box.bin / "gpu_figures", "--quick"]
    done = box.run("sanitizer", words, seconds)
    errors = done.rows(r"ERROR SUMMARY: (\d+) error")
    if not errors:
        return box.add(Row(what, reason=ending(done)))
    box.add(Row(what, f"{errors[-1]} errors", verdict=PASS if errors[-1] == "0" else FAIL))
