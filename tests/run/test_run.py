#!/usr/bin/env python3
"""test_run.py LEAVES_EARLY CMAKE ROWS: all that must make a test run fail does. The arguments are
the program of leaves_early.cpp, cmake, and the names of all rows."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import quick  # noqa: E402
import times  # noqa: E402
import verdict  # noqa: E402
from counts import run_unittest  # noqa: E402

LEAVES_EARLY, CMAKE, ROWS = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
TESTS = pathlib.Path(__file__).resolve().parent.parent
AREAS = TESTS / "areas.cmake"


def run(*filters, everything=""):
    """Returns exit code, stderr, and what the program wrote for scripts/test."""
    with tempfile.TemporaryDirectory() as folder:
        counts = pathlib.Path(folder) / "counts"
        done = subprocess.run(
            [LEAVES_EARLY, *filters],
            env={
                **os.environ,
                "BENCHBENCH_TEST_COUNTS": str(counts),
                "BENCHBENCH_TEST_ALL": everything,
            },
            capture_output=True,
            text=True,
            timeout=60,
        )
        return (
            done.returncode,
            done.stderr,
            counts.read_text().splitlines() if counts.exists() else [],
        )


class OurMain(unittest.TestCase):
    def test_counts_cases(self):
        self.assertEqual(run(), (0, "", ["started leaves_early 1", "ended leaves_early 1 0 0 0"]))

    def test_cases_that_run_where_all_are_asked_for(self):
        self.assertEqual(
            run(everything="1"), (0, "", ["started leaves_early 2", "ended leaves_early 2 0 0 0"])
        )

    def test_a_case_that_calls_exit_fails(self):
        for call in "exit(0)", "quick_exit(0)":
            code, said, counts = run(f"second: calls {call},first: p*")
            self.assertEqual(code, 3)
            self.assertIn(f"exit() was called in the test case 'second: calls {call}'", said)
            self.assertEqual(counts, ["started leaves_early 2"])

    def test_what_no_program_can_see_of_itself_lacks_its_end(self):
        self.assertEqual(
            run("second: calls _exit(0),first: p*"), (0, "", ["started leaves_early 2"])
        )

    def test_a_child_may_leave(self):
        self.assertEqual(
            run("second: forks"), (0, "", ["started leaves_early 1", "ended leaves_early 1 0 0 0"])
        )

    def test_a_filter_that_chooses_nothing_fails(self):
        for filters in "no such*", "first*,no such*", "[nosuch]":
            code, said, _ = run(filters)
            self.assertEqual(code, 1, filters)
            self.assertIn("no test case matches", said)

    def test_a_skip_and_a_failure(self):
        code, _, counts = run("second: is skipped,first: p*")
        self.assertEqual(code, 77)
        self.assertEqual(
            counts,
            [
                "started leaves_early 2",
                "skipped leaves_early second: is skipped: no such device: here",
                "ended leaves_early 1 0 1 0",
            ],
        )
        self.assertEqual(run("second: fails")[0], 1)


class OurPython(unittest.TestCase):
    """tests/run/counts.py."""

    def call(self, script, **environment):
        """Returns the exit code of a script, and what it printed."""
        done = subprocess.run(
            [sys.executable, "-c", f"import counts, unittest\n{script}"],
            env={**os.environ, **environment},
            cwd=TESTS / "run",
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.returncode, done.stdout

    def test_whether_all_are_asked_for(self):
        for value, said in (("", "False"), ("1", "True")):
            script = "print(counts.all_are_asked_for())"
            self.assertEqual(self.call(script, BENCHBENCH_TEST_ALL=value), (0, said + "\n"))

    def test_a_program_that_is_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "counts"
            script = "raise SystemExit(counts.skip_all('test_a', 'no torch\\n\\nnor numpy'))"
            code, said = self.call(script, BENCHBENCH_TEST_COUNTS=str(file))
            self.assertEqual((code, said), (77, "SKIPPED: no torch\n\nnor numpy\n"))
            self.assertEqual(
                file.read_text(),
                "started test_a 1\nskipped test_a all: no torch\nended test_a 0 0 1 0\n",
            )

    def test_a_script_without_cases_fails(self):
        case = "class A(unittest.TestCase):\n    def test_a(self): {}\n"
        for script, code in (("", 1), (case.format("pass"), 0), (case.format("1 / 0"), 1)):
            self.assertEqual(self.call(script + "counts.run_unittest()")[0], code, script)

    def test_every_script_runs_its_cases_so(self):
        for script in TESTS.rglob("*.py"):
            self.assertNotRegex(script.read_text(), r"(?m)^ *unittest\.main\(", script)


class Arguments(unittest.TestCase):
    """Those of scripts/test, which are refused before anything is set up."""

    def call(self, *arguments):
        command = [TESTS.parent / "scripts" / "test", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def test_what_is_refused(self):
        both = "both choose rows"
        for arguments, said in (
            (["quick"], "unknown argument quick"),
            (["-quick"], "unknown argument -quick"),
            (["--tests-regex=a"], "unknown argument --tests-regex=a"),
            (["-R"], "-R needs a value"),
            (["-j", "--all"], "-j needs a value"),
            (["--quick", "-R", "a"], f"-R and --quick {both}"),
            (["-R", "a", "--changed"], f"-R and --changed {both}"),
            (["--changed", "--quick"], f"--changed and --quick {both}"),
            (["--changed", "no such commit"], "there is no commit no such commit"),
        ):
            with self.subTest(arguments):
                code, _, errors = self.call(*arguments)
                self.assertEqual(code, 2)
                self.assertIn(said, errors)

    def test_help(self):
        code, said, errors = self.call("--help")
        self.assertEqual((code, errors), (0, ""))
        self.assertRegex(said, r"^Sets up, builds[^#]*scripts/test --all[^#]*not judged")


class Verdict(unittest.TestCase):
    def judged(self, result, *counts, row="unit.core", script=False, patterns=()):
        results = {row: result} if result else {}
        cases, wrong = verdict.judge({row: script}, results, verdict.programs_of(counts), patterns)
        return cases[row], wrong

    def test_all_ran(self):
        self.assertEqual(
            self.judged("passed", "started test_unit_core 3", "ended test_unit_core 3 0 0 0"),
            ((3, 0, 0, 0), []),
        )
        self.assertEqual(self.judged("passed", script=True), ((1, 0, 0, 0), []))

    def test_nothing_was_chosen(self):
        self.assertEqual(verdict.judge({}, {}, {}, [])[1], ["no row of ctest was chosen"])

    def assert_wrong(self, judged, totals, text):
        self.assertEqual(judged[0], totals)
        self.assertEqual(len(judged[1]), 1, judged[1])
        self.assertIn(text, judged[1][0])

    def test_a_program_that_left_early(self):
        self.assert_wrong(self.judged("passed"), (0, 1, 0, 0), "never began")
        self.assert_wrong(
            self.judged("passed", "started test_unit_core 3"),
            (0, 1, 0, 0),
            "left before its 3 cases had run",
        )
        self.assert_wrong(
            self.judged("passed", "started test_unit_core 3", "ended test_unit_core 2 0 0 0"),
            (2, 1, 0, 0),
            "2 of 3",
        )
        self.assert_wrong(
            self.judged("passed", "started test_unit_core 3", "ended test_unit_core 2 1 0 0"),
            (2, 1, 0, 0),
            "1 case failed",
        )
        self.assert_wrong(
            self.judged("passed", "started test_unit_core 0", "ended test_unit_core 0 0 0 0"),
            (0, 1, 0, 0),
            "0 of 0",
        )
        self.assert_wrong(self.judged(None), (0, 1, 0, 0), "did not run")

    def test_a_program_that_dies_says_how_many_cases_are_not_counted(self):
        self.assert_wrong(
            self.judged("failed", "started test_unit_core 200"),
            (0, 1, 0, 0),
            "none of its 200 cases",
        )

    def test_lines_that_are_not_known(self):
        lines = [
            "started test_unit_core x",
            "ended test_unit_core 1 0 0 0",
            "",
            "skipped test_unit_part a: no torch",
            "started test_unit_part 1",
            "ended test_unit_part 1 0 0 0",
            "within test_a.py a: no systemd",
        ]
        strange = []
        self.assertEqual(list(verdict.programs_of(lines, strange)), ["test_unit_part"])
        self.assertEqual(strange, lines[:4])
        self.assertEqual(verdict.skips_within(lines), ["test_a.py a: no systemd"])

    def test_a_row_that_ctest_calls_failed_counts_once(self):
        self.assertEqual(self.judged("failed"), ((0, 1, 0, 0), []))
        self.assertEqual(
            self.judged("failed", "started test_unit_core 9", "ended test_unit_core 7 2 0 0"),
            ((7, 2, 0, 0), []),
        )

    def test_skips(self):
        counts = [
            "started test_unit_core 2",
            "skipped test_unit_core a: case: no device: none",
            "ended test_unit_core 1 0 1 0",
        ]
        self.assertEqual(
            self.judged("skipped", *counts, patterns=["unit.core: no device: *"]),
            ((1, 0, 1, 0), []),
        )
        self.assertEqual(
            self.judged("skipped", *counts, patterns=["unit.core: a: case: no device: *"]),
            ((1, 0, 1, 0), []),
        )
        for patterns in [], ["unit.part: no device: *"], ["unit.core: no dev"]:
            self.assert_wrong(
                self.judged("skipped", *counts, patterns=patterns),
                (1, 1, 0, 0),
                "a: case: no device: none",
            )
        self.assert_wrong(
            self.judged("skipped", script=True), (0, 1, 0, 0), "a row that is a script must not be"
        )

    def test_what_was_not_judged(self):
        counts = ["started test_unit_core 2", "unjudged test_unit_core a: busy"]
        ended = "ended test_unit_core 1 0 0 1"
        self.assertEqual(self.judged("skipped", *counts, ended), ((1, 0, 0, 1), []))
        self.assert_wrong(
            self.judged("skipped", counts[0], ended),
            (1, 1, 0, 1),
            "1 cases were not judged, 0 gave",
        )

    def test_patterns_hold_where_something_is_absent(self):
        text = "# why\nunit.a: x*   # why\n\nwithout torch: unit.b: y\n"
        self.assertEqual(verdict.read_may_skip(text, []), ["unit.a: x*"])
        self.assertEqual(verdict.read_may_skip(text, ["torch"]), ["unit.a: x*", "unit.b: y"])

    def test_what_ctest_writes(self):
        rows = {
            "tests": [
                {"name": "a", "properties": [{"name": "LABELS", "value": ["unit"]}]},
                {"name": "b", "properties": [{"name": "LABELS", "value": ["golden", "script"]}]},
                {"name": "c"},
            ]
        }
        self.assertEqual(verdict.rows_of(rows), {"a": False, "b": True, "c": False})
        junit = xml.fromstring("""<testsuite>
            <testcase name="a" status="run"/>
            <testcase name="b" status="fail"><failure/></testcase>
            <testcase name="c" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
            <testcase name="d" status="notrun">
                <skipped message="Unable to find executable"/>
            </testcase></testsuite>""")
        self.assertEqual(
            verdict.results_of(junit), {"a": "passed", "b": "failed", "c": "skipped", "d": "failed"}
        )


class Times(unittest.TestCase):
    TIMES = {"unit.core": (2.0, 1.5), "golden.program": (9.0, 4.0)}

    def test_the_wrapper_measures_a_row(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "row_times"
            spends = "import time\nwhile time.process_time() < 0.2: pass\nraise SystemExit(7)"
            command = [
                sys.executable,
                TESTS / "run/row.py",
                "unit.core",
                sys.executable,
                "-c",
                spends,
            ]
            for environment in {"BENCHBENCH_TEST_TIMES": ""}, {"BENCHBENCH_TEST_TIMES": str(file)}:
                done = subprocess.run(command, env={**os.environ, **environment}, timeout=60)
                self.assertEqual(done.returncode, 7)
            ((row, (seconds, cpu)),) = times.read_times(file.read_text()).items()
        self.assertEqual(row, "unit.core")
        self.assertGreaterEqual(cpu, 0.2)
        self.assertGreater(seconds, 0)

    def test_a_row_over_its_budget(self):
        budgets = times.read_budgets("# row\nunit.core\t1\t3\n", False)
        self.assertEqual(times.over_budget(self.TIMES, budgets, 1), [("unit.core", 1.5, 1)])
        self.assertEqual(times.over_budget(self.TIMES, budgets, 2), [])
        budgets = times.read_budgets("# row\nunit.core\t1\t3\n", True)
        self.assertEqual(times.over_budget(self.TIMES, budgets, 1), [])

    def test_the_longest_comes_first(self):
        lines = list(times.summary(self.TIMES, {"unit.core": 3}, {}, 1))
        self.assertEqual(lines[1].split(), ["golden.program", "9.0", "4.0", "0"])
        self.assertEqual(lines[2].split(), ["unit.core", "2.0", "1.5", "3"])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "times.tsv"
            times.write_table(file, self.TIMES, {"unit.core": 3})
            self.assertEqual(file.read_text().splitlines()[2], "unit.core\t2.0\t1.5\t3")

    def test_every_row_has_a_budget(self):
        budgets = times.read_budgets(times.BUDGETS.read_text(), False)
        self.assertEqual([row for row in ROWS.split(",") if row not in budgets], [])


class Areas(unittest.TestCase):
    """tests/areas.cmake on a folder of tests with the area unit/core and the data golden/report."""

    def configured(self, area="unit/core", folders=(), files=()):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("unit/core/a.cpp", "golden/report/a.txt", "fuzz/corpus/a", *files):
                (root / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
                (root / "tests" / name).touch()
            for name in folders:
                (root / "tests" / name).mkdir(parents=True)
            (root / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.24)\nproject(areas NONE)\n"
                f"include({AREAS})\nbenchbench_area_sources({root}/tests {area} sources)\n"
                f"benchbench_check_areas({root}/tests AREAS {area} DATA golden/report SOURCES "
                f"${{sources}})\n"
            )
            done = subprocess.run(
                [CMAKE, "-S", root, "-B", root / "build", "-G", "Ninja"],
                capture_output=True,
                text=True,
                timeout=60,
            )
            return "" if done.returncode == 0 else " ".join(done.stderr.split())

    def test_all_is_listed(self):
        self.assertEqual(self.configured(), "")

    def test_an_area_that_is_not_listed(self):
        self.assertIn("tests/unit/extra is not listed", self.configured(files=["unit/extra/b.cpp"]))
        self.assertIn("tests/unit/extra is not listed", self.configured(folders=["unit/extra"]))

    def test_an_area_that_is_empty_or_absent(self):
        self.assertIn(
            "tests/unit/empty is listed", self.configured(area="unit/empty", folders=["unit/empty"])
        )
        self.assertIn("tests/unit/absent is listed", self.configured(area="unit/absent"))

    def test_a_source_in_no_area(self):
        for name in "unit/core/deeper/b.cpp", "unit/b.cpp", "b.cpp", "golden/report/b.cpp":
            self.assertIn("is part of no test program", self.configured(files=[name]))


class Mutants(unittest.TestCase):
    TEXT = """# why
