"""The arithmetic, the verdicts and the bad luck of scripts/compare_peers, with peers that only
answer. Needs nothing but Python."""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "fake_benchbench.py")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "scripts", "peers"), os.path.join(ROOT, "tests", "run")]

import process_tree  # noqa: E402
from contest import contests, install, ours, publish, rows, storage  # noqa: E402
from contest.contestant import Absent, Command, Failed, Process, Result, Slice  # noqa: E402
from contest.interval import ratio_of, t_975  # noqa: E402
from contest.rounds import run_rounds  # noqa: E402
from counts import run_unittest  # noqa: E402


def fake(name, **told):
    return Process(
        name, [sys.executable, os.path.join(HERE, "fake_peer.py"), json.dumps(told)], 0.0
    )


def steady(name, rates):
    """A command that has the given rates, one a call."""
    left = list(rates)
    return Command(name, lambda seconds: Slice(left.pop(0) * seconds, seconds, seconds))


def read_text(path):
    with open(path) as file:
        return file.read()


def cold_bytes(path):
    """Of the file, what a read that must not wait for the disk does not get."""
    file = os.open(path, os.O_RDONLY)
    try:
        buffer = bytearray(os.fstat(file).st_size)
        return len(buffer) - os.preadv(file, [buffer], 0, os.RWF_NOWAIT)
    except BlockingIOError:
        return len(buffer)
    finally:
        os.close(file)


def result(name, rates, failure=""):
    return Result(name, {n: Slice(rate, 1.0, 0.5) for n, rate in enumerate(rates)}, failure)


class Intervals(unittest.TestCase):
    def test_a_known_interval(self):
        # Logs 0.1, 0.2, 0.3: mean 0.2, deviation 0.1, t(2) 4.3027, half width 4.3027 * 0.1 /
        # sqrt(3).
        found = ratio_of({n: math.exp(0.1 * (n + 1)) for n in range(3)}, {0: 1.0, 1: 1.0, 2: 1.0})
        half = 4.3027 * 0.1 / math.sqrt(3)
        self.assertAlmostEqual(found.value, math.exp(0.2), places=9)
        self.assertAlmostEqual(found.low, math.exp(0.2 - half), places=9)
        self.assertAlmostEqual(found.high, math.exp(0.2 + half), places=9)

    def test_what_a_round_does_to_both_cancels(self):
        slow = {0: 10.0, 1: 1000.0, 2: 3.0}
        found = ratio_of({n: 1.5 * rate for n, rate in slow.items()}, slow)
        self.assertAlmostEqual(found.low, 1.5, places=9)
        self.assertAlmostEqual(found.high, 1.5, places=9)

    def test_only_rounds_that_both_have(self):
        found = ratio_of({0: 2.0, 1: 2.0, 2: 99.0}, {0: 1.0, 1: 1.0, 3: 7.0})
        self.assertEqual((found.value, found.rounds), (2.0, 2))
        self.assertIsNone(ratio_of({0: 2.0, 1: 2.0}, {1: 1.0}))

    def test_t_goes_over_from_the_table_smoothly(self):
        self.assertAlmostEqual(t_975(30), 2.0423, places=4)
        self.assertAlmostEqual(t_975(31), 2.0395, delta=0.0002)
        self.assertAlmostEqual(t_975(60), 2.0003, places=4)

    def test_the_interval_holds_the_truth_in_about_95_of_100(self):
        generator = random.Random(5)
        held = 0
        for _ in range(1000):
            sides = [{n: math.exp(generator.gauss(0, 0.2)) for n in range(5)} for _ in range(2)]
            found = ratio_of(*sides)
            held += found.low <= 1.0 <= found.high
        self.assertTrue(930 <= held <= 970, held)


