"""A step of 10 ms on a device reads 10 ms, however far the host is ahead: Run, Window, Epochs,
Replay and Take with a simulated device."""

import array
import collections
import itertools
import os
import sys
import unittest
from unittest import mock

from child import FOLDER
from device_sim import START_NS, Case, Device, Loader, Source, Step, torch_with

sys.path.insert(0, FOLDER)
from benchbench_dl import device_clock, window
from benchbench_dl.serve import epochs, replay, run, take  # noqa: E402

CLOCKED = (device_clock, epochs, replay, run, take, window)
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
        ] + [mock.patch.object(module, "now", now) for module in CLOCKED]

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
    return window_ns(members) / members["steps"]


def window_ns(members):
    return sum(end - begin for begin, end in members["segments"])


def read_by_run(combination, way, scenario_device, device_ns=DEVICE_NS):
    """(ns a step as read, as it is, the window's length, the trial's)."""
    device = Device()
    case = case_of(device, combination, device_ns)
    loader = Loader(device, combination.epoch, WORKERS)
    order = order_of(combination, way, scenario_device)
    members, _ = result_of(device, loader, case.step, order)
    trial_ns = device.ns - START_NS
    return ns_per_step(members), case.true_ns(), window_ns(members), trial_ns


class Handed:
    """The other end of a hand-over: what benchbench's trainer and window do, on the same clock. A
    batch is copied in `COPY_NS`; `READ_NS`: counters that are read as the window begins."""

    COPY_NS, READ_NS, SLOTS = 1 * MS, MS // 10, 3
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
            "slots": self.SLOTS,
            "device": scenario_device,
        }

    def send(self, kind, members=None, blob=b""):
        pass

    def receive(self):
        return next(self._requests)

    def _conversation(self):
        """Each request is answered when the next one is asked for."""
        begun = self._device.ns
        yield self._step()
        while self._device.ns - begun < self._warmup_ns:
            yield self._step()
        yield {"type": "edge"}
        self._device.work(self.READ_NS)
        begun, before = self._device.ns, self.steps
        while self._device.ns - begun < WINDOW_NS:
            yield self._step()
        yield {"type": "edge"}
        self.ns, self.counted = self._device.ns - begun, self.steps - before
        yield {"type": "end"}

    def _step(self):
        self._device.work(self.COPY_NS)
        self.steps += 1
        return {"type": "step", "slot": self.steps % self.SLOTS, "rows": 4}


def read_by_take(combination, scenario_device):
    device = Device()
    case, handed = case_of(device, combination), Handed(device, combination)
    with Simulated(device):
        take.Take(handed, Step(case.step), handed.order(scenario_device)).served()
    os.close(handed.memory)
    trial_ns = device.ns - START_NS
    return handed.ns / handed.counted, case.true_ns(handed.COPY_NS), handed.ns, trial_ns


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
            read, true, window_ns, _ = WAYS[way](combination, device)
            if abs(read / true - 1) > 0.005:
                off.append(f"{combination} {device}: {read / MS:.3f} ms for {true / MS:.3f}")
            if not 0.999 <= window_ns / WINDOW_NS <= 1.6:
                off.append(f"{combination} {device}: a window of {window_ns / MS:.0f} ms")
        self.assertEqual([], off, f"{len(off)} of {2 * len(GRID)}")

    def test_all_in_python(self):
        self.all_are_true("all in Python")

    def test_replayed(self):
        self.all_are_true("replayed")

    def test_hand_over(self):
        self.all_are_true("hand-over")


class Length(unittest.TestCase):
    """A step of few launches lets the host run seconds ahead."""

    def test_of_the_window_and_of_the_trial(self):
        for device_ms, host_ms, epoch in itertools.product((10, 100), (0.05, 0.3), (40, ENDLESS)):
            one = Combination(epoch, host_ms, 200, False, 1)
            read, true, window, trial = read_by_run(one, "all in Python", "cpu", device_ms * MS)
            with self.subTest(one, device_ms=device_ms):
                self.assertAlmostEqual(1, read / true, delta=0.005)
                self.assertTrue(0.999 <= window / WINDOW_NS <= 1.7, window / MS)
                # Twelve batches that are discarded, in each epoch, and the warm-up.
                self.assertLess(trial, 2.5 * WINDOW_NS + 24 * device_ms * MS)


