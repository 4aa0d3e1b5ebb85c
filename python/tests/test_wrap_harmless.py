"""What the script's own code sees of benchbench_wrap: nothing."""
import unittest

from wrap_driver import WrapTest
from wrap_scripts import plain

QUICK = {"stretch": {"ns": 100_000_000, "batches": 16}, "warmup": {"ns": 0}, "rounds": 1}
WHOLE = {"keep_going": True}


class LetGo(WrapTest):
    def printed(self, script, **members):
        wrapped = self.wrapped(script, dict(QUICK, **dict(WHOLE, **members)))
        self.assertEqual((0, ""), (wrapped.wait(), wrapped.errors()))
        self.assertEqual("script ended", wrapped.main.end["reason"])
        self.assertEqual([], [note for note in wrapped.main.end["notes"] or [] if "could" in note])
        return wrapped.output().split()

    def test_a_data_set_that_the_script_lets_go(self):
        for loader in ("num_workers=0", "num_workers=1", "num_workers=1, persistent_workers=True"):
            script = plain(loader, length=160).replace("range(1000)", "range(2)").replace("DataLoader(Samples(),", "DataLoader(samples,").replace(
                "train_loader =", "samples = Samples()\n        train_loader =").replace("\n    if __name__", """
        import gc, weakref
        left = weakref.ref(samples)
        del samples, train_loader
        gc.collect()
        print(left() is None)

    if __name__""")
            with self.subTest(loader=loader):
                self.assertEqual(["True"], self.printed(script))

    def test_a_loader_of_each_fold(self):
        script = plain(length=160).replace("        train_loader =", "        make =", 1).replace("make = DataLoader(", "make = lambda: DataLoader(").replace(
            "enumerate(train_loader)", "enumerate(make())").replace("range(1000)", "range(4)").replace("{step}", "").replace(
            "time.sleep(0.002)", "time.sleep(0.002); print('a step')")
        self.assertEqual(["a", "step"] * 160, self.printed(script))
        heard = self.answered(script.replace("range(4)", "range(400)").replace("print('a step')", "pass"), dict(QUICK, rounds=2)).main
        self.assertEqual(6, len(heard.of("stretch")))


class Threads(WrapTest):
    def test_a_loader_that_another_thread_iterates(self):
        """It divides no stretch."""
        script = plain().replace("for epoch", """import threading
        other = DataLoader(Samples(), batch_size=4)
        def look():
            while True:
                for batch in other:
                    time.sleep(0.001)
        threading.Thread(target=look, daemon=True).start()
        for epoch""", 1)
        heard = self.answered(script, QUICK, loader="train_loader").main
        self.assertEqual({1}, {len(stretch["segments"]) for stretch in heard.of("stretch")})

    def test_a_training_whose_batches_come_from_a_thread(self):
        script = plain(length=240).replace("for number, (x, y) in enumerate(train_loader):", "for number, (x, y) in enumerate(ahead(train_loader)):").replace(
            "def main():", """def ahead(loader):
        import queue, threading
        ready = queue.Queue(2)
        def fetch():
            for batch in loader:
                ready.put(batch)
            ready.put(None)
        threading.Thread(target=fetch, daemon=True).start()
        return iter(ready.get, None)

    def main():""", 1).replace("\n    if __name__", "            print(number)\n\n    if __name__")
        wrapped = self.answered(script, dict(QUICK, rounds=2))
        self.assertEqual(6, len(wrapped.main.of("stretch")))
        self.assertEqual({"59"}, set(wrapped.output().split()))


if __name__ == "__main__":
    unittest.main()
