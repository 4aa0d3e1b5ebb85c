"""mosaicml-streaming's MDSWriter and MDSReader."""

import importlib
import importlib.util
import json
import os
import sys
import types

from stand_in import stand_in_for

# Of the package only the format is loaded; its __init__ wants everything that can train.
stand_in_for(
    "torch",
    "torchvision",
    "boto3",
    "botocore",
    "oci",
    "google",
    "azure",
    "paramiko",
    "databricks",
    "transformers",
)
_found = importlib.util.find_spec("streaming")
if _found is None:
    raise ImportError("No module named 'streaming' (package mosaicml-streaming)")
for _name in ("streaming", "streaming.base", "streaming.base.format"):
    _module = types.ModuleType(_name)
    _module.__path__ = [
        os.path.join(os.path.dirname(os.path.dirname(_found.origin)), *_name.split("."))
    ]
    sys.modules[_name] = _module
MDSWriter = importlib.import_module("streaming.base.format.mds.writer").MDSWriter
MDSReader = importlib.import_module("streaming.base.format.mds.reader").MDSReader

COLUMNS = {"image": "bytes", "label": "int", "name": "str", "extra": "float32"}


def write(place, name, columns=None, **options):
    columns = columns or COLUMNS
    with MDSWriter(columns=columns, out=place.at(name), **options) as writer:
        for sample_name, label, data in place.samples:
            sample = {
                "image": data,
                "label": label,
                "name": sample_name,
                "extra": 0.5,
                "cls": str(label),
            }
            writer.write({k: sample[k] for k in columns})
    return place.at(name)


def check_theirs_read_by_us(place):
    place.same(place.read_by_us(write(place, "plain", size_limit=100_000)))


def check_theirs_in_zstd_read_by_us(place):
    folder = write(
        place, "zstd", size_limit=100_000, compression="zstd:7", hashes=["sha1", "xxh64"]
    )
    assert not [f for f in os.listdir(folder) if f.endswith(".mds")]
    place.same(place.read_by_us(folder))


def check_ours_read_by_them(place):
    folder = place.ours("mds=ours")
    with open(folder + "/index.json", encoding="utf-8") as file:
        shards = json.load(file)["shards"]
    found = []
    for shard in shards:
        shard["column_encodings"] = [
            "bytes" if e == "jpeg" else e for e in shard["column_encodings"]
        ]  # no picture to decode
        reader = MDSReader.from_json(folder, "", shard)
        for i in range(reader.samples):
            sample = reader[i]
            found.append((sample["name"], sample["label"], sample["image"]))
    place.same(found)
