"""`benchbench wrap` on the loops of packages, which scripts/python_cases installs; SKIPPED where
there are none."""

import os
import subprocess

from check_wrap import wrap
from check_wrap_ranks import ranks_of
from place import CASES, Skipped, full_run

BRIEFLY = ("--rounds", "2")


def script(name):
    return os.path.join(CASES, "wrap", name)


def needs(here, *packages):
    for package in packages:
        if subprocess.run([here.python, "-c", f"import {package}"], capture_output=True).returncode:
            raise Skipped(f"{package} is not installed (scripts/python_cases installs it)")


def measured(here, *command, options=BRIEFLY):
    """One whose L, T and F are all there."""
    ran = wrap(here, here.python, *command, options=options)
    ran.ended(0)
    modes = {record["trial"]["mode"] for record in ran.records}
    assert modes == {"loader", "pipeline", "trainer"}, ran
    return ran


def external(ran):
    return next(
        record["facts"]["external"]
        for record in ran.records
        if record["trial"]["mode"] == "pipeline"
    )


def files_in(folder):
    return {
        os.path.relpath(os.path.join(at, name), folder)
        for at, _, names in os.walk(folder)
        for name in names
    }


@full_run
def check_wrap_lightning(here):
    """Its DataModule's loaders are in no variable; its checkpoint at the end of an epoch is not
    written."""
    needs(here, "lightning")
    measured(here, script("with_lightning.py")).says(
        r"measuring a DataLoader \(\S*with_lightning.py:\d+\)"
    )
    assert not [name for name in files_in(here.folder) if name.endswith(".ckpt")], files_in(
        here.folder
    )


@full_run
def check_wrap_transformers(here):
    needs(here, "transformers")
    ran = measured(here, script("with_transformers.py"))
    assert external(ran)["epoch_batches"] == 1000, external(ran)
    assert not [name for name in files_in(here.folder) if "checkpoint" in name], files_in(
        here.folder
    )


@full_run
def check_wrap_accelerate(here):
    needs(here, "accelerate")
    measured(here, script("with_accelerate.py")).says(
        r"measuring train_loader \(\S*with_accelerate.py:\d+\)"
    )


@full_run
def check_wrap_accelerate_launch(here):
    needs(here, "accelerate")
    measured(here, "-m", "accelerate.commands.launch", "--cpu", script("with_accelerate.py"))


@full_run
def check_wrap_torchrun(here):
    """Both ranks' rates are in the report, which is of the one whose samples take four times as
    long."""
    old = "import sys, torch; sys.exit(int(torch.__version__.split('.')[0]) < 2)"
    if subprocess.run([here.python, "-c", old], capture_output=True).returncode:
        raise Skipped("this torchrun does not run under this Python")
    ran = measured(
        here,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc_per_node",
        "2",
        script("with_ranks.py"),
    )
    ran.says("Slowest loader: rank 1, ")
    ranks = ranks_of(here, ran)
    assert [rank["rank"] for rank in ranks["rates"]] == [0, 1], ranks
    assert (ranks["by"], ranks["slowest"], ranks["quickest"]) == ("loader", 1, 0), ranks
    assert ranks["ratio"]["value"] > 1.5, ranks
    for rank in ranks["rates"]:
        assert rank["reported"] == (rank["rank"] == 1), ranks
        for side in ("loader", "trainer", "pipeline"):
            assert rank[f"{side}_rate_samples_per_second"]["value"] > 0, ranks


@full_run
def check_wrap_torchdata(here):
    """StatefulDataLoader, with a bar of tqdm."""
    needs(here, "torchdata", "tqdm")
    measured(here, script("with_torchdata.py")).says("measuring train_loader")


@full_run
def check_wrap_webdataset(here):
    """A WebLoader holds a DataLoader: it is seen."""
    needs(here, "webdataset")
    assert external(measured(here, script("with_webdataset.py")))["streams"]


@full_run
def check_wrap_newest_python(here):
    """Its workers are started by a fork server."""
    needs(here, "torch")
    asks = "import sys; print('%d.%d' % sys.version_info[:2])"
    version = subprocess.run([here.python, "-c", asks], capture_output=True, text=True).stdout
    if tuple(map(int, version.split("."))) < (3, 14):
        raise Skipped(
            f"this Python is {version.strip()}, not 3.14 or newer (BENCHBENCH_CASES_PYTHON names "
            f"another one)"
        )
    assert external(measured(here, script("forms.py"), "plain"))["start_method"] == "forkserver"
