"""A recurrent network reads characters from shards of text. Each worker has shards of its own, and
all shards have the same length."""

import argparse
import os
import random
import tempfile
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

LENGTH, SHARDS = 96, 8
WORDS = "the a cat dog sees hears runs and or not under over house tree big small".split()


def write_shards(folder, words=40_000):
    paths = []
    for shard in range(SHARDS):
        draw = random.Random(shard)
        text = " ".join(draw.choice(WORDS) for _ in range(words)).ljust(6 * words)[: 4 * words]
        paths.append(os.path.join(folder, f"{shard:02}.txt"))
        with open(paths[-1], "w", encoding="ascii") as file:
            file.write(text)
    return paths


class Text(IterableDataset):
    def __init__(self, paths):
        self.paths = paths

    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        for path in self.paths[first::step]:
            with open(path, "rb") as file:
                codes = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8).long()
            for at in range(0, len(codes) - LENGTH - 1, LENGTH):
                yield codes[at : at + LENGTH], codes[at + 1 : at + LENGTH + 1]


class Reader(nn.Module):
    def __init__(self, width=192):
        super().__init__()
        self.embed = nn.Embedding(128, width)
        self.recur = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, 128)

    def forward(self, x):
        return self.head(self.recur(self.embed(x))[0])


def train(paths, epochs):
    torch.manual_seed(0)
    torch.set_num_threads(1)  # the workers share the other core
    loader = DataLoader(Text(paths), batch_size=32, num_workers=2, persistent_workers=True)
    model = Reader()
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)
    begin, done, step = time.perf_counter(), 0, 0
    for epoch in range(epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            done, step = done + len(x), step + 1
            if step % 20 == 0:
                rate = done / (time.perf_counter() - begin)
                print(f"epoch {epoch}, {step}: {loss.item():.3f}, {rate:.1f} samples/s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=60)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        train(write_shards(folder), args.epochs)


if __name__ == "__main__":
    main()
