"""A WebLoader, which holds a DataLoader, over shards that it makes first."""

import io
import tarfile
import time

import torch
import webdataset


def make_shards():
    for shard in range(2):
        with tarfile.open(f"shard-{shard}.tar", "w") as tar:
            for number in range(2_000):
                data = bytes([shard + number % 128])
                entry = tarfile.TarInfo(f"{number:06d}.bin")
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))


def decoded(data):
    time.sleep(0.001)
    return torch.full((8,), float(data[0]))


if __name__ == "__main__":
    make_shards()
    model = torch.nn.Linear(8, 1)
    data = (
        webdataset.WebDataset("shard-{0..1}.tar", shardshuffle=False)
        .repeat()
        .to_tuple("bin")
        .map_tuple(decoded)
        .batched(4)
    )
    train_loader = webdataset.WebLoader(data, batch_size=None, num_workers=2)
    for (x,) in train_loader:
        model(x).mean().backward()
        time.sleep(0.004)
