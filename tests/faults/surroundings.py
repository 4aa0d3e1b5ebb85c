#!/usr/bin/env python3
"""surroundings.py PROGRAM [--only NAME,NAME] [--show]: what a machine and its users do to a run,
with the real program.

Each function check_* is a fault of docs/faults.md. One that cannot be had here raises Absent with
its reason: SKIPPED."""

import argparse
import concurrent.futures
import contextlib
import ctypes
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "run")]

from counts import all_are_asked_for, note, note_end  # noqa: E402
from one_case import LIMIT_S, alive_in, process_stat, slot, wait_until  # noqa: E402
from place import MEASURED, MOCKS, TRIAL_FAILED, Absent, Place, as_nobody, has  # noqa: E402
from reread import replaced, sealed  # noqa: E402
from state import State  # noqa: E402

# The store.


def check_folder_removed(place):
    process = place.begun()
    shutil.rmtree(place.folder / "r")
    code, text = place.end(process)
    assert code == 5, (code, text)
    has(text, "r/", "No such file or directory")


def check_folder_renamed(place):
    process = place.begun()
    (place.folder / "r").rename(place.folder / "moved")
    code, text = place.end(process)
    assert code == 5, (code, text)
    has(text, "No such file or directory")
    kept = place.records("moved")
    assert len(kept) >= 2
    code, text = place.run("run", "s.yaml", "--out", "moved", "--resume")
    assert code in MEASURED, text
    assert place.records("moved")[: len(kept)] == kept
    place.complete("moved")


def check_folder_replaced_by_a_link(place):
    process = place.begun()
    (place.folder / "r").rename(place.folder / "moved")
    (place.folder / "r").symlink_to("moved")
    code, text = place.end(process)
    assert code in MEASURED, text
    place.complete()


def check_no_permission(place):
    if os.geteuid() != 0:
        raise Absent("only root can become another user")
    place.folder.chmod(0o755)
    (place.folder / "cache").mkdir(mode=0o777)
    (place.folder / "cache").chmod(0o777)
    code, text = place.sweep(before=as_nobody)
    assert code == 5, (code, text)
    has(text, "Permission denied", "choose another folder with --out")


def check_two_at_once(place):
    process = place.begun()
    for more in ((), ("--resume",)):
        code, text = place.sweep(*more)
        assert code == 5, (code, text)
        has(text, f"r is in use by process {process.pid}")
    code, text = place.run("run", "s.yaml", "--out", "other", "--clock", "simulated")
    assert code == 0, text
    assert place.end(process)[0] in MEASURED
    place.complete()


def check_another_version(place):
    assert place.sweep("--clock", "simulated")[0] == 0
    plan = place.folder / "r" / "plan.json"
    plan.write_bytes(sealed(replaced(json.loads(plan.read_bytes()), ("version",), 1)))
    for words, exit in (
        (("report", "r"), 5),
        (("run", "s.yaml", "--clock", "simulated", "--out", "r", "--resume"), 5),
        (("compare", "r", "r"), 2),
    ):
        code, text = place.run(*words)
        assert code == exit, (words, code, text)
        has(
            text,
            "has version 1, this program reads version 2",
            "read it with the benchbench that wrote it, or measure again",
        )


