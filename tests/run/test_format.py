#!/usr/bin/env python3
"""scripts/format in a small checkout with a file of each kind that is not as it should be. SKIPPED
(exit 77) where its programs are not: scripts/test fetches them."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from counts import note, note_end, skip_all

PROGRAM = "test_architecture_format"
ROOT = Path(__file__).resolve().parents[2]
OWN = ("format", "setup.sh", "downloads.sh", "format_requirements.txt")
PROGRAMS = ("clang-format", "ruff", "shellcheck")
BAD = {
    "a.cpp": "int  main( ) { }\n",
    "of folder/b.h": "int  b;\n",
    "c.cu": "int  c;\n",
    "d.py": "d = { }\n",
    "e": "#!/usr/bin/env python3\nimport os\n",
    "f.sh": '# shellcheck shell=bash\ncd "$1"\n',
    "g": "#!/usr/bin/env bash\necho $1\n",
}
MENDED = {
    "f.sh": '# shellcheck shell=bash\n: "${word:=1}"\n',
    "g": '#!/usr/bin/env bash\n# shellcheck source=f.sh\nsource f.sh\necho "$word"\n',
}
GOOD = {
    "good.cpp": "int good;\n",
    "good.py": "good = 1\n",
    "text": "int  text;\n",
    "ignored.py": "x = { }\n",
    ".gitignore": "/build/\n/ignored.py\n",
}


def fetched():
    """Returns where scripts/downloads.sh puts the programs."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    pins = (ROOT / "scripts" / "format_requirements.txt").read_bytes()
    folder = "format-" + hashlib.sha256(pins).hexdigest()[:12]
    named = os.environ.get("BENCHBENCH_FORMAT_TOOLS")
    return Path(named) if named else Path(cache, "benchbench", folder, "bin")


def why_not():
    if not shutil.which("git"):
        return "git is not installed"
    absent = [program for program in PROGRAMS if not (fetched() / program).exists()]
    return f"{', '.join(absent)} could not be fetched" if absent else None


class Checkout:
    """A checkout of git with scripts/format and BAD and GOOD, whose programs note that they ran."""

    def __init__(self, folder):
        self.folder, self.tools, self.notes = folder / "own", folder / "tools", folder / "notes"
        self.write({**BAD, **GOOD})
        (self.folder / "scripts").mkdir()
        for name in (".clang-format", "ruff.toml", *(f"scripts/{name}" for name in OWN)):
            shutil.copy(ROOT / name, self.folder / name)
        subprocess.run(["git", "init", "--quiet", self.folder], check=True)
        self.tools.mkdir()
        for program in PROGRAMS:
            tool = self.tools / program
            tool.write_text(
                f'#!/bin/sh\necho {program} >>"{self.notes}"\nexec "{fetched()}/{program}" "$@"\n'
            )
            tool.chmod(0o755)

    def write(self, files):
        for name, text in files.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text)

    def read(self, names):
        return {name: (self.folder / name).read_text() for name in names}

    def format(self, *options):
        """Returns the exit code, the files that are named, what was said, and the programs that
        ran."""
        self.notes.write_text("")
        ran = subprocess.run(
            [self.folder / "scripts" / "format", *options],
            env={**os.environ, "BENCHBENCH_FORMAT_TOOLS": str(self.tools)},
            capture_output=True,
            text=True,
        )
        named = {line.split(":")[0] for line in ran.stdout.splitlines()}
        return ran.returncode, named, ran.stderr, set(self.notes.read_text().split())


def check(folder):
    own = Checkout(folder)
    code, named, said, ran = own.format("--check")
    assert (code, named, ran) == (1, set(BAD), set(PROGRAMS)), (code, named, said, ran)
    assert "run scripts/format" in said, said
    assert own.read(BAD) == BAD
    code, named, said, _ = own.format()
    assert (code, named) == (1, {"f.sh", "g"}) and "by hand" in said, (code, named, said)
    assert own.read(GOOD) == GOOD
    own.write(MENDED)
    assert own.format("--check") == (0, set(), "", set(PROGRAMS))
    assert own.format("--check") == (0, set(), "", set())  # nothing has changed since
    own.write({"good.cpp": BAD["a.cpp"]})
    code, named, _, ran = own.format("--check")
    assert (code, named, ran) == (1, {"good.cpp"}, {"clang-format"}), (code, named, ran)
    assert own.format() == (0, set(), "", {"clang-format"})
    own.write({"f.sh": "# shellcheck shell=bash\n"})  # g uses what it set
    code, named, _, ran = own.format("--check")
    assert (code, named, ran) == (1, {"g"}, {"shellcheck"}), (code, named, ran)
    shutil.rmtree(own.folder / ".git")
    code, named, said, ran = own.format("--check")
    assert (code, named, ran) == (6, set(), set()) and "not a checkout of git" in said, said


def main():
    reason = why_not()
    if reason:
        return skip_all(PROGRAM, reason)
    note("started", PROGRAM, 1)
    with tempfile.TemporaryDirectory() as folder:
        check(Path(folder))
    note_end(PROGRAM, 1, 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
