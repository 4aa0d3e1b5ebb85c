"""The lmdb package (python3-lmdb), with Caffe's Datum by hand."""

import lmdb


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def datum(label, data):
    """channels, height, width, data, label, encoded, as convert_imageset writes them."""
    head = bytes([8, 3, 16]) + varint(375) + bytes([24]) + varint(500)
    return head + b"\x22" + varint(len(data)) + data + b"\x28" + varint(label) + b"\x38\x01"


def fields(data):
    found, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            found[tag >> 3] = number()
        else:
            size = number()
            found[tag >> 3] = data[at : at + size]
            at += size
    return found


def write(path, subdir):
    return lmdb.open(path, map_size=1 << 30, subdir=subdir)


def check_theirs_read_by_us(place):
    with write(place.at("theirs"), True) as environment, environment.begin(
        write=True
    ) as transaction:
        for i, (name, label, data) in enumerate(place.samples):
            transaction.put(f"{i:08}_{name}".encode(), datum(label, data))
        transaction.put(b"__len__", b"12")
    place.same(place.read_by_us(place.at("theirs")))


def check_many_small_values_in_a_file(place):
    samples = [
        (f"n0000/{i:06}.jpg", i % 5, b"\xff\xd8\xff" + bytes([i % 251]) * (i % 90))
        for i in range(5000)
    ]
    with write(place.at("small.mdb"), False) as environment:
        for begin in range(0, 5000, 500):  # several transactions: pages are used again
            with environment.begin(write=True) as transaction:
                for i in range(begin, begin + 500):
                    transaction.put(
                        f"{i:08}_{samples[i][0]}".encode(), datum(samples[i][1], samples[i][2])
                    )
    place.samples = samples
    place.same(place.read_by_us(place.at("small.mdb")))


def check_ours_read_by_them(place):
    found = []
    with lmdb.open(
        place.ours("lmdb=ours"), readonly=True, lock=False
    ) as environment, environment.begin() as transaction:
        for key, value in transaction.cursor():
            record = fields(value)
            assert record[7] == 1
            found.append((key.decode().split("_", 1)[1], record[5], record[4]))
    place.same(found)
