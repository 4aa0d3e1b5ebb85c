"""Scripts as people have them: each runs, with its own settings, and is called what it is."""

import os
import re
import subprocess

from place import CASES, SLOW, Skipped, full_run, sleeps

IMAGES = {
    "format": "image_folder",
    "synthesize": {
        "samples": 192,
        "seed": 3,
        "image": {"mean_width": 64, "mean_height": 48},
        "classes": 4,
    },
}
ALL = {"modes": ["loader", "trainer", "pipeline"]}
STEP = {"call": "train_step"}


def external(ran, mode="loader"):
    return ran.facts(mode)["external"]


@full_run
def check_image_folder(here):
    """ImageFolder and ResNet-18 have all three rates; the DataLoader's own 2 workers and 8 samples
    a batch are kept."""
    trainer = {"call": "train_step", "setup": "setup"}
    ran = here.run(
        here.scenario("image_folder.py", trainer=trainer, dataset=IMAGES, measure={**SLOW, **ALL}),
        "--detail",
    )
    ran.ended(0)
    ran.says("self-timed", "all in Python", "replayed", "torch [0-9.]+", "torchvision [0-9.]+")
    for mode, way in (
        ("loader", "self-timed"),
        ("trainer", "replayed"),
        ("pipeline", "all in Python"),
    ):
        assert external(ran, mode)["way"] == way
        assert ran.facts(mode)["samples"] > 0
    assert external(ran)["kind"] == "DataLoader" and external(ran)["epoch_samples"] == 192
    assert len(external(ran)["workers"]) == 2
    assert external(ran, "trainer")["distinct"] >= 16
    facts = ran.facts("pipeline")
    assert facts["samples"] == 8 * facts["steps"], "batches of 8 only"


def check_images_by_hand(here):
    """A loader without torch that reads our images itself, with a trainer of ours."""
    trainer = {"use": "timed", "step_time": "1ms"}
    file = here.scenario(
        "images_by_hand.py", trainer=trainer, dataset=IMAGES, measure={"modes": ["pipeline"]}
    )
    ran = here.first(file, "--detail")
    ran.says("hand-over")
    assert external(ran, "pipeline")["way"] == "hand-over"
    assert external(ran, "pipeline")["epoch_batches"] == 24, external(ran, "pipeline")


@full_run
def check_image_folder_handed_over(here):
    """The user's DataLoader with a trainer of ours."""
    trainer = {"use": "timed", "step_time": "20ms"}
    measure = {**SLOW, "modes": ["pipeline"]}
    file = here.scenario("image_folder.py", trainer=trainer, dataset=IMAGES, measure=measure)
    ran = here.first(file, "--detail")
    ran.says("hand-over")
    assert external(ran, "pipeline")["way"] == "hand-over"


@full_run
def check_image_folder_in_our_network(here):
    """Images as PyTorch has them, [N, C, H, W], in a network of ours, which takes them as [N, H, W,
    C]."""
    trainer = {"use": "mlp", "hidden_size": 64}
    ran = here.run(
        here.scenario("image_folder.py", trainer=trainer, dataset=IMAGES, measure={**SLOW, **ALL}),
        "--detail",
    )
    skip_without_libtorch(ran)
    ran.ended(0)
    for mode, way in (("loader", "self-timed"), ("pipeline", "hand-over")):
        assert external(ran, mode)["way"] == way
    for mode in ("loader", "trainer", "pipeline"):
        assert ran.facts(mode)["samples"] > 0
    weights = 32 * 32 * 3 * 64 + 64 * 64
    assert weights < ran.facts("pipeline")["trainer_parameters"], (
        "of 32 x 32 pixels with 3 channels"
    )


@full_run
def check_no_images_in_our_network(here):
    """Batches of a float row and an index are no images: refused by name, with what would be."""
    ran = here.run(
        here.scenario(
            "sleeps.py", args={"ms": 1}, trainer={"use": "mlp"}, measure={"modes": ["pipeline"]}
        )
    )
    skip_without_libtorch(ran)
    ran.ended(2, 8)
    ran.says("takes images with labels, which batches of make_data are not", "pixel_values")


def skip_without_libtorch(ran):
    if "needs libtorch" in ran.text:
        raise Skipped("benchbench was built without libtorch")


@full_run
@sleeps
def check_sharded(here):
    """An IterableDataset: 2 workers that sleep 40 ms a sample make 50 a second."""
    ran = here.first(
        here.scenario("sharded.py", args={"ms": 40}, num_workers=2, batch_size=4, measure=SLOW)
    )
    here.near_rate(ran.rate(), 50)


@full_run
def check_hdf5(here):
    """Each worker opens the file for itself."""
    file = os.path.join(here.folder, "rows.h5")
    subprocess.run([here.python, os.path.join(CASES, "hdf5_file.py"), file], check=True)
    scenario = here.scenario("hdf5_file.py", args={"file": file}, num_workers=2, batch_size=8)
    ran = here.first(scenario)
    assert external(ran)["epoch_samples"] == 128


