"""MosaicML streaming: the same JPEG bytes in its shards (MDS) on the local disk, shuffled by it,
decoded by torchvision.io, transforms v2, DataLoader; epochs of many passes."""

from data_loader import by_torchvision_io, data_loader
from images import list_images, read
from protocol import serve


def write_shards(settings, folder):
    from streaming import MDSWriter

    with MDSWriter(out=folder, columns={"image": "bytes", "label": "int"}) as writer:
        for path, label in list_images(settings):
            writer.write({"image": read(path), "label": label})


def batches(settings):
    from streaming import StreamingDataset
    from streaming.base.util import clean_stale_shared_memory

    clean_stale_shared_memory()
    make_row = by_torchvision_io(settings)

    class Images(StreamingDataset):
        def __getitem__(self, index):
            sample = super().__getitem__(index)
            return make_row(sample["image"]), sample["label"]

    dataset = Images(
        local=settings["stored"], shuffle=True, batch_size=settings["batch_size"], epoch_size=100000
    )
    loader = data_loader(dataset, settings)
    while True:
        for images, _ in loader:
            yield images


if __name__ == "__main__":
    serve(batches, stored="mds", write=write_shards)
