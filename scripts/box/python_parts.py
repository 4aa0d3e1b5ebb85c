"""`use: python`, the hand-over and `wrap`, against plain loops over the same step."""

from box import Shares
from records import (
    probe_means,
    read_records,
    select_records,
    shared_processes,
    start_seconds,
    step_seconds,
)
from table import FAIL, PASS, SEEN, Row, amount, at_most, within

EXACT = within(0.01)
MOST_SECONDS = 45  # of a round of T and F, with all starts
SMALL = {
    "loader.pin_memory": "false",
    "trainer.device": "cpu",
    "measure.class": "selftest",  # a window of 1 s is not needed to see that a part works
    "measure.window": "300ms",
}
READINGS = (("gpu_power", 1, "W"), ("gpu_clock", 1e6, "MHz"))
MODES = (("trainer", "T", "held"), ("pipeline", "F", "fed"))
WAYS = (("plain", ()), ("item", ("--item",)), ("compiled", ("--compile",)))


def words_of(box, part, small=None):
    """Returns --set for the interpreter, and for a machine without a GPU also SMALL and `small`."""
    settings = {f"{part}.python": box.python}
    if box.small:
        settings.update({**SMALL, **(small or {})})
    return [word for pair in settings.items() for word in ("--set", "{}={}".format(*pair))]


def add_modes(box, name, run, truths, modes=MODES):
    """Adds T and F of a run against the plain loops' steps, {"held": of T, "fed": of F}."""
    records = read_records(box.runs / run)
    for mode, letter, loop in modes:
        ours = step_seconds(select_records(records, mode))
        box.judge(f"{letter} of {name}", ours, truths.get(loop), "s", EXACT, box.why_not)
    box.judge_trials(name, records)


def add_readings(box, name, records):
    """The card is watched whoever uses it."""
    read = probe_means(records)
    said = [f"{read[name] / scale:.0f} {unit}" for name, scale, unit in READINGS if name in read]
    verdict = PASS if len(said) == len(READINGS) else SEEN if box.small else FAIL
    why = ", ".join(said) or box.why_not or "the journal has none"
    box.add(Row(f"power and clock in the journal of {name}", verdict=verdict, reason=why))


def add_copied_step(box, name, title, shares, words):
    """Runs a scenario, and adds T and F against the plain loop's step with its copy, which another
    part may have measured. Returns the end of the run."""
    alone = shares.next()
    if "copied" not in box.truth:
        box.truth.update(box.figures(f"{name}_alone", "twin.py", alone, "copied"))
    done = box.benchbench(name, f"{name}.yaml", shares.next(), *words)
    add_modes(box, title, name, dict.fromkeys(("held", "fed"), box.truth.get("copied")))
    return done


def network(box, seconds):
    small = {"loader.batch_size": 2, "loader.args.batch": 2, "loader.num_workers": 1}
    words = words_of(box, "loader", small)
    shares, title = Shares(seconds, 2, 3), "use: python, ResNet-50"
    done = add_copied_step(box, "network", title, shares, words)
    records = read_records(box.runs / "network")
    add_readings(box, "use: python", records)
    mean, longest = start_seconds(records)
    said = f"on average; {amount(longest, 's')} at most"
    box.add(Row("start of a trial of use: python", amount(mean, "s"), reason=said))
    shared, why = shared_processes(records)
    box.add(Row("trials in a process that had run others", shared, reason=why))
    what = "run of use: python, T and F, one round"
    box.judge(what, done.seconds, MOST_SECONDS, "s", at_most(1), box.why_not)


def products(box, seconds):
    """Short epochs, and a scenario that says cpu while the step is on the GPU."""
    shares = Shares(seconds, 1, 2, 2)
    found = box.figures("products_alone", "twin.py", shares.next(), "products")
    truths = dict.fromkeys(("held", "fed"), found.get("products"))
    words = words_of(box, "loader")
    box.benchbench("products", "products.yaml", shares.next(), *words)
    add_modes(box, "use: python, epochs of 40 batches", "products", truths)
    words += ["--set", "trainer.device=cpu", "--set", "trainer.setup=setup_products_anywhere"]
    words += ["--set", "measure.modes=pipeline"]
    box.benchbench("products_cpu", "products.yaml", shares.next(), *words)
    add_modes(box, "use: python, device: cpu", "products_cpu", truths, MODES[1:])


def hand_over(box, seconds):
    small = {"loader.batch_size": 2, "loader.height": 32, "loader.width": 32}
    words = words_of(box, "trainer", {**small, "trainer.non_blocking": "false"})
    shares = Shares(seconds, 1, 2)
    add_copied_step(box, "hand_over", "our loader, a Python step", shares, words)


def wrap(box, seconds):
    steps, shares = 3 if box.small else 30, Shares(seconds, 6, 3, 3, 4)
    found = box.figures("wrap_alone", "train.py", shares.next(), "--alone", str(steps))
    for way, words in WAYS:
        if f"held_{way}" in found:
            wrap_one(box, way, words, shares.next())
            truths = {loop: found.get(f"{loop}_{way}") for loop in ("held", "fed")}
            add_modes(box, f"wrap, {way}", f"wrap_{way}", truths)
    add_readings(box, "wrap", read_records(box.runs / "wrap_plain"))


def wrap_one(box, way, words, seconds):
    """The start of the script, which is not in --budget, has most of the time. Of a larger budget
    `wrap` makes longer stretches."""
    name, budget = f"wrap_{way}", f"{min(8, max(6, seconds / 3)):.0f}s"
    run = [box.program, "wrap", "--rounds", "1", "--budget", budget, "--out", box.runs / name]
    done = box.run(name, [*run, "--", box.python, "train.py", *words], seconds)
    box.require_end(f"benchbench wrap, {way}", done, (0,))
