"""pyarrow's Parquet, plain columns and as Hugging Face's data sets write them."""

import os

import pyarrow
import pyarrow.parquet as parquet


def why_not(program):
    """Ours is in a module that may not be built."""
    module = os.path.join(os.path.dirname(program), "libbenchbench_arrow.so")
    return (
        ""
        if os.path.exists(module)
        else "libbenchbench_arrow.so is not built: configure finds no Arrow"
    )


def columns(samples):
    return [s[0] for s in samples], [s[1] for s in samples], [s[2] for s in samples]


def check_plain_columns_read_by_us(place):
    names, labels, images = columns(place.samples)
    table = pyarrow.table(
        {"name": names, "label": pyarrow.array(labels, pyarrow.int32()), "image": images}
    )
    parquet.write_table(table, place.at("a.parquet"), row_group_size=5)
    place.same(place.read_by_us(place.at("a.parquet")))


def check_hugging_face_read_by_us(place):
    names, labels, images = columns(place.samples)
    os.mkdir(place.at("hub"))
    for shard in range(2):
        part = slice(shard * 6, shard * 6 + 6)
        image = pyarrow.StructArray.from_arrays(
            [pyarrow.array(images[part]), pyarrow.array(names[part])], ["bytes", "path"]
        )
        table = pyarrow.table({"image": image, "label": labels[part]})
        parquet.write_table(
            table,
            place.at(f"hub/train-{shard:05}-of-00002.parquet"),
            compression="zstd",
            row_group_size=4,
        )
    place.same(place.read_by_us(place.at("hub")))


def check_named_columns_read_by_us(place):
    """Beside columns with the usual names, which are others' then."""
    names, labels, images = columns(place.samples)
    table = pyarrow.table(
        {
            "image": [b"not this one"] * len(images),
            "label": [7] * len(images),
            "name": ["nor this"] * len(images),
            "img_bytes": pyarrow.StructArray.from_arrays([pyarrow.array(images)], ["bytes"]),
            "cls": pyarrow.array(labels, pyarrow.uint8()),
            "file": names,
        }
    )
    parquet.write_table(table, place.at("named.parquet"), row_group_size=5)
    place.same(
        place.read_by_us(
            place.at("named.parquet"), "--columns", "image=img_bytes,label=cls,name=file"
        )
    )
    said = place.refused(place.at("named.parquet"), "--columns", "image=img")
    assert "no column 'img' of encoded images; its columns: image (BYTE_ARRAY)" in said, said
    said = place.refused(place.at("named.parquet"), "--columns", "label=file")
    assert "no column 'file' of whole numbers" in said, said


def check_ours_read_by_them(place):
    table = parquet.read_table(place.ours("parquet=ours.parquet"), page_checksum_verification=True)
    rows = table.to_pydict()
    place.same(list(zip(rows["name"], rows["label"], rows["image"])))
