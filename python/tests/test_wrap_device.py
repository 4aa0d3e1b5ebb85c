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

from asked_stretches import AskedStretches  # noqa: E402
from device_sim import Device, torch_with  # noqa: E402

import benchbench_dl  # noqa: E402
from benchbench_dl.wrap import engine, events, stop  # noqa: E402

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
    "stretch_ns": 500 * MS,
    "warmup": {},
    "distinct": 4,
    "observer": 0,
}


class Over(BaseException):
    """The script was stopped."""


class Loader:
    """So much of a DataLoader as is asked for. Its batches are made in turn by workers, two ahead
    each; `by_device`: in this process, by the device, to which that is handed over at once."""

    batch_size, prefetch_factor, persistent_workers, pin_memory = 8, 2, True, False
    drop_last, batch_sampler, collate_fn, generator = True, None, None, None
    dataset, sampler = (), ()

    def __init__(self, device, workers, make_ns, batches, by_device=False):
        import torch

        self.device, self.num_workers, self.make_ns = device, workers, make_ns
        self.batches, self.by_device = batches, by_device
        self.batch = torch.ones(8, 2, device="meta" if by_device else "cpu")

    def __len__(self):
        if self.batches is None:
            raise TypeError("a stream")
        return self.batches


class Iterator:
    def __init__(self, loader):
        self._loader, self._number = loader, 0
        self._ready = [loader.device.ns] * max(1, loader.num_workers)
        self._made = []  # when each batch is there
        for _ in range(2 * loader.num_workers):
            self._hand_out()

    def _hand_out(self):
        at, loader = len(self._made) % len(self._ready), self._loader
        self._ready[at] = max(self._ready[at], loader.device.ns) + loader.make_ns
        self._made.append(self._ready[at])

    def next(self):
        loader = self._loader
        if self._number == loader.batches:
            raise StopIteration
        if loader.by_device:
            loader.device.launch(loader.make_ns)
        else:
            self._hand_out()
            loader.device.work(max(0, self._made[self._number] - loader.device.ns))
        self._number += 1
        return loader.batch


class Session:
    """benchbench's side: it lets all be measured, and keeps what it is sent."""

    lost, pid, asking = False, os.getpid(), contextlib.nullcontext()

    def __init__(self, plan):
        self.plan, self.sent = plan, []

    def send(self, kind, members=None, blob=b""):
        self.sent.append((kind, members, blob))
        return True

    def ask(self, kind, members):
        self.send(kind, members)
        return AskedStretches(self.plan, members).first()

    def poll(self, seconds):
        return {"type": "enough"}

    def hear(self, heard):
        pass

    def of(self, kind):
        return [members for said, members, _ in self.sent if said == kind]


