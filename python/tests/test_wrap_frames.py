"""Looks at the frames of a script's threads: they find the locks, and leave the script as it is."""

import gc
import inspect
import multiprocessing
import os
import sys
import threading
import unittest
import weakref

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from rows import HANG_S  # noqa: E402
from wrap_driver import wait_for  # noqa: E402

from benchbench_dl import frames  # noqa: E402
from benchbench_dl.wrap import engine, findings, held_locks, locks  # noqa: E402

LOOKS = (locks._note, held_locks.threads_that_hold, lambda: locks.find_awaited(sys._getframe(1)))


class Thread:
    """Runs `target(*args, ready, over)` while a block is in it: until `over`, or for good where it
    waits for a lock."""

    def __init__(self, target, *args):
        self.ready, self.over = threading.Event(), threading.Event()
        self._thread = threading.Thread(
            target=target, args=(*args, self.ready, self.over), name="another", daemon=True
        )

    def __enter__(self):
        self._thread.start()
        self.ready.wait()
        return self

    def __exit__(self, *_):
        self.over.set()
        self._thread.join()

    @property
    def frame(self):
        return frames.read_others()[self._thread.ident]


class ScriptsFrames(unittest.TestCase):
    def setUp(self):
        self.lock = threading.Lock()
        self.lock.acquire()
        gc.disable()
        self.addCleanup(gc.enable)

    def test_what_the_script_lets_go_ends_after_a_look(self):
        class Iterator:
            pass

        def script(look):
            iterator, lock = Iterator(), self.lock
            look()
            self.assertTrue(lock)
            return weakref.ref(iterator)

        with Thread(_holds, threading.Lock()):
            for look in LOOKS:
                self.assertIsNone(script(look)())

    def test_what_the_script_deletes_ends_at_once(self):
        class Iterator:
            pass

        def script(lock):
            iterator = Iterator()
            found, left = locks._find_locked(sys._getframe()), weakref.ref(iterator)
            del iterator
            return found, left()

        self.assertEqual(([("lock", self.lock)], None), script(self.lock))

    def test_a_dict_of_variables_stays_as_it_was(self):
        def script(look):
            lock = self.lock
            names = locals()
            look()
            later = lock
            return list(names), later

        for look in LOOKS:
            self.assertEqual({"look", "lock", "self"}, set(script(look)[0]))

    def test_no_garbage_is_collected_within_the_look_and_it_goes_on_after(self):
        seen, original = [], sys._current_frames
        self.addCleanup(setattr, sys, "_current_frames", original)
        sys._current_frames = lambda: seen.append(gc.isenabled()) or original()
        gc.enable()
        self.assertNotIn(threading.get_ident(), frames.read_others())
        self.assertEqual(([False], True), (seen, gc.isenabled()))
        gc.disable()
        frames.read_others()
        self.assertFalse(gc.isenabled())


class HeldLocks(unittest.TestCase):
    """Locks of this file's threads: its frames are no package's."""

    def find_holders(self, target, *args):
        with Thread(target, *args):
            return held_locks.threads_that_hold()

    def test_a_lock_that_its_code_names(self):
        for lock in (threading.Lock(), threading.RLock(), threading.Condition()):
            self.assertEqual(["another"], self.find_holders(_holds, lock))
        self.assertEqual(["another"], self.find_holders(_Owner().holds))

    def test_a_lock_that_it_has_let_go_of(self):
        self.assertEqual([], self.find_holders(_let_go_of, threading.Lock()))

    def test_code_of_a_package(self):
        source = compile(inspect.getsource(_holds), "/x/site-packages/wandb/io.py", "exec")
        package = {}
        exec(source, package)
        self.assertEqual([], self.find_holders(package["_holds"], threading.Lock()))

    def test_a_thread_that_waits_for_a_lock_holds_none(self):
        """This thread has it. The owner of an RLock is known wherever others are."""
        lock, own = threading.Lock(), threading.RLock()
        owner = _Owner()
        for wait, held, args in (
            (_holds, lock, (lock,)),
            (_holds, own, (own,)),
            (_acquires, lock, (lock,)),
            (owner.holds, owner._lock, ()),
        ):
            with self.subTest(wait=wait.__name__, held=held):
                self.assertEqual([], self.find_holders_while_held(wait, held, args))

    def test_a_thread_that_waits_for_one_lock_may_hold_another(self):
        held, awaited = threading.Lock(), threading.Lock()
        self.assertEqual(
            ["another"], self.find_holders_while_held(_holds_and_waits, awaited, (held, awaited))
        )

    def find_holders_while_held(self, wait, lock, args):
        """Returns those that seem to hold a lock while this thread has `lock`, that another one
        waits for."""
        thread = Thread(wait, *args)
        with lock:
            thread._thread.start()
            self.assertTrue(
                wait_for(lambda: locks._find_entered(thread.frame) is lock, HANG_S), thread.frame
            )
            found = held_locks.threads_that_hold()
        thread.__exit__()
        return found


class WithoutFork(unittest.TestCase):
    """Threads are looked at only if workers are forked."""

    def test_the_question_does_not_settle_how_they_start(self):
        class Loader:
            num_workers = 1

        default = multiprocessing.get_context().get_start_method()
        settled = multiprocessing.get_start_method(allow_none=True)
        self.addCleanup(multiprocessing.set_start_method, settled, force=True)
        multiprocessing.set_start_method(None, force=True)
        self.assertEqual(default == "fork", findings.forks(Loader))
        self.assertIsNone(multiprocessing.get_start_method(allow_none=True))

    def test_threads_are_not_looked_at_where_workers_are_spawned(self):
        class Loader:
            num_workers, multiprocessing_context = 1, multiprocessing.get_context("spawn")

        self.addCleanup(setattr, held_locks, "threads_that_hold", held_locks.threads_that_hold)
        held_locks.threads_that_hold = None
        self.assertEqual([], engine.Engine._threads_at_fork(None, Loader))


def _holds(lock, ready, over):
    with lock:
        ready.set()
        over.wait()


def _acquires(lock, ready, over):
    if lock.acquire(timeout=300):
        lock.release()


def _holds_and_waits(held, awaited, ready, over):
    with held:
        with awaited:
            ready.set()
            over.wait()


def _let_go_of(lock, ready, over):
    with lock:
        pass
    ready.set()
    over.wait()


class _Owner:
    def __init__(self):
        self._lock = threading.Lock()

    def holds(self, ready, over):
        with self._lock:
            ready.set()
            over.wait()


if __name__ == "__main__":
    unittest.main()