class FirstStep(unittest.TestCase):
    def test_it_is_no_part_of_the_warm_ups_time(self):
        """It compiles for 40 s; the warm-up of 200 ms comes after it."""
        device = Device()
        case = Case(device, MS, DEVICE_NS, launches=1, reads=False)
        steps = itertools.count()

        def step(batch):
            if next(steps) == 0:
                device.work(40_000 * MS)
            return case.step(batch)

        combination = Combination(ENDLESS, 1, 200, False, 1)
        order = order_of(combination, "replayed", "cpu")
        members, _ = result_of(device, Loader(device, ENDLESS, WORKERS), step, order)
        self.assertGreater(members["warmup_steps"], 30)
        self.assertIn("the first step took 40 s", members["notes"][-1])
        self.assertAlmostEqual(DEVICE_NS, ns_per_step(members), delta=50_000)


class Series(unittest.TestCase):
    """The times of single steps."""

    def read(
        self, case_ns, batch_ns, epoch=ENDLESS, warmup_ms=200, workers=WORKERS, used=True, on=None
    ):
        """Runs a step of (host, device) ns with batches that are `batch_ns` away."""
        device = on or Device()
        device.used = used
        case = Case(device, *case_ns, launches=1, reads=False)
        order = order_of(Combination(epoch, 0, warmup_ms, False, 1), "all in Python", "cpu")
        loader = Loader(device, epoch, workers, batch_ns)
        members, blob = result_of(device, loader, case.step, order)
        values = array.array("q", blob)
        steps = members["steps"]
        self.assertEqual([["get", steps], ["step", steps]], members["series"])
        span = sum(end - begin for begin, end in members["segments"])
        self.assertAlmostEqual(span, sum(values), delta=len(values))
        return members, values[:steps], values[steps:], device

    def test_steps_of_a_device_are_the_devices(self):
        members, gets, steps, device = self.read((MS // 2, DEVICE_NS), MS // 10)
        self.assertEqual(("device", "cuda:0"), (members["clock"], members["device"]))
        self.assertEqual({0}, set(gets))
        for step in steps:
            self.assertAlmostEqual(DEVICE_NS, step, delta=1000)

    def test_the_device_never_runs_dry(self):
        """It has no work before the first step, and when the first loss was read."""
        device = Device(late_ns=3 * MS)
        self.read((MS // 2, DEVICE_NS), MS // 10, on=device)
        self.assertLess(device.idle_ns, 30 * MS)

    def test_no_wait_but_at_the_windows_end_where_the_host_is_not_far_ahead(self):
        losses = 2  # the first one and the last
        device = self.read((MS, 10 * MS), 16 * MS)[-1]
        self.assertLessEqual(device.waits, 1 + losses)

    def test_a_wait_counts_from_when_the_device_was_done(self):
        members, gets, steps, _ = self.read((MS, 10 * MS), 16 * MS)
        self.assertAlmostEqual(17 * MS, ns_per_step(members), delta=50_000)
        # 16 ms until the batch is there, of which the device works 10.
        self.assertAlmostEqual(6 / 17, sum(gets) / (sum(gets) + sum(steps)), delta=0.02)

    def test_a_wait_with_a_late_host_and_clocks_that_drift(self):
        for late_ns, drift, seconds, warmup_ms in (
            (3 * MS, 0, 1, 200),
            (0, 5e-5, 60, 200),
            (4 * MS, -5e-5, 60, 0),
        ):
            length = mock.patch(f"{__name__}.WINDOW_NS", seconds * 1000 * MS)
            with self.subTest(late_ns=late_ns, drift=drift), length:
                device = Device(late_ns, drift)
                read = self.read((MS, 10 * MS), 16 * MS, warmup_ms=warmup_ms, on=device)
                gets, steps = read[1:3]
                share = sum(gets) / (sum(gets) + sum(steps))
                self.assertAlmostEqual(6 / 17, share, delta=0.003)

    def test_work_on_another_stream_or_device_makes_the_clock_the_hosts(self):
        device = Device()
        case = Case(device, MS, 0, launches=1, reads=False)
        device.used = True

        def step(batch):
            device.launch_aside(DEVICE_NS)
            return case.step(batch)

        order = order_of(Combination(ENDLESS, 0, 0, False, 1), "all in Python", "cpu")
        members, _ = result_of(device, Loader(device, ENDLESS, WORKERS), step, order)
        self.assertEqual("host", members["clock"])
        self.assertIn("the times of steps are the host's", members["notes"][-1])
        self.assertGreater(ns_per_step(members), 0.95 * DEVICE_NS)

    def test_a_device_whose_memory_torch_does_not_know(self):
        for held in ({}, None):
            device = Device()
            device.held = held
            members = self.read((MS // 2, DEVICE_NS), 0, on=device)[0]
            self.assertEqual(("device", "cuda:0"), (members["clock"], members["device"]))

    def test_an_epochs_gap_that_the_device_does_not_notice(self):
        """Its workers start in 20 ms, while it has more than that to do."""
        for device_ns, gap_ns in ((DEVICE_NS, 0), (0, 20 * MS)):
            members = self.read((MS // 2, device_ns), 0, epoch=40)[0]
            self.assertAlmostEqual(gap_ns, members["epoch_gap_ns"], delta=MS // 2)

    def test_short_epochs(self):
        members = self.read((MS // 2, DEVICE_NS), 0, epoch=4)[0]
        self.assertAlmostEqual(DEVICE_NS, ns_per_step(members), delta=50_000)

    def test_a_device_that_is_not_used_from_the_first_step_on(self):
        members = self.read((MS // 2, DEVICE_NS), 0, warmup_ms=0, epoch=4, used=False)[0]
        self.assertAlmostEqual(DEVICE_NS, ns_per_step(members), delta=50_000)
        self.assertEqual(("device", "cuda:0"), (members["clock"], members["device"]))

    def test_a_device_without_events(self):
        """Its steps' times are the host's, and said to be; the window's end waits all the same."""
        with mock.patch("device_sim.HAS_EVENTS", False):
            members = self.read((MS // 2, DEVICE_NS), 0)[0]
        self.assertEqual(("host", "cuda:0"), (members["clock"], members["device"]))

    def test_steps_of_the_host_are_the_hosts(self):
        members, gets, steps, device = self.read((6 * MS, 0), MS, used=False)
        self.assertEqual(("host", None), (members["clock"], members["device"]))
        self.assertEqual(({MS}, {6 * MS}, 0), (set(gets), set(steps), device.waits))


class HandOver(unittest.TestCase):
    def take(self, slots, error=0, used=True):
        """Returns the child's messages, its answer and torch; registering memory gives `error`.
        `used`: setup() uses the device already."""
        device = Device()
        device.used = used
        case = Case(device, MS, DEVICE_NS, launches=1, reads=False)
        handed = Handed(device, Combination(ENDLESS, 1, 100, False, 1))
        handed.SLOTS, said = slots, []
        handed.send = lambda kind, members=None: said.append((kind, members, device.ns))
        with Simulated(device) as simulated:
            simulated.torch.failing[:] = [error]

            def step(batch):
                simulated.torch.check_launch()
                return case.step(batch)

            taken = take.Take(handed, Step(step), handed.order("cpu"))
            members = taken.served()
        os.close(handed.memory)
        return said, members, simulated.torch

    def test_the_ring_is_pinned(self):
        said, members, torch = self.take(3)
        self.assertEqual([(3 * 4096, 0)], [one[1:] for one in torch.registered])
        self.assertEqual([], said[0][1]["notes"])
        self.assertEqual({"device": "cuda:0", "notes": []}, members)

    def test_a_ring_that_cannot_be_pinned_is_said(self):
        notes = self.take(3, error=801)[0][0][1]["notes"]
        self.assertIn("cudaHostRegister failed with error 801", notes[0])

    def test_a_device_that_the_first_step_uses_first(self):
        for error in (0, 801):
            said, members, torch = self.take(3, error=error, used=False)
            self.assertEqual(1, len(torch.registered))
            self.assertEqual([], said[0][1]["notes"])
            self.assertEqual(bool(error), "failed with error 801" in str(members["notes"]))

    def test_a_step_is_answered_when_its_slot_is_free(self):
        for slots in (1, 3):
            at = [ns for kind, _, ns in self.take(slots)[0] if kind == "stepped"]
            begun = at[0] - (DEVICE_NS if slots == 1 else 0)
            self.assertAlmostEqual((6 - slots) * DEVICE_NS, at[4] - begun, delta=12 * MS)


def table():
    """Prints, for each way and device, the worst reading of a true 10 ms and how many are off."""
    for way, device in itertools.product(WAYS, ("cpu", "cuda:0")):
        found = [WAYS[way](one, device)[:2] for one in GRID]
        off = [read / true for read, true in found if abs(read / true - 1) > 0.005]
        tens = [read for read, true in found if true == DEVICE_NS]
        worst = max(tens, key=lambda read: abs(read - DEVICE_NS))
        print(f"{way:14} {device:7} off {len(off):2} of {len(found)}, worst {worst / MS:.3f} ms")


if __name__ == "__main__":
    table()