class Verdicts(unittest.TestCase):
    def test_the_whole_interval_decides(self):
        against = result("peer", [100, 100, 100])
        for rates, verdict in (
            ([130, 131, 132], "reached"),
            ([100, 101, 102], "missed"),
            ([100, 120, 160], "not shown"),
        ):
            self.assertTrue(
                rows.row("x", "/s", result("ours", rates), against, 1.15).verdict.startswith(
                    verdict
                ),
                rates,
            )

    def test_a_missing_peer_is_not_shown_even_with_earlier_rounds(self):
        found = rows.row(
            "x", "/s", result("ours", [300, 300]), result("peer", [1, 1], "crashed: Boom"), 1.15
        )
        self.assertEqual(found.verdict, "not shown: crashed: Boom")
        self.assertIsNone(found.ratio)

    def test_ours_missing_is_not_shown_as_ours(self):
        found = rows.row(
            "x", "/s", result("ours", [], "INVALID: why"), result("peer", [1, 1]), 1.15
        )
        self.assertEqual(found.verdict, "not shown: ours: INVALID: why")

    def test_lost_rounds_are_told_and_with_ours_nothing_is_reached(self):
        whole, losing = [result(name, [300, 300, 300]) for name in ("whole", "losing")]
        losing.lost, losing.lost_rounds = "INVALID: throttled", 2
        slow = result("slow", [100, 100, 100])
        told = "3 of 5 rounds; lost: INVALID: throttled)"
        self.assertEqual(
            rows.row("x", "/s", losing, slow, 1.15).verdict,
            f"not shown: ours lost rounds (ours: {told}",
        )
        self.assertEqual(
            rows.row("x", "/s", whole, losing, 0.9).verdict, f"reached (losing: {told}"
        )
        self.assertEqual(rows.row("x", "/s", slow, losing, 1.15).verdict, f"missed (losing: {told}")
        self.assertEqual(rows.row("x", "/s", whole, losing, None).verdict, f"(losing: {told}")
        best = rows.best_row("x", "/s", whole, [losing], 0.9, ["losing", "gone"])
        self.assertEqual(best.verdict, "not shown: without gone")

    def test_times_are_better_when_less(self):
        found = rows.row(
            "x",
            "us",
            result("ours", [2.0, 2.0]),
            result("peer", [800.0, 800.0]),
            500,
            better="less",
        )
        self.assertAlmostEqual(found.ratio.value, 400.0)
        self.assertEqual(found.verdict, "missed")

    def test_the_best_of_all_is_not_reached_while_one_is_missing(self):
        mine = result("ours", [300, 301, 302])
        peers = [result("slow", [10, 10, 10]), result("fast", [100, 100, 100])]
        whole = rows.best_row("x", "/s", mine, peers, 1.15, ["slow", "fast"])
        self.assertEqual((whole.what, whole.verdict), ("x: best of all (fast)", "reached"))
        broken = [*peers, result("broken", [900, 900], "crashed")]
        self.assertEqual(
            rows.best_row("x", "/s", mine, broken, 1.15, ["slow", "fast", "broken"]).verdict,
            "not shown: without broken",
        )
        unasked = rows.best_row("x", "/s", mine, peers, 1.15, ["slow", "fast", "unasked"])
        self.assertEqual(unasked.verdict, "not shown: without unasked")

    def test_the_best_of_none(self):
        gone = [result("gone", [], "why")]
        self.assertEqual(
            rows.best_row("x", "/s", result("ours", [3]), gone, 1.15, ["gone"]).verdict,
            "not shown: no peer ran",
        )
        broken = rows.best_row("x", "/s", result("ours", [], "INVALID"), gone, 1.15, ["gone"])
        self.assertEqual(broken.verdict, "not shown: ours: INVALID")

    def test_missed_against_those_that_ran_is_missed(self):
        found = rows.best_row(
            "x",
            "/s",
            result("ours", [50, 50, 50]),
            [result("fast", [100, 100, 100])],
            1.15,
            ["fast", "gone"],
        )
        self.assertEqual(found.verdict, "missed")

    def test_the_table_lines_up(self):
        lines = rows.table(
            [
                rows.row("a", "/s", result("ours", [1500, 1500]), result("p", [1000, 1000]), 1.15),
                rows.row(
                    "a longer name", "/s", result("ours", [3, 3]), result("p", [], "why"), None
                ),
            ]
        ).splitlines()
        at = lines[0].index("verdict")
        self.assertEqual(lines[1][at:], "reached")
        self.assertEqual(lines[2][at:], "not shown: why")
        self.assertEqual(
            " ".join(lines[1].split()), "a 1,500 /s 1,000 /s 1.500 1.500..1.500 1.15 reached"
        )


