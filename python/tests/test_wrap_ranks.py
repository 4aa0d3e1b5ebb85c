"""Two processes that train together: both are measured, and change at the same batch."""

import os
import signal
import socket
import subprocess
import sys
import threading
import unittest

from rows import only_all
from wrap_driver import FOLDER, WrapTest

sys.path.insert(0, FOLDER)
from benchbench_dl.wrap import ranks as ours  # noqa: E402

QUICK = {"stretch": {"ns": 30_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}
PYTHON = os.environ.get("BENCHBENCH_WRAP_PYTHON") or sys.executable

SCRIPT = """
    import os, sys, time, torch
    import torch.distributed as dist
    from torch.utils.data import DataLoader, Dataset, DistributedSampler

    class Samples(Dataset):
        def __len__(self):
            return 8 * {length}

        def __getitem__(self, index):
            return torch.ones(8), torch.ones(1)

    def main(rank=None):
        place = {{}} if rank is None else {{"rank": rank, "world_size": 2}}
        dist.init_process_group("gloo", **place)
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
        sampler = DistributedSampler(Samples())
        train_loader = DataLoader(Samples(), batch_size=4, num_workers=1, sampler=sampler)
        for epoch in range(100):
            sampler.set_epoch(epoch)
            for number, (x, y) in enumerate(train_loader):
                ((model(x) - y) ** 2).mean().backward()
                optimizer.step()
                optimizer.zero_grad()
                time.sleep(0.002 + 0.002 * dist.get_rank())
                {step}

    if __name__ == "__main__":
        {main}
"""

# Starts ranks as a launcher does, without torch.
LAUNCH = """
    import os, subprocess, sys
    here = dict(os.environ, WORLD_SIZE="2", LOCAL_WORLD_SIZE="{local}")
    ranks = [subprocess.Popen([sys.executable, "rank.py"],
             env=dict(here, RANK=str(rank), LOCAL_RANK=str(rank))) for rank in range(2)]
    sys.exit(max(rank.wait() for rank in ranks))
"""

# Starts ranks in forks of an interpreter that has imported torch.
FORK = """
    import os, runpy, sys

    def start(rank):
        pid = os.fork()
        if pid == 0:
            os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank))
            os.environ.update(WORLD_SIZE="2", LOCAL_WORLD_SIZE="{local}")
            runpy.run_path("rank.py", run_name="__main__")
            sys.exit()
        return pid

    sys.exit(max(os.waitpid(pid, 0)[1] for pid in [start(rank) for rank in range(2)]) >> 8)
"""


def script(step="pass", main="main()", length=2000):
    return SCRIPT.format(step=step, main=main, length=length)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


class Interrupted(threading.Event):
    """SIGINT comes while it is waited for."""

    waits = 0

    def wait(self, timeout=None):
        self.waits += 1
        os.kill(os.getpid(), signal.SIGINT)
        return super().wait(timeout)


class WaitsForOthers(unittest.TestCase):
    def test_not_where_all_are_interrupted(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        ranks = ours.Ranks(None, 0, 2)
        ranks._ended = Interrupted()
        ranks.wait_for_others()
        self.assertEqual(1, ranks._ended.waits)


class TwoRanks(WrapTest):
    def start(self, text, plan=QUICK, command=None, local="2", launch=FORK, ends=(0,)):
        """`command`: what starts the ranks itself, in place of `launch`; `ends`: exit codes of a
        run that went well."""
        where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
        wrapped = self.wrapped(
            text if command else launch.format(local=local),
            plan,
            files={} if command else {"rank.py": text},
            environment=where,
            command=command,
            fresh=launch is LAUNCH,
        )
        self.assertIn(wrapped.wait(), ends, wrapped.errors())
        self.assertEqual([], wrapped.left_in_the_end())
        return wrapped, [heard for heard in wrapped.heard if heard.of("ready")]

    def check(self, ranks):
        self.assertEqual(["answer", "answer"], [heard.end["reason"] for heard in ranks])
        self.assertEqual([[0, 2], [1, 2]], sorted(heard.of("steady")[0]["rank"] for heard in ranks))
        said = [
            [
                (s["kind"], s["round"], s["steps"], s["served"], s["fetched"])
                for s in heard.of("stretch")
            ]
            for heard in ranks
        ]
        self.assertEqual(said[0], said[1])
        self.assertEqual({"F", "T", "L"}, {of[0] for of in said[0]})

    @only_all
    def test_ranks_of_a_launcher(self):
        wrapped, ranks = self.start(script(), launch=LAUNCH)
        self.assertEqual("", wrapped.errors())
        self.check(ranks)

    def test_ranks_over_short_epochs(self):
        _, ranks = self.start(script(length=30))
        self.check(ranks)
        self.assertGreater(ranks[0].end["epochs"], 1)

    @only_all
    def test_spawned_ranks(self):
        _, ranks = self.start(
            script(main="torch.multiprocessing.spawn(main, nprocs=2)"),
            command=[sys.executable, "train.py"],
        )
        self.check(ranks)
        self.assertEqual([True, True], [heard.messages[0]["spawned"] for heard in ranks])

    @unittest.skipIf(
        subprocess.run(
            [PYTHON, "-c", "import sys, torch; sys.exit(int(torch.__version__.split('.')[0]) < 2)"]
        ).returncode,
        "this torchrun does not run under this Python",
    )
    def test_torchrun(self):
        _, ranks = self.start(
            script(),
            command=[
                PYTHON,
                "-m",
                "torch.distributed.run",
                "--nproc_per_node=2",
                "--master_port",
                free_port(),
                "train.py",
            ],
        )
        self.check(ranks)

    @only_all
    def test_one_rank_saves(self):
        wrapped, ranks = self.start(
            script("if number == 100 and dist.get_rank() == 0: torch.save(model, 'checkpoint.pt')"),
            dict(QUICK, rounds=100),
        )
        self.assertEqual({"saver called", "stopped"}, {heard.end["reason"] for heard in ranks})
        # A slow machine may save before the first stretch that makes the script another one.
        steered = [s for heard in ranks for s in heard.of("stretch") if s["kind"] != "F"]
        may_save = {"checkpoint.pt"} if all(s["served"] > 100 for s in steered) else set()
        self.assertLessEqual(set(wrapped.files()), {"train.py", "rank.py"} | may_save)

    @only_all
    def test_ranks_that_are_left_alone(self):
        """The second of two trainings is left alone: nothing of its ranks is changed."""
        step = "if epoch == 1: torch.save(model, 'of{}.pt'.format(dist.get_rank())); sys.exit()"
        wrapped, ranks = self.start(script(step, length=100), dict(QUICK, answer="leave"))
        self.assertEqual("", wrapped.errors())
        self.assertEqual(
            [0, 0],
            [len(heard.of("stretch") + heard.of("window") + heard.of("end")) for heard in ranks],
        )
        self.assertEqual({"train.py", "rank.py", "of0.pt", "of1.pt"}, set(wrapped.files()))

    def test_several_machines(self):
        """The rank that is refused first may leave the other one in a step without its peer, whose
        script fails then."""
        wrapped, ranks = self.start(script(), local="1", ends=(0, 1))
        self.assertEqual([], ranks)
        ended = [heard.end for heard in wrapped.heard if heard.end]
        refused = [end["message"] for end in ended if end["reason"] == "refused"]
        self.assertIn("several machines", refused[0])
        self.assertIn(len(refused), (1, 2) if wrapped.wait() else (2,))


if __name__ == "__main__":
    unittest.main()
