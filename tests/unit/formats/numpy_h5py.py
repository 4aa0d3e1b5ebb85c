"""write FOLDER: files as numpy and h5py make them. read FOLDER: ours, their elements into
FOLDER/*.bin."""

import pathlib
import sys

import h5py
import numpy

folder = pathlib.Path(sys.argv[2])


def samples():
    return numpy.random.default_rng(3).integers(-2000, 2000, (12, 4, 5, 6)).astype("<i2")


def write():
    data = samples()
    data.tofile(folder / "expected.bin")
    labels = numpy.arange(12) % 3
    for name, save in (
        ("npy", numpy.save),
        ("npz", numpy.savez),
        ("npz_small", numpy.savez_compressed),
    ):
        for i, one in enumerate(data):
            place = folder / name / f"{i:02}"
            place.parent.mkdir(exist_ok=True)
            save(place, one)
    numpy.save(folder / "all.npy", data)
    numpy.save(folder / "all.labels.npy", labels)
    settings = {
        "plain": {},
        "chunked": {"chunks": (1, 4, 5, 6)},
        "gzip": {"chunks": (1, 4, 5, 6), "compression": "gzip"},
        "gzip_shuffle": {"chunks": (1, 4, 5, 6), "compression": "gzip", "shuffle": True},
        "several": {"chunks": (5, 4, 5, 6), "compression": "gzip"},
        "split": {"chunks": (2, 3, 2, 4), "compression": "gzip", "shuffle": True},
        "checked": {"chunks": (1, 4, 5, 6), "fletcher32": True},
        "guessed": {"chunks": True, "compression": "gzip"},
    }
    for version, libver in (("earliest", "earliest"), ("v110", ("v110", "v110"))):
        for name, how in settings.items():
            with h5py.File(folder / f"{name}_{version}.h5", "w", libver=libver) as file:
                file.create_dataset("data", data=data, **how)
                file.create_dataset("labels", data=labels)
    with h5py.File(folder / "growing.h5", "w") as file:
        grown = file.create_dataset(
            "data", data=data, chunks=(1, 4, 5, 6), maxshape=(None, 4, 5, 6), compression=9
        )
        grown.resize(12, axis=0)


def read():
    for layout in ("contiguous", "chunked", "gzip"):
        with h5py.File(folder / f"ours_{layout}.h5") as file:
            file["data"][...].tofile(folder / f"ours_{layout}.bin")
            assert list(file["labels"]) == [i % 3 for i in range(12)]
            assert file["names"].asstr()[4] == "c1/04.npy"
    arrays = [
        numpy.load(path)
        for path in sorted((folder / "ours_npy").rglob("*.npy"), key=lambda p: p.name)
    ]
    numpy.stack(arrays).tofile(folder / "ours_npy.bin")
    for ours in ("ours_npz", "ours_npz_small"):
        arrays = [
            numpy.load(path)["data"]
            for path in sorted((folder / ours).rglob("*.npz"), key=lambda p: p.name)
        ]
        numpy.stack(arrays).tofile(folder / f"{ours}.bin")
    numpy.load(folder / "ours_one.npy", mmap_mode="r").tofile(folder / "ours_one.bin")
    assert list(numpy.load(folder / "ours_one.labels.npy")) == [i % 3 for i in range(12)]


{"write": write, "read": read}[sys.argv[1]]()
