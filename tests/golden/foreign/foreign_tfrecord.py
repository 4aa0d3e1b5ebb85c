"""The tfrecord package (TensorFlow's own is larger than all else here), and protobuf with the
Example it brings."""

import glob

from stand_in import stand_in_for

stand_in_for("torch", "torchvision")
import crc32c  # noqa: E402
import tfrecord  # noqa: E402
from tfrecord import example_pb2  # noqa: E402


def write(path, samples, image, label, name):
    writer = tfrecord.TFRecordWriter(path)
    for sample_name, sample_label, data in samples:
        features = {
            image: (data, "byte"),
            label: (sample_label, "int"),
            "image/height": (375, "int"),
            "score": (0.5, "float"),
        }
        if name:
            features[name] = (sample_name.encode(), "byte")
        writer.write(features)
    writer.close()


def check_theirs_read_by_us(place):
    write(
        place.at("a.tfrecord"),
        place.samples,
        "image/encoded",
        "image/class/label",
        "image/filename",
    )
    place.same(place.read_by_us(place.at("a.tfrecord")))


def check_other_feature_names(place):
    write(place.at("train-00000-of-00001"), place.samples, "image_raw", "label", "")
    place.same(place.read_by_us(place.at("train-00000-of-00001")), names=False)


def check_ours_read_by_them(place):
    folder = place.ours("tfrecord=ours")
    wanted = {"image/encoded": "byte", "image/class/label": "int", "image/filename": "byte"}
    found = []
    for shard in sorted(glob.glob(folder + "/*.tfrecord")):
        for record in tfrecord.tfrecord_loader(shard, shard + ".idx", wanted):
            found.append(
                (
                    bytes(record["image/filename"]).decode(),
                    int(record["image/class/label"][0]),
                    bytes(record["image/encoded"]),
                )
            )
    found.sort(
        key=lambda sample: sample[0][-10:]
    )  # with an index it begins anywhere and goes round
    place.same(found)


def check_ours_has_the_crcs_that_tensorflow_checks(place):
    folder = place.ours("tfrecord=ours")
    with open(folder + "/shard-000000.tfrecord", "rb") as file:
        data = file.read()
    at = count = 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 8], "little")
        for begin, end in ((at, at + 8), (at + 12, at + 12 + length)):
            crc = crc32c.crc32c(data[begin:end])
            masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
            assert masked == int.from_bytes(data[end : end + 4], "little")
        example = example_pb2.Example.FromString(data[at + 12 : at + 12 + length])
        assert (
            example.features.feature["image/encoded"].bytes_list.value[0] == place.samples[count][2]
        )
        at += 16 + length
        count += 1
    assert count == len(place.samples)
