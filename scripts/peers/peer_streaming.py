"""MosaicML streaming: the same JPEG bytes in its shards (MDS) on the local disk, shuffled by it,
decoded by torchvision.io, transforms v2, DataLoader; epochs of many passes."""

import os

from data_loader import crop_and_flip, data_loader
from images import list_images, read
from protocol import serve


def write_shards(settings, folder):
    from streaming import MDSWriter

    with MDSWriter(out=folder, columns={"image": "bytes", "label": "int"}) as writer:
        for path, label in list_images(settings["folder"]):
            writer.write({"image": read(path), "label": label})


def shards(settings):
    return os.path.join(settings["work"], "mds")


def batches(settings):
    import torch
    from streaming import StreamingDataset
    from streaming.base.util import clean_stale_shared_memory
    from torchvision.io import ImageReadMode, decode_jpeg

    clean_stale_shared_memory()
    transform = crop_and_flip(settings)

    class Images(StreamingDataset):
        def __getitem__(self, index):
            sample = super().__getitem__(index)
            stored = torch.frombuffer(bytearray(sample["image"]), dtype=torch.uint8)
            return transform(decode_jpeg(stored, mode=ImageReadMode.RGB)), sample["label"]

    dataset = Images(
        local=shards(settings), shuffle=True, batch_size=settings["batch_size"], epoch_size=100000
    )
    loader = data_loader(dataset, settings)
    while True:
        for images, _ in loader:
            yield images


if __name__ == "__main__":
    serve(batches, stored=shards, write=write_shards)
