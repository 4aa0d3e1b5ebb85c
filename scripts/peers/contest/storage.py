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

from contest.contestant import Failed, Slice
from contest.ours import bytes_on_disk, data_files, why

PATTERNS = {
    "shards": ("tar", "sequential"),
    "random": ("hdf5", "random"),
    "files": ("image_folder", "random"),
}
# No decoding, and rows so small that copying them is nothing: what is left is reading.
LITTLE_WORK = (
    "dataset.cache=cold",
    "loader.payload=ready",
    "loader.transform.random_resized_crop=16",
)
MOST_SECONDS = 2


def our_changes(pattern, workers, more):
    form, access = PATTERNS[pattern]
    return [
        f"dataset.format={form}",
        f"loader.access={access}",
        f"loader.num_workers={workers}",
        *LITTLE_WORK,
        *more,
    ]


def as_bytes(slice, path, samples):
    """The slice in bytes read from disk in place of samples."""
    return Slice(slice.samples * bytes_on_disk(path) / samples, slice.seconds, slice.cpu_seconds)


def evict(paths):
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fdatasync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def warm(folders):
    """Every file in them is read once, from end to end. How many there were."""
    files = [
        os.path.join(at, name)
        for folder in folders
        for at, _, names in os.walk(folder)
        for name in names
    ]
    for path in files:
        with open(path, "rb", buffering=0) as file:
            while file.read(1 << 22):
                pass
    return len(files)


class Fio:
    """Passes over the files, evicted before each, until `seconds` of reading have come together."""

    def __init__(self, pattern, path, samples, workers, options):
        self.arguments = {
            "shards": self.shards,
            "random": self.random_in_one,
            "files": self.one_file_each,
        }[pattern]
        self.paths, self.workers, self.options = data_files(path), workers, options
        self.sample_bytes = bytes_on_disk(path) // samples
        self.generator = random.Random(1)

    def measure(self, seconds):
        count, spent = 0, 0.0
        while spent < min(seconds, MOST_SECONDS):
            evict(self.paths)
            with tempfile.TemporaryDirectory() as folder:
                read, took = run_fio(
                    self.arguments(folder) + [f"--{option}" for option in self.options]
                )
            count, spent = count + read, spent + took
        return Slice(count, spent)

    def shards(self, folder):
        """Each thread its own part of the shards, with few shards its own part of each."""
        part = f"{100 // self.workers}%"
        return [
            *job("shards"),
            "--rw=read",
            "--bs=4M",
            f"--filename={':'.join(self.paths)}",
            f"--numjobs={self.workers}",
            "--file_service_type=sequential",
            f"--size={part}",
            f"--offset_increment={part}",
        ]

    def random_in_one(self, folder):
        """As many reads as the file has samples. Each thread stays in its own part: in one that is
        shared they would read pages again that another has read, from memory."""
        part = f"{100 // self.workers}%"
        return [
            *job("random"),
            "--rw=randread",
            f"--bs={self.sample_bytes}",
            f"--filename={self.paths[0]}",
            f"--numjobs={self.workers}",
            f"--size={part}",
            f"--offset_increment={part}",
        ]

    def one_file_each(self, folder):
        """A log of what to open, read and close for each thread, which fio replays as fast as it
        can."""
        order = self.generator.sample(self.paths, len(self.paths))
        arguments = []
        for worker in range(self.workers):
            log = os.path.join(folder, str(worker))
            mine = order[worker :: self.workers]
            with open(log, "w") as file:
                file.write("fio version 2 iolog\n" + "".join(f"{path} add\n" for path in mine))
                file.writelines(
                    f"{path} open\n{path} read 0 {os.path.getsize(path)}\n{path} close\n"
                    for path in mine
                )
            arguments += [*job("files"), f"--read_iolog={log}"]
        return arguments


def job(name):
    return [
        f"--name={name}",
        "--ioengine=psync",
        "--thread=1",
        "--invalidate=0",
        "--group_reporting=1",
    ]


def run_fio(arguments):
    """(bytes read, seconds)."""
    try:
        done = subprocess.run(
            ["fio", "--output-format=json", f"--runtime={MOST_SECONDS}", *arguments],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise Failed("fio is not installed") from None
    if done.returncode or "{" not in done.stdout:
        raise Failed(f"fio: {why(done)}")
    read = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]["read"]
    if not read["runtime"]:
        raise Failed("fio read for less than a millisecond: more --storage-images are needed")
    return read["io_bytes"], read["runtime"] * 1e-3
