"""Faults on purpose: each costs its own trial, and no other."""

import shutil

from box import NO_GPU
from device_parts import has_device
from python_parts import words_of
from records import has_settings, read_records
from table import FAIL, PASS, SEEN, Row

KINDS = {
    "fine": "a trial behind one whose kernel trapped",
    "trap": "a kernel that traps",
    "memory": "out of the device's memory",
}


def faults(box, seconds):
    box.benchbench("faults", "faults.yaml", seconds, *words_of(box, "loader"))
    records = read_records(box.runs / "faults")
    for kind, what in KINDS.items():
        found = [one for one in records if has_settings(one, {"loader.args.fault": kind})]
        failed = [one for one in found if one["status"] == "FAILED"]
        good = bool(found) and len(failed) == (0 if kind == "fine" else len(found))
        said = failed[0]["reasons"][0]["text"] if failed else f"none failed; trials: {len(found)}"
        verdict = FAIL if not good else SEEN if box.small else PASS
        box.add(Row(what, f"{len(failed)} FAILED", verdict=verdict, reason=said))


def sanitizer(box, seconds):
    what = "compute-sanitizer, memcheck of gpu_figures"
    if not has_device(box, what):
        return
    folders = (None, "/usr/local/cuda/bin")
    tool = next(
        filter(None, (shutil.which("compute-sanitizer", path=one) for one in folders)), None
    )
    if box.stub or not tool:
        why = NO_GPU if box.stub else "there is no compute-sanitizer here"
        return box.add(Row(what, reason=why))
    words = [tool, "--tool", "memcheck", box.bin / "gpu_figures", "--quick"]
    done = box.run("sanitizer", words, seconds)
    errors = done.rows(r"ERROR SUMMARY: (\d+) error")
    if not errors:
        return box.add(Row(what, reason=done.ending()))
    box.add(Row(what, f"{errors[-1]} errors", verdict=PASS if errors[-1] == "0" else FAIL))
