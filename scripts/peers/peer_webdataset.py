"""WebDataset: the same JPEG bytes in eight tar shards, resampled without an end and shuffled in a
buffer, decoded by torchvision.io (its customary Pillow would be slower), transforms v2, WebLoader
with worker processes."""

import glob
import os

from data_loader import by_torchvision_io
from images import list_images, read
from protocol import serve

SHARDS = 8
SHUFFLE_BUFFER = 256


def write_shards(settings, folder):
    import webdataset

    os.makedirs(folder)
    files = list_images(settings)
    for shard in range(SHARDS):
        with webdataset.TarWriter(os.path.join(folder, f"{shard:04}.tar")) as writer:
            for index in range(shard, len(files), SHARDS):
                path, label = files[index]
                writer.write({"__key__": f"{index:06}", "jpg": read(path), "cls": label})


def batches(settings):
    import torch
    import webdataset

    torch.set_num_threads(1)
    dataset = (
        webdataset.WebDataset(
            sorted(glob.glob(os.path.join(settings["stored"], "*.tar"))),
            resampled=True,
            shardshuffle=False,
        )
        .shuffle(SHUFFLE_BUFFER)
        .to_tuple("jpg", "cls")
        .map_tuple(by_torchvision_io(settings), int)
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
    serve(batches, stored="webdataset", write=write_shards)
