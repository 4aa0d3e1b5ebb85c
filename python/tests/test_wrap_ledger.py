"""The division of the training's wall time by states, of scripts whose sleeps are known."""

import sys
import unittest
from collections import Counter

from wrap_driver import FOLDER, WrapTest

sys.path.insert(0, FOLDER)
from benchbench_dl.wrap import ledger as ledger_module  # noqa: E402
from benchbench_dl.wrap import loop_times  # noqa: E402

MS = 1_000_000

JOB = """
    import time, torch
    from torch.utils.data import DataLoader, Dataset, IterableDataset

    def sleep(ms):
        time.sleep(ms / 1000)

    class Train(Dataset):
        def __len__(self):
            return {batches}

        def __getitem__(self, index):
            sleep(1)
            return torch.ones(2)

    class Valid(IterableDataset):
        def __iter__(self):
            sleep(30)
            return self.batches()

        def batches(self):
            sleep(20)
            for number in range(5):
                yield torch.ones(2)
                sleep(1)

    class Weights:
        def __reduce__(self):
            sleep(15)
            return Weights, ()

    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    train = DataLoader(Train())
    valid = DataLoader(Valid())
    step = 0
    for epoch in range({epochs}):
        for batch in train:
            sleep(3)
            (weight * batch).sum().backward()
            optimizer.step()
            sleep(2)
            step += 1
            if step % 10 == 0:
                sleep(40)
            if step % 20 == 0:
                for other in valid:
                    sleep(2)
        {end}
        sleep(50)
"""
SAVE = 'torch.save(Weights(), "weights")'


def place_in(script, text):
    lines = script.strip("\n").splitlines()
    number = next(at for at, line in enumerate(lines, 1) if text in line)
    return f"train.py:{number}"


def by_state(ledger):
    """{(state, loader): (ms, count)}."""
    return {(row["state"], row["loader"]): (row["ns"] / MS, row["count"]) for row in ledger["rows"]}


