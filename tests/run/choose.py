#!/usr/bin/env python3
"""Which rows of ctest to run: choose.py BUILD_FOLDER (--changed [BASE] | --rows FILE... | --quick)

    --changed [BASE]   those that the files which differ from BASE can break; uncommitted and
                       untracked files count. BASE is where this branch left main; on main itself,
                       origin/main where there is one, else HEAD
    --rows FILE...     those that these files of the tree can break
    --quick            those of tests/run/quick.txt: few seconds, many wrong versions found

Prints names of rows, one a line, and on stderr one line of how many. What a C++ file can break is
read from the build folder (build.ninja, and the headers that the compiler noted), what a Python file
can break from the imports of the tree, the rest from tests/run/depends.tsv. A file that none of them
knows counts as its neighbours do: it breaks all rows that the files of its folder break, or of the
next folder above where any file is known."""

import argparse
import ast
import collections
import fnmatch
import functools
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DEPENDS, QUICK = HERE / "depends.tsv", HERE / "quick.txt"
PROGRAM = "bin/benchbench"
CPP = (".h", ".cpp")
UNREAD = "?"  # stands for the headers of an object that was not compiled yet
LOADED = re.compile(r"\.so(\.\d+)?$|/" + re.escape(PROGRAM) + "$")
LINKS = re.compile(r"CXX_(EXECUTABLE|STATIC_LIBRARY|MODULE_LIBRARY|SHARED_LIBRARY)_LINKER")


# What ninja knows


class Edge:
    """How one file is made: of which, and what must be there before."""

    def __init__(self, rule, inputs, before):
        self.rule, self.inputs, self.before = rule, inputs, before


def words_of(text):
    return [re.sub(r"\$(.)", r"\1", word) for word in re.findall(r"(?:[^\s$]|\$.)+", text)]


def read_edges(text, folder):
    """{file: Edge} of a build.ninja, with whole paths."""
    text = re.sub(r"\$\n\s*", "", text).replace("${cmake_ninja_workdir}", "")
    edges = {}
    for outputs, rule, rest in re.findall(r"^build ((?:[^:$\n]|\$.)+): (\S+)(.*)$", text, re.M):
        if rule == "phony":
            continue
        inputs, _, before = rest.partition("||")
        edge = Edge(
            rule,
            [os.path.join(folder, word) for word in words_of(inputs) if word != "|"],
            [os.path.join(folder, word) for word in words_of(before)],
        )
        edges.update(
            (os.path.join(folder, word), edge) for word in words_of(outputs) if word != "|"
        )
    return edges


def read_headers(text, folder, root):
    """{object: the files of the tree that the compiler read} of what `ninja -t deps` prints."""
    headers = {}
    for line in text.splitlines():
        if line.startswith("    " + root) or re.match("    [^/]", line):
            headers[made].append(os.path.join(folder, line[4:]))
        elif ": #deps" in line:
            made = os.path.join(folder, line[: line.index(": #deps")])
            headers[made] = []
    return headers


class Graph:
    """Of which files each file of a build folder is made."""

    def __init__(self, edges, headers):
        self.edges, self.headers, self.known = edges, headers, {}

    def files_of(self, path):
        if path not in self.known:
            self.known[path] = self.look_up(path)
        return self.known[path]

    def look_up(self, path):
        edge = self.edges.get(path)
        if edge is None:
            return {path}
        unread = path.endswith(".o") and path not in self.headers
        files = {UNREAD} if unread else set()
        for other in edge.inputs + self.headers.get(path, []) + loaded_by(edge):
            files |= self.files_of(other)
        return files


def loaded_by(edge):
    """What a linked file opens or starts when it runs: it only had to be there before."""
    return [path for path in edge.before if LINKS.match(edge.rule) and LOADED.search(path)]


# The rows of ctest


