"""The random generators of a worker's data set, from its start on: in which state they start, and
whether samples draw from them without their having been seeded for this worker first."""

from . import generators
from .counters import DRAWN, STATES

LOOKS = (1, 2, 4, 8)  # after these batches


class GeneratorWatch:
    def __init__(self, paths, slot):
        self.slot = slot
        self.dataset, self.draws_at_start = _dataset() if paths else (None, False)
        self.left = []
        for index, path in enumerate(paths):
            generator = generators.at(self.dataset, path)
            slot[STATES + index] = slot[DRAWN + index] = 0
            if generator is not None:
                self._start(index, path, generator)

    def _start(self, index, path, generator):
        state = generators.state_of(generator)
        self.slot[STATES + index] = generators.digest(state)
        self.left.append((index, path, generator, state))

    def __bool__(self):
        return bool(self.left)

    def after_batch(self, number):
        if number in LOOKS:
            self.left = list(filter(None, (self._look(entry, number) for entry in self.left)))
        return self.left and number < LOOKS[-1]

    def _look(self, entry, number):
        index, path, generator, before = entry
        if generators.at(self.dataset, path) is not generator:
            return None  # replaced: the worker made its own
        now = generators.state_of(generator)
        if now == before:
            return entry
        if not generators.continues(before, now):
            return None
        if number == 1 and self.draws_at_start:
            return (index, path, generator, now)
        self.slot[DRAWN + index] = 1
        return None


def _dataset():
    """And whether what is drawn before the second batch may be the order of shards, which the
    workers are to have in common."""
    from torch.utils.data import IterableDataset, get_worker_info

    dataset = get_worker_info().dataset
    return dataset, isinstance(dataset, IterableDataset)
