"""What is told of a script's loader for its findings, against scripts in which it is known."""
import unittest

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


if __name__ == "__main__":
    unittest.main()
