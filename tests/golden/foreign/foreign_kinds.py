"""Files as people have them, made by the libraries that they use: 37 kinds that we read, and 5 that
we refuse with a reason.

Of each kind that we read every sample's bytes and label are compared, and what `verify` says of
labels and of what was not read."""

import io
import os
import pickle
import tarfile

import foreign_lmdb
import foreign_mds
import foreign_pyarrow
import h5py
import numpy
import pyarrow
import pyarrow.parquet as parquet
import tfrecord
from PIL import Image

why_not = foreign_pyarrow.why_not

SAMPLES = 12
CLASSES = 4
NO_LABELS = "1: no labels were found, all samples have label 0"
SCENARIO = """\
name: kinds
dataset: {{path: {path}{columns}}}
loader:
  use: native
  num_workers: 1
  batch_size: 4
  transform: {{random_resized_crop: 16}}
trainer: {{use: discard}}
"""


def pixels(i):
    """[24, 32, 3]: a slope, another one for each i."""
    y, x = numpy.mgrid[0:24, 0:32]
    return numpy.stack(
        [(x * 7 + i * 11) % 256, (y * 9 + i) % 256, (x + y + i * 5) % 256], 2
    ).astype("u1")


def encoded(i, kind="JPEG"):
    file = io.BytesIO()
    Image.fromarray(pixels(i)).save(file, kind)
    return file.getvalue()


def images(kind="JPEG"):
    return [encoded(i, kind) for i in range(SAMPLES)]


