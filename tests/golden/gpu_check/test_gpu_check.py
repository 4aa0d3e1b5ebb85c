#!/usr/bin/env python3
"""test_gpu_check.py BUILD STUB_FOLDER: scripts/gpu_check without a GPU, and on the CUDA driver of
tests/stub_cuda. What is a matter of speed may FAIL there; that each line is tried, and tells its
figure, may not. And scripts/gpu_pack.

With BENCHBENCH_TEST_ALL the whole of scripts/gpu_check, else its --quick."""

import os
import pathlib
import re
import subprocess
import sys
import tarfile
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


def check_carried(build, stub, folder, cache):
    """One file holds all that is needed, and all that it holds is used."""
    code, out, said = script(
        ROOT / "scripts" / "gpu_pack", folder + "/carried.tar.gz", "--build", build
    )
    assert code == 0 and re.search(
        r": [\d.]+ MB, \d+ libraries; needs glibc 2\.\d+ and Python 3\.8$", out, re.M
    ), (code, out, said)
    assert os.path.getsize(folder + "/carried.tar.gz") < 60e6
    with tarfile.open(folder + "/carried.tar.gz") as archive:
        archive.extractall(folder + "/box")
    there = pathlib.Path(folder, "box", "benchbench-gpu-check")
    code, out, said = script(
        there / "scripts" / "gpu_check", LD_LIBRARY_PATH=stub, BENCHBENCH_STUB_DEVICES="0", **cache
    )
    assert code == 6 and out.startswith(
        "SKIPPED all of it: no CUDA device: the CUDA driver finds no device"
    ), (code, out, said)
    # With a device, the kernels come from the module in the file, and the program is linked to the
    # libraries in it.
    program = there / "build" / "ci" / "bin" / "benchbench"
    libraries = f"{stub}:{there}/build/ci/lib"
    words = "--set trainer.device=cuda:0 --set measure.modes=trainer --rounds 1 --quiet"
    only = ["trainer.in_flight=2"]
    if not all_are_asked_for():
        only += ["loader.pin_memory=true", "trainer.non_blocking=true"]
    words = [*words.split(), *(word for one in only for word in ("--only", one))]
    done = subprocess.run(
        [program, "run", there / "configs" / "device.yaml", *words, "--out", folder + "/run"],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        env={**os.environ, "LD_LIBRARY_PATH": libraries, "BENCHBENCH_STUB_STRANGERS": "0", **cache},
    )
    # 8: a busy machine has made all trials INVALID.
    assert done.returncode in (0, 8), done.stdout + done.stderr
    assert "FAILED" not in done.stdout, done.stdout
    assert os.path.getsize(folder + "/run/journal.jsonl") > 0
    linked = subprocess.run(
        ["ldd", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LD_LIBRARY_PATH": libraries},
    ).stdout
    others = [
        path
        for name, path in re.findall(r"^\s*(\S+) => (\S+)", linked, re.M)
        if not re.match(r"lib(c|m|dl|rt|pthread|resolv)\.so", name)
    ]
    assert others and all(path.startswith(str(there)) for path in others), linked
    code, _, said = script(
        ROOT / "scripts" / "gpu_pack", folder + "/carried.tar.gz", "--build", folder
    )
    assert code == 1 and "scripts/test builds it" in said, said
    code, _, said = script(
        ROOT / "scripts" / "gpu_pack", folder + "/nowhere/carried.tar.gz", "--build", build
    )
    assert code == 1 and "could not be written: No such file" in said, said


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
        check_carried(build, stub, folder, cache)
    print("3 passed, 0 failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
