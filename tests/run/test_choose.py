#!/usr/bin/env python3
"""Which rows a change chooses: test_choose.py BUILD_FOLDER, a complete one. Each file of the tree
is known, each mutant's file chooses the tests that must find it, and some files choose what is
known to break with them, and no more than that."""

import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import choose  # noqa: E402
import made_of  # noqa: E402
import quick  # noqa: E402
from counts import run_unittest  # noqa: E402

FOLDER = pathlib.Path(sys.argv.pop(1)).resolve()
NINJA = """# why
rule CXX_COMPILER__a
  command = c++

build a.o: CXX_COMPILER__a /t/harness/a.cpp || order
build made.cpp: CUSTOM_COMMAND /t/harness/page.js $
    /t/harness/with$ space.js
build made.o: CXX_COMPILER__a made.cpp
build a.a: CXX_STATIC_LIBRARY_LINKER__a a.o made.o || bin/m.so
build bin/m.so: CXX_MODULE_LIBRARY_LINKER__m m.o
build m.o: CXX_COMPILER__m /t/harness/m.cpp
build b.a: CXX_STATIC_LIBRARY_LINKER__b b.o
build b.o: CXX_COMPILER__b /t/harness/b.cpp
build bin/benchbench: CXX_EXECUTABLE_LINKER__p b.o
build bin/test_a: CXX_EXECUTABLE_LINKER__t t.o | a.a || b.a bin/benchbench order
build t.o: CXX_COMPILER__t /t/tests/t.cpp
build order: phony a.o
"""
HEADERS = """a.o: #deps 2, deps mtime 1 (VALID)
    /t/harness/a.cpp
    ../harness/a.h
    /usr/include/stdio.h

made.o: #deps 1, deps mtime 1 (VALID)
    made.cpp

m.o: #deps 1, deps mtime 1 (VALID)
    /t/harness/m.cpp

b.o: #deps 1, deps mtime 1 (VALID)
    /t/harness/b.cpp

"""


class Ninja(unittest.TestCase):
    def setUp(self):
        self.graph = made_of.Graph(
            made_of.read_edges(NINJA, "/t/build"), made_of.read_headers(HEADERS, "/t/build", "/t")
        )

    def files(self, output):
        files = self.graph.files_of("/t/build/" + output)
        return sorted(file.replace("/t/harness/", "") for file in files)

    def test_headers_generated_files_and_modules(self):
        self.assertEqual(self.files("a.a"), ["a.cpp", "a.h", "m.cpp", "page.js", "with space.js"])

    def test_a_program_that_is_started_counts_and_a_library_that_is_only_built_before_does_not(
        self,
    ):
        self.assertIn("b.cpp", self.files("bin/test_a"))
        del self.graph.edges["/t/build/bin/benchbench"]
        self.graph.known.clear()
        self.assertNotIn("b.cpp", self.files("bin/test_a"))

    def test_an_object_that_was_never_compiled_may_have_read_anything(self):
        self.assertIn(made_of.UNREAD, self.files("bin/test_a"))
        self.assertNotIn(made_of.UNREAD, self.files("a.a"))


class Chosen(unittest.TestCase):
    ROWS = ["unit.a", "unit.b", "golden.c", "architecture.text"]
    TEXTS = {
        "python/a.py": "import b.c\nfrom . import near",
        "python/near.py": "",
        "other/near.py": "",
        "other/b/__init__.py": "",
        "other/b/c.py": "from .d import x",
        "other/b/d.py": "",
        "tests/x.py": "@alone",
        "tests/y.py": "",
    }
    LINES = (
        "python/*.py\tunit.a",
        "tests/*.py\tgolden.*\t@alone",
        "tests/**\t+architecture.*",
        "LICENSE\t-",
        "other/**/old.*\t-",
        "harness/a/page.txt\tfolder",
    )

    def rows(self, *files):
        rows_of = {"harness/a/x.cpp": {"unit.a"}, "harness/b/x.cpp": {"unit.b"}, "?": {"golden.c"}}
        choice = choose.Choice(
            rows_of,
            self.ROWS,
            choose.read_lines("# why\n\n" + "\n".join(self.LINES)),
            self.TEXTS,
            self.TEXTS.get,
        )
        return choice.of_files(files)

    def test_what_the_build_knows(self):
        self.assertEqual(self.rows("harness/a/x.cpp"), ["unit.a", "golden.c"])

    def test_a_new_file_counts_as_its_folder_does(self):
        self.assertEqual(self.rows("harness/a/deep/new.cpp"), ["unit.a", "golden.c"])
        self.assertEqual(self.rows("harness/new.cpp"), ["unit.a", "unit.b", "golden.c"])
        self.assertEqual(self.rows("harness/a/page.txt"), ["unit.a", "golden.c"])
        self.assertEqual(self.rows("new.txt"), self.ROWS)

    def test_imports_reach_over_packages_and_files(self):
        for file in (
            "python/a.py",
            "python/near.py",
            "other/b/c.py",
            "other/b/d.py",
            "other/b/__init__.py",
        ):
            self.assertEqual(self.rows(file), ["unit.a"], file)
        self.assertEqual(self.rows("other/near.py"), self.ROWS)

    def test_a_text_that_a_file_must_hold(self):
        self.assertEqual(self.rows("tests/x.py"), ["golden.c", "architecture.text"])
        self.assertEqual(self.rows("tests/gone.py"), ["golden.c", "architecture.text"])
        self.assertEqual(self.rows("tests/y.py"), self.ROWS)

    def test_nothing(self):
        self.assertEqual(self.rows("LICENSE", "other/b/old.py", "other/old.txt"), [])
        self.assertEqual(self.rows(), [])

    def test_rows_of_several_files_come_in_the_order_of_ctest(self):
        self.assertEqual(
            self.rows("harness/b/x.cpp", "python/a.py"), ["unit.a", "unit.b", "golden.c"]
        )


