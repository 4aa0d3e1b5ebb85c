"""The webdataset package: shards of KEY.jpg and KEY.cls."""

import glob
import os

from stand_in import stand_in_for

stand_in_for("torch", "torchvision")
import webdataset.tariterators as tariterators  # noqa: E402
import webdataset.writer as writer  # noqa: E402


def check_theirs_read_by_us(place):
    os.mkdir(place.at("theirs"))
    for shard in range(2):
        with open(place.at(f"theirs/a-{shard:03}.tar"), "wb") as file, writer.TarWriter(
            file, encoder=False
        ) as tar:
            for name, label, data in place.samples[shard * 6 : shard * 6 + 6]:
                tar.write({"__key__": name[:-4], "jpg": data, "cls": str(label).encode()})
    place.same(place.read_by_us(place.at("theirs"), "--from", "webdataset"))


def check_ours_read_by_them(place):
    folder = place.ours("webdataset=ours")
    found = []
    for shard in sorted(glob.glob(folder + "/*.tar")):
        with open(shard, "rb") as file:
            files = (dict(f, __url__=shard) for f in tariterators.tar_file_iterator(file))
            for sample in tariterators.group_by_keys(files):
                found.append((sample["__key__"] + ".jpg", int(sample["cls"]), sample["jpg"]))
    place.same(found)
