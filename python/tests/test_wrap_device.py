"""A step is over when the device is done with it: scripts on a simulated device, whose steps are
known."""

import contextlib
import importlib
import itertools
import os
import pkgutil
import sys
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from simulated_cuda import Machine  # noqa: E402

import benchbench_child  # noqa: E402
import benchbench_wrap  # noqa: E402
from benchbench_wrap import engine, events, stop  # noqa: E402

MS = 1_000_000
DEVICE_NS = 10 * MS  # of a step
WITHIN = 0.005
# Launches of a step, and what the host takes for all of them.
LOOPS = {
    "graph": (3, 50_000),
    "small": (30, 300_000),
    "large": (500, 6 * MS),
    "slow host": (500, 12 * MS),
}
# Workers, and what one takes for a batch.
LOADERS = {"no workers": (0, 200_000), "4 workers": (4, 2 * MS), "slow workers": (4, 200 * MS)}
EPOCHS = (40, 64, 128, None)
GRID = list(itertools.product(LOOPS, LOADERS, EPOCHS, (False, True)))
PLAN = {
    "type": "plan",
    "rounds": 2,
    "stretch": {"ns": 500 * MS, "batches": 16},
    "warmup": {},
    "seed": 1,
    "distinct": 4,
    "observer": 0,
}


class Over(BaseException):
    """The script was stopped."""


class Loader:
    """As much of a DataLoader as is asked for. Its batches are made in turn by workers, two ahead
    each."""

    batch_size, prefetch_factor, persistent_workers, pin_memory = 8, 2, True, False
    drop_last, batch_sampler, collate_fn, generator = True, None, None, None

    def __init__(self, machine, workers, make_ns, batches):
        import torch

        self.machine, self.num_workers, self.make_ns = machine, workers, make_ns
        self.dataset, self.sampler = (), ()
        self.batches = batches
        self.batch = torch.ones(8, 2)

    def __len__(self):
        if self.batches is None:
            raise TypeError("a stream")
        return self.batches


class Iterator:
    def __init__(self, loader):
        self._loader, self._number = loader, 0
        self._ready = [loader.machine.now()] * max(1, loader.num_workers)
        self._made = []  # when each batch is there
        for _ in range(2 * loader.num_workers):
            self._hand_out()

    def _hand_out(self):
        at, loader = len(self._made) % len(self._ready), self._loader
        self._ready[at] = max(self._ready[at], loader.machine.now()) + loader.make_ns
        self._made.append(self._ready[at])

    def next(self):
        if self._number == self._loader.batches:
            raise StopIteration
        self._hand_out()
        self._loader.machine.wait(self._made[self._number])
        self._number += 1
        return self._loader.batch


class Session:
    """benchbench's side: it lets all be measured, and keeps what it is sent."""

    lost, pid = False, os.getpid()

    def __init__(self, plan):
        self.plan, self.sent = plan, []

    def send(self, kind, members=None, blob=b""):
        self.sent.append((kind, members, blob))
        return True

    def ask(self, kind, members):
        self.send(kind, members)
        return {"type": "go"}

    def hear(self, heard):
        pass

    def of(self, kind):
        return [members for said, members, _ in self.sent if said == kind]


class Script:
    """A training loop, run as `wrap` runs it. `reads`: .item() in each step."""

    def __init__(self, loop, loader, epoch, reads, **plan):
        self.launches, self.host_ns = LOOPS[loop]
        self.workers, self.make_ns = LOADERS[loader]
        self.reads, self.machine = reads, Machine()
        self.loader = Loader(self.machine, self.workers, self.make_ns, epoch)
        self.session = Session(dict(PLAN, **plan))

    def step(self):
        for _ in range(self.launches):
            self.machine.work(self.host_ns // self.launches)
            self.machine.launch(DEVICE_NS // self.launches)
        if self.reads:
            self.machine.wait()
        events._stepped()

    def true_ns(self, kind):
        """Of a step, by the clock of the machine."""
        waits = 0 if kind == "T" else self.make_ns
        if kind == "L":
            return self.make_ns / max(1, self.workers)
        host, device, launches = self.host_ns, DEVICE_NS, self.launches
        if self.reads:
            host, device = max(host / launches + device, host + device / launches), 0
        if self.workers:
            return max(host, device, waits / self.workers)
        return max(host + waits, device)

    def run(self):
        measured = engine.Engine(self.session)
        with self.machine.torch(), on_clock(self.machine.now), contextlib.suppress(Over):
            while True:
                iterator, took = measured.begin(self.loader, Iterator)
                feed = measured.began(self.loader, iterator, took)
                with contextlib.suppress(StopIteration):
                    while True:
                        measured.fetch(feed, iterator, Iterator.next)
                        self.step()
        [self.end] = self.session.of("end")
        return self

    def stretches(self, kind):
        return [one for one in self.session.of("stretch") if one["kind"] == kind]

    def read_ns(self, kind):
        """Of a step, as each stretch has it."""
        return [
            sum(end - begin for begin, end in one["segments"]) / one["steps"]
            for one in self.stretches(kind)
        ]


def stopped(*_):
    raise Over


@contextlib.contextmanager
def on_clock(now):
    """All of the Python side reads this clock."""
    with contextlib.ExitStack() as patches:
        for package in (benchbench_child, benchbench_wrap):
            for found in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
                module = importlib.import_module(found.name)
                if hasattr(module, "now"):
                    patches.enter_context(mock.patch.object(module, "now", now))
        patches.enter_context(mock.patch("time.monotonic_ns", now))
        patches.enter_context(mock.patch.object(stop, "hard", stopped))
        yield


def off(read, true):
    """By which share the worst of some readings is, all of it where there is none."""
    return max((abs(one / true - 1) for one in read), default=1.0)


def table(cases, kinds="FTL"):
    """Prints what each case reads. By hand: test_wrap_device.py."""
    wrong, silent, worst = 0, 0, dict.fromkeys(kinds, (0,))
    for case in cases:
        script = Script(*case).run()
        row = []
        for kind in kinds:
            read, true = script.read_ns(kind), script.true_ns(kind)
            share = off(read, true)
            silent += not read
            if read:
                worst[kind] = max(worst[kind], (share, str(case), true / MS, read))
            row.append((kind, true / MS, [round(one / MS, 3) for one in read], share))
        bad = any(share > WITHIN for _, _, _, share in row)
        wrong += bad
        print("WRONG" if bad else "right", case, script.end["reason"])
        for kind, true, read, share in row:
            print(f"      {kind} {true:7.3f} ms: {read} {share:8.2%}")
    print(f"{wrong} of {len(cases)} are off by over {WITHIN:.1%}; {silent} rates are not there")
    for kind in kinds:
        print(kind, worst[kind])


class Steps(unittest.TestCase):
    def test_each_is_as_long_as_the_device_takes(self):
        for case in GRID:
            script = Script(*case).run()
            for kind in "FTL":
                with self.subTest(case=case, kind=kind):
                    self.assertLess(off(script.read_ns(kind), script.true_ns(kind)), WITHIN)


if __name__ == "__main__":
    table(GRID)