class Division(WrapTest):
    maxDiff = None

    def test_each_ns_has_one_state(self):
        job = JOB.format(batches=60, epochs=2, end=SAVE)
        wrapped = self.wrapped(job, keep_going=True, warmup={"ns": 0}, virtual=True)
        self.assertEqual(0, wrapped.wait(), wrapped.errors())
        ledger = wrapped.main.end["ledger"]
        self.assertEqual(120, ledger["batches"])
        self.assertEqual(
            {
                ("step", "train"): (120 * 5, 120),
                ("wait", "train"): (118, 118),
                ("first", "train"): (2, 2),
                ("iter", "train"): (0, 2),
                ("after step", "train"): (12 * 40, 12),
                ("iter", "valid"): (6 * 30, 6),
                ("first", "valid"): (6 * 20, 6),
                ("wait", "valid"): (6 * 5, 6 * 4),
                ("step", "valid"): (6 * 10, 6 * 5),
                ("save", None): (2 * 15, 2),
                ("other", None): (2 * 50, 0),
            },
            by_state(ledger),
        )
        of = {(row["state"], row["loader"]): row for row in ledger["rows"]}
        self.assertEqual(place_in(job, "for other in valid"), of["iter", "valid"]["where"])
        self.assertEqual(place_in(job, "valid = DataLoader"), of["iter", "valid"]["made"])
        self.assertEqual(place_in(job, SAVE), of["save", None]["where"])
        self.assertEqual(
            {"train": True, "valid": False, None: False},
            {row["loader"]: row["trains"] for row in ledger["rows"]},
        )
        self.assertEqual(
            (MS, 1), (of["first", "train"]["before_ns"], of["first", "train"]["before"])
        )

    def test_what_measuring_adds_is_left_out(self):
        wrapped = self.answered(
            JOB.format(batches=70, epochs=1000, end="pass"),
            warmup={"ns": 0},
            rounds=3,
            virtual=True,
        )
        found = by_state(wrapped.main.end["ledger"])
        for key, each in {
            ("step", "train"): 5,
            ("wait", "train"): 1,
            ("after step", "train"): 40,
            ("iter", "valid"): 30,
            ("first", "valid"): 20,
        }.items():
            ms, count = found[key]
            self.assertAlmostEqual(each * count, ms, delta=each, msg=f"{key}: {found}")
        self.assertEqual(296, wrapped.main.end["loaders"][0]["served"])
        # T's, L's, and what is discarded after them, are not counted.
        self.assertEqual(140, found["step", "train"][1])

    def test_an_iterator_for_each_step(self):
        wrapped = self.wrapped(
            """
            import time, torch
            from torch.utils.data import DataLoader, Dataset

            class Samples(Dataset):
                def __len__(self):
                    return 40

                def __getitem__(self, index):
                    time.sleep(0.004)
                    return torch.ones(2)

            weight = torch.nn.Parameter(torch.ones(2))
            optimizer = torch.optim.SGD([weight], lr=0.1)
            loader = DataLoader(Samples())
            for step in range(25):
                batch = next(iter(loader))
                time.sleep(0.001)
                (weight * batch).sum().backward()
                optimizer.step()
            """,
            virtual=True,
        )
        self.assertEqual(0, wrapped.wait(), wrapped.errors())
        ledger = wrapped.main.end["ledger"]
        self.assertEqual(25, ledger["batches"])
        found = by_state(ledger)
        # Once each step is known to make one, they are one epoch.
        waits = found["first", "loader"], found["wait", "loader"]
        self.assertEqual([100, 25], [sum(parts) for parts in zip(*waits)])
        self.assertEqual((25, 25), found["step", "loader"])
        self.assertEqual((0, 25), found["iter", "loader"])

    def test_workers_are_started_and_ended_for_each_pass(self):
        wrapped = self.wrapped(
            """
            import torch
            from torch.utils.data import DataLoader, Dataset, IterableDataset

            class Train(IterableDataset):
                def __iter__(self):
                    return iter(torch.ones(12, 2))

            class Valid(Dataset):
                def __len__(self):
                    return 4

                def __getitem__(self, index):
                    return torch.ones(2)

            weight = torch.nn.Parameter(torch.ones(2))
            optimizer = torch.optim.SGD([weight], lr=0.1)
            train = DataLoader(Train(), num_workers=1, persistent_workers=True)
            valid = DataLoader(Valid(), num_workers=1)
            for epoch in range(4):
                for batch in train:
                    (weight * batch).sum().backward()
                    optimizer.step()
                for batch in valid:
                    if epoch == 2:
                        break
            """,
            keep_going=True,
            warmup={"ns": 0},
        )
        self.assertEqual(0, wrapped.wait(), wrapped.errors())
        end = wrapped.main.end
        counts = {key: count for key, (_, count) in by_state(end["ledger"]).items()}
        self.assertEqual(12, end["epoch_batches"])
        for state, loader, count in (
            ("iter", "train", 4),
            ("first", "train", 4),
            ("wait", "train", 44),
            ("step", "train", 48),
            ("iter", "valid", 4),
            ("first", "valid", 4),
            ("shutdown", "valid", 4),
            ("step", "valid", 13),
        ):
            self.assertEqual(count, counts[state, loader], (state, loader))
        workers = {row["loader"]: row["workers"] for row in end["ledger"]["rows"]}
        self.assertEqual((0, 1), (workers["train"], workers["valid"]))

    def test_a_thread_that_trains_elsewhere_is_not_divided(self):
        wrapped = self.wrapped(
            """
            import threading, torch
            from torch.utils.data import DataLoader

            def look():
                for batch in DataLoader(torch.ones(4, 2)):
                    pass

            looking = threading.Thread(target=look)
            looking.start()
            looking.join()
            weight = torch.nn.Parameter(torch.ones(2))
            optimizer = torch.optim.SGD([weight], lr=0.1)
            train = DataLoader(torch.ones(40, 2))
            for batch in train:
                (weight * batch).sum().backward()
                optimizer.step()
            """,
            keep_going=True,
            warmup={"ns": 0},
        )
        self.assertEqual(0, wrapped.wait(), wrapped.errors())
        self.assertTrue(wrapped.main.end["seen"])
        self.assertIsNone(wrapped.main.end["ledger"])

    def test_a_killed_script_has_said_it_before(self):
        wrapped = self.wrapped(
            JOB.format(batches=2000, epochs=2, end="pass") + "    import os; os._exit(3)\n",
            keep_going=True,
            virtual=True,
        )
        self.assertEqual(3, wrapped.wait())
        self.assertIsNone(wrapped.main.end)
        messages = [m for m in wrapped.main.of("progress") if m.get("ledger")]
        said = [m["ledger"] for m in messages]
        self.assertGreater(len(said), 3)
        for message in messages:
            self.assertTrue(any(one["own"]["batch_size"] for one in message["loaders"]), message)
        ms, count = by_state(said[-1])["step", "train"]
        self.assertEqual(5 * count, ms)


class Defects(WrapTest):
    CALLS = ("begins", "asked", "waits", "came", "gave", "optimized", "ended", "back")
    CALLS += ("enters_ours", "saves", "saved", "shuts_down")
    SCRIPT = """
        import torch
        from torch.utils.data import DataLoader
        from benchbench_dl.wrap.ledger import Ledger

        Ledger.{call} = None
        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        loader = DataLoader(torch.ones(20, 2), num_workers={workers})
        for epoch in range(2):
            for batch in loader:
                (weight * batch).sum().backward()
                optimizer.step()
            torch.save(weight.detach(), "weight")
        print("trained", epoch + 1)
    """

    def test_none_comes_up_in_the_script(self):
        for call in self.CALLS:
            with self.subTest(call=call):
                script = self.SCRIPT.format(call=call, workers=int(call == "shuts_down"))
                wrapped = self.wrapped(script, keep_going=True, warmup={"ns": 0})
                self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
                self.assertEqual("trained 2\n", wrapped.output())
                self.assertEqual("internal", wrapped.main.end["reason"])
                self.assertIn("TypeError", wrapped.main.end["message"])


