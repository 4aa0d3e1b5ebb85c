"""The script's own code sees nothing of benchbench_dl."""

import signal
import unittest

from rows import only_all, sample
from wrap_driver import WrapTest, wait_for
from wrap_scripts import plain

QUICK = {"stretch": {"ns": 30_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}
WHOLE = {"keep_going": True}


class Iterators(WrapTest):
    def test_none_outlives_its_epoch(self):
        """The garbage collector is off. Workers of an iterator that it had to find would end late,
        and complain if it found them in another worker."""
        script = (
            plain("num_workers=1", length=96)
            .replace(
                "def main():",
                """def main():
        import gc, weakref
        gc.disable()
        alive = []""",
                1,
            )
            .replace(
                "for number, (x, y) in enumerate(train_loader):",
                """iterator = iter(train_loader)
            alive.append(weakref.ref(iterator))
            del iterator
            print(len([of for of in alive if of() is not None]))
            iterator = iter(train_loader)
            alive.append(weakref.ref(iterator))
            while True:
                try:
                    x, y = next(iterator)
                except StopIteration:
                    del iterator
                    break""",
            )
        )
        for given in sample(({}, {"try": {"num_workers": 2}})):
            wrapped = self.answered(script, dict(QUICK, **given))
            self.assertEqual({"0"}, set(wrapped.output().split()))


class LetGo(WrapTest):
    def printed(self, script, **members):
        wrapped = self.wrapped(script, dict(QUICK, **dict(WHOLE, **members)))
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("script ended", wrapped.main.end["reason"])
        self.assertEqual([], [note for note in wrapped.main.end["notes"] or [] if "could" in note])
        return wrapped.output().split()

    def test_a_data_set_that_the_script_lets_go(self):
        loaders = ("num_workers=1", "num_workers=0", "num_workers=1, persistent_workers=True")
        for loader in sample(loaders):
            script = (
                plain(loader, length=160)
                .replace("range(1000)", "range(2)")
                .replace("DataLoader(Samples(),", "DataLoader(samples,")
                .replace("train_loader =", "samples = Samples()\n        train_loader =")
                .replace(
                    "\n    if __name__",
                    """
        import gc, weakref
        left = weakref.ref(samples)
        del samples, train_loader
        gc.collect()
        print(left() is None)

    if __name__""",
                )
            )
            with self.subTest(loader=loader):
                self.assertEqual(["True"], self.printed(script))

    @only_all
    def test_a_loader_of_each_fold(self):
        script = (
            plain("num_workers=0", length=160)
            .replace("        train_loader =", "        make =", 1)
            .replace("make = DataLoader(", "make = lambda: DataLoader(")
            .replace("enumerate(train_loader)", "enumerate(make())")
            .replace("range(1000)", "range(2)")
            .replace("{step}", "")
            .replace("time.sleep(0.002)", "time.sleep(0.002); print('a step')")
        )
        self.assertEqual(["a", "step"] * 80, self.printed(script))
        heard = self.answered(
            script.replace("range(2)", "range(400)").replace("print('a step')", "pass"),
            QUICK,
        ).main
        self.assertEqual(3, len(heard.of("stretch")))


class Locals(WrapTest):
    """The script's own locals() stay as they were."""

    def test_a_configuration_made_of_them(self):
        for asked in sample(("locals()", "vars()")):
            script = (
                plain("num_workers=0", length=16)
                .replace("def main():", f"def main(rate=0.1):\n        settings = {asked}")
                .replace("range(1000)", "range(3)")
                .replace("time.sleep(0.002)", "print(sorted(settings))")
            )
            with self.subTest(asked=asked):
                wrapped = self.wrapped(script, dict(QUICK, **WHOLE))
                self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
                self.assertEqual({"['rate']"}, set(wrapped.output().splitlines()))

    def test_vars_of_something_else(self):
        script = plain("num_workers=0").replace(
            "def main():",
            "def main():\n        import argparse\n        given = "
            "vars(argparse.Namespace(rate=1))",
        )
        self.assertEqual(
            "train_loader", self.answered(script, QUICK).main.of("steady")[0]["loader"]["name"]
        )


class FirstBatch(WrapTest):
    def test_it_waits_for_nothing_that_is_needed_later(self):
        wrapped = self.wrapped(
            plain(
                length=16,
                step="print(any('benchbench_dl.wrap.' + name in sys.modules "
                "for name in ('schedule', 'stretch')))",
            ).replace("range(1000)", "range(1)"),
            dict(QUICK, **WHOLE),
        )
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual(["False", "True"], wrapped.output().split()[:2])


class Unchanged(WrapTest):
    """The script does what it would have done without us."""

    def ran(self, script, code=0, **members):
        wrapped = self.wrapped(script, dict(QUICK, **members))
        self.assertEqual((code, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual([], wrapped.left_in_the_end())
        return wrapped

    def whole(self, script, epochs=2):
        """Runs a script that is to do all 40 steps of each of its epochs."""
        wrapped = self.ran(
            script.replace("range(1000)", f"range({epochs})").replace(
                "time.sleep(0.002)", "print('a step')", 1
            ),
            **WHOLE,
        )
        self.assertEqual(40 * epochs, wrapped.output().count("a step"))
        self.assertNotEqual("internal", wrapped.main.end["reason"], wrapped.main.end)
        return wrapped

    def test_a_loader_that_hands_everything_on(self):
        script = (
            plain("num_workers=0", length=160)
            .replace(
                "def main():",
                """class Odd(DataLoader):
        def __getattr__(self, name):
            return getattr(self.inner, name)

    def main():""",
                1,
            )
            .replace("train_loader = DataLoader(", "train_loader = Odd(")
        )
        wrapped = self.ran(
            script.replace("range(1000)", "range(2)").replace(
                "time.sleep(0.002)", "print('a step')"
            ),
            **WHOLE,
        )
        self.assertEqual(80, wrapped.output().count("a step"))

    @only_all
    def test_an_iterator_that_is_a_generator(self):
        script = (
            plain("num_workers=0", length=160)
            .replace(
                "def main():",
                """class Odd(DataLoader):
        def _get_iterator(self):
            return (batch for batch in super(Odd, self)._get_iterator())

    def main():""",
                1,
            )
            .replace("train_loader = DataLoader(", "train_loader = Odd(")
        )
        self.whole(script)

    @only_all
    def test_spawned_workers_of_a_script_with_a_path_of_its_own(self):
        script = plain("num_workers=1, multiprocessing_context='spawn'", length=160).replace(
            "def main():",
            "def main():\n        import os; os.environ['PYTHONPATH'] = '/nowhere'",
            1,
        )
        self.whole(script)

    @only_all
    def test_an_init_function_that_changes(self):
        script = plain("num_workers=1", length=160).replace(
            "for number,",
            "train_loader.worker_init_fn = lambda worker, epoch=epoch: print('epoch', epoch, "
            "flush=True)\n            for number,",
        )
        self.assertEqual(
            ["0", "1", "2"],
            [
                line.split()[1]
                for line in self.whole(script, 3).output().splitlines()
                if "epoch" in line
            ],
        )

    @only_all
    def test_numbers_of_numpys(self):
        script = plain("num_workers=1, prefetch_factor=numpy.int64(3)", length=160).replace(
            "import sys,", "import numpy, sys,"
        )
        wrapped = self.whole(script)
        self.assertEqual(3, wrapped.main.end["loaders"][0]["own"]["prefetch_factor"])

    def test_an_import_that_fails_or_is_interrupted_ends_as_without_us(self):
        """Torch's own makes an error of Ctrl-C while it loads its libraries."""
        interrupt = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
        for torch in (interrupt, "raise RuntimeError('KeyboardInterrupt: <EMPTY MESSAGE>')"):
            with self.subTest(torch=torch):
                files, said = {"torch.py": torch}, []
                for wrap in (False, True):
                    run = self.wrapped("import torch", files=files, fresh=True, wrap=wrap)
                    said.append((run.wait(), run.errors().replace(run.folder, "")))
                self.assertEqual(*said)

    def test_an_import_hook_that_asks_all_others(self):
        script = """
            import sys
            class Finder:
                @classmethod
                def find_spec(cls, name, path=None, target=None):
                    if name == "torch":
                        others = [finder for finder in sys.meta_path if finder is not cls]
                        found = [finder.find_spec(name, path, target) for finder in others]
                        return next(filter(None, found), None)
            sys.meta_path.insert(0, Finder)
            import torch
            print(torch.ones(1).item())
        """
        wrapped = self.ran(script)
        self.assertEqual(("1.0\n", 1), (wrapped.output(), len(wrapped.heard)))

    def test_a_forked_child_that_goes_on_with_the_iterator(self):
        script = (
            plain(
                "num_workers=0",
                step="""
                if number == 100 and epoch == 0:
                    import os
                    child = os.fork()
                    if not child:
                        print("the child", sum(1 for _ in iterator), flush=True)
                        os._exit(0)
                    os.waitpid(child, 0)
                    sys.exit()""",
                length=1600,
            )
            .replace("for number,", "iterator = iter(train_loader)\n            for number,")
            .replace("enumerate(train_loader)", "enumerate(iterator)")
        )
        # The first of these stretches has not ended by then.
        wrapped = self.ran(script, stretch={"ns": 1, "batches": 120})
        self.assertEqual("the child 299\n", wrapped.output())
        self.assertEqual(
            ("script ended", 101),
            (wrapped.main.end["reason"], wrapped.main.end["loaders"][0]["served"]),
        )

    @only_all
    def test_a_save_within_an_except(self):
        script = plain(
            "num_workers=0", step="if number == 200: torch.save(model, 'model.pt')"
        ).replace(
            "    main()\n",
            """    try:
            import nothing_of_that_name
        except ImportError:
            main()\n""",
        )
        wrapped = self.ran(script, rounds=50)
        self.assertEqual("saver called", wrapped.main.end["reason"])
        self.assertNotIn("model.pt", wrapped.files())

    @only_all
    def test_a_handler_of_signals_that_ends_the_script(self):
        script = plain().replace(
            "def main():",
            "def main():\n        import signal; signal.signal(signal.SIGUSR1, lambda *_: "
            "sys.exit(5))",
            1,
        )
        for kind in "FL":
            with self.subTest(kind=kind):
                wrapped = self.wrapped(
                    script, dict(QUICK, rounds=100, stretch={"ns": 300_000_000, "batches": 16})
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
                wrapped.process.send_signal(signal.SIGUSR1)
                code, errors = wrapped.wait(), wrapped.errors()
                self.assertEqual(5, code, errors)
                self.assertNotIn(
                    "benchbench", errors
                )  # torch's workers may print that the process has gone

    def test_a_handler_of_signals_that_raises(self):
        script = plain().replace(
            "def main():",
            """def late(*_):
        raise TimeoutError("too late")

    def main():
        import signal; signal.signal(signal.SIGUSR1, late)""",
            1,
        )
        wrapped = self.wrapped(
            script, dict(QUICK, rounds=100, stretch={"ns": 300_000_000, "batches": 16})
        )
        self.assertTrue(
            wait_for(
                lambda: any(
                    edge["kind"] == "L" for heard in wrapped.heard for edge in heard.of("window")
                ),
                300,
            )
        )
        wrapped.process.send_signal(signal.SIGUSR1)
        self.assertEqual(1, wrapped.wait())
        self.assertIn("TimeoutError: too late", wrapped.errors())
        self.assertEqual("script failed", wrapped.main.end["reason"])


class Threads(WrapTest):
    @only_all
    def test_a_loader_that_another_thread_iterates(self):
        """It divides no stretch. It has its first batches before the workers are forked: torch
        registers handlers of the process's exit when first used, and a worker forked meanwhile
        waits for the C library's lock on these for ever."""
        script = plain().replace(
            "for epoch",
            """import threading
        other = DataLoader(Samples(), batch_size=4)
        begun = threading.Event()
        def look():
            while True:
                for number, batch in enumerate(other):
                    if number == 10:
                        begun.set()
                    time.sleep(0.001)
        threading.Thread(target=look, daemon=True).start()
        begun.wait(60)
        for epoch""",
            1,
        )
        for given in sample(({}, {"loader": "train_loader"})):
            with self.subTest(given=given):
                heard = self.answered(script, dict(QUICK, **given)).main
                self.assertEqual("train_loader", heard.of("steady")[0]["loader"]["name"])
                self.assertEqual({1}, {len(stretch["segments"]) for stretch in heard.of("stretch")})

    def test_a_training_whose_batches_come_from_a_thread(self):
        script = (
            plain(length=120)
            .replace(
                "for number, (x, y) in enumerate(train_loader):",
                "for number, (x, y) in enumerate(ahead(train_loader)):",
            )
            .replace(
                "def main():",
                """def ahead(loader):
        import queue, threading
        ready = queue.Queue(2)
        def fetch():
            for batch in loader:
                ready.put(batch)
            ready.put(None)
        threading.Thread(target=fetch, daemon=True).start()
        return iter(ready.get, None)

    def main():""",
                1,
            )
            .replace("\n    if __name__", "            print(number)\n\n    if __name__")
        )
        wrapped = self.answered(script, dict(QUICK, rounds=2))
        self.assertEqual(6, len(wrapped.main.of("stretch")))
        self.assertEqual({"29"}, set(wrapped.output().split()))


if __name__ == "__main__":
    unittest.main()
