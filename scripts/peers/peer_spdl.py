"""SPDL: its pipeline with as many threads as workers; each picture is decoded whole by FFmpeg,
whose filters crop, scale and flip it; its own conversion of the frames of a batch into one uint8
array."""

import math
import random

from images import endless_order, list_images
from protocol import serve


def random_box(width, height):
    """torchvision's RandomResizedCrop.get_params: x, y, width, height."""
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1.0)
        ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            return random.randint(0, width - w), random.randint(0, height - h), w, h
    w, h = min(width, round(height * 4 / 3)), min(height, round(width * 4 / 3))
    return (width - w) // 2, (height - h) // 2, w, h


def batches(settings):
    import spdl.io
    from spdl.pipeline import PipelineBuilder

    files, side = list_images(settings), settings["crop"]

    def decode(index):
        packets = spdl.io.demux_image(files[index][0])
        x, y, w, h = random_box(packets.codec.width, packets.codec.height)
        flip = "hflip," if random.random() < 0.5 else ""
        filters = (
            f"crop={w}:{h}:{x}:{y}:exact=1,scale={side}:{side}:flags=bilinear,"
            f"{flip}format=pix_fmts=rgb24"
        )
        return spdl.io.decode_packets(packets, filter_desc=filters)

    def batch(frames):
        return spdl.io.to_numpy(spdl.io.convert_frames(frames))

    pipeline = (
        PipelineBuilder()
        .add_source(endless_order(len(files)))
        .pipe(decode, concurrency=settings["workers"], output_order="completion")
        .aggregate(settings["batch_size"], drop_last=True)
        .pipe(batch)
        .add_sink(settings["workers"] * settings["prefetch"])
        .build(num_threads=settings["workers"])
    )
    with pipeline.auto_stop():
        yield from pipeline.get_iterator()


if __name__ == "__main__":
    serve(batches)
