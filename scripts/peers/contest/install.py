"""Installs the peers, each by itself, into one virtual environment in the user's cache folder."""

import hashlib
import os
import re
import shutil
import subprocess
import sys

from contest.ours import ROOT
from contest.progress import say

# PyTorch alone brings 4.7 GB; FFCV compiles.
MINUTES = {"torch": 20, "ffcv": 5}
OTHERS_MINUTES = 10
PIP = "install --quiet --no-input --no-cache-dir --disable-pip-version-check --constraint"
DEBIAN = 'command -v dpkg-query >/dev/null || exit 0; source "$root/scripts/setup.sh"; '


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "benchbench")


def read_groups(path):
    """Returns {"torch": ["torch==...", ...], ...} of a file where `# [torch]` begins the packages
    of torch."""
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
        digest = hashlib.sha256(text.encode()).hexdigest()
        return os.path.join(self.folder, f"installed-{group}-{digest[:12]}")

    def install(self, wanted, may_install=True):
        if may_install and not os.path.exists(self.python):
            self.make()
        for group in wanted:
            if group in self.groups and not os.path.exists(self.mark(group)):
                why = self.install_group(group) if may_install else "not installed (--no-install)"
                self.failures.update({group: why} if why else {})

    def make(self):
        os.makedirs(os.path.dirname(self.folder), exist_ok=True)
        command = [sys.executable, "-m", "venv", self.folder]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            shutil.rmtree(self.folder, ignore_errors=True)
            say(f"cannot create a virtual environment: {last_line(made.stdout + made.stderr)}")

    def install_group(self, group):
        """Returns why it failed, "" if it did not."""
        if not os.path.exists(self.python):
            return "not installed: python3-venv is missing"
        minutes, pins = MINUTES.get(group, OTHERS_MINUTES), self.groups[group]
        say(f"installing {' '.join(pins)} (once; at most {minutes} minutes)")
        command = [self.python, "-m", "pip", *PIP.split(), self.requirements, *pins]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60 * minutes)
        except subprocess.TimeoutExpired:
            return f"not installed: pip took more than {minutes} minutes"
        if done.returncode:
            return f"not installed: {last_line(done.stderr)}"
        with open(self.mark(group), "w"):
            return ""


def last_line(text):
    """Returns the last line that says something: pip ends with hints."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [
        line
        for line in lines
        if re.search(r"error", line, re.IGNORECASE) and not line.startswith(("note", "hint"))
    ]
    return (errors or lines or ["no error message"])[-1][:160]


def missing_packages(may_install):
    """Returns the Debian packages of the peers that are not there; installs them before, where we
    may."""
    wanted = "(need_packages peers) >&2 || true; " if may_install else ""
    command = ["bash", "-c", f"{DEBIAN}{wanted}missing_packages peers"]
    told = subprocess.run(command, env={**os.environ, "root": ROOT}, stdout=subprocess.PIPE)
    return told.stdout.decode().split()
