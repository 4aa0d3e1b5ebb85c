"""Installs the peers, each by itself, into one virtual environment in the user's cache folder."""

import hashlib
import os
import re
import shutil
import subprocess
import sys

from contest.progress import say

# PyTorch alone brings 4.7 GB; FFCV compiles.
MINUTES = {"torch": 20, "ffcv": 5}
OTHERS_MINUTES = 10


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "benchbench")


def read_groups(path):
    """{"torch": ["torch==...", ...], ...} of a file where `# [torch]` begins the packages of
    torch."""
    groups, name = {}, None
    with open(path) as file:
        for line in file:
            begins = re.match(r"#\s*\[([\w-]+)\]", line)
            if begins:
                name = begins.group(1)
                groups[name] = []
            elif line.strip() and not line.startswith("#"):
                groups[name].append(line.strip())
    return groups


class Environment:
    def __init__(self, requirements, folder=None):
        self.requirements = requirements
        self.folder = folder or os.path.join(cache_folder(), "peers-venv")
        self.python = os.path.join(self.folder, "bin", "python")
        self.groups = read_groups(requirements)
        self.failures = {}  # by group, why it is not there

    def mark(self, group):
        text = "\n".join(self.groups[group] + self.groups.get("none", []))
        return os.path.join(
            self.folder, f"installed-{group}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        )

    def install(self, wanted, may_install=True):
        if may_install:
            self.make()
        for group in wanted:
            if group not in self.groups or os.path.exists(self.mark(group)):
                continue
            self.failures[group] = (
                self.install_group(group) if may_install else "not installed (--no-install)"
            )
            if not self.failures[group]:
                del self.failures[group]

    def make(self):
        if os.path.exists(self.python):
            return
        os.makedirs(os.path.dirname(self.folder), exist_ok=True)
        made = subprocess.run(
            [sys.executable, "-m", "venv", self.folder], capture_output=True, text=True
        )
        if made.returncode:
            shutil.rmtree(self.folder, ignore_errors=True)
            say(f"cannot create a virtual environment: {last_line(made.stdout + made.stderr)}")

    def install_group(self, group):
        """The reason why it failed, empty where it did not."""
        if not os.path.exists(self.python):
            return "not installed: python3-venv is missing"
        minutes = MINUTES.get(group, OTHERS_MINUTES)
        say(f"installing {' '.join(self.groups[group])} (once; at most {minutes} minutes)")
        command = [
            self.python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-input",
            "--no-cache-dir",
            "--disable-pip-version-check",
            "--constraint",
            self.requirements,
            *self.groups[group],
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60 * minutes)
        except subprocess.TimeoutExpired:
            return f"not installed: pip took more than {minutes} minutes"
        if done.returncode:
            return f"not installed: {last_line(done.stderr)}"
        with open(self.mark(group), "w"):
            return ""


def last_line(text):
    """The last line that says something: pip ends with hints."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [
        line
        for line in lines
        if re.search(r"error", line, re.IGNORECASE) and not line.startswith(("note", "hint"))
    ]
    return (errors or lines or ["no error message"])[-1][:160]


def install_packages(names):
    """Debian packages, where we may; those still missing."""
    if not shutil.which("dpkg-query"):
        return []
    missing = missing_packages(names)
    if missing and os.geteuid() == 0:
        say(f"installing {' '.join(missing)}")
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (
            ["update", "-qq"],
            ["install", "-y", "-qq", "--no-install-recommends", *missing],
        ):
            subprocess.run(
                ["apt-get", *command],
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
    elif missing:
        say(
            f"some peers need packages that only root can install: sudo apt-get install "
            f"{' '.join(missing)}"
        )
    return missing_packages(names)


def missing_packages(names):
    told = subprocess.run(
        ["dpkg-query", "-W", "-f=${db:Status-Status} ${Package}\n", *names],
        capture_output=True,
        text=True,
    )
    there = {line.split()[1] for line in told.stdout.splitlines() if line.startswith("installed ")}
    return [name for name in names if name not in there]


def packages_of_group(path, group):
    with open(path) as file:
        return [line.split()[1] for line in file if line.split()[:1] == [group]]
