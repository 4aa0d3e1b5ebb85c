#!/usr/bin/env python3
"""test_gpu_box.py BUILD: the arithmetic of scripts/gpu_box, and its parts without a GPU: on the
driver of tests/stub_cuda, and on the CPU by the torch of BENCHBENCH_PYTHON, else of
/usr/bin/python3. What is a matter of speed may FAIL there; that each part ends, and has its
figures, may not.

With BENCHBENCH_TEST_ALL every part, else those that take seconds."""

import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests" / "run"), str(ROOT / "scripts" / "box")]
from box import Box, Done, Shares  # noqa: E402
from counts import all_are_asked_for  # noqa: E402
from device_parts import add_lines, no_truth, own_figures  # noqa: E402
from fault_parts import is_good  # noqa: E402
from kernel_parts import compared, kernels, read_names  # noqa: E402
from machine_parts import torch_of  # noqa: E402
from network_parts import fed, few, kinds, language, memory, networks  # noqa: E402
from parts import PARTS, Part, limit  # noqa: E402
from records import (  # noqa: E402
    complaints,
    probe_means,
    read_records,
    select_records,
    shared_processes,
    start_seconds,
    step_seconds,
)
from reports import point_of, rate_of, ratio_of, trial_memory  # noqa: E402
from table import (  # noqa: E402
    FAIL,
    MOST_ROWS,
    PASS,
    SEEN,
    Row,
    amount,
    at_least,
    at_most,
    judged,
    judged_in_turns,
    line,
    lines,
    within,
)

PYTHON = os.environ.get("BENCHBENCH_PYTHON") or "/usr/bin/python3"
MOST_OUTPUT = 12_000  # characters that come back from a box
QUICK = "facts,starts,copies"
# Rows that each part has, whatever their verdict.
ROWS = {
    "starts": (
        "all libraries are found",
        "benchbench --version",
        "benchbench probe-module torch_cuda",
    ),
    "copies": ("copy to the device, pinned", "copy from the device, pageable"),
    "truth": ("torch: a tiny kernel, eager", "torch: product of 8192 x 8192, bf16"),
    "trains": ("step of 9ms, 400 kernels", "touch: a batch read by a kernel"),
    "check": ("gpu_check --quick: lines that PASS",),
    "twin": ("ResNet-50, bf16, foreach", "ResNet-50, fp32"),
    "decode": ("images that torchvision decodes, one core",),
    "decoded": ("pixels that the device decodes, of the first batch",),
    "faults": ("a trial behind one whose kernel trapped", "a kernel that traps"),
    "network": ("T of use: python, ResNet-50", "start of a trial of use: python"),
    "products": ("F of use: python, epochs of 40 batches", "F of use: python, device: cpu"),
    "hand_over": ("T of our loader, a Python step", "F of our loader, a Python step"),
    "networks": ("our ResNet-50, fused, graph, batch of 256",),
    "few": ("our ResNet-50, fused, batch of 32", "our graph against the twin's, batch of 32"),
    "kinds": ("our ResNet-50, ieee, batch of 256",),
    "fed": ("ResNet-50 fed by our loader, normalised on the device",),
    "kernels": ("kernels of our step and of the twin's, by name",),
    "language": ("our transformer 1 x 64, fused",),
    "memory": ("host memory after 4 trials against 2",),
    "wrap": ("T of wrap, plain", "F of wrap, plain", "T of wrap, item", "F of wrap, item"),
}
# Matters of speed, and of other programs on the machine, of the stub's figures.
OF_SPEED = (
    r"step of |kernel of |copy |host time |times of events|device\.yaml |a trial of device\.yaml "
)
OF_SPEED += r"|pinned slot|gather of |touch: |the device's work "


def check_verdicts():
    row = judged("F", 0.0101, 0.01, "s", within(0.01))
    assert row == Row("F", "10.1 ms", "10 ms", "1.0100", PASS), row
    assert judged("F", 0.010101, 0.01, "s", within(0.01)).verdict == FAIL
    assert judged("F", 0.009899, 0.01, "s", within(0.01)).verdict == FAIL
    assert judged("copy", 54e9, 55e9, "B/s", at_least(0.98)).verdict == PASS
    row = judged("copy", 53e9, 55e9, "B/s", at_least(0.98))
    assert (row.ratio, row.verdict, row.reason) == ("0.9636", FAIL, "at least 0.98"), row
    assert judged("call", 2.0, 1.0, "s", at_most(1.5)).reason == "at most 1.5"