def check_torn_tail(place):
    assert place.sweep("--clock", "simulated")[0] == 0
    journal = place.folder / "r" / "journal.jsonl"
    whole = journal.read_bytes()
    last = whole[:-1].rfind(b"\n") + 1
    journal.write_bytes(whole[: last + (len(whole) - last) // 2])
    code, text = place.run("report", "r")
    assert code == 0, text
    has(text, "are an incomplete line and were ignored")
    code, text = place.sweep("--clock", "simulated", "--resume")
    assert code == 0, text
    has(text, "an incomplete last line of", "was removed from journal.jsonl")
    place.complete()


# Processes.


def check_supervisor_stopped(place):
    """The supervisor stands still while the trial that it began ends, and while another command
    reads what is there."""
    process = place.begun()
    code, text = place.run("report", "r")
    assert code in MEASURED, text
    code, text = place.end(process)
    assert code in MEASURED, text
    place.complete()


def children_of(process):
    return [pid for pid in alive_in(process.pid) if pid != process.pid]


def check_child_killed(place):
    process = place.begun()
    killed = children_of(process)
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    code, text = place.end(process)
    assert killed and code in TRIAL_FAILED, (killed, code, text)
    has(text, "killed by SIGKILL")
    failed = [one for one in place.records() if one["status"] == "FAILED"]
    assert len(failed) == 1, failed
    assert place.sweep("--resume", "--retry-failed")[0] in MEASURED


def check_child_stopped(place):
    """A child stands still while its supervisor waits for it, then takes its trial up again."""
    process = place.begun()
    stopped = children_of(process)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    assert stopped and wait_until(lambda: {process_stat(pid)[1] for pid in stopped} == {"T"})
    process.send_signal(signal.SIGCONT)
    code, text = place.run("report", "r")
    assert code in MEASURED and process.poll() is None, text
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)
    code, text = place.end(process)
    assert code in MEASURED, text
    place.complete()


def check_supervisor_killed(place):
    process = place.begun()
    below = children_of(process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    kept = place.records()
    ended = wait_until(lambda: not set(alive_in(process.pid)) & set(below))
    assert below and ended, "children outlive it"
    code, text = place.sweep("--resume")
    assert code in MEASURED, text
    assert place.records()[: len(kept)] == kept
    place.complete()


# Data.


def spoilt(place, files, spoil, *words):
    process = place.begun(lines=1)
    for path in files:
        spoil(path)
    code, text = place.end(process)
    statuses = [one["status"] for one in place.records()]
    if statuses[-1] == "INVALID":  # the damage came late: within the window of the last trial
        return has(text, "INVALID R03 (errors)")
    assert code in TRIAL_FAILED, (code, text)
    has(text, "FAILED", *words)
    assert statuses[0] != "FAILED" and statuses[-1] == "FAILED", statuses


def check_data_deleted(place):
    spoilt(place, place.images(), lambda path: path.unlink(), "No such file or directory")


def check_data_cut(place):
    spoilt(place, place.images(), lambda path: os.truncate(path, path.stat().st_size // 2))


def check_data_cut_under_mmap(place):
    files = place.images()
    scenario = (
        (place.folder / "s.yaml").read_text().replace("use: native,", "use: native, io: mmap,")
    )
    place.write("s.yaml", scenario)
    spoilt(place, files, lambda path: os.truncate(path, 4096))


def check_data_changed(place):
    """Data that are still decoded: what they were made as is known, and a run compares some samples
    with it."""
    image = next(path for path in place.images("image_folder") if path.suffix == ".jpg")
    other = next(path for path in image.parent.parent.rglob("*.jpg") if path != image)
    image.write_bytes(other.read_bytes())
    code, text = place.run("data", "s.yaml", "--verify")
    assert code == 1, (code, text)
    has(text, "content: the stored bytes differ from the manifest's digest", "NOT SOUND")


# Limits.


def limited(kind, most):
    return lambda: resource.setrlimit(kind, (most, most))


def check_few_descriptors(place):
    code, text = place.sweep(before=limited(resource.RLIMIT_NOFILE, 8))
    assert code in (1, 5), (code, text)
    has(text, "Too many open files")


def check_few_processes(place):
    if os.geteuid() != 0:
        raise Absent("only root can become another user")
    place.folder.chmod(0o777)

    def before():
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        as_nobody()

    code, text = place.sweep(before=before)
    assert code == 5, (code, text)  # nor can results.h5 be written, by a process of its own
    has(
        text,
        "cannot start a child process: Resource temporarily unavailable",
        "See the reasons in the report",
    )


def check_little_address_space(place):
    code, text = place.sweep(before=limited(resource.RLIMIT_AS, 64 << 20))
    assert code == 8, (code, text)
    has(text, "out of memory")


def check_file_size_limit(place):
    limit = limited(resource.RLIMIT_FSIZE, 48 << 10)
    code, text = place.sweep("--clock", "simulated", "--rounds", "30", before=limit)
    assert code == 5, (code, text)
    has(text, "File too large", "ulimit -f")


def memory_group():
    """A new group of processes whose memory can be limited: its folder and the file of its
    limit."""
    root = pathlib.Path("/sys/fs/cgroup")
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "memory":
            above, limit = root / "memory" / path.lstrip("/"), "memory.limit_in_bytes"
        elif controllers == "" and (root / "cgroup.controllers").exists():
            above, limit = root / path.lstrip("/"), "memory.max"
        else:
            continue
        group = above / f"benchbench-faults-{os.getpid()}"
        try:
            group.mkdir()
        except OSError as error:
            raise Absent(f"no group of processes can be made here: {error}") from None
        if (group / limit).exists():
            return group, group / limit
        group.rmdir()
    raise Absent("no memory of a group of processes can be limited here")


def is_removed(group):
    """Removes it, which has to wait until its last process has gone."""
    with contextlib.suppress(OSError):
        group.rmdir()
    return not group.exists()


HOG = """
import os, sys
held = []
while os.path.exists("/proc/" + sys.argv[1] + "/exe") and len(held) < 64:
    held.append(bytearray(os.urandom(1 << 10) * (16 << 10)))
"""


def check_out_of_memory_kill(place):
    """The kernel kills a trial's process where its group has no memory left: that one FAILED, the
    others run."""
    group, limit = memory_group()
    try:
        try:
            limit.write_text(str(256 << 20))
        except OSError as error:
            raise Absent(
                f"the memory of a group of processes cannot be limited here: {error}"
            ) from None

        def enter():
            (group / "cgroup.procs").write_text(str(os.getpid()))

        try:
            subprocess.run(["true"], preexec_fn=enter, check=True)
        except subprocess.SubprocessError as error:
            raise Absent(f"no group of processes can be entered here: {error}") from None
        process = place.begun(before=enter)
        victim = children_of(process)[0]
        pathlib.Path(f"/proc/{victim}/oom_score_adj").write_text("1000")
        subprocess.run([sys.executable, "-c", HOG, str(victim)], timeout=LIMIT_S, preexec_fn=enter)
        assert process_stat(victim)[1] in "ZX", "it lives"
        code, text = place.end(process)
        assert code in TRIAL_FAILED, (code, text)
        has(text, "killed by SIGKILL (Killed): out of memory, or killed by hand")
        assert len([one for one in place.records() if one["status"] == "FAILED"]) == 1
        place.complete()
    finally:
        wait_until(lambda: is_removed(group))


def check_affinity_narrowed(place):
    """The report says that a window had fewer cores than the run began with."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        raise Absent("one core")
    process = place.begun()
    for pid in [process.pid, *children_of(process)]:
        os.sched_setaffinity(pid, cores[:1])
    code, text = place.end(process)
    assert code in MEASURED, text
    place.complete()


# Surroundings.


def check_locale_and_time_zone(place):
    texts = set()
    environments = (
        {},
        {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Kolkata"},
        {"LC_ALL": "C", "TZ": "America/New_York"},
        {"LANG": "tr_TR.UTF-8", "TZ": "nonsense"},
    )
    for number, environment in enumerate(environments if all_are_asked_for() else environments[:2]):
        folder = f"r{number}"
        code, _ = place.run(
            "run", "s.yaml", "--clock", "simulated", "--out", folder, environment=environment
        )
        assert code == 0
        code, text = place.run("report", folder, environment=environment)
        texts.add(text.replace(folder, "r"))
    assert len(texts) == 1, texts


def copy_program(source, target):
    """Copies by a process of its own. A file that this process has just written cannot be executed
    as long as a process that another thread started meanwhile has it open."""
    subprocess.run(["cp", source, target], check=True)


def check_module_missing(place):
    program = pathlib.Path(place.program)
    alone = place.folder / "bin"
    alone.mkdir()
    copy_program(program, alone / "benchbench")
    place.write("s.yaml", MOCKS.replace("{use: timed, step_time: 1ms}", "{use: mlp}"))
    code, text = place.sweep(program=str(alone / "benchbench"))
    assert code == 8, (code, text)
    has(text, "libbenchbench_torch.so")


def check_module_of_another_seam(place):
    program = pathlib.Path(place.program)
    other = program.parent / "libbenchbench_test_other_seam.so"
    if not other.exists():
        raise Absent("a module of another seam is built with the tests alone")
    alone = place.folder / "bin"
    alone.mkdir()
    copy_program(program, alone / "benchbench")
    copy_program(other, alone / "libbenchbench_torch.so")
    place.write("s.yaml", MOCKS.replace("{use: timed, step_time: 1ms}", "{use: mlp}"))
    code, text = place.sweep(program=str(alone / "benchbench"))
    assert code == 8, (code, text)
    has(text, "libbenchbench_torch.so")


def check_program_removed(place):
    """The program goes with its folder: each later trial says why, and with the program back the
    run is completed."""
    alone = place.folder / "bin"
    alone.mkdir()
    copy_program(place.program, alone / "benchbench")
    place.write("s.yaml", MOCKS.replace("rounds: 1", "rounds: 3"))
    process = place.begun(lines=1, program=str(alone / "benchbench"))
    shutil.rmtree(alone)
    code, text = place.end(process)
    assert code in TRIAL_FAILED, (code, text)
    has(
        text,
        f"{alone}: cannot be listed, to tell this build from others: No such file or directory",
    )
    records = place.records()
    assert (
        records[0]["status"] != "FAILED"
        and records[-1]["environment"]["machine"]
        and records[-1]["status"] == "FAILED"
    ), [one["status"] for one in records]
    has(records[-1]["reasons"][0]["text"], "cannot be listed")
    alone.mkdir()
    copy_program(place.program, alone / "benchbench")
    code, text = place.sweep("--resume", "--retry-failed", program=str(alone / "benchbench"))
    assert code in MEASURED, (code, text)
    assert len({slot(one) for one in place.records() if one["status"] != "FAILED"}) == len(
        records
    ), text


def check_clock_steps(place):
    """The wall clock steps by an hour to and fro: it dates records, and times nothing."""
    shim = pathlib.Path(place.program).parent / "libbenchbench_faults_shim.so"
    if not shim.exists():
        raise Absent("the shim of tests/faults is not built")
    state = State(str(place.folder / "state"))
    code, text = place.sweep(
        "--json",
        "j.json",
        environment={
            "LD_PRELOAD": str(shim),
            "BENCHBENCH_FAULT": "clock:3600:jump",
            "BENCHBENCH_FAULT_STATE": state.path,
        },
    )
    assert code in MEASURED, text
    place.complete()
    for one in place.records():
        rate = 1e9 * one["facts"]["samples"] / one["facts"]["window_ns"]
        expected = 4000 if one["trial"]["mode"] == "trainer" else 2000
        # A busy machine is slow, but no hour passes in a window, nor does one pass backwards.
        assert expected / 3600 < rate < 1.2 * expected, (one["trial"]["mode"], rate)


def check_huge_pages_off(place):
    without = 41  # PR_SET_THP_DISABLE
    code, text = place.sweep(
        "--clock", "simulated", before=lambda: ctypes.CDLL(None).prctl(without, 1, 0, 0, 0)
    )
    assert code == 0, text
    place.complete()


def check_little_shared_memory(place):
    """/dev/shm of 64 KiB, in a mount namespace of its own: nothing of ours needs it."""
    if os.geteuid() != 0:
        raise Absent("only root can mount")
    small = "mount -t tmpfs -o size=64k none /dev/shm"
    if subprocess.run(["unshare", "-m", "sh", "-c", small], capture_output=True).returncode:
        raise Absent("no mount namespace can be made here")
    files = place.images()
    code, text = place.end(
        place.begun_by(
            [
                "unshare",
                "-m",
                "sh",
                "-c",
                small + ' && exec "$0" "$@"',
                place.program,
                "run",
                "s.yaml",
                "--out",
                "r",
                "--rounds",
                "1",
            ]
        )
    )
    assert files and code in MEASURED, text
    place.complete()


def check_no_home(place):
    code, text = place.run(
        "run",
        "s.yaml",
        "--clock",
        "simulated",
        "--out",
        "r",
        environment={"HOME": "/nonexistent", "BENCHBENCH_CACHE": "/proc/nowhere"},
    )
    assert code == 0, (code, text)
    has(text, "what this run teaches of time is not kept")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only", type=lambda text: set(text.split(",")), default=set())
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    arguments = parser.parse_args()
    checks = {name[6:]: one for name, one in globals().items() if name.startswith("check_")}
    if arguments.only - set(checks):
        parser.error(
            "no check {}: {}".format(
                ", ".join(sorted(arguments.only - set(checks))), ", ".join(checks)
            )
        )
    checks = {
        name: one for name, one in checks.items() if not arguments.only or name in arguments.only
    }
    note("started", "test_faults_surroundings", len(checks))
    failed, skipped = [], []

    def result_of(name):
        place = Place(arguments.program)
        try:
            checks[name](place)
            return "passed"
        except Absent as absent:
            return f"SKIPPED: {absent}"
        except Exception:
            return "FAILED\n" + traceback.format_exc(limit=-2)
        finally:
            shutil.rmtree(place.folder, ignore_errors=True)
            if arguments.show:
                print(*place.shown, sep="\n", flush=True)

    def one(name):
        began = time.monotonic()
        result = result_of(name)
        if result.startswith("SKIPPED"):
            skipped.append(name)
            note("skipped", "test_faults_surroundings", f"{name}: {result[9:]}")
        elif result != "passed":
            failed.append(name)
        print(f"{time.monotonic() - began:6.2f} s  {name:<32} {result}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(one, checks))
    print(
        f"{len(checks)} checks: {len(checks) - len(failed) - len(skipped)} passed, "
        f"{len(failed)} failed, {len(skipped)} skipped"
    )
    note_end(
        "test_faults_surroundings",
        len(checks) - len(failed) - len(skipped),
        len(failed),
        len(skipped),
    )
    return 1 if failed or not checks else 77 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
