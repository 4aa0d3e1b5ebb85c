"""The contests, and the lines that each gives."""

import json
import os
import tempfile
from dataclasses import dataclass

from contest.contestant import Absent, Command, Process
from contest.ours import Program
from contest.rounds import run_rounds
from contest.rows import best_row, row
from contest.storage import PATTERNS, Fio, as_bytes, our_changes, warm

# Peer: (its file, groups of requirements.txt that it needs, Debian packages that it cannot do
# without).
PEERS = {
    "torchvision-float32": ("peer_torchvision_float32.py", ("torch",), ()),
    "torchvision-uint8": ("peer_torchvision_uint8.py", ("torch",), ()),
    "torchvision-io": ("peer_torchvision_io.py", ("torch",), ()),
    "simplejpeg": ("peer_simplejpeg.py", ("torch", "simplejpeg"), ()),
    "dali": ("peer_dali.py", ("dali",), ()),
    "ffcv": (
        "peer_ffcv.py",
        ("torch", "simplejpeg", "ffcv"),
        ("libopencv-dev", "libturbojpeg0-dev"),
    ),
    "webdataset": ("peer_webdataset.py", ("torch", "webdataset"), ()),
    "spdl": ("peer_spdl.py", ("spdl",), ("libavdevice59",)),
    "streaming": ("peer_streaming.py", ("torch", "streaming"), ()),
}
CUSTOMARY = "torchvision-float32"
NULL = {
    "null-batches": ("peer_null_batches.py", ("torch",), ()),
    "null-tensors": ("peer_null_tensors.py", ("torch",), ()),
}
NULL_WORDS = {
    "null-batches": "Python DataLoader, None",
    "null-tensors": "Python DataLoader, one number",
}
FIO = tuple(f"fio-{pattern}" for pattern in PATTERNS)
ALL = (*PEERS, *NULL, *FIO)
HAND_OVER_PREFETCH = (2, 16)
IMAGE_GOAL, CPU_GOAL, HAND_OVER_GOAL = 1.15, 2.0, 500.0
GOAL_WORKERS = 2  # where the image goals hold
STORAGE_GOALS = {"shards": 0.97, "random": 0.98, "files": 1.0}
STORAGE_WORDS = {
    "shards": "shards cold",
    "random": "random in one file cold",
    "files": "one file per sample cold",
}
LEAD_SECONDS = 0.4


def plural(workers):
    return f"{workers} worker{'s' if workers != 1 else ''}"


@dataclass
class Settings:
    rounds: int
    seconds: float
    images: int
    storage_images: int
    workers: list
    batch_size: int
    prefetch: int
    crop: int
    only: list
    our_sets: list
    storage_sets: list
    fio_options: list
    work: str
    seed: int = 1


@dataclass
class Stage:
    """Where everything runs: our program and, by peer, either the python that runs it or why there
    is none."""

    settings: Settings
    program: Program
    python: str
    folder: str  # of the peers' files
    absent: dict  # by peer, the reason

    def peer(self, name, file, changes):
        """As a contestant; the settings are `changes` on top of the common ones."""
        if name in self.absent:
            return Absent(name, self.absent[name])
        s = self.settings
        told = {
            "work": s.work,
            "batch_size": s.batch_size,
            "prefetch": s.prefetch,
            "crop": s.crop,
            **changes,
        }
        return Process(
            name, [self.python, os.path.join(self.folder, file), json.dumps(told)], LEAD_SECONDS
        )


def image_contest(stage, workers, tell):
    """JPEG files, warm, to uint8 batches: ours, and every peer that was asked for."""
    s = stage.settings
    with tempfile.TemporaryDirectory() as folder:
        scenario = stage.program.write_scenario(
            folder, samples=s.images, batch_size=s.batch_size, prefetch=s.prefetch, crop=s.crop
        )
        images = stage.program.make_data(scenario, "image_folder", [])
        # Other pictures, other conversions.
        work = os.path.join(s.work, os.path.basename(os.path.dirname(images)))
        changes = [f"loader.num_workers={workers}", "dataset.cache=warm", *s.our_sets]
        contestants = [
            Command("ours", lambda seconds: stage.program.measure(scenario, changes, seconds))
        ]
        contestants += [
            stage.peer(name, file, {"folder": images, "work": work, "workers": workers})
            for name, (file, _, _) in PEERS.items()
            if name in s.only
        ]
        # What the peers converted long ago is as warm as the pictures that ours are sure to be.
        results = run_rounds(
            contestants,
            s.rounds,
            s.seconds,
            s.seed + workers,
            tell,
            before_rounds=lambda: warm([images, work]),
        )
    return results


def image_rows(results, workers):
    goal = IMAGE_GOAL if workers == GOAL_WORKERS else None
    what = f"JPEG to batch, {plural(workers)}"
    ours = results["ours"]
    peers = [result for name, result in results.items() if name != "ours"]
    rows = [row(f"{what}: {peer.name}", "/s", ours, peer, goal) for peer in peers]
    rows.append(best_row(what, "/s", ours, peers, goal, PEERS))
    if CUSTOMARY in results:
        rows.append(
            row(
                f"per CPU second, {plural(workers)}: {CUSTOMARY}",
                "/CPU s",
                ours,
                results[CUSTOMARY],
                CPU_GOAL,
                value=lambda slice: slice.per_cpu_second,
            )
        )
    return rows


def hand_over_contest(stage, workers, prefetch, tell):
    s = stage.settings
    changes = {"workers": workers, "prefetch": prefetch, "batch_size": 1}
    ours = Command("ours", lambda seconds: stage.program.hand_over(workers, prefetch, seconds / 4))
    peers = [
        stage.peer(name, file, changes) for name, (file, _, _) in NULL.items() if name in s.only
    ]
    return run_rounds([ours, *peers], s.rounds, s.seconds, s.seed, tell)


def hand_over_rows(results, workers, prefetch):
    what = f"null batch, {plural(workers)}, prefetch {prefetch}"
    return [
        row(
            f"{what}: {NULL_WORDS[name]}",
            "us",
            results["ours"],
            peer,
            HAND_OVER_GOAL,
            better="less",
            value=lambda slice: 1e6 / slice.rate,
        )
        for name, peer in results.items()
        if name != "ours"
    ]


def storage_contest(stage, pattern, tell):
    """Ours and fio, alternating; no process of a peer is alive meanwhile."""
    s = stage.settings
    workers = max(s.workers)
    with tempfile.TemporaryDirectory() as folder:
        scenario = stage.program.write_scenario(
            folder,
            samples=s.storage_images,
            batch_size=s.batch_size,
            prefetch=s.prefetch,
            crop=s.crop,
        )
        changes = our_changes(pattern, workers, s.storage_sets)
        path = stage.program.make_data(scenario, PATTERNS[pattern][0], [])

        def ours(seconds):
            return as_bytes(
                stage.program.measure(scenario, changes, seconds), path, s.storage_images
            )

        fio = Fio(pattern, path, s.storage_images, workers, s.fio_options)
        return run_rounds(
            [Command("ours", ours), Command("fio", fio.measure)], s.rounds, s.seconds, s.seed, tell
        )


def storage_row(results, pattern):
    return row(
        f"{STORAGE_WORDS[pattern]}: fio",
        "MB/s",
        results["ours"],
        results["fio"],
        STORAGE_GOALS[pattern],
        value=lambda slice: slice.rate / 1e6,
    )
