"""`benchbench tune` of a DataLoader in Python whose best settings are known."""

import json
import os
import signal

from place import CASES, NO_ANSWER, SLOW, assert_time, full_run, sleeps
from processes import comes_true

STEP = {"call": "train_step"}  # sleeps 50 ms
QUICKER = {"ms": 5}  # a batch of 4 takes a worker 20 ms


def words(here, *given, out=""):
    """The program in the case's folder, with these words alone. `out`: the folder of its run, where
    the control has to know its records."""
    return here.finish(here.start_words(list(given), out and os.path.join(here.folder, out)))


def tuned(here, file, *options):
    result = file[: -len(".yaml")] + ".json"
    ran = here.run(file, "--json", result, *options, command="tune")
    with open(result, encoding="utf-8") as stream:
        return ran, json.load(stream)


@full_run
@sleeps
def check_tune_sleeps(here):
    """A step takes 70 ms without workers; one worker hides the loading behind the step. A second
    one adds nothing, and may be kept where so few rounds leave that open."""
    file = here.scenario(
        "sleeps.py",
        args=QUICKER,
        num_workers=0,
        batch_size=4,
        trainer=STEP,
        measure={**SLOW, "rounds": 3},
    )
    ran, result = tuned(
        here,
        file,
        "--budget",
        "100s",
        "--max-workers",
        "3",
        "--knobs",
        "num_workers",
        "--job-hours",
        "41",
    )
    ran.answered()
    assert all(point["memory_bytes"] > 0 for point in result["points"]), ran
    assert_time(result["advice"] == "change" and result["chosen"]["num_workers"] in ("1", "2"), ran)
    assert result["gains"][0]["over"] == {"num_workers": "0"}, ran
    ran.says(
        r"num_workers 0 -> [12]: \+",
        r"DataLoader\(\.\.\., num_workers=[12]\)",
        "memory: PSS of all processes together",
    )
    ratio = result["gains"][0]["ratio"]["value"]
    assert_time(1.25 < ratio < 1.55, f"{ratio}, of 70 ms and 50 ms\n{ran}")
    ran.concludes("A job of 41 h today takes [23]", "Workers are started for each epoch: ")


def check_tune_says_what_is_not_tried(here):
    """Nothing is pinned without CUDA; persistent_workers is priced and not searched; in_order is
    said to be too new."""
    file = here.scenario(
        "sleeps.py", args={"ms": 1}, num_workers=1, batch_size=4, measure={"rounds": 1}
    )
    ran, result = tuned(here, file, "--max-workers", "1", "--budget", "1s")
    ran.ended(0, 7)
    assert result["not_tried"]["pin_memory"] == "the step's device copies no batches", ran
    assert "in_order" in result["not_tried"] and "work_unit" not in result["not_tried"], ran
    ran = here.run(file, "--knobs", "persistent_workers", command="tune")
    ran.ended(2)
    ran.says("windows leave out the start of epochs")


@full_run
def check_tune_start_method(here):
    """How workers are started is a knob where it is asked for."""
    file = here.scenario(
        "sleeps.py",
        args={"ms": 1},
        num_workers=1,
        batch_size=4,
        measure={"rounds": 1},
        sweep={"loader.multiprocessing_context": ["none", "spawn"]},
    )
    ran, result = tuned(here, file, "--knobs", "multiprocessing_context", "--budget", "5min")
    ran.ended(0, 4, 7)
    tried = {point["settings"]["multiprocessing_context"] for point in result["points"]}
    assert tried == {"none", "spawn"}, ran
    ran.says("the loader's own rate was searched")


@full_run
def check_tune_every_point_fails(here):
    """An exception in __getitem__ is printed with its line, and the exit code says that there is no
    rate."""
    broken = os.path.join(here.folder, "broken.py")
    with open(broken, "w", encoding="utf-8") as file:
        file.write(
            "import torch.utils.data\n\n\nclass Broken(torch.utils.data.Dataset):\n    def "
            "__len__(self):\n        return 512\n\n"
            "    def __getitem__(self, index):\n        raise ValueError('no such image')\n\n\n"
            "def make_data():\n    return Broken()\n"
        )
    ran, result = tuned(
        here,
        here.scenario(broken, num_workers=1, batch_size=4),
        "--max-workers",
        "1",
        "--budget",
        "10min",
    )
    ran.ended(8)
    ran.says("no point that was tried has a usable rate", "no such image", r"broken\.py")
    assert result["advice"] == "nothing_measured"