@full_run
def check_tokens(here):
    """Nested dicts of varying shape pass through all in Python, though the step empties its
    batch."""
    trainer = {"call": "train_step", "setup": "setup"}
    measure = {"modes": ["trainer", "pipeline"]}
    file = here.scenario("tokens_padded.py", trainer=trainer, measure=measure)
    ran = here.first(file, records=3)  # two of them of the trainer
    assert ran.facts("pipeline")["samples"] > 0
    assert external(ran, "trainer")["distinct"] >= 16


@full_run
def check_tokens_handed_over(here):
    """Varying shapes cannot be handed over to a trainer of ours: refused with the way out."""
    ran = here.run(
        here.scenario("tokens_padded.py", trainer={"use": "timed"}, measure={"modes": ["pipeline"]})
    )
    ran.ended(2, 8)
    ran.says("python|discard", "shape")


@full_run
@sleeps
def check_numpy(here):
    """An iterable of numpy arrays: 8 samples each 100 ms, no torch needed."""
    ran = here.first(here.scenario("numpy_batches.py", args={"ms": 100}, measure=SLOW), "--detail")
    assert external(ran)["kind"] == "iterable"
    assert "torch" not in external(ran)["versions"]
    here.near_rate(ran.rate(), 80)


@sleeps
def check_numpy_without_torch(here):
    """An interpreter without torch measures the same, and a step of 200 ms in the same process: L
    80, T 40 and F 26.7 samples a second."""
    python = python_without_torch(here)
    packages = subprocess.run(
        [python, "-c", "import site; print(site.getsitepackages()[0])"],
        capture_output=True,
        text=True,
    )
    where = "import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))"
    numpy = subprocess.run(
        [here.python, "-c", where], capture_output=True, text=True
    ).stdout.strip()
    for name in ("numpy", "numpy.libs"):
        if os.path.exists(os.path.join(numpy, name)):
            os.symlink(os.path.join(numpy, name), os.path.join(packages.stdout.strip(), name))
    trainer = {"call": "long_step", "python": python}
    file = here.scenario(
        "numpy_batches.py",
        args={"ms": 100},
        python=python,
        trainer=trainer,
        measure={**SLOW, **ALL},
    )
    ran = here.first(file, records=4)  # two of them of the trainer
    for mode, rate in (("loader", 80), ("trainer", 40), ("pipeline", 80 / 3)):
        here.near_rate(ran.rate(mode), rate)


def python_without_torch(here):
    folder = os.path.join(here.folder, "bare")
    made = subprocess.run(
        [here.python, "-m", "venv", "--without-pip", folder], capture_output=True, text=True
    )
    if made.returncode:
        raise Skipped(f"no virtual environment can be made: {made.stderr.strip().splitlines()[-1]}")
    return os.path.join(folder, "bin", "python")


@full_run
def check_own_sampler(here):
    """Its order is kept: the step would fail otherwise."""
    file = here.scenario("own_sampler.py", trainer=STEP, measure={"modes": ["pipeline"]})
    assert here.first(file).facts("pipeline")["samples"] > 0


@full_run
def check_own_batch_sampler(here):
    """Batches of 2 and 6 in turn are kept; batch_size cannot be swept."""
    measure = {"modes": ["pipeline"]}
    ran = here.first(
        here.scenario(
            "own_sampler.py",
            call="make_batches",
            trainer={"call": "check_batches"},
            measure=measure,
        )
    )
    assert ran.facts("pipeline")["samples"] > 0
    file = here.scenario("own_sampler.py", call="make_batches", sweep={"loader.batch_size": [4, 8]})
    ran = here.run(file)
    ran.ended(2)
    ran.says("batch_sampler")


@full_run
def check_lambda_spawn(here):
    """A lambda that spawn cannot pickle is explained; with fork it runs."""
    reason = here.first_reason(here.scenario("lambda_spawn.py"), "a lambda and spawn")
    assert all(re.search(word, reason) for word in ("lambda", "spawn", "[Pp]ickle")), reason
    file = here.scenario("lambda_spawn.py", args={"start": "fork"})
    assert here.first(file).facts()["samples"] > 0


@full_run
@sleeps
def check_forkserver_and_spawn(here):
    """Data sets of a script's own classes reach workers that import it anew."""
    sweep = {"loader.multiprocessing_context": ["forkserver", "spawn"]}
    ran = here.run(
        here.scenario(
            "sleeps.py", args={"ms": 25}, batch_size=4, num_workers=1, measure=SLOW, sweep=sweep
        )
    )
    ran.ended(0)
    for start in ("forkserver", "spawn"):
        facts = ran.facts(loader__multiprocessing_context=start)
        assert facts["external"]["start_method"] == start
    for start in ("forkserver", "spawn"):
        here.near_rate(ran.rate(loader__multiprocessing_context=start), 40)


