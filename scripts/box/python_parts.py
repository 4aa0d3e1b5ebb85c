"""`use: python`, the hand-over and `wrap`, against plain loops over the same step."""

from records import complaints, probe_means, read_records, select, start_seconds, step_seconds
from table import FAIL, PASS, SEEN, Row, within

EXACT = within(0.01)
READINGS = ("gpu_power", "gpu_clock")
MODES = (("trainer", "T", "held"), ("pipeline", "F", "fed"))
WAYS = (("plain", ()), ("item", ("--item",)), ("compiled", ("--compile",)))


def words_of(box, part, **small):
    """Returns --set for the interpreter, and for a machine without a GPU also what is small
    there."""
    settings = {f"{part}.python": box.python}
    if box.small:
        settings.update({"loader.pin_memory": "false", "trainer.device": "cpu"})
        settings.update({key.replace("__", "."): value for key, value in small.items()})
    return [word for pair in settings.items() for word in ("--set", "{}={}".format(*pair))]


def add_modes(box, name, run, truths):
    """Adds T and F of a run against the plain loops' steps, {"held": of T, "fed": of F}."""
    records = read_records(box.runs / run)
    for mode, letter, loop in MODES:
        ours = step_seconds(select(records, mode))
        box.judge(f"{letter} of {name}", ours, truths.get(loop), "s", EXACT, box.why_not)
    add_readings(box, name, records)
    add_doubts(box, name, records)


def add_readings(box, name, records):
    read = probe_means(records)
    said = ", ".join(f"{read[one][0]:.4g} {read[one][1]}" for one in READINGS if one in read)
    verdict = PASS if all(one in read for one in READINGS) else SEEN if box.small else FAIL
    why = "" if verdict == PASS else box.why_not or "the journal has none"
    box.add(Row(f"power and clock of the card, {name}", said, "", "", verdict, why))


def add_doubts(box, name, records):
    """On a quiet box each trial is VALID."""
    doubts = complaints(records)
    said = ", ".join(f"{count} {what}" for what, count in doubts.items())
    verdict = PASS if records and not doubts else SEEN if box.small else FAIL
    box.add(Row(f"trials of {name}", str(len(records)), "", "", verdict, said))


def network(box, seconds):
    found = box.figures("network_alone", "twin.py", seconds * 0.3, "copied")
    small = words_of(
        box, "loader", loader__batch_size=4, loader__args__batch=4, loader__num_workers=1
    )
    box.benchbench("network", "network.yaml", seconds * 0.7, *small)
    truth = found.get("copied")
    add_modes(box, "use: python, ResNet-50", "network", {"held": truth, "fed": truth})
    start = start_seconds(read_records(box.runs / "network"))
    box.judge("start of a trial of use: python", start, None, "s", not_judged=box.why_not)


def products(box, seconds):
    """Short epochs, and a scenario that says cpu while the step is on the GPU."""
    found = box.figures("products_alone", "twin.py", seconds * 0.2, "products")
    truths = dict.fromkeys(("held", "fed"), found.get("products"))
    words = words_of(box, "loader")
    box.benchbench("products", "products.yaml", seconds * 0.4, *words)
    add_modes(box, "use: python, epochs of 40 batches", "products", truths)
    words += ["--set", "trainer.device=cpu", "--set", "trainer.setup=setup_products_anywhere"]
    box.benchbench("products_cpu", "products.yaml", seconds * 0.4, *words)
    add_modes(box, "use: python, device: cpu", "products_cpu", truths)


def hand_over(box, seconds):
    found = box.figures("hand_over_alone", "twin.py", seconds * 0.4, "copied")
    words = words_of(
        box, "trainer", loader__batch_size=4, loader__height=32, loader__width=32
    )
    box.benchbench("hand_over", "hand_over.yaml", seconds * 0.6, *words)
    truth = found.get("copied")
    add_modes(box, "our loader, a Python step", "hand_over", {"held": truth, "fed": truth})


def wrap(box, seconds):
    steps = 3 if box.small else 60
    found = box.figures("wrap_alone", "train.py", seconds * 0.25, "--alone", str(steps))
    for way, words in WAYS:
        if f"held_{way}" in found:
            wrap_one(box, way, words, seconds * 0.25)
            truths = {loop: found.get(f"{loop}_{way}") for loop in ("held", "fed")}
            add_modes(box, f"wrap, {way}", f"wrap_{way}", truths)


def wrap_one(box, way, words, seconds):
    """The start of the script, which is not in --budget, has half of the time."""
    name, budget = f"wrap_{way}", f"{max(6, seconds / 2):.0f}s"
    run = [box.program, "wrap", "--rounds", "2", "--budget", budget, "--out", box.runs / name]
    done = box.run(name, [*run, "--", box.python, "train.py", *words], seconds)
    if done.code != 0:
        why = "cut at its limit" if done.code is None else done.last()
        box.add(Row(f"benchbench wrap, {way}", verdict=FAIL, reason=why))
