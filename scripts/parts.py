"""Reads the parts from `benchbench describe`, for scripts that run them: a
part added later is in their tests without a line."""

import json
import os
import re
import subprocess
import tempfile

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
            key = re.match(r"  ([a-z]+)\.(\S+)\n", block)
            if key and not key.group(2).endswith(".NAME"):
                rest = block.split("\n", 1)[1]
                self.keys[key.group(2)] = Key(key.group(2), rest)


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


class Outcome:
    """The outcome of one scenario: `kind` is a word that is counted, such as refused or skipped."""

    def __init__(self, kind, text):
        self.kind, self.text = kind, text


def run_scenario(benchbench, folder, yaml, virtual):
    """Returns the program that ended, and its report; None if it wrote none. Raises TimeoutExpired
    after MOST_SECONDS."""
    path = os.path.join(folder, "scenario.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(yaml)
    with tempfile.TemporaryDirectory(dir=folder) as out:
        report = os.path.join(out, "report.json")
        run = [benchbench, "run", path, "--out", os.path.join(out, "run"), "--json", report]
        run += ["--quiet", "--cache", os.path.join(folder, "cache")]
        run += ["--clock", "simulated"] if virtual else []
        done = subprocess.run(run, cwd=folder, capture_output=True, text=True, timeout=MOST_SECONDS)
        if not os.path.exists(report):
            return done, None
        with open(report, encoding="utf-8") as file:
            return done, json.load(file)