@full_run
@sleeps
def check_tune_python_functions(here):
    """There is no scenario file: tune makes one, writes it next to the results, and searches it."""
    with open(os.path.join(here.folder, "train.py"), "w", encoding="utf-8") as file, open(
        os.path.join(CASES, "sleeps.py"), encoding="utf-8"
    ) as own:
        file.write(
            own.read() + "\n\ndef make_loader():\n"
            "    return torch.utils.data.DataLoader(make_data(ms=5), batch_size=4)\n"
        )
    common = [
        "--set",
        f"loader.python={here.python}",
        "--max-workers",
        "1",
        "--knobs",
        "num_workers",
        "--quiet",
    ]
    ran = words(
        here,
        "tune",
        "--python",
        "train.py:make_loader",
        "--step",
        "train.py:train_step",
        "--budget",
        "10min",
        "--out",
        "tuned",
        *common,
        out="tuned",
    )
    ran.ended(0, *NO_ANSWER)
    ran.says("scenario: tuned.yaml")
    with open(os.path.join(here.folder, "tuned.yaml"), encoding="utf-8") as file:
        assert "loader: {use: python, script: 'train.py', call: 'make_loader'}" in file.read()
    again = words(
        here, "tune", "--resume", "--out", "tuned", "--python", "train.py:make_loader", "--quiet"
    )
    again.ended(ran.code)
    assert again.out == ran.out, f"{again}\n{ran}"
    other = words(
        here, "tune", "--resume", "--out", "tuned", "--python", "train.py:make_data", "--quiet"
    )
    other.ended(2)
    other.says("tuned.yaml is of other functions or of another step")
    ran.answered()
    ran.concludes(r"num_workers 0 -> 1: \+", r"DataLoader\(\.\.\., num_workers=1")


def check_tune_python_misused(here):
    """One error and exit code 2 each, before anything runs."""
    train = os.path.join(CASES, "numpy_batches.py")
    with open(os.path.join(here.folder, "mine.yaml"), "w", encoding="utf-8") as file:
        file.write("name: precious\n")
    for options, says in (
        (
            ["--python", f"{train}:make_data", "--out", "mine"],
            "mine.yaml exists already and is another one",
        ),
        ([], "tune needs a scenario FILE or --python"),
        (["--python", train], "expected FILE.py:FUNCTION or MODULE:FUNCTION"),
        (["--python", f"{train}:make data"], "expected FILE.py:FUNCTION or MODULE:FUNCTION"),
        (["--python", f"{train}:nothing_there"], "nothing_there"),
        (["--python", "not_there.py:make_data"], "not_there.py"),
        (["--python", f"{train}:make_data", "--setup", f"{train}:setup"], "--setup needs --step"),
        (
            [
                "--python",
                f"{train}:make_data",
                "--step",
                f"{train}:train_step",
                "--step-time",
                "1ms",
            ],
            "exclude each other",
        ),
        (
            ["--python", f"{train}:make_data", "--step-time", "soon"],
            "expected a time such as 120ms",
        ),
        (
            ["x.yaml", "--python", f"{train}:make_data"],
            "a scenario file and --python exclude each other",
        ),
        (["x.yaml", "--step", f"{train}:train_step"], "--step needs --python"),
        (["--python", f"{train}:make_data", "--price", "2"], "--price needs the length of a job"),
        (
            ["--python", f"{train}:make_data", "--job-hours", "4"],
            "--job-hours: the scenario has no step",
        ),
        (
            ["--python", f"{train}:make_data", "--max-workers", "1.5"],
            "--max-workers 1.5: expected a whole number",
        ),
        (["--python", f"{train}:make_data", "--budget", "long"], "--budget long: expected a time"),
    ):
        own = ["--set", f"loader.python={here.python}"] if "--python" in options else []
        if own and "--out" not in options:
            # Without it the folder is named by the second, of which two runs may be.
            own += ["--out", f"misused-{len(here.left)}"]
        ran = words(here, "tune", *options, *own, "--quiet")
        ran.ended(2)
        ran.says(says)
        assert ran.text.count("error: ") == 1, ran
    with open(os.path.join(here.folder, "mine.yaml"), encoding="utf-8") as file:
        assert file.read() == "name: precious\n"