class Script:
    """A training loop, run as `wrap` runs it. `reads`: .item() in each step."""

    def __init__(self, loop, loader, epoch, reads, by_device=False, partner=False, **plan):
        self.launches, self.host_ns = LOOPS[loop]
        self.parts = min(self.launches, 10)  # in which they are handed over
        self.workers, self.make_ns = LOADERS[loader]
        self.reads, self.device = reads, Device()
        self.cuda = torch_with(self.device).cuda
        self.loader = Loader(self.device, self.workers, self.make_ns, epoch, by_device)
        self.partner = Loader(self.device, 0, 2 * MS, None) if partner else None
        self.session, self.steps = Session(dict(PLAN, **plan)), 0

    def step(self):
        for _ in range(self.parts):
            self.device.work(self.host_ns // self.parts)
            self.device.launch(DEVICE_NS // self.parts, self.launches // self.parts)
        if self.reads:
            self.device.wait()
        self.steps += 1
        events._stepped()

    def true_ns(self, kind):
        """Returns the time of a step, by the clock of the device."""
        waits = 0 if kind == "T" else self.make_ns
        if kind == "L":
            return self.make_ns / max(1, self.workers)
        host, device, parts = self.host_ns, DEVICE_NS, self.parts
        if self.reads:
            host, device = max(host / parts + device, host + device / parts), 0
        if self.workers:
            return max(host, device, waits / self.workers)
        return max(host + waits, device)

    def begin(self, measured, loader):
        """Returns what fetches a batch of its next epoch."""
        iterator, took = measured.begin(loader, Iterator)
        feed = measured.began(loader, iterator, took)
        return lambda: measured.fetch(feed, iterator, Iterator.next)

    def run(self):
        import torch

        measured = engine.Engine(self.session)
        on_device = mock.patch.multiple(torch.cuda, **vars(self.cuda))
        with on_device, on_clock(self.device.monotonic_ns), contextlib.suppress(Over):
            held = self.partner is not None
            other = self.begin(measured, self.partner) if held else lambda: None
            while True:
                fetch = self.begin(measured, self.loader)
                with contextlib.suppress(StopIteration):
                    while True:
                        fetch(), other()
                        self.step()
        [self.end] = self.session.of("end")
        return self

    def stretches(self, kind):
        return [one for one in self.session.of("stretch") if one["kind"] == kind]

    def read_ns(self, kind):
        """Returns the time of a step, as each stretch has it."""
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
        for found in pkgutil.walk_packages(benchbench_dl.__path__, "benchbench_dl."):
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
            [planned], true = script.session.of("steady"), script.true_ns("F")
            for kind in "FTL":
                with self.subTest(case=case, kind=kind):
                    self.assertLess(off(script.read_ns(kind), script.true_ns(kind)), WITHIN)
                    clocks = {one["clock"] for one in script.stretches(kind)}
                    self.assertEqual({"host" if kind == "L" else "device"}, clocks)
            with self.subTest(case=case):
                self.assertLess(abs(planned["loop"]["batch_ns"] / true - 1), 0.05)

    def test_few_waits(self):
        """One at the end of each stretch and of the warm-up, and one where nothing is known yet of
        how long the device takes; no more as long as the host is not far ahead of it."""
        script = Script("large", "4 workers", 64, False).run()
        stages = 1 + len(script.stretches("F")) + len(script.stretches("T"))
        self.assertLessEqual(script.device.waits, 2 * stages)

    def test_batches_that_the_device_makes(self):
        """It is not done with them when the loader returns."""
        for epoch in (40, None):
            script = Script("small", "no workers", epoch, False, by_device=True).run()
            self.assertLess(off(script.read_ns("L"), script.make_ns), WITHIN)
            self.assertLess(off(script.read_ns("F"), script.make_ns + DEVICE_NS), WITHIN)

    def test_a_wait_for_a_partner_that_the_device_does_not_feel(self):
        script = Script("small", "no workers", None, False, partner=True).run()
        for kind in "FT":
            self.assertLess(off(script.read_ns(kind), DEVICE_NS), WITHIN)
        for stretch in script.stretches("F"):
            [partner] = stretch["partners"]
            self.assertLess(partner["wait_ns"], 0.01 * stretch["steps"] * DEVICE_NS)

    def test_what_the_device_feels_of_a_wait_is_shared_among_loaders(self):
        """The step waits 20 ms for one batch and 2 ms for the other; the device works for 10."""
        with mock.patch.dict(LOADERS, slow=(0, 20 * MS)):
            script = Script("small", "slow", None, False, partner=True).run()
        for stretch in script.stretches("F"):
            [partner] = stretch["partners"]
            felt_ns = script.read_ns("F")[0] - DEVICE_NS
            share = partner["wait_ns"] / stretch["steps"] / felt_ns
            self.assertAlmostEqual(2 / 22, share, delta=0.01)


class Fails(unittest.TestCase):
    def test_it_is_the_scripts_failure(self):
        """A failure of the device comes up where the script next uses it."""
        script = Script("small", "no workers", 64, False)
        illegal = RuntimeError("CUDA error: an illegal memory access was encountered")

        def query(event):
            if script.steps > 200:
                raise illegal
            return event._done <= script.device.ns

        script.cuda.Event.query = query
        with self.assertRaises(RuntimeError) as raised:
            script.run()
        self.assertIs(illegal, raised.exception)
        self.assertEqual([], script.session.of("end"))


if __name__ == "__main__":
    table(GRID)
