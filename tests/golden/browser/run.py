#!/usr/bin/env python3
"""run.py PROGRAM [CASE...]: the HTML report in Debian's Chromium.

Each function check_*(site) of the files browse_*.py beside this one is a case; all share one
browser. Those marked only_with_all run with BENCHBENCH_TEST_ALL, or where they are named. SKIPPED
(exit 77) where Playwright or Chromium cannot be had. `scripts/test` installs them;
BENCHBENCH_BROWSER_PYTHON names another python."""

import hashlib
import importlib
import os
import pathlib
import shutil
import sys
import tempfile
import traceback

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "run")]

from counts import all_are_asked_for, note, note_end, skip_all  # noqa: E402

PROGRAM = "test_golden_browser"


def own_python():
    """Where scripts/downloads.sh puts it: a folder for each state of requirements.txt."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    state = hashlib.sha256((HERE / "requirements.txt").read_bytes()).hexdigest()[:12]
    return os.environ.get("BENCHBENCH_BROWSER_PYTHON") or os.path.join(
        cache, "benchbench", "browser-" + state, "bin", "python"
    )


def go_on_in_own_python():
    python = own_python()
    if not os.environ.get("BENCHBENCH_BROWSER_INSIDE") and os.path.exists(python):
        os.environ["BENCHBENCH_BROWSER_INSIDE"] = "1"
        os.execv(python, [python, *sys.argv])


def cases(wanted):
    for file in sorted(HERE.glob("browse_*.py")):
        module = importlib.import_module(file.stem)
        for name in sorted(n for n in dir(module) if n.startswith("check_")):
            case = getattr(module, name)
            if name[6:] in wanted if wanted else is_chosen(case):
                yield name[6:], case


def is_chosen(case):
    """True if the case is in the sample, or all cases are to run."""
    return all_are_asked_for() or not getattr(case, "only_with_all", False)


def run(program, wanted):
    chromium = shutil.which("chromium")
    if not chromium:
        return skip_all(PROGRAM, "no chromium here (scripts/test installs it)")
    try:
        from playwright.sync_api import sync_playwright
        from site_of_pages import Site
    except ImportError as error:
        return skip_all(PROGRAM, f"{error} (scripts/test installs it)")
    passed = failed = 0
    note("started", PROGRAM, len(list(cases(wanted))))
    with tempfile.TemporaryDirectory(
        prefix="benchbench-browser-"
    ) as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--disable-dev-shm-usage"],
            timeout=1_800_000,
        )
        site = Site(browser, program, pathlib.Path(folder))
        for name, check in cases(wanted):
            try:
                check(site)
                passed += 1
                print(f"passed  {name}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
            finally:
                site.close_pages()
        browser.close()
    note_end(PROGRAM, passed, failed)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    go_on_in_own_python()
    sys.exit(run(os.path.abspath(sys.argv[1]), sys.argv[2:]))
