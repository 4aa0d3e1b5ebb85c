"""Without benchbench: a DataLoader whose worker sleeps 4 x 40 ms a batch. For each batch, until its
reader is gone: when it came, how long it took, and that over its sleeps."""

import time

from torch.utils.data import DataLoader, Dataset

SIZE, SECONDS = 4, 0.04


class Sleeps(Dataset):
    def __len__(self):
        return 10**6

    def __getitem__(self, index):
        time.sleep(SECONDS)
        return index


def main():
    last = None
    for _ in DataLoader(Sleeps(), batch_size=SIZE, num_workers=1):
        now = time.monotonic()
        if last is not None:
            print(now, now - last, (now - last) / (SIZE * SECONDS), flush=True)
        last = now


if __name__ == "__main__":
    main()