class Rounds(unittest.TestCase):
    def test_processes_are_told_and_heard(self):
        results = run_rounds(
            [steady("ours", [300, 400]), fake("peer", rates=[100, 200], cpu_share=2.0)], 2, 1.5, 1
        )
        peer = results["peer"]
        self.assertEqual([peer.slices[n].rate for n in range(2)], [100, 200])
        self.assertEqual(peer.slices[0].per_cpu_second, 50)
        self.assertEqual(peer.first_batch, "uint8 (32, 224, 224, 3)")
        self.assertEqual(rows.rates(results["ours"], lambda slice: slice.rate), {0: 300, 1: 400})

    def test_a_crash_is_told_by_its_last_line_and_stops_no_other(self):
        results = run_rounds(
            [
                fake("early", crash_at=-1, words="no such library"),
                fake("late", rates=[1, 2, 3], crash_at=1, words="out of luck"),
                fake("hopeless", rates=[], crash_at=0, words="never"),
                fake("good", rates=[5, 6, 7, 8]),
                Absent("gone", "not installed: no wheel"),
            ],
            4,
            1.0,
            1,
        )
        self.assertEqual(results["early"].failure, "crashed: RuntimeError: no such library")
        late = results["late"]  # begins anew after each crash
        self.assertEqual((list(late.slices), late.failure, late.lost_rounds), ([0, 2], "", 2))
        self.assertEqual(late.lost, "crashed: RuntimeError: out of luck")
        self.assertEqual(
            results["hopeless"].failure, "out after 3 lost rounds: crashed: RuntimeError: never"
        )
        self.assertEqual(results["gone"].failure, "not installed: no wheel")
        self.assertEqual(len(results["good"].slices), 4)

    def test_a_peer_that_cannot_be_started(self):
        results = run_rounds([Process("gone", ["/dev/null/python"], 0.0)], 2, 1.0, 1)
        self.assertTrue(results["gone"].failure.startswith("crashed: "))

    def test_garbage_in_place_of_an_answer(self):
        for garbage in (
            "",
            "hello",
            "[1]",
            '{"samples": 1}',
            '{"samples": 0, "seconds": 0, "cpu_seconds": 0}',
        ):
            results = run_rounds([fake("odd", garbage=garbage)], 2, 1.0, 1)
            self.assertTrue(results["odd"].failure, repr(garbage))

    def test_a_command_loses_a_round_and_goes_on(self):
        slices = [Slice(1, 1), Failed("INVALID: throttled"), Slice(3, 1)]

        def measure(_):
            told = slices.pop(0)
            if isinstance(told, Failed):
                raise told
            return told

        found = run_rounds([Command("ours", measure)], 3, 1.0, 1)["ours"]
        self.assertEqual(
            (sorted(found.slices), found.failure, found.lost), ([0, 2], "", "INVALID: throttled")
        )

    def test_between_the_starts_and_the_rounds(self):
        order = []

        def measure(_):
            order.append("slice")
            return Slice(1, 1)

        one = Command("ours", measure)
        one.start = lambda: order.append("start")
        run_rounds([one], 2, 1.0, 1, before_rounds=lambda: order.append("between"))
        self.assertEqual(order, ["start", "between", "slice", "slice"])

    def test_the_order_differs_between_rounds(self):
        order = []
        names = "abcdef"
        run_rounds(
            [Command(n, lambda _, n=n: order.append(n) or Slice(1, 1)) for n in names], 4, 1.0, 1
        )
        told = ["".join(order[i : i + 6]) for i in range(0, 24, 6)]
        self.assertTrue(all(sorted(one) == list(names) for one in told))
        self.assertGreater(len(set(told)), 1)


class Installing(unittest.TestCase):
    def test_every_peer_has_its_file_and_its_pins(self):
        groups = install.read_groups(os.path.join(ROOT, "scripts", "peers", "requirements.txt"))
        for name, peer in {**contests.PEERS, **contests.NULL}.items():
            file = contests.file_of(name)
            self.assertTrue(os.path.exists(os.path.join(ROOT, "scripts", "peers", file)), file)
            for group in peer.groups:
                self.assertTrue(groups[group])
        for pins in groups.values():
            for pin in pins:
                self.assertRegex(pin, r"^[\w.-]+==[\w.]+$")

    def test_what_is_not_installed_says_why(self):
        with tempfile.TemporaryDirectory() as folder:
            pins = os.path.join(folder, "requirements.txt")
            with open(pins, "w") as file:
                file.write("# [one]\none==1\n# [two]\ntwo==2\n")
            environment = install.Environment(pins, os.path.join(folder, "venv"))
            os.makedirs(environment.folder)
            with open(environment.mark("one"), "w"):
                pass
            environment.install(["one", "two"], may_install=False)
            self.assertEqual(environment.failures, {"two": "not installed (--no-install)"})
            self.assertTrue(
                environment.install_group("two").startswith("not installed: python3-venv")
            )

    def test_pips_reason_is_the_line_with_the_error(self):
        said = "ERROR: No matching distribution found for x==1\nhint: See above for details.\n"
        self.assertEqual(install.last_line(said), "ERROR: No matching distribution found for x==1")