class Build:
    """A build folder, where its tree was when it was made, and its rows."""

    def __init__(self, folder):
        cache = (folder / "CMakeCache.txt").read_text()
        self.folder = re.search(r"^CMAKE_CACHEFILE_DIR:INTERNAL=(.*)$", cache, re.M).group(1)
        self.root = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache, re.M).group(1)
        told = output_of("ctest", "--test-dir", str(folder), "--show-only=json-v1")
        self.rows = {row["name"]: row.get("command") for row in json.loads(told)["tests"]}
        self.graph = Graph(
            read_edges((folder / "build.ninja").read_text(), self.folder),
            read_headers(
                output_of("ninja", "-C", str(folder), "-t", "deps"), self.folder, self.root
            ),
        )

    def name_in_tree(self, path):
        """None for what is not of the tree."""
        if path == UNREAD:
            return path
        if path.startswith(self.folder + "/") or not path.startswith(self.root + "/"):
            return None
        return path[len(self.root) + 1 :]

    def outputs_of(self, word):
        """What a word of a command names: a file that is built, or a folder of such; the build
        folder itself stands for the program."""
        if word == self.folder:
            return [os.path.join(word, PROGRAM)]
        return [path for path in self.graph.edges if word in (path, os.path.dirname(path))]

    def files_of(self, row):
        """The names of all files of the tree that the row's command is made of."""
        command = self.rows[row] or [program_of(self.folder, row)]
        files = {UNREAD} if self.rows[row] is None else set()
        for word in command:
            paths = self.outputs_of(word)
            for path in paths:
                files |= self.graph.files_of(path)
            files |= {word} if not paths else set()
        scripts = [word for word in command if self.name_in_tree(word)]
        modules = [word + ".py" for word in command if re.fullmatch(r"\w+", word)]
        files |= {os.path.join(os.path.dirname(one), name) for one in scripts for name in modules}
        return set(filter(None, map(self.name_in_tree, files)))

    @functools.cached_property
    def rows_of(self):
        """{file of the tree: rows}"""
        rows = collections.defaultdict(set)
        for row in self.rows:
            for file in self.files_of(row):
                rows[file].add(row)
        return rows


def program_of(folder, row):
    """Where a test program will be: ctest does not know before it is built."""
    return os.path.join(folder, "bin", "test_" + row.replace(".", "_", 1))


def output_of(*command):
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, universal_newlines=True
    ).stdout


# tests/run/depends.tsv


def pattern_of(glob):
    """`*` is any part of a name, `**` any part of a path, `[!x]` a letter that is no x."""
    parts = re.split(r"(\*\*/|\*\*|\*|\[[^]]*\])", glob)
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    known.update((part, part.replace("[!", "[^")) for part in parts if part.startswith("["))
    return re.compile("".join(known.get(part) or re.escape(part) for part in parts))


class Line:
    """Files that match break these rows; those that also hold `text`, where there is one."""

    def __init__(self, glob, rows, text=None):
        self.glob, self.pattern, self.text = glob, pattern_of(glob), text
        self.rows = rows.split()
        self.also = all(row.startswith("+") for row in self.rows)
        self.nothing, self.as_folder = self.rows == ["-"], self.rows == ["folder"]

    def matches(self, file, read):
        if not self.pattern.fullmatch(file):
            return False
        text = read(file) if self.text else None
        return text is None or re.search(self.text, text) is not None

    def among(self, rows):
        return {
            row for row in rows for glob in self.rows if fnmatch.fnmatchcase(row, glob.lstrip("+"))
        }


def read_lines(text):
    return [
        Line(*filter(None, line.split("\t")))
        for line in text.splitlines()
        if line and not line.startswith("#")
    ]


# Python


def is_python(file, text):
    return file.endswith(".py") or (text or "").startswith("#!/usr/bin/env python3")


def modules_of(file):
    """Each name that an import may have for a file: a/b/c.py is c, b.c and a.b.c."""
    parts = re.sub(r"(/__init__)?\.py$", "", file).split("/")
    return [".".join(parts[at:]) for at in range(len(parts))]