class Patterns(unittest.TestCase):
    def test_stars(self):
        for glob, name, matches in (
            ("a/*.py", "a/b.py", True),
            ("a/*.py", "a/b/c.py", False),
            ("a/**", "a/b/c.py", True),
            ("**/c.py", "c.py", True),
            ("**/c.py", "a/c.py", True),
            ("**/c.py", "a/xc.py", False),
            ("a/**/*.cpp", "a/b.cpp", True),
            ("a/test_[!w]*", "a/test_run", True),
            ("a/test_[!w]*", "a/test_wrap", False),
        ):
            found = bool(choose.pattern_of(glob).fullmatch(name))
            self.assertEqual(found, matches, (glob, name))


class ThisTree(unittest.TestCase):
    """The real build folder, map and files."""

    @classmethod
    def setUpClass(cls):
        cls.build = made_of.Build(FOLDER)
        cls.choice = choose.choice_in(cls.build)

    def rows(self, *files):
        return self.choice.of_files(files)

    def test_each_file_is_known(self):
        """A file that chooses no row belongs into tests/run/depends.tsv: what does it break?"""
        unknown = [file for file in choose.tracked_files() if not self.choice.known(file)[1]]
        self.assertEqual(unknown, [])

    def test_each_line_of_the_map_holds_for_a_file(self):
        files = choose.tracked_files()
        lost = [
            line.glob
            for line in self.choice.lines
            if not any(line.matches(file, choose.read_text) for file in files)
        ]
        self.assertEqual(lost, [])

    def test_each_row_that_the_map_names_is_there(self):
        cmake = (choose.ROOT / "tests" / "CMakeLists.txt").read_text()
        for line in self.choice.lines:
            for glob in [] if line.nothing or line.as_folder else line.rows:
                name = glob.lstrip("+")
                self.assertTrue(
                    fnmatch.filter(self.build.rows, name) or name in cmake, (line.glob, name)
                )

    def test_all_objects_were_compiled(self):
        self.assertEqual(self.choice.rows_of.get(made_of.UNREAD, set()), set())

    def test_the_tests_that_must_find_a_mutant_are_chosen(self):
        mutants = quick.check_mutants().all_mutants()
        self.assertGreater(len(mutants), 100)
        for mutant in mutants:
            named = {quick.row_of(program) for program, _ in mutant.tests}
            self.assertLessEqual(named, set(self.rows(mutant.file)), mutant.name)
            self.assertIn("architecture.mutants", self.rows(mutant.file))

    def assert_chosen(self, file, rows, not_chosen=()):
        """`rows` are, and nothing is of the patterns `not_chosen`."""
        chosen = self.rows(file)
        for glob in rows.split():
            found = fnmatch.filter(self.build.rows, glob)
            self.assertLessEqual(set(found), set(chosen), (file, glob))
        for glob in not_chosen:
            self.assertEqual(fnmatch.filter(chosen, glob), [], file)

    def test_known_pairs(self):
        product = "golden.program golden.browser golden.history faults.sweep golden.python_cases"
        for file, rows, not_chosen in (
            ("harness/core/units.h", "unit.* contract.* known_answer.* " + product, ["python.*"]),
            ("mocks/trainers/discard.cpp", "contract.parts unit.mocks " + product, ["python.*"]),
            ("harness/app/wrap/wrap_run.cpp", product, ["unit.plan", "known_answer.queue"]),
            ("harness/report/html/assets/data.js", "unit.report " + product, ["unit.plan"]),
            ("harness/report/html/assets/order.txt", "unit.report " + product, ["unit.plan"]),
            (
                "harness/cuda/cuda_queue.cpp",
                "unit.cuda golden.cuda known_answer.cuda",
                ["unit.plan"],
            ),
            (
                "harness/cuda/kernels/spin.cu",
                "unit.cuda golden.cuda known_answer.cuda",
                ["unit.plan"],
            ),
            (
                "tests/stub_cuda/world.h",
                "unit.cuda golden.cuda known_answer.cuda",
                ["golden.program"],
            ),
            ("tests/skip.h", "unit.trial known_answer.real_clock", ["python.*"]),
            (
                "tests/main.cpp",
                "unit.* contract.* golden.program architecture.test_run",
                ["python.*"],
            ),
            (
                "tests/golden/program/preload/calls.cpp",
                "golden.program",
                ["unit.*", "faults.sweep"],
            ),
            (
                "tests/faults/shim/shim.cpp",
                "faults.sweep faults.media",
                ["faults.reread", "golden.*"],
            ),
            (
                "python/benchbench_dl/wrap/orders.py",
                "python.child_wrap golden.python_*",
                ["unit.python"],
            ),
            (
                "python/benchbench_dl/serve/step.py",
                "python.* golden.python_* unit.python",
                ["faults.*"],
            ),
            ("tests/golden/python/place.py", "golden.python_*", ["python.*", "golden.program"]),
            (
                "tests/golden/python/check_wrap_ranks.py",
                "golden.python_cases",
                ["golden.python_rates"],
            ),
            ("python/tests/child.py", "python.child python.child_rates", ["golden.*"]),
            ("tests/golden/foreign/foreign_lmdb.py", "golden.foreign_lmdb", ["golden.foreign_mds"]),
            ("tests/golden/foreign/samples.py", "golden.foreign_*", ["golden.browser"]),
            ("tests/faults/one_case.py", "faults.sweep", ["golden.*", "unit.*"]),
            ("docs/faults.md", "faults.page", ["unit.*", "golden.*"]),
            ("README.md", "golden.program golden.foreign_outputs", ["unit.*"]),
            ("configs/device.yaml", "unit.plan unit.config known_answer.device", ["python.*"]),
            ("scripts/nightly", "golden.nightly", ["golden.program"]),
            ("tests/run/verdict.py", "architecture.test_run", ["unit.*", "golden.*"]),
            ("scripts/setup.sh", "*", ()),
            ("harness/plan/CMakeLists.txt", "*", ()),
        ):
            self.assertTrue((choose.ROOT / file).exists(), file)
            self.assert_chosen(file, rows, not_chosen)

    def test_a_test_alone_chooses_its_row_and_those_that_read_texts(self):
        files = sorted((choose.ROOT / "tests/unit/plan").glob("*_test.cpp"))
        for file in [os.path.relpath(files[0], choose.ROOT), "tests/unit/plan/new_test.cpp"]:
            chosen = {row for row in self.rows(file) if not row.startswith("architecture.")}
            self.assertEqual(chosen - {"faults.page"}, {"unit.plan"}, file)

    def test_the_tests_that_compare_times_choose_their_row(self):
        for file in choose.tracked_files():
            if re.fullmatch("python/tests/test_.*|tests/golden/python/check_.*", file):
                says = "@alone" in choose.read_text(file) or "@sleeps" in choose.read_text(file)
                rates = [row for row in self.rows(file) if row.endswith("_rates")]
                self.assertEqual(len(rates), says, file)


