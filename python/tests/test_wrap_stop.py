"""A measured script ends with nothing that it would not have left if it had been killed at the same
fetch."""

import os
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from rows import HANG_S, only_all, sample
from wrap_driver import WrapTest, wait_for
from wrap_scripts import plain

from benchbench_dl.wrap import ends, savers

QUICK = {"stretch": {"ns": 30_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}

# Writes at its start, at each step and in the end, and does all it can to do the latter.
WRITER = """
    import atexit, os, signal, sys, time, torch
    from torch.utils.data import DataLoader, Dataset

    class Samples(Dataset):
        def __len__(self):
            return 100000

        def __getitem__(self, index):
            return torch.ones(8), torch.ones(1)

    def main():
        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
        loader = DataLoader(Samples(), batch_size=4, num_workers=2,
                            multiprocessing_context="{method}")
        os.mkdir("run")
        torch.save(torch.zeros(3), "run/initial.pt")
        atexit.register(lambda: torch.save(model, "atexit.pt"))
        log, steps = open("run/log", "w"), 0
        while True:
            try:
                for x, y in loader:
                    ((model(x) - y) ** 2).mean().backward()
                    optimizer.step()
                    optimizer.zero_grad()
                    steps += 1
                    print(steps, file=log, flush=True)
                    time.sleep(0.002)
                    if steps == int(os.environ.get("KILLED_AT", -1)):
                        os.kill(os.getpid(), signal.SIGKILL)
            except BaseException:
                torch.save(model, "run/caught.pt")
            finally:
                open("finally", "w").close()
                torch.save(model, "run/last.pt")

    if __name__ == "__main__":
        main()
"""

# Torch waits so long for a worker to end by itself.
IMPATIENT = """
    import torch.utils.data._utils as torchs
    torchs.MP_STATUS_CHECK_INTERVAL = 0.2
"""


def last_step(wrapped):
    """When the script said that it was in one."""
    return int(wrapped.output().split("\n")[-2])


class LikeAKill(WrapTest):
    def compare(self, method):
        script = WRITER.format(method=method)
        # Python warns, for example, of semaphores that are left.
        wrapped = self.answered(script, QUICK, environment={"PYTHONWARNINGS": "default"})
        steps = wrapped.files()["run/log"].decode().split()[-1]
        killed = self.wrapped(script, wrap=False, environment={"KILLED_AT": steps})
        self.assertEqual(-signal.SIGKILL, killed.wait())
        self.assertEqual(killed.files(), wrapped.files())
        self.assertIn("run/initial.pt", wrapped.files())

    def test_fork(self):
        self.compare("fork")

    @only_all
    def test_spawn(self):
        self.compare("spawn")

    @only_all
    def test_forkserver(self):
        self.compare("forkserver")


class Savers(WrapTest):
    def saving(self, every, **members):
        """(the last message, what was measured, what was saved, how many steps there were)."""
        wrapped = self.wrapped(
            plain(
                "num_workers=0",
                step=f"print(number); number % {every} == {every} - 1 "
                "and torch.save(model, '%d.pt' % number)",
            ),
            dict(QUICK, distinct=4, saves=True, **dict({"rounds": 50}, **members)),
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual([], wrapped.left_in_the_end())
        saved = sorted(int(name[:-3]) for name in wrapped.files() if name != "train.py")
        self.assertEqual(
            [number for number in range(saved[-1] + 1) if number % every == every - 1], saved
        )
        return wrapped.main, saved, len(wrapped.output().split())

    def test_the_first_save_of_what_is_not_true_ends_the_script(self):
        """A round is between two of them, after one that is true."""
        heard, saved, steps = self.saving(100, stretch={"ns": 100_000_000, "batches": 120})
        end = heard.end
        self.assertEqual(
            ("saver called", "torch.save"),
            (end["reason"], end["saver"].replace("serialization.", "")),
        )
        self.assertEqual(100, steps - 1 - saved[-1])
        self.assertEqual(["F", "T", "L"], [stretch["kind"] for stretch in heard.of("stretch")][:3])
        first = heard.of("stretch")[0]
        self.assertGreaterEqual(len(first["segments"]), 2)  # saves stand between them

    def test_how_often_it_saves(self):
        heard, saved, steps = self.saving(5, rounds=2, kinds="F", skip_steps=20)
        self.assertEqual("answer", heard.end["reason"])
        loop = heard.of("steady")[0]["loop"]
        self.assertEqual(5, loop["between_saves"])
        self.assertGreater(loop["saves"], 1)
        self.assertFalse(heard.end["steered"])

    @only_all
    def test_one_save_long_ago_is_nothing_to_wait_for(self):
        wrapped = self.answered(
            plain("num_workers=0", step="if number == 20: torch.save(model, 'first.pt')"), QUICK
        )
        self.assertEqual({"train.py", "first.pt"}, set(wrapped.files()))

    def test_each_way_of_torchs_to_save(self):
        calls = (
            "torch.jit.script(model).save('m.pt')",
            "torch.save(model, open('m.pt', 'wb'))",
            "torch.save(obj=model, f='m.pt')",
            "torch.jit.save(torch.jit.script(model), 'm.pt')",
        )
        for call in sample(calls):
            with self.subTest(call=call):
                wrapped = self.wrapped(
                    plain("num_workers=0", step="if number == 200: " + call), dict(QUICK, rounds=50)
                )
                self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
                self.assertEqual("saver called", wrapped.main.end["reason"])
                self.assertIn("save", wrapped.main.end["saver"])
                self.assertEqual(b"", wrapped.files().get("m.pt", b""))

    def test_a_script_that_fails_while_measured_does_not_save_either(self):
        wrapped = self.wrapped(
            plain(
                "num_workers=0",
                step="""
                try:
                    if number == 60: raise ValueError("a nan")
                finally:
                    if number == 60: torch.save(model, "last.pt")""",
            ),
            dict(QUICK, rounds=50),
        )
        self.assertEqual(1, wrapped.wait())
        self.assertIn("ValueError: a nan", wrapped.errors())
        self.assertEqual(
            ("script failed", "ValueError: a nan"),
            (wrapped.main.end["reason"], wrapped.main.end["message"]),
        )
        self.assertEqual({"train.py"}, set(wrapped.files()))

    def test_an_error_of_a_worker_is_one_line(self):
        workers = (
            "Caught ValueError in DataLoader worker process 1.\n"
            "Original Traceback (most recent call last):\n"
            '  File "loop.py", line 3, in _worker_loop\n'
            "    data = fetcher.fetch(index)\n"
            "           ^^^^^^^^^^^^^^^^^^^^\n"
            "KeyError: 7\n\n"
            "During handling of the above exception, another exception occurred:\n\n"
            "Traceback (most recent call last):\n"
            '  File "train.py", line 9, in __getitem__\n'
            '    raise ValueError("corrupt sample 9000")\n'
            "ValueError: corrupt sample 9000\nof train.bin\n"
        )
        for text, line in (
            (workers, "ValueError: corrupt sample 9000"),
            ("", "ValueError"),
            ("\n a nan\nin step 3", "ValueError: a nan"),
            (
                "Traceback (most recent call last):",
                "ValueError: Traceback (most recent call last):",
            ),
        ):
            self.assertEqual(line, ends._text_of(ValueError(text)))

    def test_what_is_saved_in_memory_is_nothing_to_stop_for(self):
        wrapped = self.answered(
            plain("num_workers=0", step="import io; torch.save(model, io.BytesIO())"), QUICK
        )
        self.assertEqual({"train.py"}, set(wrapped.files()))

    def test_keep_going_saves(self):
        wrapped = self.wrapped(
            plain("num_workers=0", length=400)
            .replace("range(1000)", "range(2)")
            .replace("    main()\n", "    main()\n        torch.save(torch.ones(1), 'end.pt')\n"),
            dict(QUICK, keep_going=True),
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertIn("end.pt", wrapped.files())


class CountsOfSavers(unittest.TestCase):
    class Interrupted:
        class ledger:
            saves = saved = None

        def note(self, call, *_):
            raise KeyboardInterrupt

    def test_one_that_is_interrupted_before_it_saves_is_at_it_no_more(self):
        self.addCleanup(setattr, savers, "_engine", savers._engine)
        savers._engine = self.Interrupted
        before = len(savers.written)
        with self.assertRaises(KeyboardInterrupt), savers._writing("torch.save"):
            self.fail("it saves")
        self.assertEqual(([], before + 1), (savers.writing, len(savers.written)))


class Ends(WrapTest):
    def test_stop_by_exception(self):
        wrapped = self.answered(
            plain("num_workers=0").replace(
                "    main()\n",
                """    try:
            main()
        finally:
            torch.save(torch.ones(1), "finally.pt")\n""",
            ),
            dict(QUICK, stop="exception"),
        )
        self.assertIn("finally.pt", wrapped.files())

    def test_interrupted_in_each_kind_of_stretch(self):
        for kind in sample("TLF"):
            with self.subTest(kind=kind):
                wrapped = self.wrapped(
                    plain(step="pass").replace(
                        "    main()\n",
                        """    try:
            main()
        except KeyboardInterrupt:
            torch.save(torch.ones(1), "interrupted.pt")
            raise\n""",
                    ),
                    dict(QUICK, rounds=100, stretch={"ns": 300_000_000, "batches": 16}),
                )
                self.assertTrue(
                    wait_for(
                        lambda: any(
                            edge["kind"] == kind and edge["edge"] == "begin"
                            for heard in wrapped.heard
                            for edge in heard.of("window")
                        ),
                        300,
                    )
                )
                wrapped.process.send_signal(signal.SIGINT)
                self.assertEqual(-signal.SIGINT, wrapped.wait())
                self.assertIn("KeyboardInterrupt", wrapped.errors())
                self.assertEqual({"train.py"}, set(wrapped.files()))
                self.assertEqual([], wrapped.left_in_the_end())

    @only_all
    def test_benchbench_goes_while_measuring(self):
        wrapped = self.wrapped(plain(), dict(QUICK, rounds=1000))
        self.assertTrue(
            wait_for(lambda: any(len(heard.of("stretch")) > 2 for heard in wrapped.heard), 300)
        )
        wrapped.heard[0].connection.shutdown(2)
        self.assertNotEqual(0, wrapped.wait())
        self.assertEqual([], wrapped.left_in_the_end())

    def test_a_defect_of_ours_after_batches_were_held_back_ends_the_script(self):
        """It no longer holds what it would have held: it must not go on, and save."""
        wrapped = self.wrapped(
            plain().replace(
                "    def main():",
                """    from benchbench_dl.wrap.trainer_stretch import TrainerStretch
    TrainerStretch.get = None

    def main():""",
            ),
            dict(QUICK, rounds=5),
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        end = wrapped.main.end
        self.assertEqual(("internal", True), (end["reason"], end["steered"]), end)
        self.assertIn("TypeError", end["message"])
        self.assertEqual([], wrapped.left_in_the_end())

    def test_workers_that_do_not_end_by_themselves(self):
        """A thread of theirs goes on, and they ignore what asks them to end."""
        stay = """    def stay(worker):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        threading.Thread(target=threading.Event().wait).start()
"""
        script = (
            plain("num_workers=1, worker_init_fn=stay")
            .replace("    import sys,", "    import signal, sys, threading,")
            .replace("    def main():", stay + IMPATIENT + "\n    def main():")
        )
        wrapped = self.answered(script, QUICK)
        self.assertEqual([], wrapped.left_in_the_end())

    def test_benchbench_says_stop(self):
        wrapped = self.wrapped(plain(), dict(QUICK, rounds=1000))
        self.assertTrue(
            wait_for(lambda: any(len(heard.of("stretch")) > 2 for heard in wrapped.heard), 300)
        )
        wrapped.heard[0].send(type="stop")
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("stopped", wrapped.main.end["reason"])

    @only_all
    def test_benchbench_cannot_make_sense_of_what_is_said(self):
        wrapped = self.wrapped(plain("num_workers=0"), dict(QUICK, rounds=1000))
        self.assertTrue(
            wait_for(lambda: any(len(heard.of("stretch")) > 2 for heard in wrapped.heard), 300)
        )
        wrapped.heard[0].send(type="leave")
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("stopped", wrapped.main.end["reason"])

    def test_nothing_was_steered_then(self):
        """It hears of that as it says how far it is, four times a second, and says nothing more."""
        step = "print(time.monotonic_ns(), flush=True); open('go').read() and sys.exit(7)"
        wrapped = self.wrapped(
            plain("num_workers=0", step=step), QUICK, files={"go": ""}, keep_going=True
        )
        self.assertTrue(
            wait_for(lambda: any(heard.of("stretch") for heard in wrapped.heard), HANG_S)
        )
        heard = wrapped.heard[0]
        heard.send(type="leave")
        left = time.monotonic_ns()
        self.assertTrue(wait_for(lambda: last_step(wrapped) > left + 2_000_000_000, HANG_S))
        with open(os.path.join(wrapped.work, "go"), "w") as file:
            file.write("x")
        self.assertEqual((7, ""), (wrapped.wait(), wrapped.errors()))
        self.assertIsNone(heard.end)
        self.assertLess(heard.of("window")[-1]["at"], left + 1_000_000_000)

    def test_no_stretch_is_said_twice_where_the_answer_is_to_leave(self):
        script = plain("num_workers=0", length=200).replace("range(1000)", "range(3)")
        for answer in ({"type": "leave"}, {"type": "stop", "reason": "refused", "message": "no"}):
            with self.subTest(answer=answer["type"]):
                plan = dict(QUICK, saves=True, keep_going=True, asks=[answer])
                wrapped = self.wrapped(script, plan)
                self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
                said = [len(wrapped.main.of(kind)) for kind in ("stretch", "next", "end")]
                self.assertEqual([1, 1, int(answer["type"] == "stop")], said)

    @only_all
    def test_under_the_debugger(self):
        wrapped = self.wrapped(
            plain(), QUICK, command=[os.sys.executable, "-m", "pdb", "-c", "continue", "train.py"]
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("answer", wrapped.main.end["reason"])

    def test_what_was_printed_is_on_the_screen(self):
        wrapped = self.answered(plain("num_workers=0", step="sys.stdout.write('.')"), QUICK)
        self.assertEqual(wrapped.main.of("stretch")[-1]["served"], len(wrapped.output()))

    def test_what_cannot_be_measured(self):
        wrapped = self.wrapped(
            plain("num_workers=0"), dict(QUICK, answer="stop", reason="refused", message="no room")
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual(
            ("refused", "no room"), tuple(wrapped.main.end[key] for key in ("reason", "message"))
        )
        self.assertEqual([], wrapped.main.of("stretch"))


if __name__ == "__main__":
    unittest.main()
