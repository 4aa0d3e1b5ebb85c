#!/usr/bin/env python3
"""Parts of one's own: examples/own_part is built with the installed headers, then described,
checked, run and tested by the contract; libraries that are none, or another version's, are refused.

test_own_part.py PROGRAM CONTRACT_TESTS BUILD_FOLDER CMAKE COMPILER"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "run")]
from counts import run_unittest  # noqa: E402

PROGRAM, CONTRACT, BUILD, CMAKE, COMPILER = sys.argv[1:6]
EXAMPLE = ROOT / "examples" / "own_part"
SHORT = ["--set", "measure.class=selftest", "--set", "measure.window=200ms"]
SHORT += ["--rounds", "1", "--quiet"]

# Sources of libraries, by what is wrong with them.
WRONG = {
    "other_version": """extern "C" { extern const unsigned benchbench_part_interface;
        const unsigned benchbench_part_interface = 999;
        void* benchbench_parts() { __builtin_trap(); } }""",
    "no_parts": "int x = 1;",
    "crashes": "[[gnu::constructor]] static void crash() { __builtin_trap(); }",
}


def call(*command, **options):
    """Runs it. The cases of the contract's own program are not cases of this row."""
    environment = {k: v for k, v in os.environ.items() if k != "BENCHBENCH_TEST_COUNTS"}
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        env=environment,
        **options,
    )


def must(*command):
    done = call(*command)
    if done.returncode:
        raise RuntimeError(f"{command}\n{done.stdout}\n{done.stderr}")


def on_one_line(text):
    return " ".join(text.split())


