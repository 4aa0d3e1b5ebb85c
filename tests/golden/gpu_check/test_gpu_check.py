#!/usr/bin/env python3
"""test_gpu_check.py BUILD STUB_FOLDER: scripts/gpu_check without a GPU, and on the CUDA driver of tests/stub_cuda. What is a matter of
speed may FAIL there; that each line is tried, and tells its figure, may not."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
LINES = ("the driver has devices: cuda:0 Stub GPU", "doctor measures the link", "kernel of 0.2 ms by events", "kernel of 100 ms by events",
         "pinned slot to device", "host time of one copy call", "copy of 38.5 MB behind a step", "times of events on",
         "device.yaml pageable, blocking, current, in_flight 2", "device.yaml pinned, non_blocking, own, in_flight 1",
         "the device's work and its gaps add up", "all steps ran on one device", "NVML gpu_busy", "NVML gpu_sent")


def check(build, *words, **environment):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("BENCHBENCH_STUB_")}
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "gpu_check"), "--build", build, *words], env={**clean, **environment},
                          capture_output=True, text=True, timeout=550)
    return done.returncode, done.stdout, done.stderr


def main(build, stub):
    with tempfile.TemporaryDirectory(prefix="benchbench-gpu-check-") as folder:
        cache = {"BENCHBENCH_CACHE": folder + "/cache"}
        code, out, said = check(build, "--out", folder + "/none", LD_LIBRARY_PATH=stub, BENCHBENCH_STUB_DEVICES="0", **cache)
        assert code == 6 and out.startswith("SKIPPED all of it: no CUDA device: the CUDA driver finds no device"), (code, out, said)
        assert not os.path.exists(folder + "/none")
        code, out, said = check(folder, "--out", folder + "/none")
        assert code == 1 and "scripts/test builds it" in said, (code, out, said)
        stub_gpu = {"BENCHBENCH_STUB_STRANGERS": "0", "BENCHBENCH_STUB_OWN": "1", "BENCHBENCH_STUB_THROTTLE": "0"}
        code, out, said = check(build, "--quick", "--out", folder + "/there", LD_LIBRARY_PATH=stub, **stub_gpu, **cache)
        assert code in (0, 1), (code, out, said)
        for line in LINES:
            assert re.search(rf"^(PASS|FAIL) +{re.escape(line)}", out, re.M), f"no line {line!r}\n{out}{said}"
        assert not re.search("^SKIPPED", out, re.M), out
        failed = len(re.findall("^FAIL", out, re.M))
        assert (code == 1) == (failed > 0), out
        assert len(re.findall(r"^(?:PASS|FAIL) +device\.yaml ", out, re.M)) == 16, out
        for name in ("summary.txt", "doctor.txt", "figures.txt", "device.json", "device.html", "device/journal.jsonl"):
            assert os.path.getsize(f"{folder}/there/{name}") > 0, name
        print(out)
    print("2 passed, 0 failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