def check_what_is_missing():
    """Nothing that was not measured passes, and no figure of a CPU is held against a limit."""
    assert judged("F", None, 0.01, "s", within(0.01)).verdict == FAIL
    assert judged("F", None, 0.01, "s", within(0.01), "not run on a GPU").verdict == FAIL
    assert judged("F", 0.01, None, "s", within(0.01)).verdict == FAIL
    row = judged("F", 0.02, 0.01, "s", within(0.01), "not run on a GPU")
    assert (row.ratio, row.verdict, row.reason) == ("2.0000", SEEN, "not run on a GPU"), row
    row = judged("twin", None, 0.0546, "s")
    assert row == Row("twin", "-", "54.6 ms", "", SEEN), row


def check_ratios():
    """The interval of what ran in turns counts where it is asked for."""
    paired = judged("T", 100.0, 99.0, "/s", at_least(0.995), "", 1.002)
    assert (paired.ratio, paired.verdict) == ("1.0020", PASS), paired
    estimate = {"value": 1.002, "low": 0.9912, "high": 1.013, "n": 5}
    row = judged_in_turns(paired, estimate, 0.99)
    assert (row.verdict, row.reason) == (PASS, "0.9912 to 1.0130"), row
    row = judged_in_turns(paired, {**estimate, "low": 0.98}, 0.99)
    assert (row.verdict, row.reason) == (
        FAIL,
        "0.9800 to 1.0130; its lower end at least 0.99",
    ), row
    assert judged_in_turns(paired, {**estimate, "n": 1}, 0.99).verdict == FAIL
    assert judged_in_turns(paired, None, 0.99).verdict == FAIL
    assert judged_in_turns(paired, None, None) == paired
    seen = judged("T", 1.0, 2.0, "/s", at_least(0.995), "not run on a GPU")
    assert judged_in_turns(seen, None, 0.99) == seen


def point(name, base, **settings):
    return {"name": name, "base": base, "settings": settings}


def check_reports():
    """Points are found by their settings, and two of them are compared round by round."""
    points = [
        point("twin", True, **{"trainer.use": "python"}),
        point("ours", False, **{"trainer.use": "resnet50", "trainer.graph": "true"}),
        point("other", False, **{"trainer.use": "resnet50", "trainer.graph": "false"}),
    ]
    rounds = {"ours": (2.0, 2.2), "other": (1.0, 1.1)}
    compared = [
        {
            "point": name,
            "ratio": {"value": 2.0, "low": 1.9, "high": 2.1, "n": 2},
            "by_round": [{"round": at, "ratio": ratio} for at, ratio in enumerate(ratios)],
        }
        for name, ratios in rounds.items()
    ]
    report = {"points": points, "over_base": {"mode": "trainer", "points": compared}}
    twin, ours = point_of(report, {"use": "python"}), point_of(report, {"graph": True})
    other = point_of(report, {"use": "resnet50", "graph": False})
    assert (twin, ours, other) == tuple(points)
    assert ratio_of(report, ours, twin)["low"] == 1.9
    assert abs(ratio_of(report, ours, other)["value"] - 2.0) < 1e-12
    assert ratio_of({}, ours, twin) is None and ratio_of({}, None, None) is None
    assert point_of({}, {}) is None and rate_of(None) is None
    read = record("trainer", 1, probes=[{"name": "memory", "state": "measured", "mean": 5.0}])
    assert trial_memory([read], "memory", 1) == 5.0 and trial_memory([read], "memory", 2) is None
    assert trial_memory([read], "gpu_memory", 1) is None


def check_kernels(folder):
    """Names are those of the end of each process, and differences are named."""
    folder.mkdir()
    (folder / "benchbench.7").write_text("# why not\n1 tried\n900000000 gemm\n900000001 ours\n")
    (folder / "python3.8").write_text("5 early\n800000000 gemm\n800000009 half")
    mine, theirs, why = read_names(folder)
    assert (mine, theirs, why) == ({"gemm", "ours"}, {"gemm"}, "why not")
    both, alone = compared(mine, theirs, why)
    assert (both.ours, both.truth, both.verdict) == ("2", "1", SEEN), both
    assert (alone.what, alone.reason) == ("kernels of ours alone", "ours"), alone
    assert [row.verdict for row in compared(theirs, theirs, "")] == [PASS]
    assert compared(set(), theirs, why) == [
        Row("kernels of our step and of the twin's, by name", "0", "1", "", FAIL, "why not")
    ]


def check_amounts():
    assert amount(5.51e10, "B/s") == "55.1 GB/s"
    assert amount(1.17e-6, "s") == "1.17 us" and amount(12.5, "s") == "12.5 s"
    assert amount(1022, "") == "1.022 k" and amount(0.5, "") == "0.5" and amount(None, "s") == "-"


