"""A simulated device with a queue, and a torch that uses it: a host that hands over more than fits
into the queue waits. Nothing takes real time. Times are whole nanoseconds from START_NS."""

import collections
import itertools
import struct
import types

START_NS = 10**12
DEPTH = 1022  # launches that fit into the queue, as measured on an H200
HAS_EVENTS = True
CALL_NS = 3_000  # the host's time for recording an event
QUERY_NS = 500


class Device:
    """`ns` is the host's clock. `used`: this process has begun to use the device. `late_ns`: after
    each wait the host wakes up so much late. `drift`: the device's clock is faster by this share.
    `idle_ns`: the device had no work. `held`: {device: bytes}."""

    def __init__(self, late_ns=0, drift=0):
        self.ns, self.used, self.waits = START_NS, False, 0
        self.late_ns, self.drift, self.idle_ns, self.held = late_ns, drift, 0, {0: 1 << 20}
        self._queue, self._filled, self._free = collections.deque(), 0, START_NS
        self._side = START_NS  # when a stream besides the current one is done

    def monotonic_ns(self):
        return self.ns

    def work(self, ns):
        """The host is busy."""
        self.ns += ns

    def launch(self, ns, launches=1):
        """Returns when the device will be done with it."""
        self.used = True
        self._drop_done()
        while self._filled + launches > DEPTH:
            self.ns = self._queue[0][0]
            self._drop_done()
        self.idle_ns += max(0, self.ns - self._free)
        self._free = max(self._free, self.ns) + ns
        self._queue.append((self._free, launches))
        self._filled += launches
        return self._free

    def launch_aside(self, ns):
        """Hands work to a stream besides the current one."""
        self.used, self._side = True, max(self._side, self.ns) + ns

    def wait_until(self, done):
        self.waits += done > self.ns
        self.ns = max(self.ns, done + self.late_ns) if done > self.ns else self.ns

    def wait(self):
        self.wait_until(max(self._free, self._side))

    def _drop_done(self):
        while self._queue and self._queue[0][0] <= self.ns:
            self._filled -= self._queue.popleft()[1]


class Loss:
    """The result of a step on the device: reading it waits."""

    def __init__(self, device, done):
        self._device, self._done = device, done

    def __float__(self):
        self._device.wait_until(self._done)
        return 1.0

    item = __float__


class Tensor:
    """A batch's, whatever is done with it."""

    ndim, shape = 2, (4, 1)

    def reshape(self, _shape):
        return self

    def __getitem__(self, _rows):
        return self


def torch_with(device):
    """Returns what `import torch` gives: as much of it as the child asks for."""

    class Event:
        def __init__(self, enable_timing=False):
            assert enable_timing, "this event has no time"
            if not HAS_EVENTS:
                raise TypeError("this torch has no events")
            self._done = None

        def record(self, stream):
            assert stream in ("stream of 0", "own stream of 0"), stream
            self._done = device.ns if stream.startswith("own") else device.launch(0)
            device.work(CALL_NS)

        def query(self):
            device.work(QUERY_NS)
            return self.is_done()

        def is_done(self):
            return self._done <= device.ns

        def synchronize(self):
            device.wait_until(self._done)

        def elapsed_time(self, end):
            if not (self.is_done() and end.is_done()):
                raise RuntimeError("CUDA error: device not ready")
            took = (end._done - self._done) * (1 + device.drift)
            (ms,) = struct.unpack("f", struct.pack("f", took / 1e6))
            return ms

    registered, failing, last_error = [], [0], [0]

    def register(pointer, size, flags):
        registered.append((pointer, size, flags))
        last_error[0] = failing[0]
        return failing[0]

    def check_launch():
        """Raises the last error, as torch does after a launch of its own."""
        error, last_error[0] = last_error[0], 0
        if error:
            raise RuntimeError(f"CUDA error: {error}")

    def empty(_size, device):
        return types.SimpleNamespace(fill_=lambda _value: check_launch())

    def held(index):
        if device.held is None:
            raise RuntimeError("CUDAPluggableAllocator does not yet support getDeviceStats")
        return device.held.get(index, 0)

    cuda = types.SimpleNamespace(
        Event=Event,
        is_initialized=lambda: device.used,
        current_device=lambda: 0,
        device_count=lambda: 1,
        memory_allocated=held,
        Stream="own stream of {}".format,
        get_device_name=lambda index: "simulated",
        current_stream="stream of {}".format,
        synchronize=lambda _device=None: device.wait(),
        cudart=lambda: types.SimpleNamespace(cudaHostRegister=register),
    )
    return types.SimpleNamespace(
        __version__="2.11.0",
        cuda=cuda,
        registered=registered,
        failing=failing,
        check_launch=check_launch,
        empty=empty,
        Tensor=Tensor,
        float32="float32",
        set_num_threads=lambda count: None,
        get_num_threads=lambda: 1,
        frombuffer=lambda *_, **__: Tensor(),
    )


class Case:
    """A step of `device_ns` in some launches that takes the host `host_ns`; with `reads` it ends
    with loss.item()."""

    def __init__(self, device, host_ns, device_ns, launches, reads):
        self._device, self._host_ns = device, host_ns
        self._device_ns, self._launches, self._reads = device_ns, launches, reads

    def step(self, _batch):
        self._device.work(self._host_ns)
        if not self._device_ns:
            return 1.0
        loss = Loss(self._device, self._device.launch(self._device_ns, self._launches))
        return loss.item() if self._reads else loss

    def true_ns(self, other_ns=0):
        """Returns the time of a step once the queue is in equilibrium; `other_ns`: the host's other
        time."""
        host = self._host_ns + other_ns
        return host + self._device_ns if self._reads else max(host, self._device_ns)


class Loader:
    """Epochs of `batches`, None: one without end. Workers are started in `start_ns`; a batch is
    `batch_ns` away."""

    prefetch_factor, persistent_workers = 2, False

    def __init__(self, device, batches, workers, batch_ns=0, start_ns=20_000_000):
        self._device, self._batches, self.num_workers = device, batches, workers
        self._batch_ns, self._start_ns = batch_ns, start_ns
        self._iterator = None

    def __iter__(self):
        self._device.work(self._start_ns)
        return self._epoch()

    def _epoch(self):
        for _ in itertools.repeat(0) if self._batches is None else range(self._batches):
            self._device.work(self._batch_ns)
            yield [0]


class Source:
    """Stands in for the user's loader."""

    kind, call, where, dataset = "DataLoader", "make_data", "train.py:1", None

    def __init__(self, loader):
        self._loader = loader

    def loader(self, settings):
        return self._loader, []


class Step:
    """Stands in for the user's step."""

    name, parameters = "train_step", 1

    def __init__(self, function):
        self._function = function

    def set_up(self, device, seed):
        return self._function
