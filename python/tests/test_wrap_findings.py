"""Facts for the findings about a script's loader, against scripts in which they are known."""

import importlib.util
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from rows import alone, only_all, quiet
from wrap_driver import WrapTest

QUICK = {"stretch": {"ns": 30_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}


def has(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


# `{take}`: of a sample; `{rest}`: of the DataLoader
SCRIPT = """
    import time, torch
    from torch.utils.data import DataLoader, Dataset

    class Samples(Dataset):
        def __len__(self):
            return {length}

        def __getitem__(self, index):
            time.sleep({take})
            return torch.ones(8)

    def prepare(worker):
        time.sleep({prepare})

    def main():
        model = torch.nn.Linear(8, 1)
        loader = DataLoader(Samples(), batch_size=4, num_workers=2, worker_init_fn=prepare)
        for epoch in range(1000):
            for batch in loader:
                model(batch).mean().backward()
                time.sleep({step})

    if __name__ == "__main__":
        main()
"""


class Epochs(WrapTest):
    def test_an_epochs_gap_holds_its_workers_start(self):
        """It lacks the end of workers that we ended in the middle of their work."""
        end = self.answered(
            SCRIPT.format(length=64, take=0.001, prepare=0.1, step=0.002), QUICK
        ).main.end
        self.assertGreater(end["observed"]["epoch_start_ns"], 100_000_000)
        self.assertLess(end["observed"]["epoch_start_ns"], end["epoch_gap_ns"])
        self.assertEqual([], end["noticed"])

    def test_a_loader_that_each_epoch_makes_anew_keeps_no_workers(self):
        made = "loader = DataLoader(Samples(), batch_size=4, num_workers=2, worker_init_fn=prepare)"
        anew = SCRIPT.replace(f"        {made}\n", "").replace(
            "            for batch in loader:",
            f"            {made[:-1]}, persistent_workers=True)\n            for batch in loader:",
        )
        end = self.answered(anew.format(length=64, take=0, prepare=0, step=0.002), QUICK).main.end
        [seen] = end["noticed"]
        self.assertEqual(("loader each epoch", "train.py:18"), (seen["kind"], seen["where"]))
        self.assertEqual({"remade": seen["count"], "kept": 1}, seen["numbers"])
        begins = [row for row in end["ledger"]["rows"] if row["state"] == "iter"]
        self.assertEqual([2], [row["workers"] for row in begins])


class Device(WrapTest):
    def test_it_is_where_the_process_has_tensors(self):
        from benchbench_dl import devices

        class Cuda:
            is_initialized = staticmethod(lambda: True)
            current_device = staticmethod(lambda: 1)
            device_count = staticmethod(lambda: 3)
            get_device_name = staticmethod(lambda index: f"GPU {index}")
            allocated = {}

            def memory_allocated(self, index):
                return self.allocated.get(index, 0)

        class Torch:
            cuda = Cuda()

        # Another allocator than torch's says nothing.
        self.assertEqual({"device": "cuda:1", "device_name": "GPU 1"}, devices.used_by(Torch))
        # model.to("cuda:2") does so, and leaves the current device as it is.
        Cuda.allocated = {2: 1}
        self.assertEqual({"device": "cuda:2", "device_name": "GPU 2"}, devices.used_by(Torch))
        Cuda.allocated = {0: 1, 1: 1}
        self.assertEqual({"device": "cuda:1", "device_name": "GPU 1"}, devices.used_by(Torch))
        Cuda.allocated = {1: 1, 2: 1 << 30}  # a stray tensor is on the current one
        self.assertEqual({"device": "cuda:2", "device_name": "GPU 2"}, devices.used_by(Torch))
        del Torch.cuda
        self.assertEqual("cpu", devices.used_by(Torch)["device"])


class Making(WrapTest):
    @alone
    def test_every_other_batch_takes_longer(self):
        """The order in which batches were handed out is kept over workers that take turns."""
        script = SCRIPT.format(
            length=100000, take="0.01 if index // 4 % 2 else 0.002", prepare=0, step=0.001
        )
        with quiet():
            heard = self.answered(script, QUICK).main
            seen = [one["observed"] for one in heard.of("stretch") if one["kind"] != "T"]
            for observed in seen:
                self.assertIs(False, observed["streams"])
                self.assertEqual(2, observed["prefetch_factor"])
        for observed in seen:
            quick, slow = observed["made_ns"]
            ratio = (sum(slow) / len(slow)) / (sum(quick) / len(quick))  # 40 ms over 8 ms
            self.assertGreater(ratio, 2)  # it is 1 where the order is lost


BESIDE = """
    import threading, time, torch
    from torch.utils.data import DataLoader, TensorDataset

    def hold(lock):
        lock and lock.acquire()
        threading.Event().wait()

    def start(lock, name):
        threading.Thread(target=hold, args=(lock,), name=name, daemon=True).start()

    def main():
        {first}
        model = torch.nn.Linear(8, 1)
        held = torch.ones(8_000_000)
        train = DataLoader(TensorDataset(torch.ones(100_000, 8)), batch_size=8, num_workers=1)
        validation = DataLoader(TensorDataset(torch.ones(64, 8)), batch_size=8, num_workers=2,
                                persistent_workers={stay})
        with torch.no_grad():
            for batch in validation:
                model(batch[0])
        for batch, in train:
            model(batch).mean().backward()
            time.sleep(0.004)

    if __name__ == "__main__":
        main()
"""


class Noticed(WrapTest):
    def noticed(self, first="pass", stay=False):
        return self.answered(BESIDE.format(first=first, stay=stay), QUICK).main.end["noticed"]

    def test_workers_that_stay_for_a_validation(self):
        [seen] = self.noticed(stay=True)
        held = seen.pop("bytes")
        self.assertEqual(
            {"kind": "workers that stay", "count": 2, "what": "validation", "where": "train.py:16"},
            seen,
        )
        self.assertGreater(held, 10 << 20)
        self.assertLess(held, 1000 << 20)

    @only_all
    def test_workers_that_end_are_not_seen_nor_forks_without_threads(self):
        self.assertEqual([], self.noticed())

    def test_a_fork_beside_a_thread_that_holds_a_lock(self):
        [seen] = self.noticed("start(threading.Lock(), 'watcher')")
        self.assertEqual(
            {
                "kind": "fork after threads",
                "count": 1,
                "what": "watcher",
                "where": "train.py:15",
                "numbers": {"guarded": 1, "kept": 0},
            },
            seen,
        )

    @only_all
    def test_a_fork_beside_threads_that_hold_none(self):
        self.assertEqual([], self.noticed("start(None, 'watcher')"))
        # Waits in Python's library, as those of tqdm, tensorboard and wandb do.
        self.assertEqual(
            [],
            self.noticed("threading.Thread(target=threading.Event().wait, daemon=True).start()"),
        )


ON_DEVICE = """
    import time, torch
    from torch.utils.data import DataLoader, TensorDataset

    def collated(samples):
        return torch.stack([sample[0] for sample in samples]).to("{device}")

    def main():
        model = torch.nn.Linear(8, 1)
        data = TensorDataset(torch.ones(100_000, 8))
        loader = DataLoader(data, batch_size=8, num_workers={workers}, collate_fn=collated)
        for batch in loader:
            model(torch.ones(8, 8)).mean().backward()
            time.sleep(0.004)

    if __name__ == "__main__":
        main()
"""


class OnDevice(WrapTest):
    """The meta device stands for one: its tensors hold nothing, and pass through torch's queues as
    all do."""

    def noticed(self, **how):
        return self.answered(ON_DEVICE.format(**how), QUICK).main.end["noticed"]

    def test_batches_that_workers_make_on_a_device(self):
        torch_2 = int(sys.modules["torch"].__version__.split(".")[0]) >= 2
        if not torch_2:
            self.skipTest("torch 2 hands tensors of the meta device over")
        [seen] = self.noticed(device="meta", workers=2)
        self.assertEqual(
            {"kind": "device tensors", "count": 2, "what": "meta", "where": "train.py:10"}, seen
        )

    @only_all
    def test_none_on_the_cpu_nor_without_workers(self):
        self.assertEqual([], self.noticed(device="cpu", workers=2))
        self.assertEqual([], self.noticed(device="meta", workers=0))


STATEFUL = """
    import time, torch
    from torch.utils.data import Dataset
    from torchdata.stateful_dataloader import StatefulDataLoader

    class Samples(Dataset):
        def __len__(self):
            return 100_000

        def __getitem__(self, index):
            return torch.ones(8)

        {state}

    def main():
        model = torch.nn.Linear(8, 1)
        loader = StatefulDataLoader(Samples(), batch_size=8, num_workers=2{every})
        for batch in loader:
            model(batch).mean().backward()
            time.sleep(0.004)

    if __name__ == "__main__":
        main()
"""
STATE = """def state_dict(self):
            time.sleep(0.003)
            return {"seen": list(range(100))}

        def load_state_dict(self, state):
            pass
"""


# The parts of CUDA that a script meets, with tensors that stay where they are.
CUDA = """
    torch.cuda.is_available = torch.cuda.is_initialized = lambda: True
    torch.cuda.current_device = lambda: 0
    torch.cuda.device_count = lambda: 1
    torch.cuda.memory_allocated = lambda *_: 1
    torch.cuda.get_device_name = lambda *_: "none"
    torch.cuda.set_device = torch.cuda.synchronize = lambda *_: None
    torch.cuda.current_stream = lambda *_: None

    class Event:
        def __init__(self, enable_timing):
            pass

        def record(self, stream):
            self.at = time.monotonic_ns()

        def query(self):
            return True

        def synchronize(self):
            pass

        def elapsed_time(self, end):
            return (end.at - self.at) / 1e6

    class Stream:
        def __init__(self, device):
            pass

        def synchronize(self):
            pass

    torch.cuda.Event, torch.cuda.Stream = Event, Stream
    torch.Tensor.is_cuda = property(lambda tensor: True)
    torch.Tensor.pin_memory = lambda tensor, *_: tensor.clone()
    torch.Tensor.is_pinned = lambda tensor, *_: False
    if hasattr(torch, "accelerator"):
        torch.accelerator.is_available = lambda: True
        torch.accelerator.current_accelerator = lambda *_: torch.device("cuda")
        torch.accelerator.current_device_index = lambda: 0
        torch.accelerator.set_device_index = lambda *_: None
"""
READS = """
    inner = torch.Tensor.item

    def slow_item(tensor):
        time.sleep(0.003)
        return inner(tensor)

    torch.Tensor.item = slow_item
"""


class Restored(unittest.TestCase):
    def setUp(self):
        from benchbench_dl.wrap.host_copies import HostCopies

        class Base:
            is_cuda, dtype = True, "torch.bool"

            def item(self):
                return 1

            def __getitem__(self, index):
                return self

        class Tensor(Base):
            def cpu(self, non_blocking=False):
                return 2

            def to(self, *args, **kwargs):
                return 3

            def nonzero(self):
                return self

        class Waits:
            def synchronize(self):
                pass

        class Torch:
            class nn:
                Parameter = None

            class cuda:
                Event = Stream = Waits

            class compiler:
                is_compiling = staticmethod(lambda: self.compiles)

            class _C:
                _cuda_synchronize = staticmethod(lambda: None)

        self.Torch, self.Tensor, Torch.Tensor = Torch, Tensor, Tensor
        self.reads_within_loader = self.compiles = False
        self.copies = HostCopies(Torch, lambda: self.reads_within_loader)

    def test_methods_are_as_they_were(self):
        before, tensor = dict(vars(self.Tensor)), self.Tensor()
        for _ in range(2):
            self.copies.watch()
            self.copies.watch()
            self.assertEqual((1, 2), (tensor.item(), tensor.cpu()))
            kept = tensor.item
            self.copies.rest()
            self.copies.rest()
            self.assertEqual(before, dict(vars(self.Tensor)))
            tensor.item(), kept()  # not counted
        self.assertIsNone(self.copies.found())
        self.copies.were_of(1)
        self.assertEqual(4, self.copies.found()[0])

    def test_what_is_no_read_of_the_step(self):
        self.copies.watch()
        self.Tensor().cpu(non_blocking=True)
        self.reads_within_loader = True
        self.Tensor().item()
        self.copies.were_of(1)
        self.assertIsNone(self.copies.found())

    def counted(self, call):
        """Counts the waits for the device of each of ten calls."""
        self.copies.watch()
        for _ in range(10):
            call()
        self.copies.rest()
        self.copies.were_of(10)
        calls, _ns, method, _where = self.copies.found() or (0, 0, None, None)
        return calls, method

    def test_waits_without_a_value(self):
        for method, call in (
            ("synchronize", lambda _: self.Torch.cuda.Event().synchronize()),
            ("synchronize", lambda _: self.Torch._C._cuda_synchronize()),
            ("nonzero", lambda tensor: tensor.nonzero()),
            ("__getitem__", lambda tensor: tensor[tensor]),
            ("__getitem__", lambda tensor: tensor[0, tensor]),
        ):
            self.setUp()
            tensor = self.Tensor()
            self.assertEqual((1, method), self.counted(lambda: call(tensor)))

    def test_an_index_waits_for_nothing(self):
        tensor = self.Tensor()
        tensor.dtype = "torch.int64"
        self.assertEqual((0, None), self.counted(lambda: (tensor[1], tensor[:2, tensor])))

    def test_an_index_of_numbers_asks_nothing(self):
        """It takes nanoseconds, so that F is not slower than T by it."""
        tensor, asked = self.Tensor(), []
        self.copies._is_loaders = lambda: asked.append(1)
        self.counted(lambda: (tensor[1], tensor[:2, None, ...]))
        self.assertEqual([], asked)

    def test_one_that_need_not_wait_says_so_by_its_place(self):
        tensor = self.Tensor()
        self.assertEqual((0, None), self.counted(lambda: tensor.to("cpu", None, True)))
        self.setUp()
        tensor = self.Tensor()
        self.assertEqual((1, "to"), self.counted(lambda: tensor.to("cpu", None, False, True)))

    def test_our_own_waits_are_none_of_the_steps(self):
        ours = {"__name__": "benchbench_dl.device_clock", "event": self.Torch.cuda.Event()}
        exec(compile("def wait(): event.synchronize()", "<ours>", "exec"), ours)
        self.assertEqual((0, None), self.counted(ours["wait"]))

    def test_what_is_compiled_is_as_it_was(self):
        before = self.Tensor.item
        self.compiles = True
        self.copies.watch()
        self.assertIs(before, self.Tensor.item)
        self.compiles = False
        self.copies.watch()
        self.compiles = True
        self.Tensor().item()
        self.copies.were_of(1)
        self.assertIsNone(self.copies.found())

    def test_what_another_puts_there_stays(self):
        self.copies.watch()
        other = self.Tensor.item = lambda tensor: 3
        self.copies.rest()
        self.assertIs(other, self.Tensor.item)
        self.assertEqual(2, self.Tensor().cpu())

    def test_a_subclass_meets_the_method_that_it_knows(self):
        seen, known = [], self.Tensor.cpu

        class Own(self.Tensor):
            def item(own):
                seen.append(self.Tensor.cpu is known)
                return super().item()

        self.copies.watch()
        own = Own()
        self.assertEqual((1, 2), (own.item(), own.cpu()))
        self.assertEqual([False], seen)  # cpu() is called as ever, without us
        self.Tensor.item(own)
        self.assertIsNot(known, self.Tensor.cpu)
        self.copies.rest()
        self.assertIs(known, self.Tensor.cpu)


class PinThread(unittest.TestCase):
    def test_what_it_waits_with_each_fourth_batch(self):
        from benchbench_dl.observe import handover

        clocks = {"monotonic_ns": 0, "thread_time_ns": 0, "core_wait_ns": 0}
        for name in clocks:
            self.addCleanup(setattr, handover, name, getattr(handover, name))
            setattr(handover, name, lambda *_, name=name: clocks[name])
        pin = handover.PinThread()
        for _ in range(9):
            clocks.update(
                monotonic_ns=clocks["monotonic_ns"] + 1000,
                thread_time_ns=clocks["thread_time_ns"] + 100,
            )  # between two batches
            pin.receives()
            for name, ns in (("monotonic_ns", 60), ("thread_time_ns", 20), ("core_wait_ns", 10)):
                clocks[name] += ns
            pin.puts()
        self.assertEqual({"pin_waited_ns": 60, "pin_waits": 2}, pin.counted())


class Cuda(WrapTest):
    def noticed(self, kind, step, more="", virtual=False):
        script = SCRIPT.format(length=4000, take=0.0001, prepare=0, step=0.002).replace(
            "num_workers=2", "num_workers=1, pin_memory=True"
        )
        script = script.replace("time.sleep(0.002)", step).replace(
            "    class Samples", (CUDA + more).strip("\n") + "\n\n    class Samples", 1
        )
        ns = 60_000_000 if virtual else 400_000_000
        wrapped = self.answered(
            script,
            dict(QUICK, rounds=1 if virtual else 2, stretch={"ns": ns, "batches": 16}),
            virtual=virtual,
        )
        self.assertEqual("", wrapped.errors())
        return [one for one in wrapped.main.end["noticed"] if one["kind"] == kind]

    def test_values_that_the_step_reads(self):
        """Only sleeps advance the clock: the first of two reads takes 3 ms."""
        [seen] = self.noticed(
            "host copies",
            "print(batch.sum().item(), batch[0].tolist(), file=open('/dev/null', 'w'))",
            READS,
            virtual=True,
        )
        self.assertEqual((2, "item"), (seen["count"], seen["what"]))
        self.assertRegex(seen["where"], r"train.py:\d+$")
        self.assertTrue(3_000_000 <= seen["ns"] < 4_500_000, seen)  # samples sleep meanwhile

    @only_all
    def test_a_step_that_reads_none(self):
        self.assertEqual([], self.noticed("host copies", "time.sleep(0.002)", READS))

    @alone
    def test_a_loop_that_keeps_pythons_lock(self):
        """Each time that the pinning thread needs it, it is asked for 5 ms."""
        with quiet():
            seen = self.noticed(
                "pin thread",
                "end = time.monotonic() + 0.015\n"
                "                while time.monotonic() < end: pass",
            )
        [seen] = seen
        self.assertGreater(seen["ns"], 2e6)

    @alone
    @only_all
    def test_one_that_leaves_it(self):
        with quiet():
            seen = self.noticed("pin thread", "time.sleep(0.01)")
        self.assertTrue(not seen or seen[0]["ns"] < 1e6, seen)


@unittest.skipIf(not has("torchdata.stateful_dataloader"), "torchdata is needed")
class Snapshots(WrapTest):
    def noticed(self, state, every=""):
        return self.answered(STATEFUL.format(state=state, every=every), QUICK).main.end["noticed"]

    def test_a_state_that_each_batch_brings(self):
        [seen] = self.noticed(STATE)
        took = seen.pop("ns")
        del seen["where"]  # a StatefulDataLoader is made in a way of its own
        self.assertEqual({"kind": "snapshots", "count": 2, "what": "Samples"}, seen)
        self.assertGreater(took, 3e6)

    def test_none_of_data_without_a_state_nor_of_rare_ones(self):
        self.assertEqual([], self.noticed("pass"))
        self.assertEqual([], self.noticed(STATE, every=", snapshot_every_n_steps=50"))


if __name__ == "__main__":
    unittest.main()