class _Feed:
    loop, fetched, name, where = None, 1, "train", None

    @staticmethod
    def iterator():
        return True


class Cost(unittest.TestCase):
    """A call took 0.25 us on the machine where these were counted, a look at the clock 0.05 us: 5
    and 4 are a seventh of a percent of a step of 1 ms."""

    def test_calls_and_looks_at_the_clock_a_step(self):
        looks, calls, feed = Counter(), Counter(), _Feed()
        ledger = ledger_module.Ledger()
        ledger.back(ledger.begins(feed))

        def look():
            looks["now"] += 1
            return 0

        def step():
            ledger.asked()
            ledger.came(ledger.waits(feed))
            ledger.gave(feed)
            ledger.optimized(0)

        step()
        original, ledger_module.now = ledger_module.now, look
        self.addCleanup(setattr, ledger_module, "now", original)
        sys.setprofile(lambda frame, event, _: calls.update([event] if event == "call" else []))
        try:
            for _ in range(100):
                step()
        finally:
            sys.setprofile(None)
        self.assertEqual(100 * 4, looks["now"])
        self.assertLessEqual(calls["call"] - looks["now"] - 101, 100 * 6)
        (loop,) = ledger._known.values()
        self.assertEqual((101, 101), (loop.step[1], loop.wait[1]))


class CostOfAStep(WrapTest):
    """Calls of ours while F is measured: of a fetch and an optimizer's step 1 % of 1 ms."""

    SCRIPT = """
        import sys, time, torch
        from torch.utils.data import DataLoader

        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        calls = 0

        def count(frame, event, _):
            global calls
            calls += event == "call" and "benchbench_dl" in frame.f_code.co_filename

        loader = DataLoader(torch.ones(400, 2), num_workers={workers})
        for step, batch in enumerate(loader):
            time.sleep(0.0001)
            optimizer.step()
            if step == 200:
                sys.setprofile(count)
            if step == 300:
                sys.setprofile(None)
                print(calls / 100)
    """

    def test_calls_a_step(self):
        for workers in (0, 2):
            with self.subTest(workers=workers):
                wrapped = self.wrapped(
                    self.SCRIPT.format(workers=workers),
                    keep_going=True,
                    warmup={"ns": 0},
                    stretch={"ns": 10**12, "batches": 1},
                    virtual=True,
                )
                self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
                (begin, _) = wrapped.main.of("window")
                self.assertEqual(("F", "begin"), (begin["kind"], begin["edge"]))
                self.assertLess(float(wrapped.output()), 36)


class Timer(unittest.TestCase):
    """A caller that asks how long a call took gets what the ledger counted, or as much in its
    place."""

    def setUp(self):
        original, self.ns = ledger_module.now, 0
        ledger_module.now = lambda: self.ns
        self.addCleanup(setattr, ledger_module, "now", original)
        self.ledger, self.feed = ledger_module.Ledger(), _Feed()

    def took(self, begin, end):
        was = begin(self.feed)
        self.ns += 7
        inner = self.ledger.enters_ours()  # a loader within this one
        self.ns += 5
        self.assertEqual(5, self.ledger.back(inner))
        return end(was)

    def calls(self):
        ledger, found = self.ledger, []
        for ledger.paused in (False, True):
            found.append(self.took(ledger.begins, ledger.back))
            found.append(self.took(ledger.waits, ledger.came))
            found.append(self.took(ledger.shuts_down, ledger.back))
        return found

    def test_its_time_is_the_row_s(self):
        self.assertEqual(7 + 5, self.took(self.ledger.begins, self.ledger.back))
        self.assertEqual([7, 1], self.feed.loop.iter)

    def test_it_is_known_in_another_thread_and_after_a_defect(self):
        self.assertEqual([12] * 6, self.calls())
        self.ledger.close()
        self.assertEqual([12] * 6, self.calls())
        self.assertEqual(0, self.ledger.back(0))


class EndsOfSteps(unittest.TestCase):
    def test_what_comes_in_each_step_is_the_step_s(self):
        self.assertEqual((100 * 8, (0, 0)), loop_times.divided([8] * 100))

    def test_what_comes_in_some_is_not(self):
        self.assertEqual((100 * 8, (5 * 42, 5)), loop_times.divided([8] * 95 + [50] * 5))

    def test_blocks_are_divided_one_by_one(self):
        times = loop_times.LoopTimes(_Feed(), None)
        for number in range(2 * loop_times.BLOCK + 10):
            times.end[1] = 1
            times.end[0] += 100 if number % 10 == 0 else 10
            times.ends_step()
        self.assertEqual(821, times.rows()["after step"][1])
        self.assertEqual(821 * 90, times.rows()["after step"][0])


if __name__ == "__main__":
    unittest.main()