class OwnPart(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="benchbench-own-"))
        cls.example = cls.folder / "example"
        shutil.copytree(EXAMPLE, cls.example)
        cls.headers = cls.folder / "installed" / "include"
        must(CMAKE, "--install", BUILD, "--component", "headers", "--prefix", cls.headers.parent)
        cls.built = cls.example / "build"
        must(
            *(CMAKE, "-S", cls.example, "-B", cls.built, f"-DCMAKE_CXX_COMPILER={COMPILER}"),
            f"-DBENCHBENCH_HEADERS={cls.headers}",
        )
        must(CMAKE, "--build", cls.built)
        cls.loader = cls.built / "libstripes.so"
        cls.trainer = cls.built / "libbyte_sum.so"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, True)

    def ask(self, *arguments, code=0, **options):
        """Returns what the program says, on one line. `code`: one, or any of several."""
        done = call(PROGRAM, *arguments, **options)
        said = on_one_line(done.stdout + " " + done.stderr)
        self.assertIn(done.returncode, code if isinstance(code, tuple) else (code,), said)
        return said

    def library(self, name, source):
        path = self.folder / f"lib{name}.so"
        text = self.folder / f"{name}.cpp"
        text.write_text(source)
        must(COMPILER, "-std=c++20", "-shared", "-fPIC", f"-I{self.headers}", text, "-o", path)
        return path

    def run_with(self, scenario, *options):
        """Returns what is said, and the folder. Whether a trial is VALID is the machine's doing:
        each has its record, and none has failed."""
        out = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "run"
        cache = self.folder / "cache"
        said = self.ask(
            *("run", scenario, "--out", out, "--cache", cache, *SHORT, *options),
            code=(0, 8),
            cwd=self.folder,
        )
        for word in ("FAILED", "SKIPPED", "ABORTED"):
            self.assertNotIn(word, said)
        return said, out

    def digests(self, out, section="loader"):
        journal = (out / "journal.jsonl").read_text()
        return set(re.findall(rf"{section}\.library_digest[^0-9a-f]+([0-9a-f]{{32}})", journal))

    def test_it_is_described(self):
        said = self.ask("describe", self.loader)
        self.assertIn(f"{self.loader} (loader) Images of one grey each.", said)
        self.assertIn("makes images", said)
        self.assertIn("meters decode", said)
        self.assertIn("loader.size Height and width of an image. a whole number, 1 to 4096", said)
        self.assertIn("(trainer) Adds up the bytes", self.ask("describe", self.trainer))

    def test_both_run_in_children_and_the_record_says_which(self):
        said, out = self.run_with(self.example / "own.yaml")
        self.assertIn("libstripes.so", said)
        journal = (out / "journal.jsonl").read_text()
        self.assertIn(str(self.loader), journal)
        self.assertEqual(1, len(self.digests(out)))
        self.assertEqual(1, len(self.digests(out, "trainer")))
        self.assertNotEqual(self.digests(out), self.digests(out, "trainer"))

    def test_both_run_in_this_process_and_in_one_for_each_trial(self):
        for isolation in ("none", "trial"):
            self.run_with(self.example / "own.yaml", "--isolation", isolation)

    def test_each_runs_with_a_part_of_ours(self):
        for key, use in (("loader.use", "synthetic"), ("trainer.use", "discard")):
            self.run_with(self.example / "own.yaml", "--set", f"{key}={use}")

    def test_keys_are_checked(self):
        scenario = self.example / "own.yaml"
        said = self.ask("validate", scenario, "--set", "loader.siez=4", code=2)
        self.assertIn("unknown key loader.siez; did you mean loader.size?", said)
        said = self.ask("validate", scenario, "--set", "loader.size=0", code=2)
        self.assertIn("0 is out of range; allowed: 1 to 4096", said)

    def test_virtual_time_is_refused(self):
        said = self.ask("run", self.example / "own.yaml", "--clock", "simulated", code=(1, 2, 8))
        self.assertIn("clock", said)

    def test_a_path_begins_at_the_file_or_at_the_working_directory(self):
        self.ask("validate", "example/own.yaml", cwd=self.folder)
        self.ask("validate", "own.yaml", cwd=self.example)
        set_it = ("--set", "loader.use=build/libstripes.so")
        self.ask("validate", "own.yaml", *set_it, cwd=self.example)
        said = self.ask("validate", "example/own.yaml", *set_it, code=2, cwd=self.folder)
        self.assertIn("there is no library build/libstripes.so", said)

    def test_a_sweep_compares_it(self):
        said, out = self.run_with(
            self.example / "own.yaml",
            "--set",
            "measure.modes=loader",
            "--sweep",
            f"loader.use={self.loader},synthetic",
        )
        self.assertIn("synthetic", said)
        self.assertEqual(1, len(self.digests(out)))

    def test_a_changed_library_is_another_run(self):
        scenario = self.folder / "changes.yaml"
        source = (EXAMPLE / "stripes.cpp").read_text()
        path = self.library("changes", source)
        scenario.write_text(
            f"loader: {{use: {path.name}, num_workers: 0, batch_size: 4}}\n"
            "trainer: {use: discard}\nmeasure: {modes: loader}\n"
        )
        _, before = self.run_with(scenario)
        self.library("changes", source.replace("25 * label", "24 * label"))
        said = self.ask(
            *("run", scenario, "--out", before, "--cache", self.folder / "cache", "--resume"),
            *SHORT,
            code=(1, 2, 8),
            cwd=self.folder,
        )
        self.assertIn(f"{path.name} differs from the file of that run", said)
        _, after = self.run_with(scenario)
        self.assertNotEqual(self.digests(before), self.digests(after))

    def test_what_is_no_such_library_is_refused(self):
        (self.folder / "text.so").write_text("no library\n")
        paths = {name: self.library(name, source) for name, source in WRONG.items()}
        expected = {
            paths["other_version"]: "was built for interface 999 of parts, and this program has",
            paths["no_parts"]: "is a library without parts: it exports no",
            paths["crashes"]: "it crashed when loaded (SIG",
            self.folder / "text.so": "text.so cannot be loaded as a library: ",
            self.folder / "absent.so": "there is no library ",
            self.trainer: "has no loader; it has a trainer",
        }
        for path, words in expected.items():
            with self.subTest(path=path.name):
                set_it = ("--set", f"loader.use={path}")
                said = self.ask("validate", self.example / "own.yaml", *set_it, code=2)
                self.assertIn("error: ", said)
                self.assertIn(words, said)
                if path == self.trainer:
                    continue
                self.assertIn(words, self.ask("describe", path, code=2))
                self.assertIn(words, self.ask("contract", path, code=2))

    def test_without_the_contract_tests_it_says_how_to_build_them(self):
        alone = self.folder / "alone"
        alone.mkdir()
        shutil.copy(PROGRAM, alone)
        done = call(alone / pathlib.Path(PROGRAM).name, "contract", self.loader)
        self.assertEqual(2, done.returncode)
        self.assertIn("the contract tests are not built", done.stderr)

    def test_the_contract_holds_for_the_example(self):
        self.assertEqual(pathlib.Path(CONTRACT).parent, pathlib.Path(PROGRAM).parent)
        for path in (self.loader, self.trainer):
            said = self.ask("contract", path)
            self.assertRegex(said, r"\b[1-9][0-9]* kept, 0 broken, ")
            self.assertNotIn("BROKEN", said)
        said = self.ask("contract", self.loader, "--set", "loader.size=9")
        self.assertIn(" 0 broken", said)
        said = self.ask("contract", self.loader, "--set", "loader.sise=9", code=2)
        self.assertIn("--set loader.sise=9: expected", said)

    def test_the_contract_names_what_a_part_breaks(self):
        source = (EXAMPLE / "stripes.cpp").read_text()
        line = "std::memcpy(request.rows.row(1, i), &label, sizeof label);"
        self.assertIn(line, source)
        said = self.ask("contract", self.library("torn", source.replace(line, "")), code=1)
        self.assertIn("BROKEN loaders: every row asked for is written whole, and no other", said)
        self.assertIn("kept loaders: what they say of their batches is in bounds and stays", said)
        source = (EXAMPLE / "byte_sum.cpp").read_text()
        line = "const StageScope scope(context.meter, runtime, context.step, Stage::forward);"
        self.assertIn(line, source)
        said = self.ask("contract", self.library("silent", source.replace(line, "")), code=1)
        self.assertIn("BROKEN trainers: the stages they meter are those they describe", said)


if __name__ == "__main__":
    run_unittest(sys.argv[:1] + sys.argv[6:])
