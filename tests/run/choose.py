#!/usr/bin/env python3
"""Which rows of ctest to run: choose.py BUILD_FOLDER (--changed [BASE] | --rows FILE... | --quick)

    --changed [BASE]   those that the files which differ from BASE can break; uncommitted and
                       untracked files count. BASE is where this branch left main; on main itself,
                       origin/main where there is one, else HEAD
    --rows FILE...     those that these files of the tree can break
    --quick            those of tests/run/quick.txt: short ones that find most wrong versions

Prints names of rows, one a line, and on stderr one line of how many. What a C++ file can break is
read from the build folder (build.ninja, and the headers that the compiler noted), what a Python
file can break from the imports of the tree, the rest from tests/run/depends.tsv. A file that none
of them knows counts as its neighbours do: it breaks all rows that the files of its folder break, or
of the next folder above where any file is known."""

import argparse
import collections
import fnmatch
import functools
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from imports import Imports, is_python  # noqa: E402
from made_of import UNREAD, Build, output_of  # noqa: E402
from quick import found_by, read_quick  # noqa: E402

ROOT = HERE.parent.parent
DEPENDS = HERE / "depends.tsv"
CPP = (".h", ".cpp")


def pattern_of(glob):
    """Returns a glob as an expression: `*` is any part of a name, `**` any part of a path, `[!x]`
    a letter other than x."""
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
        return set().union(*(fnmatch.filter(rows, glob.lstrip("+")) for glob in self.rows))


def read_lines(text):
    return [
        Line(*filter(None, line.split("\t")))
        for line in text.splitlines()
        if line and not line.startswith("#")
    ]


class Choice:
    """The rows that files can break. `files` are all of the tree, and `read` gives what one holds,
    None where it is not there."""

    def __init__(self, rows_of, rows, lines, files, read):
        self.rows_of, self.rows, self.lines = rows_of, list(rows), lines
        self.files, self.read = files, functools.cache(read)
        self.lines_of, self.direct = functools.cache(self.lines_of), functools.cache(self.direct)
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
        """Returns rows, and whether anything knows the file, without what imports it."""
        lines = [line for line in self.lines_of(file) if not line.also]
        if any(line.nothing for line in lines):
            return set(), True
        rows = set(self.rows_of.get(file, ()))
        for line in lines:
            rows |= line.among(self.rows)
        return rows, bool(rows or lines)

    def known(self, file):
        """Returns rows, and whether anything knows the file."""
        rows, known = self.direct(file)
        if any(line.nothing for line in self.lines_of(file)):
            return rows, known
        if is_python(file, self.read(file)):
            for other in self.imports.reached_from(file):
                more, more_known = self.direct(other)
                rows, known = rows | more, known or more_known
        if file.endswith(CPP) and known:
            rows = rows | self.rows_of.get(UNREAD, set())
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
        """Returns rows in the order of ctest."""
        chosen = set().union(*map(self.of_file, files)) if files else set()
        return [row for row in self.rows if row in chosen]


def read_text(file):
    try:
        return (ROOT / file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def git(*arguments):
    return output_of("git", "-C", str(ROOT), *arguments)


def has_git():
    """True if this tree is a checkout and git is installed."""
    return (ROOT / ".git").exists() and shutil.which("git") is not None


def tracked_files():
    """Returns the files that git knows and that are there; without git all but the build's."""
    if has_git():
        names = git("ls-files", "-z").split("\0")[:-1]
        return [name for name in names if (ROOT / name).exists()]
    paths = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    return [str(path) for path in paths if not {"build", "__pycache__"} & set(path.parts)]


def new_files():
    """Returns the files that git neither knows nor ignores."""
    return git("ls-files", "-o", "--exclude-standard", "-z").split("\0")[:-1] if has_git() else []


def choice_in(build):
    lines = read_lines(DEPENDS.read_text())
    return Choice(build.rows_of, build.rows, lines, tracked_files() + new_files(), read_text)


def exists(commit):
    command = ["git", "-C", str(ROOT), "rev-parse", "--verify", "-q", commit + "^{commit}"]
    return subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0


def base_of_branch():
    """Returns what to compare with where nothing is named."""
    branch = git("rev-parse", "--abbrev-ref", "HEAD").strip()
    if branch != "main" and exists("main"):
        return git("merge-base", "HEAD", "main").strip()
    return "origin/main" if exists("origin/main") else "HEAD"


def changed_files(base):
    changed = git("diff", "--name-only", "--no-renames", "-z", base).split("\0")[:-1]
    return sorted({*changed, *new_files()})


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
        said = f"changed files: {len(files)}; they can break {len(rows)} of {len(build.rows)} rows"
    print(said, file=sys.stderr)
    print(*rows, sep="\n" if rows else "", end="\n" if rows else "")


if __name__ == "__main__":
    main()
