"""What is told of a script's loader for its findings, against scripts in which it is known."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from wrap_driver import WrapTest

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
        """Without the end of workers that we ended, in the middle of their work."""
        end = self.answered(SCRIPT.format(length=96, take=0.001, prepare=0.2, step=0.02)).main.end
        self.assertGreater(end["observed"]["epoch_start_ns"], 200_000_000)
        self.assertLess(end["observed"]["epoch_start_ns"], end["epoch_gap_ns"])


class Device(WrapTest):
    def test_it_is_where_the_process_has_tensors(self):
        from benchbench_wrap import devices

        class Cuda:
            is_initialized = staticmethod(lambda: True)
            current_device = staticmethod(lambda: 1)
            get_device_name = staticmethod(lambda: "a GPU")
            allocated = 0

            def memory_allocated(self):
                return self.allocated

        class Torch:
            cuda = Cuda()

        self.assertEqual("cpu", devices.used_by(Torch)["device"])
        Cuda.allocated = 1
        self.assertEqual({"device": "cuda:1", "device_name": "a GPU"}, devices.used_by(Torch))
        del Torch.cuda
        self.assertEqual("cpu", devices.used_by(Torch)["device"])


class Making(WrapTest):
    def test_every_other_batch_takes_longer(self):
        """The order in which batches were handed out is kept over workers that take turns."""
        script = SCRIPT.format(length=100000, take="0.01 if index // 4 % 2 else 0.002", prepare=0, step=0.001)
        for stretch in self.answered(script, rounds=1).main.of("stretch"):
            if stretch["kind"] == "T":
                continue
            observed = stretch["observed"]
            self.assertIs(False, observed["streams"])
            self.assertEqual(2, observed["prefetch_factor"])
            quick, slow = observed["made_ns"]
            self.assertLess(sum(quick) / len(quick), 20e6)
            self.assertGreater(sum(slow) / len(slow), 38e6)


BESIDE = """
    import threading, time, torch
    from torch.utils.data import DataLoader, TensorDataset

    def main():
        {first}
        model = torch.nn.Linear(8, 1)
        held = torch.ones(8_000_000)
        train = DataLoader(TensorDataset(torch.ones(100_000, 8)), batch_size=8, num_workers=1)
        validation = DataLoader(TensorDataset(torch.ones(64, 8)), batch_size=8, num_workers=2, persistent_workers={stay})
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
    def notes(self, first="pass", stay=False):
        return self.answered(BESIDE.format(first=first, stay=stay)).main.end["notes"]

    def test_workers_that_stay_for_a_validation(self):
        [said] = self.notes(stay=True)
        seen = re.match(r"2 workers of validation \(train.py:9\) stay while the script trains, and hold (\d+) MiB", said)
        self.assertTrue(seen, said)
        self.assertGreater(int(seen.group(1)), 10)
        self.assertLess(int(seen.group(1)), 1000)

    def test_workers_that_end_are_not_mentioned_nor_forks_without_threads(self):
        self.assertEqual([], self.notes())

    def test_a_fork_beside_threads(self):
        [said] = self.notes("threading.Thread(target=threading.Event().wait, name='watcher', daemon=True).start()")
        self.assertIn("train (train.py:8) were forked while 1 thread ran beside the main thread (watcher)", said)


if __name__ == "__main__":
    unittest.main()