@full_run
def check_tune_interrupted_and_resumed(here):
    """Two tunes in one folder at once; Ctrl-C; then the script changes."""
    script = os.path.join(here.folder, "own.py")
    with open(os.path.join(CASES, "sleeps.py"), encoding="utf-8") as own, open(
        script, "w", encoding="utf-8"
    ) as file:
        file.write(own.read())
    scenario = here.scenario(
        script, args={"ms": 1}, num_workers=1, batch_size=4, measure={"rounds": 3}
    )
    first = here.start(scenario, "--max-workers", "2", "--budget", "10min", command="tune")
    journal = os.path.join(first.folder_of, "journal.jsonl")
    comes_true(
        lambda: os.path.exists(journal) and open(journal, encoding="utf-8").read().count("\n") >= 7,
        120,
    )
    second = here.run(scenario, "--resume", command="tune")
    second.ended(5)
    second.says("in use")
    first.send_signal(signal.SIGINT)
    ran = here.finish(first)
    ran.ended(130)
    ran.says("interrupted: this is the best so far", r"after the first round \([1-9]")
    with open(script, "a", encoding="utf-8") as file:
        file.write("# changed\n")
    changed = here.run(scenario, "--resume", command="tune")
    changed.ended(2)
    changed.says("own.py differs from the file of that run")


@full_run
@sleeps
def check_tune_out_of_memory(here):
    """Settings that run out of memory are records, and are not tried again; the others are
    searched."""
    script = os.path.join(here.folder, "large.py")
    with open(os.path.join(CASES, "sleeps.py"), encoding="utf-8") as own, open(
        script, "w", encoding="utf-8"
    ) as file:
        file.write(
            own.read() + "\n\nclass Large(Sleeps):\n    def __getitem__(self, index):\n"
            "        worker = torch.utils.data.get_worker_info()\n        if worker and "
            "worker.num_workers >= 2:\n"
            "            raise MemoryError('no room')\n        return "
            "super().__getitem__(index)\n\n\n"
            "def make_large():\n    return Large(512, 0.005)\n"
        )
    file = here.scenario(
        script,
        call="make_large",
        num_workers=0,
        batch_size=4,
        trainer={"call": "train_step"},
        measure={**SLOW, "rounds": 3},
    )
    ran, result = tuned(
        here, file, "--budget", "100s", "--max-workers", "4", "--knobs", "num_workers"
    )
    ran.ended(0, *NO_ANSWER)
    failed = [
        r["trial"]["settings"]["loader.num_workers"] for r in ran.records if r["status"] == "FAILED"
    ]
    assert len(failed) == len(set(failed)), (
        f"FAILED with {failed} workers: one of them was tried again\n{ran}"
    )
    ran.answered()
    assert result["chosen"]["num_workers"] in ("0", "1"), ran
    ran.concludes("MemoryError: no room", "trials?, [123] out of memory")


@full_run
@sleeps
def check_tune_streams(here):
    """Workers of an IterableDataset change the order of the samples, which is said where their
    number is changed."""
    file = here.scenario("sharded.py", num_workers=1, batch_size=4, measure={**SLOW, "rounds": 3})
    ran, result = tuned(
        here, file, "--budget", "100s", "--max-workers", "2", "--knobs", "num_workers"
    )
    ran.answered()
    assert_time(result["chosen"] == {"num_workers": "2"}, ran)
    ran.says(
        "the loader's own rate was searched",
        "num_workers changes the order of the samples: the data set is an IterableDataset",
    )
