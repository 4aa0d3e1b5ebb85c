"""Without benchbench: a DataLoader whose worker sleeps 4 x 10 ms a batch. Prints how long a batch
took, over that."""

import time

from torch.utils.data import DataLoader

from sleeps import make_data

BEFORE, BATCHES, MS, SIZE = 10, 60, 10, 4


def main():
    batches = iter(DataLoader(make_data(ms=MS), batch_size=SIZE, num_workers=1))
    for _ in range(BEFORE):
        next(batches)
    begin = time.perf_counter()
    for _ in range(BATCHES):
        next(batches)
    print((time.perf_counter() - begin) / BATCHES / (SIZE * MS * 1e-3))


if __name__ == "__main__":
    main()
