"""Faults on purpose: each costs its own trial, and no other."""

import re
import shutil

from box import NO_GPU
from device_parts import has_device
from python_parts import words_of
from records import has_settings, has_window, read_records
from table import FAIL, PASS, SEEN, Row

KINDS = {
    "fine": "a trial behind one whose kernel trapped",
    "trap": "a kernel that traps",
    "memory": "out of the device's memory",
}


# The reason of a trial that FAILED must say this.
WORDS = {
    "trap": r"device-side assert|out of bounds",
    "memory": r"out of (?:device )?memory|can't allocate",
}


def is_good(kind, records):
    """True if each trial ended as its kind must, and for its own reason."""
    if kind == "fine":
        return bool(records) and all(map(has_window, records))
    return bool(records) and all(
        one["status"] == "FAILED" and re.search(WORDS[kind], one["reasons"][0]["text"])
        for one in records
    )


def faults(box, seconds):
    box.benchbench("faults", "faults.yaml", seconds, *words_of(box, "loader"))
    records = read_records(box.runs / "faults")
    for kind, what in KINDS.items():
        found = [one for one in records if has_settings(one, {"loader.args.fault": kind})]
        failed = [one for one in found if one["status"] == "FAILED"]
        said = failed[0]["reasons"][0]["text"] if failed else f"none failed; trials: {len(found)}"
        verdict = FAIL if not is_good(kind, found) else SEEN if box.small else PASS
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
    watched = "Device not supported" not in done.text and done.rows(r"^(?:PASS|FAIL) ")
    said = (done.rows(r"^========= (?!COMPUTE|ERROR)(.*)") or [done.ending()])[0]
    if not errors or not watched:
        return box.add(Row(what, reason=said))
    good = errors[-1] == "0"
    verdict = PASS if good else FAIL
    box.add(Row(what, f"{errors[-1]} errors", verdict=verdict, reason="" if good else said))
