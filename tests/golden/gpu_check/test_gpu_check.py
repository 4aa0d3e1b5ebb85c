#!/usr/bin/env python3
"""test_gpu_check.py BUILD STUB_FOLDER: scripts/gpu_check without a GPU, and on the CUDA driver of
tests/stub_cuda. What is a matter of speed may FAIL there; that each line is tried, and tells its
figure, may not.

With BENCHBENCH_TEST_ALL the whole of scripts/gpu_check, else its --quick."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "tests" / "run"))
from counts import all_are_asked_for  # noqa: E402

LIMIT_S = 3600  # only what hangs takes so long
LINES = (
    "the driver has devices: cuda:0 Stub GPU",
    "doctor measures the link",
    "kernel of 0.2 ms by events",
    "kernel of 100 ms by events",
    "400 kernels of 225 us = 90 ms",
    "pinned slot to device",
    "host time of one copy call",
    "copy of 38.5 MB behind a step",
    "gather of 38.5 MB",
    "times of events on",
)
POINTS = 16 if all_are_asked_for() else 4
LINES_OF_TRIALS = (
    *(("device.yaml pageable, blocking, current, in_flight 2",) if all_are_asked_for() else ()),
    "device.yaml pageable, non_blocking, own, in_flight 2",
    "device.yaml pinned, non_blocking, current, in_flight 2",
    "device.yaml pinned, non_blocking, own, in_flight 1",
    "the device's work and its gaps add up",
    "all steps ran on one device",
    "NVML gpu_busy",
    "NVML gpu_sent",
)


def script(path, *words, **environment):
    clean = {
        key: value for key, value in os.environ.items() if not key.startswith("BENCHBENCH_STUB_")
    }
    done = subprocess.run(
        [sys.executable, str(path), *words],
        env={**clean, "BENCHBENCH_TEST_PATIENCE": "6", **environment},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    return done.returncode, done.stdout, done.stderr


def check(build, *words, **environment):
    return script(ROOT / "scripts" / "gpu_check", "--build", build, *words, **environment)


def main(build, stub):
    with tempfile.TemporaryDirectory(prefix="benchbench-gpu-check-") as folder:
        cache = {"BENCHBENCH_CACHE": folder + "/cache"}
        code, out, said = check(
            build,
            "--out",
            folder + "/none",
            LD_LIBRARY_PATH=stub,
            BENCHBENCH_STUB_DEVICES="0",
            **cache,
        )
        assert code == 6 and out.startswith(
            "SKIPPED all of it: no CUDA device: the CUDA driver finds no device"
        ), (code, out, said)
        assert not os.path.exists(folder + "/none")
        code, out, said = check(folder, "--out", folder + "/none")
        assert code == 1 and "scripts/test builds it" in said, (code, out, said)
        stub_gpu = {
            "BENCHBENCH_STUB_STRANGERS": "0",
            "BENCHBENCH_STUB_OWN": "1",
            "BENCHBENCH_STUB_THROTTLE": "0",
        }
        words = ("--out", folder + "/there", *(() if all_are_asked_for() else ("--quick",)))
        code, out, said = check(build, *words, LD_LIBRARY_PATH=stub, **stub_gpu, **cache)
        assert code in (0, 1), (code, out, said)
        # Other processes make trials INVALID, which have no figures.
        points = len(re.findall(r"^(?:PASS|FAIL) +device\.yaml ", out, re.M))
        invalid = len(re.findall(r"^FAIL +a trial of device\.yaml is INVALID", out, re.M))
        assert points == POINTS or points < POINTS <= points + invalid, out
        for line in LINES + LINES_OF_TRIALS if points == POINTS else LINES:
            assert re.search(rf"^(PASS|FAIL) +{re.escape(line)}", out, re.M), (
                f"no line {line!r}\n{out}{said}"
            )
        assert not re.search("^SKIPPED", out, re.M), out
        failed = len(re.findall("^FAIL", out, re.M))
        assert (code == 1) == (failed > 0), out
        for name in (
            "summary.txt",
            "doctor.txt",
            "figures.txt",
            "device.json",
            "device.html",
            "device/journal.jsonl",
        ):
            assert os.path.getsize(f"{folder}/there/{name}") > 0, name
        print(out)
    print("2 passed, 0 failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
