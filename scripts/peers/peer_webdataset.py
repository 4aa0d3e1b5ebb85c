"""WebDataset: the same JPEG bytes in eight tar shards, resampled without an end and shuffled in a
buffer, decoded by torchvision.io (its customary Pillow would be slower), transforms v2, WebLoader
with worker processes."""

import glob
import os

from data_loader import crop_and_flip
from images import list_images, read
from protocol import serve

SHARDS = 8
SHUFFLE_BUFFER = 256


def write_shards(settings, folder):
    import webdataset

    os.makedirs(folder)
    files = list_images(settings["folder"])
    for shard in range(SHARDS):
        with webdataset.TarWriter(os.path.join(folder, f"{shard:04}.tar")) as writer:
            for index in range(shard, len(files), SHARDS):
                path, label = files[index]
                writer.write({"__key__": f"{index:06}", "jpg": read(path), "cls": label})


def shards(settings):
    return os.path.join(settings["work"], "webdataset")


def batches(settings):
    import torch
    import webdataset
    from torchvision.io import ImageReadMode, decode_jpeg

    torch.set_num_threads(1)
    transform = crop_and_flip(settings)

    def make_row(stored):
        stored = torch.frombuffer(bytearray(stored), dtype=torch.uint8)
        return transform(decode_jpeg(stored, mode=ImageReadMode.RGB))

    dataset = (
        webdataset.WebDataset(
            sorted(glob.glob(os.path.join(shards(settings), "*.tar"))),
            resampled=True,
            shardshuffle=False,
        )
        .shuffle(SHUFFLE_BUFFER)
        .to_tuple("jpg", "cls")
        .map_tuple(make_row, int)
        .batched(settings["batch_size"], partial=False)
    )
    loader = webdataset.WebLoader(
        dataset,
        batch_size=None,
        num_workers=settings["workers"],
        persistent_workers=True,
        prefetch_factor=settings["prefetch"],
    )
    for images, _ in loader:
        yield images


if __name__ == "__main__":
    serve(batches, stored=shards, write=write_shards)