== two changes
harness/a.h
? test_architecture_sources files: each*,waits*
? test_unit_core
- a
- b
+ c
- d
+ e

== nothing named
harness/b.h
- f
+ g"""

    def test_what_a_file_says(self):
        script = quick.check_mutants()
        first, second = script.read_mutants(self.TEXT.splitlines())
        self.assertEqual((first.name, first.file), ("two changes", "harness/a.h"))
        self.assertEqual(first.changes, [("a\nb\n", "c\n"), ("d\n", "e\n")])
        self.assertEqual(
            first.tests,
            [("test_architecture_sources", "files: each*,waits*"), ("test_unit_core", "")],
        )
        self.assertEqual(second.tests, script.BOTH_CLOCKS)
        self.assertEqual(self.spans(first, "a\nb\nd\n"), ["a\nb", "d"])
        self.assertRaises(LookupError, first.changes_of, "a\nb\nd\nd\n")

    @staticmethod
    def spans(mutant, text):
        return [text[change.begin : change.end] for change in mutant.changes_of(text)]

    def test_white_space_of_a_mutant(self):
        mutant = quick.check_mutants().Mutant("one", changes=[("  if (a) return b;\n", "  c;\n")])
        for text in ("if(a)return b;", "if (a)\n    return b;", "\tif ( a ) return\nb ;"):
            self.assertEqual(self.spans(mutant, text), [text.strip()])
        for text in ("if (a) returnb;", "elif (a) return b;", "if (a) return b"):
            self.assertRaises(LookupError, mutant.changes_of, text)

    def test_tests_that_are_not_there(self):
        script = quick.check_mutants()
        for program, which, said in (
            ("test_architecture_sources", "files: each*", ""),
            ("test_architecture_sources", "", ""),
            ("test_architecture_sources", "*NAME of its own,files: none*", ""),
            ("python.child", "test_wrap_bounds.Held.test_each_comes_in_turn", ""),
            ("python.child", "test_wrap_bounds.Held.test_no_such", "no test case"),
            ("test_architecture_sources", "files:*own", "no test case"),
            ("test_unit_nowhere", "", "no test program"),
            ("unit_core", "", "no test program"),
            ("test_architecture_sources", "files: each*,no such*", "no test case 'no such*'"),
        ):
            file = "a.py" if program.startswith("python.") else "a.h"
            found = list(script.lost_tests(script.Mutant("one", file, [(program, which)])))
            self.assertEqual(len(found), bool(said), found)
            self.assertIn(said, "".join(found))

    def test_cases_of_python_are_named_one_by_one(self):
        """unittest knows no `*`, and its names have capital letters."""
        cases = quick.check_mutants().matching("python.child", "test_wrap_bounds.Held.*")
        self.assertIn("test_wrap_bounds.Held.test_each_comes_in_turn", cases)

    def test_cases_of_the_default_run(self):
        script = quick.check_mutants()
        script.cases_of = {"test_unit_a": {"a one": False, "a two": True, "b": True}}.get
        for which, default in (
            ("", ["~[.]"]),
            ("A one", ['"A one"~[all]']),
            ("a*,b", ['"a*"~[all]']),
            ("a two,b", []),
        ):
            self.assertEqual(script.default_filters(("test_unit_a", which)), default, which)


class Switches(unittest.TestCase):
    """Files that tests/mutants/switched.py changes."""

    def switched(self, text, *changes):
        """Returns it without white space; each change is (number, old text, new text)."""
        switched = quick.check_mutants().switched
        made = switched.switched(
            text,
            [
                switched.Change(number, text.index(old), text.index(old) + len(old), new)
                for number, old, new in changes
            ],
        )
        self.assertTrue(made.startswith(switched.HEADER))
        return "".join(made[len(switched.HEADER) :].split())

    def test_body_of_a_function(self):
        for head in (
            "constexpr int f(int x) noexcept ",
            "template <class T = A<int>> auto C::f(int x) const -> int ",
            "namespace a { class C final : public B { public: C(int x) : b_{x}, c_(x) ",
            "struct S { int operator=(int x) ",
            "// if (a) {\n#define A {\nconst char* a = R\"({)\", b = '{'; int f(int x) ",
        ):
            self.assertEqual(
                self.switched(head + "{ g(); return x; }", (3, "return x;", "return 4;")),
                "".join(head.split())
                + "{if(benchbench_mutant(3)){g();return4;}else{g();returnx;}}",
            )

    def test_several_of_one_body(self):
        self.assertEqual(
            self.switched("int f() { return a; }", (1, "a", "b"), (2, "return a", "return c")),
            "intf(){if(benchbench_mutant(1)){returnb;}elseif(benchbench_mutant(2)){returnc;}"
            "else{returna;}}",
        )
        self.assertEqual(
            self.switched("int f() { a(); b(); }", (1, "a();", "c();"), (1, "b();", "d();")),
            "intf(){if(benchbench_mutant(1)){c();d();}else{a();b();}}",
        )

    def test_expression_outside_of_a_body(self):
        for text, old, new, made in (
            (
                "inline constexpr double a = 0.5;",
                "double a = 0.5",
                "double a = 0.6",
                "inlineconstdoublea=(benchbench_mutant_runs(1)?(0.6):(0.5));",
            ),
            (
                "C::C(int x) : a_(x, y + 1), b_(y) {}",
                "y + 1",
                "y + 2",
                "C::C(intx):a_(x,(benchbench_mutant_runs(1)?(y+2):(y+1))),b_(y){}",
            ),
            (
                "constexpr int f() { return 1; } constexpr A a[] = {A{1, 2}, A{3, 4}};",
                "4",
                "5",
                "constexprintf(){return1;}constAa[]={A{1,2},A{3,(benchbench_mutant_runs(1)?(5):(4))}};",
            ),
            (
                "class C { int a{3}; };",
                "int a{3};",
                "int a{4};",
                "classC{inta{(benchbench_mutant_runs(1)?(4):(3))};};",
            ),
        ):
            self.assertEqual(self.switched(text, (1, old, new)), made)

    def test_added_declaration(self):
        self.assertEqual(
            self.switched(
                "struct S { void f() { a(); }\nint a; };",
                (1, "int a;", "int a; int b;"),
                (1, "a();", "b();"),
            ),
            "structS{voidf(){if(benchbench_mutant(1)){b();}else{a();}}inta;intb;};",
        )

    def test_what_no_switch_can_choose(self):
        for text, old, new in (
            ("int f(int a) { return a; }", "int a) { return a", "int) { return 1"),
            ("int a[] = {1, 2};", "2", "2, 3"),
            ("int a;", "int a", "long a"),
            ("int f();", "f()", "f() const"),
        ):
            with self.assertRaises(quick.check_mutants().switched.Unswitchable, msg=text):
                self.switched(text, (1, old, new))


if __name__ == "__main__":
    run_unittest()
