"""The choice of what figures are measured with, by the words of a command."""

import argparse
import os

from contest.ours import ROOT, Program, find_program
from figure import measured, print_table


def find_python():
    environment = os.environ.get("VIRTUAL_ENV")
    return os.environ.get("BENCHBENCH_PYTHON") or (
        os.path.join(environment, "bin", "python") if environment else "python3"
    )


def is_chosen(name, only):
    """True if `only` has the figure, or the first words of its name; or nothing at all."""
    return not only or any(f"{name}.".startswith(f"{one}.") for one in only)


def read_words(description, figures):
    """Returns rounds, seconds, only, images, program and python."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--rounds", type=int, default=5)
    add("--seconds", type=float, default=6.0, help="of measuring a side and round (6)")
    add("--only", default="", help=f"some of {figures}, or of their members")
    add("--images", help="a folder with a folder of JPEGs per class; else of configs/python.yaml")
    given = parser.parse_args()
    if given.rounds < 2:
        parser.error("at least 2 rounds")
    given.only = [name for name in given.only.split(",") if name]
    given.program, given.python = find_program()[0], find_python()
    scenario = os.path.join(ROOT, "configs", "python.yaml")
    made = given.images or Program(given.program).make_data(scenario, "image_folder")
    given.images = os.path.abspath(made)
    return given


def run_figures(description, names, make):
    """Measures those of the figures make(given) that the words of the command choose. Returns the
    exit code."""
    given = read_words(description, names)
    chosen = (figure for figure in make(given) if is_chosen(figure.name, given.only))
    return print_table(measured(chosen, given.rounds))