# Classes one behind the other, so that folders sorted by name keep the order.
LABELS = [i * CLASSES // SAMPLES for i in range(SAMPLES)]


class Read:
    """What must come out of a file: its samples in order."""

    def __init__(self, samples, labels=None, columns="", says=(), arrays=False, source="data"):
        self.samples, self.labels = samples, labels
        self.columns, self.says, self.arrays, self.source = columns, says, arrays, source


class Refused:
    def __init__(self, says, columns=""):
        self.says, self.columns = says, columns


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def put_tar(path, members):
    with tarfile.open(path, "w") as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def digits(i):
    return str(i).encode()


# Each function makes a file or a folder at `path`, and returns what is to come out of it.


def folder_of_jpeg(path):
    for i, data in enumerate(images()):
        put(f"{path}/class{LABELS[i]}/{i:03}.jpg", data)
    return Read(images(), LABELS)


def folder_of_png(path):
    for i, data in enumerate(images("PNG")):
        put(f"{path}/class{LABELS[i]}/{i:03}.png", data)
    return Read(images("PNG"), LABELS)


def folder_of_both(path):
    both = [encoded(i, "PNG" if i % 2 else "JPEG") for i in range(SAMPLES)]
    for i, data in enumerate(both):
        put(f"{path}/class{LABELS[i]}/{i:03}.{'png' if i % 2 else 'JPEG'}", data)
    return Read(both, LABELS)


def folder_without_classes(path):
    for i, data in enumerate(images()):
        put(f"{path}/{i:03}.jpg", data)
    return Read(images())


def folder_half_webp(path):
    for i, data in enumerate(images()):
        put(f"{path}/class{LABELS[i]}/{i:03}.jpg", data)
        put(f"{path}/class{LABELS[i]}/{i:03}.webp", encoded(i, "WEBP"))
    files = f"passed over {SAMPLES} files that are not an image"
    return Read(images(), LABELS, says=[f"{files}: {SAMPLES} .webp\n", f"readable, but {files}\n"])


def tar_webdataset(path):
    members = []
    for i, data in enumerate(images()):
        members += [(f"{i:05}.jpg", data), (f"{i:05}.cls", digits(LABELS[i]))]
    put_tar(path + ".tar", members)
    return Read(images(), LABELS, source="data.tar")


def tar_of_png(path):
    members = []
    for i, data in enumerate(images("PNG")):
        members += [(f"{i:05}.cls", digits(LABELS[i])), (f"{i:05}.png", data)]
    put_tar(path + ".tar", members)
    return Read(images("PNG"), LABELS, source="data.tar")


def tar_with_masks(path):
    members = []
    for i, data in enumerate(images()):
        members += [(f"{i:05}.jpg", data), (f"{i:05}.seg.png", encoded(i, "PNG"))]
        members += [(f"{i:05}.cls", digits(LABELS[i])), (f"{i:05}.json", b"{}")]
    put_tar(path + ".tar", members)
    says = [f"passed over {SAMPLES} files that are not an image: {SAMPLES} .json\n"]
    says += [f"passed over {SAMPLES} PNG images whose key has another image\n"]
    return Read(images(), LABELS, says=says, source="data.tar")


def tar_with_masks_of_png(path):
    members = []
    for i, data in enumerate(images("PNG")):
        members += [(f"{i:05}.png", data), (f"{i:05}.seg.png", encoded(i, "PNG"))]
        members += [(f"{i:05}.cls", digits(LABELS[i]))]
    put_tar(path + ".tar", members)
    says = [f"passed over {SAMPLES} PNG images whose key has another image\n"]
    return Read(images("PNG"), LABELS, says=says, source="data.tar")


def tar_of_class_folders(path):
    put_tar(path + ".tar", [(f"c{LABELS[i]}/{i}.jpg", d) for i, d in enumerate(images())])
    return Read(images(), LABELS, source="data.tar")


def tar_shards_with_statistics(path):
    for shard in range(2):
        members = []
        for i in range(shard * 6, shard * 6 + 6):
            members += [(f"{i:05}.jpg", encoded(i)), (f"{i:05}.cls", digits(LABELS[i]))]
        os.makedirs(path, exist_ok=True)
        put_tar(f"{path}/{shard:05}.tar", members)
        put(f"{path}/{shard:05}_stats.json", b"{}")
    return Read(images(), LABELS, says=["passed over 2 files that are not a .tar file: 2 .json\n"])


def write_table(path, columns, **options):
    parquet.write_table(pyarrow.table(columns), path, row_group_size=5, **options)


def parquet_plain(path):
    write_table(path + ".parquet", {"image": images(), "label": LABELS})
    return Read(images(), LABELS, source="data.parquet")


def parquet_hugging_face(path):
    names = pyarrow.array([None] * SAMPLES, pyarrow.string())
    image = pyarrow.StructArray.from_arrays([pyarrow.array(images()), names], ["bytes", "path"])
    write_table(path + ".parquet", {"image": image, "label": LABELS}, compression="snappy")
    return Read(images(), LABELS, source="data.parquet")


def parquet_named_columns(path):
    kinds = pyarrow.array(LABELS, pyarrow.int16())
    write_table(path + ".parquet", {"id": LABELS, "img_bytes": images(), "kind": kinds})
    return Read(images(), LABELS, "image: img_bytes, label: kind", source="data.parquet")


def parquet_without_labels(path):
    os.makedirs(path)
    write_table(path + "/train-00000-of-00001.parquet", {"image": images("PNG")})
    put(path + "/README.md", b"# a card")
    return Read(images("PNG"), says=["passed over 1 file that is not a .parquet file: 1 .md\n"])


def write_records(path, data, image, label):
    writer = tfrecord.TFRecordWriter(path)
    for i, one in enumerate(data):
        features = {image: (one, "byte"), "height": (24, "int")}
        if label:
            features[label] = (LABELS[i], "int")
        writer.write(features)
    writer.close()


def tfrecord_imagenet(path):
    write_records(path + ".tfrecord", images(), "image/encoded", "image/class/label")
    return Read(images(), LABELS, source="data.tfrecord")


def tfrecord_named_features(path):
    write_records(path + ".tfrecord", images(), "img_bytes", "kind")
    return Read(images(), LABELS, "image: img_bytes, label: kind", source="data.tfrecord")


def tfrecord_of_png(path):
    write_records(path + ".tfrec", images("PNG"), "image", "label")
    return Read(images("PNG"), LABELS, source="data.tfrec")


def tfrecord_without_labels(path):
    write_records(path + ".tfrecord", images(), "image", "")
    return Read(images(), source="data.tfrecord")


def write_mds(path, columns, rows):
    with foreign_mds.MDSWriter(columns=columns, out=path, size_limit=10_000) as writer:
        for row in rows:
            writer.write(dict(zip(columns, row)))


def mds_plain(path):
    write_mds(path, {"image": "bytes", "label": "int"}, zip(images(), LABELS))
    return Read(images(), LABELS)


def mds_named_columns(path):
    columns = {"pic": "bytes", "kind": "uint8", "image": "str"}
    write_mds(path, columns, zip(images("PNG"), LABELS, ["no"] * SAMPLES))
    return Read(images("PNG"), LABELS, "image: pic, label: kind")


def write_lmdb(path, pairs, subdir=True):
    with foreign_lmdb.write(path, subdir) as environment, environment.begin(write=True) as pages:
        for key, value in pairs:
            pages.put(key.encode(), value)


def lmdb_caffe(path):
    data = enumerate(images())
    write_lmdb(path, [(f"{i:08}_{i}.jpg", foreign_lmdb.datum(LABELS[i], d)) for i, d in data])
    return Read(images(), LABELS)


def lmdb_of_images(path):
    write_lmdb(path, [(f"{i:04}", data) for i, data in enumerate(images())])
    return Read(images())


def lmdb_of_png_in_a_file(path):
    pairs = [(f"{i:04}", data) for i, data in enumerate(images("PNG"))]
    write_lmdb(path + ".mdb", pairs, subdir=False)
    return Read(images("PNG"), source="data.mdb")


def lmdb_numbered_keys(path):
    pairs = [("num-samples", digits(SAMPLES))]
    for i, data in enumerate(images()):
        pairs += [(f"image-{i:09}", data), (f"label-{i:09}", digits(LABELS[i]))]
    write_lmdb(path, pairs)
    says = ["passed over 1 key: num-samples\n"]
    return Read(images(), LABELS, "image: image-, label: label-", says)


def lmdb_keys_with_extensions(path):
    pairs = []
    for i, data in enumerate(images()):
        label = LABELS[i].to_bytes(4, "little")
        pairs += [(f"{i:04}.jpg", data), (f"{i:04}.cls", label)]
    write_lmdb(path, pairs)
    return Read(images(), LABELS, "image: .jpg, label: .cls")


def put_values(group, name, data, **options):
    values = group.create_dataset(name, (len(data),), dtype=h5py.vlen_dtype(numpy.uint8), **options)
    for i, one in enumerate(data):
        values[i] = numpy.frombuffer(one, numpy.uint8)


def hdf5_variable(path):
    with h5py.File(path + ".h5", "w") as file:
        put_values(file, "images", images())
        file["labels"] = LABELS
    return Read(images(), LABELS, source="data.h5")


def hdf5_variable_in_gzip(path):
    with h5py.File(path + ".h5", "w", libver=("v110", "v110")) as file:
        options = {"chunks": (5,), "maxshape": (None,), "compression": "gzip", "shuffle": True}
        put_values(file, "train/jpeg", images(), **options)
        file["train/y"] = numpy.array(LABELS, "u2")
    return Read(images(), LABELS, source="data.h5")


def hdf5_splits(path):
    with h5py.File(path + ".h5", "w") as file:
        for split, kind in (("test", "PNG"), ("train", "JPEG")):
            put_values(file, f"{split}/images", images(kind))
            file[f"{split}/label"] = LABELS
    says = ["passed over 1 entry of its root: /test\n"]
    return Read(images(), LABELS, "image: train/images", says, source="data.h5")


def hdf5_group_a_class(path):
    with h5py.File(path + ".h5", "w") as file:
        for i, data in enumerate(images()):
            file[f"class{LABELS[i]}/{i:03}"] = numpy.void(data)
    return Read(images(), LABELS, source="data.h5")


def hdf5_group_a_sample(path):
    with h5py.File(path + ".h5", "w") as file:
        for i, data in enumerate(images("PNG")):
            file[f"{i:03}/image"] = numpy.frombuffer(data, numpy.uint8)
            file[f"{i:03}/label"] = LABELS[i]
    return Read(images("PNG"), LABELS, source="data.h5")


def all_pixels():
    return numpy.stack([pixels(i) for i in range(SAMPLES)])


def hdf5_two_splits(path):
    with h5py.File(path + ".h5", "w") as file:
        file["train_x"] = all_pixels()
        file["test_x"] = all_pixels()
    return Refused("2 data sets could hold the samples: /test_x, /train_x")


def hdf5_arrays_named(path):
    with h5py.File(path + ".h5", "w") as file:
        file["train_x"] = all_pixels()
        file["train_y"] = numpy.array(LABELS).reshape(-1, 1)
        file["list_classes"] = numpy.array([b"a", b"b", b"c", b"d"])
    says = ["passed over 1 entry of its root: /list_classes\n"]
    columns = "image: train_x, label: train_y"
    return Read(all_pixels(), LABELS, columns, says, arrays=True, source="data.h5")


def hdf5_arrays_in_gzip(path):
    with h5py.File(path + ".h5", "w") as file:
        file.create_dataset("x", data=all_pixels(), chunks=(1, 24, 32, 3), compression="gzip")
        file["y"] = LABELS
    return Read(all_pixels(), LABELS, arrays=True, source="data.h5")


def npy_with_labels(path):
    numpy.save(path + ".npy", all_pixels())
    numpy.save(path + ".labels.npy", numpy.array(LABELS, "i4"))
    return Read(all_pixels(), LABELS, arrays=True, source="data.npy")


def npy_a_sample(path):
    for i in range(SAMPLES):
        os.makedirs(f"{path}/class{LABELS[i]}", exist_ok=True)
        numpy.save(f"{path}/class{LABELS[i]}/{i:03}.npy", pixels(i))
    return Read(all_pixels(), LABELS, arrays=True)


def npz_stored(path):
    numpy.savez(path + ".npz", x_train=all_pixels(), y_train=LABELS, weights=numpy.ones(3))
    says = ["passed over 1 array: weights\n"]
    return Read(all_pixels(), LABELS, says=says, arrays=True, source="data.npz")


def npz_deflated(path):
    numpy.savez_compressed(path + ".npz", all_pixels(), numpy.array(LABELS, "u1"))
    says = ["its array is deflated: it was inflated when it was opened, and is held in memory\n"]
    return Read(all_pixels(), LABELS, says=says, arrays=True, source="data.npz")


def hdf5_texts(path):
    with h5py.File(path + ".h5", "w") as file:
        values = file.create_dataset("images", (2,), dtype=h5py.string_dtype())
        values[:] = ["one", "two"]
    reason = "/images has texts of variable length, which end at their first zero byte"
    return Refused(reason, "image=images")


def lmdb_of_pickles(path):
    write_lmdb(path, [(f"{i}", pickle.dumps((d, LABELS[i]))) for i, d in enumerate(images())])
    return Refused("the value is a pickle, and loading it would run code")


def npz_of_objects(path):
    numpy.savez(path + ".npz", images=numpy.array([b"a", None, 3], dtype=object))
    return Refused("it holds Python objects (dtype object), and loading them would run code")


def folder_of_webp(path):
    for i in range(SAMPLES):
        put(f"{path}/class{LABELS[i]}/{i:03}.webp", encoded(i, "WEBP"))
    return Refused("looked for .jpg, .jpeg, .jpe, .jfif, .png files in it and all its subfolders")


FORMATS = ("folder_", "tar_", "parquet_", "tfrecord_", "mds_", "lmdb_", "hdf5_", "npy_", "npz_")
KINDS = [made for name, made in globals().items() if name.startswith(FORMATS)]


def as_options(columns):
    """ "image: a, label: b" as data takes it."""
    return ("--columns", columns.replace(": ", "=").replace(", ", ",")) if columns else ()


def read_members(path):
    """[(label, bytes)] of a tar file that we wrote: each sample, then its class."""
    with tarfile.open(path) as tar:
        members = [(info.name, tar.extractfile(info).read()) for info in tar]
    return [(int(cls), data) for (_, data), (_, cls) in zip(members[::2], members[1::2])]


def compare_samples(place, source, want):
    labels = want.labels or [0] * SAMPLES
    if want.arrays:
        place.convert(source, f"npy={place.at('read.npy')}", *as_options(want.columns))
        assert (numpy.load(place.at("read.npy")) == want.samples).all()
        assert numpy.load(place.at("read.labels.npy")).tolist() == labels
        return
    place.convert(source, f"tar={place.at('read.tar')}", *as_options(want.columns))
    found = read_members(place.at("read.tar"))
    assert [label for label, _ in found] == labels, [label for label, _ in found]
    assert [data for _, data in found] == list(want.samples), "other bytes"


def compare_words(place, source, want):
    columns = f", columns: {{{want.columns}}}" if want.columns else ""
    with open(place.at("kinds.yaml"), "w", encoding="utf-8") as file:
        file.write(SCENARIO.format(path=source, columns=columns))
    done = place.run("data", place.at("kinds.yaml"), "--verify")
    assert done.returncode == 0, done.stdout + done.stderr
    classes = f"{CLASSES} (labels 0 to {CLASSES - 1})" if want.labels else NO_LABELS
    for words in (f"samples     {SAMPLES}, ", f"classes     {classes}\n", *want.says):
        assert words in done.stdout, f"no '{words}' in\n{done.stdout}"
    last = done.stdout.splitlines()[-1]
    assert last.startswith("readable"), last


def examine(kind, place):
    want = kind(place.at("data"))
    if isinstance(want, Read):
        compare_samples(place, place.at(want.source), want)
        compare_words(place, place.at(want.source), want)
        return
    (source,) = [n for n in os.listdir(place.folder) if n.startswith("data")]
    options = ("--columns", want.columns) if want.columns else ()
    said = place.refused(place.at(source), *options)
    assert want.says in said, said


assert len(KINDS) == 42, len(KINDS)
for _kind in KINDS:
    globals()[f"check_{_kind.__name__}"] = lambda place, kind=_kind: examine(kind, place)