def check_lines():
    """Rows that were only seen make room for the others."""
    rows = [Row(f"seen {number}", "1" if number > 2 else "-") for number in range(60)]
    rows.insert(0, Row("bad", verdict=FAIL, reason="x\n" * 300))
    rows.append(Row("good" * 40, verdict=PASS))
    printed = lines(rows)
    assert len(printed) == MOST_ROWS, len(printed)
    assert printed[1].startswith("bad") and printed[-2].startswith("good"), printed[-2]
    assert printed[2].startswith("seen 3 ") and printed[-3].startswith("seen 58"), printed[2]
    assert printed[-1] == "1 PASS, 1 FAIL, 60 SEEN; 4 rows are only in the archive", printed[-1]
    assert len("\n".join(map(line, [rows[0]] * MOST_ROWS))) < MOST_OUTPUT - 1500


def check_limits():
    first, second = Part("a", 1, 10, None), Part("b", 1, 30, None)
    assert limit(first, [second], 20, {}) == 5 and limit(second, [], 20, {}) == 20
    assert limit(first, [second], 320, {}) == 80
    assert limit(first, [second], 320, {"a": 70}) == 70 and limit(first, [], 20, {"a": 70}) == 20
    assert limit(first, [second], -3, {}) == 0 and limit(first, [], -3, {"a": 70}) == 0
    shares = Shares(60, 1, 3)
    assert 14 < shares.next() <= 15 and 59 < shares.next() <= 60
    assert len({part.name for part in PARTS}) == len(PARTS)


def record(mode, steps, status="VALID", **others):
    facts = {"window_ns": 2_000_000_000, "steps": steps, "samples": 8 * steps, "probes": []}
    facts.update({"startup_ns": 3_000_000_000, "warmup_ns": 500_000_000, **others})
    settings = {"prototype.loader.args.batches": 40, "loader.use": "cached_batch"}
    return {
        "trial": {"mode": mode, "ablation": "", "settings": settings},
        "status": status,
        "reasons": [{"rule": "R06"}] if status == "NOISY" else [],
        "facts": facts,
    }


def check_records():
    power = {"name": "gpu_power", "unit": "W", "state": "measured", "mean": 612.0}
    lost = {"name": "gpu_clock", "unit": "Hz", "state": "not available", "mean": 0.0}
    records = [
        record("trainer", 100),
        record("trainer", 300, "NOISY", probes=[power, lost]),
        record("trainer", 0, "FAILED"),
        record("pipeline", 50),
    ]
    chosen = select_records(records, "trainer", {"loader.args.batches": 40})
    assert len(chosen) == 2 and step_seconds(chosen) == 0.01
    assert select_records(records, "trainer", {"loader.args.batches": 128}) == []
    assert step_seconds([]) is None and start_seconds([]) == (None, None)
    records[1]["facts"]["startup_ns"] = 0
    assert start_seconds(records[:2]) == (2.0, 3.5)
    assert probe_means(records) == {"gpu_power": 612.0}
    assert complaints(records) == {"NOISY R06": 1, "FAILED": 1}
    assert complaints([record("pipeline", 0, "ABORTED")]) == {}
    shared = record("trainer", 1, external={"trials_before": 2, "why_fresh": ""})
    fresh = record("trainer", 1, external={"trials_before": 0, "why_fresh": "Its code differs."})
    assert shared_processes([shared, fresh]) == ("1 of 2", "Its code differs.")


def make_box(folder):
    folder.mkdir()
    return Box(folder / "top", ROOT, folder, PYTHON)


def check_trials(folder):
    """Loaders alone are not judged; trials without a window do not pass."""
    box = make_box(folder)
    box.torch_device = "cuda"
    for records in (
        [record("trainer", 10), record("loader", 10, "NOISY")],
        [record("trainer", 10, "NOISY")],
        [record("trainer", 0, "SKIPPED")],
        [],
    ):
        box.judge_trials("it", records)
    assert [row.verdict for row in box.rows] == [PASS, FAIL, FAIL, FAIL], box.rows
    assert box.rows[1].reason == "1 NOISY R06", box.rows[1]


