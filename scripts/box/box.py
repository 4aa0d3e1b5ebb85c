"""A borrowed box: where things are on it, what time is left, and programs that run with a limit."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import tarfile
import time
from typing import NamedTuple

from records import complaints, has_window
from table import FAIL, PASS, SEEN, Row, judged, line

# The tests, which may run on a busy machine, have more patience.
PATIENCE = int(os.environ.get("BENCHBENCH_TEST_PATIENCE", "1"))
LIMIT_S = 320 * PATIENCE  # of one run of scripts/gpu_box
RESERVE_S = 6  # of them, for the archive and the table
GRACE_S = 4  # from SIGINT, with which benchbench ends its run in order, to SIGKILL
NO_GPU = "not run on a GPU"
JUDGED_MODES = ("trainer", "pipeline")
LIBRARIES = "LD_LIBRARY_PATH"
# A stub driver has no other processes, knows this one, and nothing slows its device down.
STUB = {
    "BENCHBENCH_STUB_STRANGERS": "0",
    "BENCHBENCH_STUB_OWN": "1",
    "BENCHBENCH_STUB_THROTTLE": "0",
}


class Done(NamedTuple):
    """The end of a program: its exit code, None where it was cut at its limit, and its output."""

    code: object
    text: str
    seconds: float

    def rows(self, pattern):
        return re.findall(pattern, self.text, re.M)

    def ending(self):
        return "cut at its limit" if self.code is None else self.last()

    def first(self):
        return self.text.strip().partition("\n")[0].strip()

    def last(self):
        return self.text.strip().rpartition("\n")[2].strip()


def slug(name):
    """Returns the name of a device as a part of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


class Shares:
    """Splits the time of a part over its runs by weight: later ones may take what one leaves."""

    def __init__(self, seconds, *weights):
        self.end, self.weights = time.monotonic() + seconds, list(weights)

    def next(self):
        share = self.weights[0] / sum(self.weights)
        self.weights = self.weights[1:] or self.weights
        return share * max(0.0, self.end - time.monotonic())


class Runner:
    """Runs programs in a folder, each with its output in a log."""

    def __init__(self, logs, folder):
        self.logs, self.folder = logs, folder
        self.environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "160"}

    def left(self):
        """Returns the seconds that all its programs still have."""
        return float("inf")

    def run(self, name, words, seconds, **environment):
        """Runs a program until its end or its limit, GRACE_S of which are for its end after SIGINT,
        with its output in a log of that name."""
        begin, log = time.monotonic(), self.logs / (name + ".txt")
        with open(log, "wb") as file:
            try:
                code = self._wait(words, min(seconds, self.left()), file, environment)
            except OSError as error:
                code = 127
                file.write(f"{words[0]}: {error.strerror}\n".encode())
        text = log.read_text(encoding="utf-8", errors="replace")
        return Done(code, text, time.monotonic() - begin)

    def _wait(self, words, seconds, file, environment):
        if seconds < 1:
            return None
        process = subprocess.Popen(
            list(map(str, words)),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
            env={**self.environment, **environment},
            start_new_session=True,
        )
        grace = min(GRACE_S, seconds / 4)
        try:
            return process.wait(seconds - grace)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(grace)
            return None
        finally:
            # The rest of the process, and of what it started, ends here.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Box(Runner):
    """`top`: the folder that holds bin/. `work`: a folder of our own, in which all programs run."""

    def __init__(self, top, source, work, python):
        super().__init__(work / "logs", work / "user")
        self.bin, self.source, self.work, self.python = top / "bin", source, work, python
        self.program, self.runs = self.bin / "benchbench", work / "runs"
        self.begin, self.rows = time.monotonic(), []
        self.device, self.torch_device, self.no_device = "", "cpu", ""
        self.stub, self.truth, self.ours = False, {}, {}
        self.torch_folder = ""
        for folder in (self.logs, self.runs):
            folder.mkdir(parents=True)

    def use_stub(self, folder):
        """`folder`: of the driver; its neighbour has an nvJPEG."""
        self.stub = True
        folders = [str(folder), str(folder.parent / "stub_nvjpeg"), os.environ.get(LIBRARIES, "")]
        libraries = os.pathsep.join(filter(None, folders))
        self.environment = {**STUB, **self.environment, LIBRARIES: libraries}

    @property
    def small(self):
        """True where nothing runs on a GPU, and every part is tried in small."""
        return self.torch_device != "cuda"

    @property
    def why_not(self):
        """Why figures of torch are not judged here; empty on a GPU."""
        return NO_GPU if self.small else ""

    def left(self):
        return LIMIT_S - RESERVE_S - (time.monotonic() - self.begin)

    def add(self, *rows):
        self.rows.extend(rows)

    def judge(self, what, ours, truth, unit, limit=None, not_judged=""):
        self.add(judged(what, ours, truth, unit, limit, not_judged))

    def judge_trials(self, name, records):
        """Adds a row of what the trials of a run are: on a quiet box each is VALID. Loaders alone
        are not judged: one that costs nothing is as unsteady as the machine."""
        records = [record for record in records if record["trial"]["mode"] in JUDGED_MODES]
        doubts, measured = complaints(records), any(map(has_window, records))
        said = ", ".join(f"{count} {what}" for what, count in doubts.items())
        busy = self.small and measured and "FAILED" not in doubts
        verdict = PASS if measured and not doubts else SEEN if busy else FAIL
        said = said or ("" if measured else "none has a window")
        self.add(Row(f"trials of {name}", str(len(records)), verdict=verdict, reason=said))

    def benchbench(self, name, scenario, seconds, *words, **environment):
        """Runs a scenario of this folder; its journal is in runs/NAME."""
        run = [self.program, "run", scenario, "--quiet", "--out", self.runs / name, *words]
        done = self.run(name, run, seconds, **environment)
        self.require_end(f"benchbench run {scenario}, {name}", done, (0, 8, 9))
        return done

    def require_end(self, what, done, codes):
        """Adds a row where a program did not end by itself, with one of these codes."""
        if done.code not in codes:
            self.add(Row(what, verdict=FAIL, reason=done.ending()))

    def figures(self, name, script, seconds, *words):
        """Runs a script of user/ with the torch of this box. Returns {figure: value}; a figure that
        its torch refuses is a row SEEN, one that breaks, or a script that does, is a row FAIL."""
        done = self.run(name, [self.python, script, *words], seconds)
        for verdict, word in ((SEEN, "REFUSED"), (FAIL, "FAILED")):
            for figure, why in done.rows(rf"^{word}\t([^\t]*)\t(.*)$"):
                self.add(Row(f"{script}: {figure}", verdict=verdict, reason=why))
        self.require_end(script, done, (0,))
        return {key: float(value) for key, value in done.rows(r"^FIGURE\t([^\t]*)\t(\S+)$")}

    def pack(self, archive):
        """Writes the archive: logs, journals and all rows so far; never half of one."""
        whole = "".join(line(row) + "\n" for row in self.rows)
        (self.work / "table.txt").write_text(whole, encoding="utf-8")
        partial = pathlib.Path(f"{archive}.part")
        top = archive.name.split(".")[0]
        with tarfile.open(partial, "w:gz") as file:
            for path in sorted(self.work.rglob("*")):
                if path.is_file() and is_kept(path.relative_to(self.work)):
                    file.add(path, f"{top}/{path.relative_to(self.work)}")
        partial.replace(archive)


def is_kept(path):
    """True for what a reader needs of a run: not what can be made again from its journal."""
    kept = path.parts[0] in ("logs", "runs", "table.txt")
    return kept and path.suffix in (".txt", ".json", ".jsonl")
