"""`benchbench wrap` on training loops of the forms that people write, and on commands of the forms that they type."""
import os

from check_wrap import wrap
from place import CASES

FORMS = os.path.join(CASES, "wrap", "forms.py")
BRIEFLY = ("--rounds", "1", "--budget", "3s")


def form(here, name, options=BRIEFLY):
    ran = wrap(here, here.python, FORMS, name, options=options)
    ran.ended(0)
    modes = sorted(record["trial"]["mode"] for record in ran.records)
    assert modes == ["loader", "pipeline", "trainer"], ran
    return ran


def external(ran):
    return next(record["facts"]["external"] for record in ran.records if record["trial"]["mode"] == "pipeline")


def check_wrap_form_accumulation(here):
    """Its longer steps, each fourth, are the script's own: nothing has stalled."""
    form(here, "accumulation").says_not("stall")


def check_wrap_form_validation(here):
    """Before and after each epoch of 100 batches; its own loader is none that is measured."""
    ran = form(here, "validation")
    ran.says(r"measuring train_loader \(\S*forms.py:\d+\)")
    assert external(ran)["epoch_batches"] == 100, ran


def check_wrap_form_stream(here):
    ran = form(here, "stream")
    assert external(ran)["streams"] and external(ran)["epoch_batches"] is None, external(ran)


def check_wrap_form_scaler(here):
    form(here, "scaler").says(r"measuring train_loader \(")


def check_wrap_form_retries(here):
    """It catches all, but not our end."""
    assert "caught" not in form(here, "retries").out


def check_wrap_form_without_workers(here):
    form(here, "without_workers").says("both in turn", "without workers they take turns")


def check_wrap_form_generator(here):
    ran = wrap(here, here.python, FORMS, "generator")
    ran.ended(72)
    ran.says("No DataLoader that feeds a training step was seen", "loader.use: python")
    assert not ran.records, ran


def check_wrap_interpreter_that_reads_no_environment(here):
    """Nothing of it is seen, and it is run all the same."""
    for flag in ("-I", "-E"):
        ran = wrap(here, here.python, flag, "-c", "import torch; print('trained')")
        ran.ended(72)
        ran.says("trained", "was not seen to import torch")


def written(here, name, text, mode=0o644):
    path = os.path.join(here.folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


IMPORTS = f"import sys\nsys.path.insert(0, {os.path.dirname(FORMS)!r})\nfrom forms import plain\n"


def check_wrap_console_script(here):
    """As pip makes them, found on PATH."""
    written(here, "bin/train-it", f"#!{here.python}\n{IMPORTS}sys.exit(plain())\n", 0o755)
    path = os.path.join(here.folder, "bin") + ":" + os.environ["PATH"]
    ran = wrap(here, "train-it", options=BRIEFLY, env={"PATH": path})
    ran.ended(0)
    ran.says(r"train-it was stopped after the last round", r"measuring train_loader \(")


def check_wrap_module_of_a_package(here):
    written(here, "mine/__init__.py", "")
    written(here, "mine/__main__.py", IMPORTS + "plain()\n")
    ran = wrap(here, here.python, "-m", "mine", options=BRIEFLY)
    ran.ended(0)
    ran.says("mine was stopped after the last round", r"measuring train_loader \(")


def check_wrap_shell_script(here):
    """One that ends in the training, and one that goes on after it: what comes then is run, too."""
    script = written(here, "run.sh", f"#!/bin/sh\nset -e\ncd {here.folder}\n{here.python} {FORMS} plain\necho afterwards\n", 0o755)
    ran = wrap(here, script, options=BRIEFLY)
    ran.ended(0)
    ran.says("run.sh was stopped after the last round")
    assert ran.out.startswith("afterwards\n"), ran


def check_wrap_debugger(here):
    ran = wrap(here, here.python, "-m", "pdb", "-c", "continue", FORMS, "plain", options=BRIEFLY)
    ran.ended(0)
    ran.says(r"measuring train_loader \(")