@full_run
def check_web_dataset(here):
    """Any iterable of batches is taken as it is."""
    if subprocess.run([here.python, "-c", "import webdataset"], capture_output=True).returncode:
        raise Skipped("webdataset is not installed (scripts/python_cases installs it)")
    ran = here.first(here.scenario("web_dataset.py", dataset={**IMAGES, "format": "tar"}))
    assert (
        external(ran)["kind"] == "iterable" and ran.facts()["samples"] == 8 * ran.facts()["steps"]
    )


def configuration(here, name, *words, own=True):
    """Runs a file of configs/ with these words and this interpreter. `own`: its loader is
    in Python, too."""
    root = os.path.normpath(os.path.join(CASES, "..", "..", "..", ".."))
    os.symlink(os.path.join(root, "configs"), os.path.join(here.folder, "configs"))
    out = os.path.join(here.folder, "own")
    for key in ("loader.python", "trainer.python") if own else ("trainer.python",):
        words += ("--set", f"{key}={here.python}")
    process = here.start(os.path.join(here.folder, "configs", name), *words, "--out", out)
    process.folder_of = out
    return here.finish(process)


def settings(text):
    return [word for one in text.split(",") for word in ("--set", one)]


@full_run
def check_own_configuration(here):
    """configs/python.yaml as it stands, with fewer images in smaller batches, its pipeline alone
    and briefly."""
    short = (
        "dataset.synthesize.samples=256,measure.rounds=1,sweep=none,measure.modes=pipeline,"
        "measure.warmup=200ms,loader.batch_size=4"
    )
    ran = configuration(here, "python.yaml", *settings(short))
    ran.ended(0)
    assert ran.facts("pipeline")["samples"] > 0


@full_run
def check_own_step_with_our_loader(here):
    """configs/python.yaml --variant native: the report compares the two loaders of one step."""
    short = (
        "dataset.synthesize.samples=256,measure.rounds=1,measure.modes=pipeline,"
        "measure.warmup=0s,loader.batch_size=4,loader.num_workers=1"
    )
    ran = configuration(here, "python.yaml", "--variant", "native", "--detail", *settings(short))
    ran.ended(0)
    ran.says("Your step with our loader: [0-9.]+ samples/s with native, [0-9.]+ with your own: ")
    ran.says("all in Python", "hand-over", "channels last in memory")


@full_run
def check_own_step_with_another_shape(here):
    """Our crops are of another size than those of the user's own DataLoader: said, and no step is
    taken with them."""
    trainer = {"call": "train_step", "setup": "setup"}
    file = here.scenario(
        "image_folder.py",
        trainer=trainer,
        dataset=IMAGES,
        measure={"modes": ["pipeline"], "warmup": "0s"},
        sweep={"loader": [{"use": "native", "transform": {"random_resized_crop": 48}}]},
    )
    ran = here.run(file, "--detail")
    ran.says(
        r"member 0 is float32 \[N, 3, 32, 32\] in yours, uint8 \[N, 3, 48, 48\] in this one",
        "normalize_on: worker makes float32",
    )


@full_run
def check_decoder_of_libtorch(here):
    """configs/decoders.yaml --variant pixels_libtorch: as the others, which make uint8."""
    short = "dataset.synthesize.samples=16,dataset.synthesize.classes=16,measure.warmup=0s"
    ran = configuration(
        here, "decoders.yaml", "--variant", "pixels_libtorch", *settings(short), own=False
    )
    if "needs libtorch" not in ran.text:
        assert ran.facts("pipeline")["samples"] >= 16, ran.text


@full_run
def check_decoders(here):
    """configs/decoders.yaml --variant pixels, of a few images: no decoder's are more than two
    levels from Pillow's, and a package that is not installed costs its own point."""
    short = (
        "dataset.synthesize.samples=16,dataset.synthesize.classes=16,loader.batch_size=1,"
        "measure.warmup=0s"
    )
    ran = configuration(here, "decoders.yaml", "--variant", "pixels", *settings(short))
    assert "FAILED" not in ran.text, ran.text
    compared = {name: ran.facts("pipeline", **of)["samples"] for name, of in decoders(here, ran)}
    assert {"pillow", "torchvision", "native"} <= set(compared), compared
    assert all(samples >= 16 for samples in compared.values()), compared


def decoders(here, ran):
    """[(name, its settings)] of those that can run here; the others are SKIPPED by name."""
    found = [("native", {"loader__use": "native"})]
    for name, package in (
        ("pillow", "PIL"),
        ("opencv", "cv2"),
        ("torchvision", "torchvision"),
        ("simplejpeg", "simplejpeg"),
    ):
        asked = subprocess.run([here.python, "-c", f"import {package}"], capture_output=True)
        if asked.returncode:
            ran.says(f"needs {package}, which")
        else:
            found.append((name, {"loader__call": name}))
    return found


def check_cpus(here):
    """run.cpus holds the process of the user's code and its workers, and their record says so."""
    for workers in (0, 2):
        file = here.scenario(
            "burns.py", call="make_held", args={"cpus": 1}, batch_size=4, num_workers=workers
        )
        ran = here.first(file, "--set", "run.cpus=1")
        assert ran.facts()["cores_available"] == 1, ran.facts()
