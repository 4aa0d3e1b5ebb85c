"""`benchbench wrap` on training loops of the forms that people write, and on commands of the forms
that they type."""

import os

from check_wrap import wrap
from place import CASES, full_run

FORMS = os.path.join(CASES, "wrap", "forms.py")
BRIEFLY = ("--rounds", "1")


def stopped(ran):
    """Asserts that we stopped it after a round or, on a busy machine, at the end of its budget."""
    ran.ended(0, 72)
    ran.says(r"was stopped (after the last round|at the end of its budget)")
    return ran


def form(here, name):
    return stopped(wrap(here, here.python, FORMS, name, options=BRIEFLY))


@full_run
def check_wrap_form_accumulation(here):
    """Each fourth step is longer by the script itself: nothing has stalled."""
    form(here, "accumulation").says_not("stall")


@full_run
def check_wrap_form_two_loaders(here):
    """The one that each step waits for is measured."""
    form(here, "two_loaders").says(r"measuring real \(\S*forms.py:\d+\)")


@full_run
def check_wrap_form_validation(here):
    """Before and after each epoch of 100 batches; its own loader is none that is measured."""
    ran = form(here, "validation")
    ran.says(r"measuring train_loader \(\S*forms.py:\d+\)")
    assert {
        record["facts"]["external"]["epoch_batches"]
        for record in ran.records
        if record["trial"]["mode"] == "pipeline"
    } <= {100}, ran


@full_run
def check_wrap_form_without_workers(here):
    form(here, "without_workers").says("without workers")


@full_run
def check_wrap_form_generator(here):
    ran = wrap(here, here.python, FORMS, "generator")
    ran.ended(0)  # its steps are known
    ran.says("No DataLoader that feeds a training step was seen", "loader.use: python")
    ran.says("The steps get their batches without a DataLoader: [0-9.]+ steps/s")
    assert [record["status"] for record in ran.records] == ["ABORTED"], ran


@full_run
def check_wrap_interpreter_that_reads_no_environment(here):
    """Nothing of it is seen, and it is run all the same."""
    for flag in ("-I", "-E"):
        ran = wrap(here, here.python, flag, "-c", "import torch; print('trained')")
        ran.ended(72)
        ran.says("trained", f"its Python was started with {flag}.*; start it without {flag}")


def written(here, name, text, mode=0o644):
    path = os.path.join(here.folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


IMPORTS = f"import sys\nsys.path.insert(0, {os.path.dirname(FORMS)!r})\nfrom forms import plain\n"


@full_run
def check_wrap_console_script(here):
    """The command is one as pip makes them, and is found on PATH."""
    written(here, "bin/train-it", f"#!{here.python}\n{IMPORTS}sys.exit(plain())\n", 0o755)
    path = os.path.join(here.folder, "bin") + ":" + os.environ["PATH"]
    ran = wrap(here, "train-it", options=BRIEFLY, env={"PATH": path})
    stopped(ran).says("train-it was stopped", r"measuring train_loader \(")


@full_run
def check_wrap_module_of_a_package(here):
    written(here, "mine/__init__.py", "")
    written(here, "mine/__main__.py", IMPORTS + "plain()\n")
    ran = wrap(here, here.python, "-m", "mine", options=BRIEFLY)
    stopped(ran).says("mine was stopped", r"measuring train_loader \(")


@full_run
def check_wrap_shell_script(here):
    """The commands after the training run too."""
    script = written(
        here,
        "run.sh",
        f"#!/bin/sh\nset -e\ncd {here.folder}\n{here.python} {FORMS} plain\necho afterwards\n",
        0o755,
    )
    ran = wrap(here, script, options=BRIEFLY)
    stopped(ran).says("run.sh was stopped", r"measuring train_loader \(")
    assert ran.out.startswith("afterwards\n"), ran
