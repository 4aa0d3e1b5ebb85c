"""A step of 10 ms on a device reads 10 ms, however far the host is ahead: Run, Window, Epochs,
Replay and Take with a simulated device."""

import collections
import itertools
import os
import sys
import unittest
from unittest import mock

from device_sim import Case, Device, Loader, Source, Step, torch_with

from benchbench_child import epochs, replay, run, take, window

MS = 1_000_000
DEVICE_NS = 10 * MS
WINDOW_NS = 1000 * MS
WORKERS = 4
ENDLESS = None

Combination = collections.namedtuple("Combination", "epoch host_ms warmup_ms reads launches")
GRID = [
    Combination(*one)
    for one in itertools.product(
        (40, 64, 128, ENDLESS), (0.3, 6), (0, 200, None), (False, True), (1, 34)
    )
]


def case_of(device, combination, device_ns=DEVICE_NS):
    host_ns = round(combination.host_ms * MS)
    return Case(device, host_ns, device_ns, combination.launches, combination.reads)


class Simulated:
    """Time and torch are the device's within it."""

    def __init__(self, device):
        self.torch = torch_with(device)
        now = device.monotonic_ns
        self._patches = [
            mock.patch.dict(sys.modules, torch=self.torch),
            mock.patch("time.monotonic_ns", now),
            mock.patch.object(run, "seed_all", lambda seed: None),
        ] + [mock.patch.object(module, "now", now) for module in (epochs, replay, run, window)]

    def __enter__(self):
        for patch in self._patches:
            patch.start()
        return self

    def __exit__(self, *raised):
        for patch in reversed(self._patches):
            patch.stop()


class Silent:
    """A channel that nothing of interest goes through."""

    def send(self, kind, members=None, blob=b""):
        pass

    def receive(self):
        return {"type": "seen"}


def order_of(combination, way, scenario_device):
    ns = None if combination.warmup_ms is None else combination.warmup_ms * MS
    return {
        "way": way,
        "device": scenario_device,
        "observer": 0,
        "distinct": 4,
        "window": {"ns": WINDOW_NS, "batches": 1},
        "warmup": {"ns": ns, "cap_ns": None, "slope": 0.05},
    }


def result_of(device, loader, step, order):
    with Simulated(device):
        runs = run.Run(Silent(), Source(loader), Step(step), order)
        with mock.patch.object(runs._observer, "facts", dict):
            return runs.result()


def ns_per_step(members):
    return sum(end - begin for begin, end in members["segments"]) / members["steps"]


def read_by_run(combination, way, scenario_device):
    """(ns a step as read, as it is)."""
    device = Device()
    case = case_of(device, combination)
    loader = Loader(device, combination.epoch, WORKERS)
    order = order_of(combination, way, scenario_device)
    members, _ = result_of(device, loader, case.step, order)
    return ns_per_step(members), case.true_ns()


class Handed:
    """The other end of a hand-over: what benchbench's trainer and window do, on the same clock. A
    batch is copied in `COPY_NS`."""

    COPY_NS = 1 * MS
    TENSOR = {"name": "x", "dtype": "float32", "shape": [1]}

    def __init__(self, device, combination):
        self._device = device
        self._warmup_ns = (combination.warmup_ms or 500) * MS
        self._requests = self._conversation()
        self.memory = os.memfd_create("benchbench-test")
        self.steps = self.ns = 0

    def order(self, scenario_device):
        return {
            "tensors": [self.TENSOR],
            "rows": 4,
            "slot_bytes": 4096,
            "offsets": [0],
            "slots": 1,
            "device": scenario_device,
        }

    def send(self, kind, members=None, blob=b""):
        pass

    def receive(self):
        return next(self._requests)

    def _conversation(self):
        """Each request is answered when the next one is asked for."""
        begun = self._device.ns
        yield from self._step()
        while self._device.ns - begun < self._warmup_ns:
            yield from self._step()
        begun = self._device.ns
        while self._device.ns - begun < WINDOW_NS:
            yield from self._step()
            self.steps += 1
        self.ns = self._device.ns - begun
        yield {"type": "end"}

    def _step(self):
        self._device.work(self.COPY_NS)
        yield {"type": "step", "slot": 0, "rows": 4}


def read_by_take(combination, scenario_device):
    device = Device()
    case, handed = case_of(device, combination), Handed(device, combination)
    with Simulated(device):
        take.Take(handed, Step(case.step), handed.order(scenario_device)).served()
    os.close(handed.memory)
    return handed.ns / handed.steps, case.true_ns(handed.COPY_NS)


WAYS = {
    "all in Python": lambda one, device: read_by_run(one, "all in Python", device),
    "replayed": lambda one, device: read_by_run(one, "replayed", device),
    "hand-over": read_by_take,
}


class TrueOnADevice(unittest.TestCase):
    """Each combination, with a scenario that names the device and with one that does not."""

    def all_are_true(self, way):
        off = []
        for device, combination in itertools.product(("cpu", "cuda:0"), GRID):
            read, true = WAYS[way](combination, device)
            if abs(read / true - 1) > 0.005:
                off.append(f"{combination} {device}: {read / MS:.3f} ms for {true / MS:.3f}")
        self.assertEqual([], off, f"{len(off)} of {2 * len(GRID)}")

    def test_all_in_python(self):
        self.all_are_true("all in Python")

    def test_replayed(self):
        self.all_are_true("replayed")

    def test_hand_over(self):
        self.all_are_true("hand-over")


def table():
    """Prints, for each way and device, the worst reading of a true 10 ms and how many are off."""
    for way, device in itertools.product(WAYS, ("cpu", "cuda:0")):
        found = [WAYS[way](one, device) for one in GRID]
        off = [read / true for read, true in found if abs(read / true - 1) > 0.005]
        tens = [read for read, true in found if true == DEVICE_NS]
        worst = max(tens, key=lambda read: abs(read - DEVICE_NS))
        print(f"{way:14} {device:7} off {len(off):2} of {len(found)}, worst {worst / MS:.3f} ms")


if __name__ == "__main__":
    table()
