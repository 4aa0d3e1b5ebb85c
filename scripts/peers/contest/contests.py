"""The contests, and the lines that each gives."""

import json
import os
import tempfile
from argparse import Namespace
from dataclasses import dataclass
from typing import NamedTuple

from contest import rows, storage
from contest.contestant import Absent, Command, Process
from contest.ours import Program, write_scenario
from contest.rounds import run_rounds


class Peer(NamedTuple):
    """The groups of requirements.txt that it needs, and the Debian packages that it cannot do
    without."""

    groups: tuple
    packages: tuple = ()


PEERS = {
    "torchvision-float32": Peer(("torch",)),
    "torchvision-uint8": Peer(("torch",)),
    "torchvision-io": Peer(("torch",)),
    "simplejpeg": Peer(("torch", "simplejpeg")),
    "dali": Peer(("dali",)),
    "ffcv": Peer(("torch", "simplejpeg", "ffcv"), ("libopencv-dev", "libturbojpeg0-dev")),
    "webdataset": Peer(("torch", "webdataset")),
    "spdl": Peer(("spdl",), ("libavdevice59",)),
    "streaming": Peer(("torch", "streaming")),
}
CUSTOMARY = "torchvision-float32"
NULL = {
    "null-batches": Peer(("torch",)),
    "null-tensors": Peer(("torch",)),
}
NULL_WORDS = {
    "null-batches": "Python DataLoader, None",
    "null-tensors": "Python DataLoader, one number",
}
FIO = tuple(f"fio-{pattern}" for pattern in storage.PATTERNS)
ALL = (*PEERS, *NULL, *FIO)
HAND_OVER_PREFETCH = (2, 16)
IMAGE_GOAL, CPU_GOAL, HAND_OVER_GOAL = 1.15, 2.0, 500.0
GOAL_WORKERS = 2  # where the image goals hold
LEAD_SECONDS = 0.4
SEED = 1


def file_of(name):
    return f"peer_{name.replace('-', '_')}.py"


def plural(workers):
    return f"{workers} worker{'s' if workers != 1 else ''}"


@dataclass
class Stage:
    """Where everything runs: our program and, by peer, either the python that runs it or why there
    is none. `settings`: the options of scripts/compare_peers."""

    settings: Namespace
    program: Program
    python: str
    folder: str  # of the peers' files
    work: str  # of what they convert
    absent: dict  # by peer, the reason

    def peers(self, those, **changes):
        """Returns as contestants those that were asked for; the settings are `changes` on top of
        the common ones."""
        s = self.settings
        told = {name: getattr(s, name) for name in ("batch_size", "prefetch", "crop")}
        words = json.dumps({"work": self.work, **told, **changes})
        for name in those:
            if name in self.absent:
                yield Absent(name, self.absent[name])
            elif name in s.only:
                command = [self.python, os.path.join(self.folder, file_of(name)), words]
                yield Process(name, command, LEAD_SECONDS)

    def run(self, contestants, tell, seed=SEED, **more):
        return run_rounds(
            contestants, self.settings.rounds, self.settings.seconds, seed, tell, **more
        )


def image_contest(stage, workers, tell):
    """JPEG files, warm, to uint8 batches: ours, and every peer that was asked for."""
    s = stage.settings
    with tempfile.TemporaryDirectory() as folder:
        scenario = write_scenario(folder, s.images, s)
        images = stage.program.make_data(scenario, "image_folder")
        # Other pictures, other conversions.
        work = os.path.join(stage.work, os.path.basename(os.path.dirname(images)))
        changes = [f"loader.num_workers={workers}", "dataset.cache=warm", *s.set]
        ours = Command("ours", lambda seconds: stage.program.measure(scenario, changes, seconds))
        peers = stage.peers(PEERS, folder=images, work=work, workers=workers)
        # What the peers converted long ago is as warm as the pictures that ours are sure to be.
        warm = lambda: storage.warm([images, work])  # noqa: E731
        return stage.run([ours, *peers], tell, SEED + workers, before_rounds=warm)


def image_rows(results, workers):
    goal = IMAGE_GOAL if workers == GOAL_WORKERS else None
    what = f"JPEG to batch, {plural(workers)}"
    ours = results["ours"]
    peers = [result for name, result in results.items() if name != "ours"]
    found = [rows.row(f"{what}: {peer.name}", "/s", ours, peer, goal) for peer in peers]
    found.append(rows.best_row(what, "/s", ours, peers, goal, PEERS))
    if CUSTOMARY in results:
        what = f"per CPU second, {plural(workers)}: {CUSTOMARY}"
        value = lambda slice: slice.per_cpu_second  # noqa: E731
        found.append(rows.row(what, "/CPU s", ours, results[CUSTOMARY], CPU_GOAL, value=value))
    return found


def hand_over_contest(stage, workers, prefetch, tell):
    measure = lambda seconds: stage.program.hand_over(workers, prefetch, seconds / 4)  # noqa: E731
    peers = stage.peers(NULL, workers=workers, prefetch=prefetch, batch_size=1)
    return stage.run([Command("ours", measure), *peers], tell)


def hand_over_rows(results, workers, prefetch):
    what = f"null batch, {plural(workers)}, prefetch {prefetch}"
    how = {"better": "less", "value": lambda slice: 1e6 / slice.rate}
    return [
        rows.row(f"{what}: {words}", "us", results["ours"], results[name], HAND_OVER_GOAL, **how)
        for name, words in NULL_WORDS.items()
        if name in results
    ]


def storage_contest(stage, pattern, tell):
    """Ours and fio, alternating; no process of a peer is alive meanwhile."""
    s = stage.settings
    workers, count = max(s.workers), s.storage_images
    changes = storage.our_changes(pattern, workers, s.storage_set)
    with tempfile.TemporaryDirectory() as folder:
        scenario = write_scenario(folder, count, s)
        path = stage.program.make_data(scenario, storage.PATTERNS[pattern].form)

        def ours(seconds):
            return storage.as_bytes(stage.program.measure(scenario, changes, seconds), path, count)

        fio = storage.Fio(pattern, path, count, workers, s.fio)
        return stage.run([Command("ours", ours), Command("fio", fio.measure)], tell)


def storage_rows(results, pattern):
    kind = storage.PATTERNS[pattern]
    how = {"goal": kind.goal, "value": lambda slice: slice.rate / 1e6}
    return [rows.row(f"{kind.title}: fio", "MB/s", results["ours"], results["fio"], **how)]