def imported_names(file, text):
    """Dotted names; one of the same package is whole, from the top of the tree."""
    try:
        tree = ast_of(text)
    except SyntaxError:
        return
    folder = file.split("/")[:-1]
    for node in tree:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = folder[: len(folder) - node.level + 1] if node.level else []
            base = ".".join(package + list(filter(None, [node.module])))
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def ast_of(text):
    return list(ast.walk(ast.parse(text)))


class Imports:
    """Which Python files of the tree import which."""

    def __init__(self, texts):
        """{name: text} of all of them."""
        named = collections.defaultdict(set)
        for file in texts:
            for name in modules_of(file):
                named[name].add(file)
        self.importers = collections.defaultdict(set)
        for file, text in texts.items():
            for name in imported_names(file, text):
                for other in self.meant(file, name, named):
                    self.importers[other].add(file)

    @staticmethod
    def meant(file, name, named):
        """The file of that name in the same folder, else all in the tree; and of each package above
        it."""
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            found = named.get(".".join(parts[:end]), set())
            near = {one for one in found if os.path.dirname(one) == os.path.dirname(file)}
            yield from near or found

    def reached_from(self, file):
        """The file and all that import it, over others too."""
        reached, left = {file}, [file]
        while left:
            new = self.importers[left.pop()] - reached
            reached |= new
            left += new
        return reached


# The choice


class Choice:
    """The rows that files can break. `files` are all of the tree, and `read` gives what one holds,
    None where it is not there."""

    def __init__(self, rows_of, rows, lines, files, read):
        self.rows_of, self.rows, self.lines = rows_of, list(rows), lines
        self.files, self.read = files, read
        self.folders = collections.defaultdict(set)
        for file, found in rows_of.items():
            for folder in pathlib.PurePosixPath(file).parents:
                self.folders[str(folder)] |= found

    @functools.cached_property
    def imports(self):
        may_be = [file for file in self.files if re.search(r"(\.py|/[^./]+)$", file)]
        texts = {file: self.read(file) for file in may_be}
        return Imports({f: t for f, t in texts.items() if t is not None and is_python(f, t)})

    def lines_of(self, file):
        return [line for line in self.lines if line.matches(file, self.read)]

    def direct(self, file):
        """(rows, whether anything knows the file): without what imports it."""
        lines = [line for line in self.lines_of(file) if not line.also]
        if any(line.nothing for line in lines):
            return set(), True
        rows = set(self.rows_of.get(file, ()))
        for line in lines:
            rows |= line.among(self.rows)
        return rows, bool(rows or lines)

    def known(self, file):
        """(rows, whether anything knows the file)"""
        rows, known = self.direct(file)
        if any(line.nothing for line in self.lines_of(file)):
            return rows, known
        if is_python(file, self.read(file)):
            for other in self.imports.reached_from(file):
                more, more_known = self.direct(other)
                rows, known = rows | more, known or more_known
        if file.endswith(CPP) and known:
            rows |= self.rows_of.get(UNREAD, set())
        return rows, known

    def of_folder(self, file):
        for folder in pathlib.PurePosixPath(file).parents:
            if str(folder) != "." and self.folders.get(str(folder)):
                return self.folders[str(folder)] | self.rows_of.get(UNREAD, set())
        return set(self.rows)

    def of_file(self, file):
        rows, known = self.known(file)
        lines = self.lines_of(file)
        if not known or (any(line.as_folder for line in lines) and not rows):
            rows = rows | self.of_folder(file)
        return rows.union(*(line.among(self.rows) for line in lines if line.also))

    def of_files(self, files):
        """In the order of ctest."""
        chosen = set().union(*map(self.of_file, files)) if files else set()
        return [row for row in self.rows if row in chosen]