def check_tools(folder):
    """A traceback is FAIL, and so are kernels that a GPU does not let us calibrate."""
    box = make_box(folder)
    add_lines(box, "a tool", Done(1, "PASS    good\nKeyError: 'gpu'\n", 1))
    assert box.rows == [Row("a tool", verdict=FAIL, reason="KeyError: 'gpu'")], box.rows
    bad = Done(1, "FAIL    bad  0.5\nSKIPPED NVML x: none\nlast\n", 1)
    add_lines(box, "a tool", bad)
    assert box.rows[1:] == [
        Row("bad", verdict=FAIL, reason="0.5"),
        Row("NVML x", verdict=SEEN, reason="none"),
    ], box.rows
    skipped = Done(1, "SKIPPED all figures of the device: they deviate\n", 1)
    add_lines(box, "a tool", skipped)
    box.stub = True
    add_lines(box, "a tool", skipped)
    assert [row.verdict for row in box.rows[3:]] == [FAIL, SEEN], box.rows


def check_truths(folder):
    """A figure of torch's that is not there is not held against ours."""
    box = make_box(folder)
    assert torch_of(box) == {} and no_truth(box, "read_rate") == "not run on a GPU"
    box.torch_device, box.torch_folder, box.truth = "cuda", "/there/torch", {"read_rate": 1.0}
    assert torch_of(box) == {"BENCHBENCH_TORCH_DIR": "/there/torch"}
    assert no_truth(box, "read_rate") == "" and no_truth(box, "copy_rate") != ""
    said = """# cuda:0, X; a kernel takes 1.17 us besides its time, an event 0.50 us
PASS    host time of one copy call  0.05  1.21 us, the copy 57 us; a pageable call 48.54 us
"""
    own = own_figures(Done(0, said, 1))
    rounded = {name: round(1e6 * value, 2) for name, value in own.items()}
    assert rounded == {"call_pinned": 1.21, "call_pageable": 48.54, "kernel_in_graph": 1.17}, own
    assert own_figures(Done(1, "nothing", 1)) == {}


def check_faults():
    """Each kind ends for its own reason."""
    trap = record("pipeline", 0, "FAILED")
    trap["reasons"] = [{"rule": "", "text": "CUDA error: device-side assert triggered"}]
    assert is_good("trap", [trap]) and not is_good("memory", [trap])
    assert is_good("fine", [record("pipeline", 5, "NOISY")])
    assert not is_good("fine", [record("pipeline", 0, "SKIPPED")]) and not is_good("fine", [trap])
    assert not is_good("fine", []) and not is_good("trap", [])


def check_journal(folder):
    """A line that was cut is none; a run that wrote nothing has no records."""
    assert read_records(folder) == []
    (folder / "journal.jsonl").write_text('{"sequence": 0}\n{"sequence": 1, "tri', encoding="utf-8")
    assert read_records(folder) == [{"sequence": 0}]


def check_programs(folder):
    """A program that hangs is cut with all that it started; what it printed is there."""
    (folder / "user").mkdir()
    os.mkfifo(folder / "held")
    held = os.open(folder / "held", os.O_RDONLY | os.O_NONBLOCK)
    box = Box(folder / "top", ROOT, folder, PYTHON)
    hangs = f"echo begun; (trap '' INT; exec sleep 600 >{folder}/held) & wait"
    done = box.run("hangs", ["sh", "-c", hangs], 6)
    assert done.code is None and done.text == "begun\n" and done.ending() == "cut at its limit"
    ended = select.select([held], [], [], 20)[0]
    os.close(held)
    assert ended, "what the program started runs on"
    assert (
        box.run("none", ["./nothing-here"], 5).ending()
        == "./nothing-here: No such file or directory"
    )
    box.require_end("a run", box.run("fails", ["sh", "-c", "echo why; exit 3"], 5), (0,))
    assert box.rows == [Row("a run", verdict=FAIL, reason="why")], box.rows


def script(*words, **environment):
    clean = {
        key: value for key, value in os.environ.items() if not key.startswith("BENCHBENCH_STUB_")
    }
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "gpu_box"), *words],
        env={**clean, "BENCHBENCH_TEST_PATIENCE": "6", "BENCHBENCH_PYTHON": PYTHON, **environment},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def check_words(folder):
    code, _, said = script("--only", "copys")
    assert code == 2 and "'copys' is none of facts, starts" in said, said
    code, _, said = script("--seconds", "copies=soon")
    assert code == 2 and "is not PART=N" in said, said
    code, _, said = script("--build", str(folder))
    assert code == 1 and "scripts/test builds it" in said, said
    code, _, said = script("--pack", str(folder / "none.tar.gz"))
    assert code == 1 and "could not be unpacked: " in said, said


