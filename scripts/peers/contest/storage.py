"""Cold reads: ours beside fio's on the same files, in the same pattern, with as many threads.

    shards   our tar shards          fio rw=read bs=4M of the same shards, each thread its own part
    random   our one HDF5 file       fio rw=randread bs=<mean sample> in the file, each thread its
                                     own part
    files    our one file a sample   fio opens, reads and closes the same files in random order (a
                                     replay)
What a slice counts is bytes as they lie on disk: samples delivered times the mean bytes a sample
takes of the files."""

import json
import os
import random
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from contest.contestant import Failed, Slice
from contest.ours import bytes_on_disk, data_files, why


class Pattern(NamedTuple):
    form: str
    access: str
    title: str
    goal: float


PATTERNS = {
    "shards": Pattern("tar", "sequential", "shards cold", 0.97),
    "random": Pattern("hdf5", "random", "random in one file cold", 0.98),
    "files": Pattern("image_folder", "random", "one file per sample cold", 1.0),
}
# No decoding, and rows so small that copying them is nothing: what is left is reading.
LITTLE_WORK = (
    "dataset.cache=cold",
    "loader.payload=ready",
    "loader.transform.random_resized_crop=16",
)
MOST_SECONDS = 2


def our_changes(pattern, workers, more):
    form, access, *_ = PATTERNS[pattern]
    own = (f"dataset.format={form}", f"loader.access={access}", f"loader.num_workers={workers}")
    return [*own, *LITTLE_WORK, *more]


def as_bytes(slice, path, samples):
    """Returns the slice in bytes read from disk in place of samples."""
    return replace(slice, samples=slice.samples * bytes_on_disk(path) / samples)


def evict(paths):
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fdatasync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def warm(folders):
    """Reads every file in them once, from end to end. Returns how many there were."""
    files = [path for folder in folders for path in Path(folder).rglob("*") if path.is_file()]
    for path in files:
        with open(path, "rb", buffering=0) as file:
            while file.read(1 << 22):
                pass
    return len(files)


class Fio:
    """Passes over the files, evicted before each, until `seconds` of reading have come together."""

    def __init__(self, pattern, path, samples, workers, options):
        self.pattern, self.paths, self.workers = pattern, data_files(path), workers
        self.options = [f"--{option}" for option in options]
        self.sample_bytes = bytes_on_disk(path) // samples
        self.generator = random.Random(1)

    def measure(self, seconds):
        count, spent = 0, 0.0
        while spent < min(seconds, MOST_SECONDS):
            evict(self.paths)
            with tempfile.TemporaryDirectory() as folder:
                read, took = run_fio(self.arguments(folder) + self.options)
            count, spent = count + read, spent + took
        return Slice(count, spent)

    def arguments(self, folder):
        if self.pattern == "files":
            return self.one_file_each(folder)
        return self.shards() if self.pattern == "shards" else self.random_in_one()

    def shards(self):
        """Each thread its own part of the shards, with few shards its own part of each."""
        what = ("--rw=read", "--bs=4M", f"--filename={':'.join(self.paths)}")
        return [*job("shards"), *what, "--file_service_type=sequential", *self.own_part()]

    def random_in_one(self):
        """As many reads as the file has samples. Each thread stays in its own part: in one that is
        shared they would read pages again that another has read, from memory."""
        what = ("--rw=randread", f"--bs={self.sample_bytes}", f"--filename={self.paths[0]}")
        return [*job("random"), *what, *self.own_part()]

    def own_part(self):
        part = f"{100 // self.workers}%"
        return (f"--numjobs={self.workers}", f"--size={part}", f"--offset_increment={part}")

    def one_file_each(self, folder):
        """A log of what to open, read and close for each thread, which fio replays as fast as it
        can."""
        order = self.generator.sample(self.paths, len(self.paths))
        arguments = []
        for worker in range(self.workers):
            log, mine = Path(folder, str(worker)), order[worker :: self.workers]
            lines = ["fio version 2 iolog", *(f"{path} add" for path in mine)]
            for path in mine:
                read = f"{path} read 0 {os.path.getsize(path)}"
                lines += [f"{path} open", read, f"{path} close"]
            log.write_text("\n".join(lines) + "\n")
            arguments += [*job("files"), f"--read_iolog={log}"]
        return arguments


def job(name):
    same = ("--ioengine=psync", "--thread=1", "--invalidate=0", "--group_reporting=1")
    return (f"--name={name}", *same)


def run_fio(arguments):
    """Returns (bytes read, seconds)."""
    command = ["fio", "--output-format=json", f"--runtime={MOST_SECONDS}", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise Failed("fio is not installed") from None
    if done.returncode or "{" not in done.stdout:
        raise Failed(f"fio: {why(done)}")
    read = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]["read"]
    if not read["runtime"]:
        raise Failed("fio read for less than a millisecond: more --storage-images are needed")
    return read["io_bytes"], read["runtime"] * 1e-3