def read_text(file):
    try:
        return (ROOT / file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def git(*arguments):
    return output_of("git", "-C", str(ROOT), *arguments)


def tracked_files():
    """And those that could be: neither tracked nor ignored."""
    return git("ls-files", "-co", "--exclude-standard", "-z").split("\0")[:-1]


def choice_in(build):
    lines = read_lines(DEPENDS.read_text())
    return Choice(build.rows_of, build.rows, lines, tracked_files(), read_text)


def exists(commit):
    command = ["git", "-C", str(ROOT), "rev-parse", "--verify", "-q", commit + "^{commit}"]
    return subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0


def base_of_branch():
    """What to compare with where nothing is named."""
    branch = git("rev-parse", "--abbrev-ref", "HEAD").strip()
    if branch != "main" and exists("main"):
        return git("merge-base", "HEAD", "main").strip()
    return "origin/main" if exists("origin/main") else "HEAD"


def changed_files(base):
    changed = git("diff", "--name-only", "--no-renames", "-z", base).split("\0")
    new = git("ls-files", "-o", "--exclude-standard", "-z").split("\0")
    return sorted(filter(None, {*changed, *new}))


# The quick rows


def check_mutants():
    """scripts/check_mutants as a module."""
    path = str(ROOT / "scripts" / "check_mutants")
    loader = importlib.machinery.SourceFileLoader("check_mutants", path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("check_mutants", loader)
    )
    sys.modules["check_mutants"] = module  # where its dataclass looks
    loader.exec_module(module)
    return module


def row_of(program):
    """unit.plan of test_unit_plan."""
    label, area = re.fullmatch(
        r"test_(unit|contract|architecture|known_answer|golden)_(\w+)", program
    ).groups()
    return f"{label}.{area}"


def read_quick():
    lines = (line.split("#")[0].strip() for line in QUICK.read_text().splitlines())
    return list(filter(None, lines))


def is_in_sample(script, program, which):
    """True if a case that the filter `which` names runs without --all."""
    names = [name.strip().lower() for name in which.split(",")] if which else ["*"]
    cases = (case.lower() for case in cases_in_sample(program))
    return "[" in which or any(script.matches(case, name) for case in cases for name in names)


@functools.lru_cache(maxsize=None)
def cases_in_sample(program):
    """Names of the cases of a program without the tag [all]."""
    text = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
    case = re.compile(r"\bTEST_CASE\w*\(\s*(" + text + r"),?\s*(" + text + ")?")
    found = []
    for path in sorted((ROOT / "tests" / row_of(program).replace(".", "/")).glob("*.cpp")):
        for name, tags in case.findall(path.read_text()):
            if "[all]" not in tags:
                found.append("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', name)).replace('\\"', '"'))
    return found


def found_by(rows):
    """(how many wrong versions of the harness the sample of these rows finds, of how many), as
    tests/mutants says: it finds more, for a mutant names only some tests that find it."""
    script = check_mutants()
    mutants = script.all_mutants()
    found = [
        mutant
        for mutant in mutants
        if any(row_of(test[0]) in rows and is_in_sample(script, *test) for test in mutant.tests)
    ]
    return len(found), len(mutants)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path)
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--changed", nargs="?", const="", metavar="BASE")
    way.add_argument("--rows", nargs="+", metavar="FILE")
    way.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    build = Build(given.folder.resolve())
    if given.quick:
        rows = [row for row in read_quick() if row in build.rows]
        said = "{} rows of {}, which find {} of {} wrong versions of the harness".format(
            len(rows), len(build.rows), *found_by(rows)
        )
    else:
        files = given.rows or changed_files(given.changed or base_of_branch())
        rows = choice_in(build).of_files(files)
        said = f"{len(files)} files changed, which can break {len(rows)} of {len(build.rows)} rows"
    print(said, file=sys.stderr)
    print(*rows, sep="\n" if rows else "", end="\n" if rows else "")


if __name__ == "__main__":
    main()