class OurSide(unittest.TestCase):
    def test_windows_of_a_run_are_added_up(self):
        record = {
            "status": "NOISY",
            "reasons": [],
            "facts": {
                "samples": 100,
                "window_ns": 500_000_000,
                "cpu_user_s": 0.5,
                "cpu_system_s": 0.5,
            },
        }
        found = ours.slice_of([record, record, record])
        self.assertEqual((found.rate, found.per_cpu_second), (200, 100))

    def test_an_invalid_window_is_no_measurement(self):
        with self.assertRaisesRegex(Failed, "INVALID: too short"):
            ours.slice_of([{"status": "INVALID", "reasons": [{"text": "too short"}], "facts": {}}])

    def test_a_program_that_fails_gives_its_error(self):
        with self.assertRaisesRegex(Failed, "benchbench -c: error: boom"):
            ours.Program(sys.executable, "").call("-c", "import sys; sys.exit('error: boom')")

    def test_a_program_that_dies_says_by_what(self):
        with self.assertRaisesRegex(Failed, "benchbench -c: ended by signal 11"):
            ours.Program(sys.executable, "").call("-c", "import os; os.kill(os.getpid(), 11)")

    def test_fio_reads_what_ours_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a", "b", "c", ".index"):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(name * 100)
            fio = storage.Fio("files", folder, 3, 2, [])
            with tempfile.TemporaryDirectory() as place:
                arguments = fio.arguments(place)
                logs = [
                    argument.split("=")[1]
                    for argument in arguments
                    if argument.startswith("--read_iolog")
                ]
                text = "".join(read_text(log) for log in logs)
            self.assertEqual(len(logs), 2)
            self.assertEqual(text.count(" read 0 100\n"), 3)
            self.assertNotIn(".index", text)
            self.assertEqual(storage.as_bytes(Slice(30, 2.0), folder, 3).rate, 1500)

    def test_every_file_is_read_before_a_warm_contest(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "class0"))
            paths = [os.path.join(folder, name) for name in ("shard", ".index", "class0/image")]
            for path in paths:
                with open(path, "wb") as file:
                    file.write(bytes(10_000_000))
            storage.evict(paths)
            self.assertEqual(storage.warm([folder, os.path.join(folder, "no such")]), 3)
            for path in paths:
                self.assertEqual(cold_bytes(path), 0, path)

    def test_fios_threads_read_no_page_twice(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"x" * 4000)
            file.flush()
            for pattern in ("random", "shards"):
                arguments = storage.Fio(pattern, file.name, 4, 4, []).arguments("")
                self.assertEqual(
                    [a for a in arguments if "=25%" in a], ["--size=25%", "--offset_increment=25%"]
                )
                self.assertFalse([a for a in arguments if a.startswith("--io_size")])


class Told(unittest.TestCase):
    def test_a_published_page_names_no_host_and_no_path(self):
        settings = argparse.Namespace(**dict.fromkeys(publish.SETTINGS, 1.0))
        settings.json = "/somewhere/secret"
        found = [rows.row("x", "/s", result("ours", [3, 3]), result("p", [1, 1]), 1.15)]
        told = publish.document(found, [], settings, ["torch==1"], "benchbench 1")
        with tempfile.TemporaryDirectory() as folder:
            for path in publish.publish(folder, told, found, "scripts/compare_peers"):
                text = read_text(path)
                self.assertNotIn("secret", text)
                self.assertNotIn(folder, text)
                self.assertIn("reached", text)

    def test_cpu_time_of_the_children_counts(self):
        before = process_tree.cpu_seconds(os.getpid())
        subprocess.run(
            [sys.executable, "-c", "import time\nwhile time.process_time() < 0.2: pass"], check=True
        )
        self.assertGreaterEqual(process_tree.cpu_seconds(os.getpid()) - before, 0.15)


class WholeScript(unittest.TestCase):
    """scripts/compare_peers itself with a program of ours that only answers, and no peer
    installed."""

    def call(self, folder, *arguments, program=PROGRAM):
        environment = {**os.environ, "BENCHBENCH_PROGRAM": program, "XDG_CACHE_HOME": folder}
        script = os.path.join(ROOT, "scripts", "compare_peers")
        return subprocess.run(
            [sys.executable, script, "--no-install", *arguments],
            env=environment,
            text=True,
            capture_output=True,
        )

    def test_a_machine_without_peers_passes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "told.json")
            done = self.call(
                folder,
                "--rounds",
                "2",
                "--only",
                "dali,ffcv,torchvision-float32,null-batches",
                "--json",
                file,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            told = json.loads(read_text(file))
            self.assertEqual(len(told["rows"]), 2 * (3 + 1 + 1) + 2 * 2)
            for one in told["rows"]:
                self.assertIn("not shown: n", one["verdict"])  # "not installed", "no peer ran"
                self.assertIsNone(one["ratio"])
            images, nulls = told["contests"][0]["results"][0], told["contests"][2]["results"][0]
            self.assertEqual(
                images["slices"]["0"], {"samples": 3000, "seconds": 3.0, "cpu_seconds": 6.0}
            )
            self.assertEqual(nulls["slices"]["1"]["samples"], 1000)
            self.assertAlmostEqual(nulls["slices"]["1"]["seconds"], 1000 * 250e-9)
            self.assertIn("min left", done.stderr)

    def test_what_was_typed_wrong_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            for words, told in (
                (["--only", "dalli"], "unknown peer dalli; allowed:"),
                (["--rounds", "1"], "at least 2 rounds"),
            ):
                done = self.call(folder, *words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(told, done.stderr)
            done = self.call(folder, program=os.path.join(folder, "none"))
            self.assertIn("No such file", done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    run_unittest()
