"""Reads the parts from `benchbench describe`, for scripts that run them: a
part added later is in their tests without a line."""

import argparse
import collections
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

TYPE = re.compile(
    r"(one of .+|a (?:whole number|number|duration|size|rate|bandwidth).*|true or false.*|text.*)"
)
MOST_SECONDS = 600  # of one scenario
LISTS = r"\w[\w ]* \(([\w.]+)\)$"


class Key:
    """A setting: what is said of it, and the kind of its values ("one of none, fp32; default
    none")."""

    def __init__(self, name, text):
        lines = [line.strip() for line in text.rstrip().splitlines()]
        at = max((i for i, line in enumerate(lines) if TYPE.match(line)), default=len(lines))
        self.name, self.text = name, " ".join(lines[:at])
        self.type = " ".join(lines[at:])
        self.required = self.type.endswith("; required")


class Part:
    """A loader, a trainer, a format, ...: its keys are without the kind ("height")."""

    def __init__(self, kind, name, text):
        self.kind, self.name, self.keys = kind, name, {}
        self.text = " ".join(text.split("\n\n")[0].split())
        self.virtual = "can run in virtual time" in self.text
        for block in text.split("\n\n"):
            key = re.match(r"  [a-z]+\.(\S+)\n", block)
            if key and not key.group(1).endswith(".NAME"):
                self.keys[key.group(1)] = Key(key.group(1), block[key.end() :])


def make_options(description):
    """Returns a parser with the words that all of these scripts take."""
    options = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("benchbench", metavar="BENCHBENCH")
    options.add_argument("--simulated", action="store_true")
    return options


def words(benchbench, *args):
    return subprocess.run([benchbench, *args], check=True, capture_output=True, text=True).stdout


def parts(benchbench, kind, where):
    """Returns the parts of one list of `benchbench describe`, such as (loader, "loader.use")."""
    found, listed = [], None
    for line in words(benchbench, "describe").splitlines():
        if not line.startswith(" "):
            title = re.match(LISTS, line)
            listed = title.group(1) if title else None
        name = re.match(r"  (\w+) ", line)
        if listed != where or not name:
            continue
        described = words(benchbench, "describe", name.group(1))
        texts = re.split(r"^\w+ \(([\w ]+)\)\n", described, flags=re.M)
        text = next(t for k, t in zip(texts[1::2], texts[2::2]) if k == kind)
        found.append(Part(kind, name.group(1), text))
    return found


def keys_under(benchbench, kind):
    """Returns the keys that each loader has, or each trainer, whichever part it is."""
    found = {}
    listed = words(benchbench, "describe").split(f"key under {kind}\n")[1].split("\n\n")[0]
    for name in re.findall(rf"{kind}\.([\w.]+)", listed):
        described = words(benchbench, "describe", f"{kind}.{name}")
        found[name] = Key(name, described.split("\n", 1)[1].split("\n\n")[0])
    return found


class Outcome(NamedTuple):
    """The outcome of one scenario: `kind` is a word that is counted, such as refused or skipped."""

    kind: str
    text: str


class Runs:
    """Runs scenarios in a folder of their own that holds these files, and counts the outcomes."""

    def __init__(self, benchbench, files):
        self.benchbench, self.counts = os.path.abspath(benchbench), collections.Counter()
        self.made = tempfile.TemporaryDirectory(prefix="benchbench-scenarios-")
        self.folder = Path(self.made.name)
        for name, text in files.items():
            (self.folder / name).write_text(text, encoding="utf-8")

    def run(self, blocks, virtual, judge):
        """Returns the outcome that `judge` makes of the program that ended, its report, or None,
        and all that it said; unless it was refused or skipped, or did not end."""
        (self.folder / "scenario.yaml").write_text(yaml_of(blocks), encoding="utf-8")
        try:
            found = self._run(["--clock", "simulated"] if virtual else [], judge)
        except subprocess.TimeoutExpired as error:
            found = Outcome("broken", f"it did not end in {error.timeout} s")
        self.counts[found.kind] += 1
        return found

    def _run(self, more, judge):
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            path = Path(out, "report.json")
            run = [self.benchbench, "run", "scenario.yaml", "--out", f"{out}/run", "--json", path]
            done = subprocess.run(
                [*run, "--quiet", "--cache", "cache", *more],
                cwd=self.folder,
                capture_output=True,
                text=True,
                timeout=MOST_SECONDS,
            )
            report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        said = (done.stdout + done.stderr).strip()[-600:]
        first = done.stderr.strip().partition("\n")[0]
        if done.returncode == 2 and not report and "error: " in first:
            return Outcome("refused", first.split("error: ")[-1])
        if not report or not report["points"]:
            return Outcome("broken", f"exit code {done.returncode}, no point: {said}")
        if report["points"][0]["status"] == "SKIPPED":
            return Outcome("skipped", report["points"][0]["reasons"][0]["text"])
        return judge(done, report, said)


def yaml_of(blocks):
    return "".join(f"{name}: {json.dumps(block)}\n" for name, block in blocks.items())


def counted(counts):
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