class Asked(unittest.TestCase):
    """The program as scripts/test calls it."""

    def ask(self, *arguments):
        done = subprocess.run(
            [sys.executable, choose.__file__, str(FOLDER), *arguments],
            capture_output=True,
            text=True,
            timeout=600,
        )
        return done.returncode, done.stdout.split(), done.stderr

    def test_files(self):
        code, rows, said = self.ask("--rows", "LICENSE", "docs/faults.md")
        self.assertEqual(code, 0)
        self.assertIn("faults.page", rows)
        self.assertRegex(said, r"^changed files: 2; they can break \d of \d+ rows\n$")

    @unittest.skipUnless(choose.has_git(), "git is not here")
    def test_what_differs_from_a_commit(self):
        """All files differ from the empty tree."""
        empty = choose.git("hash-object", "-t", "tree", os.devnull).strip()
        code, rows, _ = self.ask("--changed", empty)
        self.assertEqual((code, len(rows)), (0, len(made_of.Build(FOLDER).rows)))

    def test_quick(self):
        code, rows, said = self.ask("--quick")
        self.assertEqual((code, rows), (0, quick.read_quick()))
        found, of = map(int, re.search(r"find (\d+) of (\d+) wrong versions", said).groups())
        self.assertGreater(found, of * 2 // 3)


if __name__ == "__main__":
    run_unittest()
