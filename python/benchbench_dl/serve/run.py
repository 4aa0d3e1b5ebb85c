"""`run`: measures the user's loader, their step, or both together, in this process."""

import sys
import time

from .. import trees, workers
from ..device_clock import DeviceClock, HostClock
from ..failure import counted, scenario
from ..observe.observer import Observer
from ..step_trace import WarmUp
from ..window import Window
from .epochs import Epochs
from .replay import Replay
from .seeds import seed_all
from .step import loss_of

now = time.monotonic_ns
REPORT_NS = 250_000_000
LONG_FIRST_STEP_NS = 5_000_000_000


class Measurement:
    """The loaded source's batches, as an order of benchbench's asks for them. `channel` hears
    progress."""

    def __init__(self, channel, source, order):
        self._channel, self._source, self._order = channel, source, order
        self._observer = Observer(bool(order.get("observer", 1)))
        self._reported = 0

    def _begin_epochs(self):
        loader, self._dropped = self._source.loader(self._order.get("settings"))
        seed_all(self._order.get("seed"))
        self._epochs = Epochs(self._source, loader, self._observer)

    def _guarded(self, work, *args):
        """What torch's handler of SIGCHLD raises in the midst of it is of a worker that ended."""
        try:
            work(*args)
        except RuntimeError as error:
            if not workers.is_of_signal(error):
                raise
            raise self._epochs.failure(error, self._source.call) from error

    def _observed(self):
        """Ends the epochs. Returns members of the answer."""
        self._epochs.close()
        if self._source.dataset is not None:
            self._observer.look_at(self._source.dataset, self._epochs.loader)
        return self._observer.facts()

    def _report(self, phase, share=0, rate=None):
        self._reported = now()
        self._channel.send(
            "progress",
            {"phase": phase, "share": share, "rate": rate, "workers": self._observer.worker_pids()},
        )


class Run(Measurement):
    """One run of the loaded source and step. `channel` hears the window's edges, too."""

    def __init__(self, channel, source, step, order):
        way = order["way"]
        if source is None or (step is None and way != "self-timed"):
            raise scenario(
                "way {} needs a {}".format(way, "loader" if source is None else "trainer")
            )
        super().__init__(channel, source, order)
        self._step = step if way != "self-timed" else None
        self._loss = [None, None]

    def result(self):
        """(the members of `result`, its blob)."""
        function, batches = self._start()
        window = self._window(batches)
        batches.on_begin, batches.on_end = window.epoch_begun, window.epoch_ended
        window.expects(batches.batches)
        self._guarded(self._steps, batches, window, function)
        return self._finish(batches, window)

    def _start(self):
        order, function = self._order, None
        self._report("starting")
        self._notes = set_threads(order.get("intra_op_threads"))
        if self._step:
            function = self._step.set_up(order.get("device") or "cpu", order.get("trainer_seed"))
        self._begin_epochs()
        epochs, is_torch = self._epochs, self._source.dataset is not None
        self._rows_of = trees.Rows.of(epochs.loader) if is_torch else trees.Rows()
        if order["way"] != "replayed":
            return function, epochs
        return function, Replay(
            epochs, order["distinct"], order.get("rate"), self._fetched, self._rows_of
        )

    def _fetched(self):
        if now() - self._reported > REPORT_NS:
            self._report("starting")

    def _window(self, batches):
        rule, size = self._order.get("warmup") or {}, self._order["window"]
        warm_up = WarmUp(rule.get("ns"), rule.get("cap_ns"), size["ns"], rule.get("slope") or 0.05)
        return Window(
            size,
            warm_up,
            batches.workers,
            batches.prefetched,
            self._on_edge,
            DeviceClock() if self._step else HostClock(),
        )

    def _steps(self, batches, window, function):
        first, rows_of, returned = True, self._rows_of, None
        batch = batches.get()
        window.requested = asked = batches.requested
        while True:
            end = got = now()
            rows = rows_of(batch)
            if function is not None:
                try:
                    returned = function(batch)
                except BaseException as error:
                    raise self._epochs.failure(error, self._step.name) from error
                end = now()
            if first:
                first, self._loss[0] = False, loss_of(returned)
            asked = window.add(batches.number, asked, got, end, rows)
            if window.done:
                break
            if end - self._reported > REPORT_NS:
                self._progress(window)
            batch = batches.get()
        self._loss[1] = loss_of(returned)

    def _finish(self, batches, window):
        self._report("finishing", 1)
        members = batches.facts(
            window.mean_get if not window.discards else None, window.hidden_gaps()
        )
        of_replay = batches.notes if batches is not self._epochs else []
        notes = self._notes + self._epochs.notes + of_replay + window.notes + first_step(window)
        members.update(
            window.facts(),
            parameters=self._step.parameters if self._step else 0,
            loss_first=self._loss[0],
            loss_last=self._loss[1],
            dropped=self._dropped,
            **self._observed(),
        )
        members["notes"] = notes + self._observer.notes()
        members["series"], blob = window.series(self._step is not None, self._observer.fills())
        return members, blob

    def _on_edge(self, edge, at):
        self._observer.window(edge == "begin")
        self._channel.send("window", {"edge": edge, "workers": self._observer.worker_pids()})
        if edge == "end":  # benchbench looks at the workers, which may end after that
            self._channel.receive()

    def _progress(self, window):
        size, ns = self._order["window"], window.measured_ns
        rate = window.samples * 1e9 / ns if ns else None
        if window.warming:
            self._report("warming up", 0, rate)
            return
        of_time = ns / size["ns"] if size["ns"] else 1
        share = min(1, of_time, len(window.rows) / max(1, size["batches"]))
        self._report("measuring", share, rate)


def first_step(window):
    """Returns notes. It may compile, or choose kernels, which the warm-up's time does not count."""
    ns = window.first_step_ns
    if ns < max(LONG_FIRST_STEP_NS, 3 * sum(window.step_ns) // len(window.step_ns)):
        return []
    return [
        f"the first step took {ns / 1e9:.0f} s, as where it is compiled or kernels are chosen; the "
        "time of measure.warmup begins after it, that of measure.timeout before"
    ]


def set_threads(count):
    """Returns notes. None and 0: as many as the user's script has."""
    torch = sys.modules.get("torch")
    if not count or torch is None:
        return []
    had = torch.get_num_threads()
    torch.set_num_threads(count)
    if had == count:
        return []
    return [
        "torch runs with {}, as trainer.intra_op_threads says; your script had {}".format(
            counted(count, "thread"), had
        )
    ]
