"""The samples that go to and fro, our program, and tar files as the one format that python itself
can read and write."""

import io
import os
import random
import subprocess
import tarfile


def some_samples():
    """[(name, label, bytes)]: encoded images as far as a format can tell, of sizes around its
    blocks; one is empty."""
    dice = random.Random(7)
    sizes = [1, 500, 511, 512, 4000, 4096, 70_001, 300_000, 3, 12, 2048, 40_000]
    return [
        (f"n{(i * 7) % 4:04}/{i:06}.jpg", (i * 7) % 4, b"\xff\xd8\xff" + dice.randbytes(size))
        for i, size in enumerate(sizes)
    ]


def write_tar(path, samples):
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name, label, data in samples:
            for member, content in ((name, data), (name[:-4] + ".cls", str(label).encode())):
                info = tarfile.TarInfo(member)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))


def read_tar(path):
    members = {}
    with tarfile.open(path) as tar:
        for info in tar:
            members[info.name] = tar.extractfile(info).read()
    return [(n, int(members[n[:-4] + ".cls"]), members[n]) for n in members if n.endswith(".jpg")]


class Place:
    """A folder of the test's own, and our program working in it."""

    def __init__(self, folder, program):
        self.folder = folder
        self.program = program
        self.samples = some_samples()

    def at(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words):
        return subprocess.run(
            [self.program, *words],
            env=dict(os.environ, BENCHBENCH_CACHE=self.at("cache")),
            capture_output=True,
            text=True,
            timeout=300,
        )

    def convert(self, source, target, *options):
        done = self.run("data", source, "--to", target, *options)
        assert done.returncode == 0, (
            f"data {source} --to {target}: {done.returncode}\n{done.stderr}"
        )

    def ours(self, target):
        """Our samples in another format: FORMAT=NAME in the folder."""
        if not os.path.exists(self.at("samples.tar")):
            write_tar(self.at("samples.tar"), self.samples)
        format_name, name = target.split("=")
        self.convert(self.at("samples.tar"), f"{format_name}={self.at(name)}")
        return self.at(name)

    def read_by_us(self, source, *options):
        """What our reader makes of `source`: [(name, label, bytes)]."""
        made = self.at(os.path.basename(source) + ".read.tar")
        self.convert(source, made, *options)
        return read_tar(made)

    def refused(self, source, *options):
        """What our program says of a source that it must not read, as one line."""
        done = self.run("data", source, "--to", self.at("refused.tar"), *options)
        assert done.returncode != 0, f"{done.returncode}: {done.stderr}"
        return " ".join(done.stderr.split())

    def same(self, found, names=True):
        """That `found` holds the samples, in order."""
        assert len(found) == len(self.samples), (
            f"{len(found)} samples instead of {len(self.samples)}"
        )
        for (name, label, data), want in zip(found, self.samples):
            assert not names or name == want[0], f"{name} instead of {want[0]}"
            assert label == want[1], f"{want[0]}: label {label} instead of {want[1]}"
            assert data == want[2], f"{want[0]}: other bytes"