def check_pack(folder):
    """The program of a pack is run, and a device that it names is taken for one."""
    program = folder / "benchbench"
    program.write_text(
        "#!/bin/sh\nprintf 'benchbench-cuda\\tdevice\\t0\\tid\\t1\\t90\\tCard 5\\n'\n"
    )
    program.chmod(0o755)
    with tarfile.open(folder / "pack.tar.gz", "w:gz") as file:
        file.add(program, "benchbench/bin/benchbench")
    words = ("--pack", str(folder / "pack.tar.gz"), "--only", "starts", "--visit", "1")
    code, out, said = script(*words, "--out", str(folder / "packed"))
    assert code == 1 and out.startswith("Card 5; python 3."), (code, out, said)
    assert re.search(r"^all libraries are found .*FAIL: .*not a dynamic executable", out, re.M), out
    assert re.search(r"^benchbench --version +\|.*\| PASS$", out, re.M), out
    archive = next((folder / "packed").iterdir())
    assert re.fullmatch(r"\d{4}-\d\d-\d\d-\d{4}-card-5-box-visit1\.tar\.gz", archive.name), archive


def text_in(archive, end):
    """Returns the text of the archive's file whose name ends so; "" where there is none."""
    names = [name for name in archive.getnames() if name.endswith(end)]
    return archive.extractfile(names[0]).read().decode() if names else ""


def check_plans(build, folder):
    """The parts' scenarios on a GPU are right in every word, though none of them runs here."""
    folder.mkdir()
    shutil.copytree(ROOT / "scripts" / "box" / "user", folder / "user")
    box = Box(pathlib.Path(build), ROOT, folder, PYTHON)
    box.torch_device = "cuda"

    def validate(name, scenario, seconds, *words, **environment):
        box.require_end(name, box.run(name, [box.program, "validate", scenario], 60), (0,))

    box.benchbench = validate
    for part in (networks, few, kinds, fed, language, kernels, memory):
        part(box, 60)
    wrong = [row for row in box.rows if row.what == row.what.split()[0]]
    assert len(list(box.logs.glob("*.txt"))) == 7 and not wrong, wrong
    for name in ("networks", "few", "kernels"):
        assert '"cuda:0"' in (folder / "user" / f"{name}.yaml").read_text(), name


def check_box(build, folder, *words):
    code, out, said = script("--build", build, "--out", str(folder / "out"), *words)
    table = out[out.index("what  ") :]
    print(out)
    assert len(out) < MOST_OUTPUT and len(table.splitlines()) <= MOST_ROWS + 2, len(out)
    parts = re.findall(r"^(\w+): \d+ rows, \d+ FAIL, ", out, re.M)
    archive = next((folder / "out").glob("*.tar.gz"))
    with tarfile.open(archive) as file:
        names = file.getnames()
        whole, checked = (text_in(file, end) for end in ("/table.txt", "/logs/check.txt"))
    for part in parts:
        for row in ROWS.get(part, ()):
            assert re.search(rf"^{re.escape(row)} +\|", whole, re.M), f"{part}: no {row!r}\n{whole}"
    if "check" in parts:
        assert re.search("^PASS +NVML gpu_clock", checked, re.M), checked
    wrong = [
        row
        for row in whole.splitlines()
        if re.search(r"\| FAIL", row) and not re.match(OF_SPEED, row)
    ]
    assert not wrong, "\n".join([*wrong, said])
    assert code == (1 if "| FAIL" in whole else 0), (code, out, said)
    return parts, names


def main(build):
    with tempfile.TemporaryDirectory(prefix="benchbench-gpu-box-test-") as name:
        folder = pathlib.Path(name)
        check_verdicts()
        check_what_is_missing()
        check_ratios()
        check_reports()
        check_kernels(folder / "kernels")
        check_amounts()
        check_lines()
        check_limits()
        check_records()
        check_trials(folder / "trials")
        check_tools(folder / "tools")
        check_truths(folder / "truths")
        check_faults()
        (folder / "journal").mkdir()
        check_journal(folder / "journal")
        (folder / "programs").mkdir()
        check_programs(folder / "programs")
        check_plans(build, folder / "plans")
        check_words(folder)
        check_pack(folder)
        words = () if all_are_asked_for() else ("--only", QUICK)
        parts, names = check_box(build, folder, *words)
        expected = [part.name for part in PARTS] if all_are_asked_for() else QUICK.split(",")
        assert parts == expected, parts
        wanted = ["start_version.txt", *(["check/summary.txt"] if all_are_asked_for() else [])]
        for log in wanted:
            assert any(name.endswith(f"/logs/{log}") for name in names), (log, names)
    print("19 passed, 0 failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
