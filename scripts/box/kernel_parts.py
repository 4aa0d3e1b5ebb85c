"""The kernels that our step and torchvision's run on a GPU, each found by tests/gpu/kernels."""

import pathlib

from network_parts import held_batch, measure, ours, run, twin
from table import FAIL, PASS, SEEN, Row

WHAT = "kernels of our step and of the twin's, by name"
LAST_NS = 500_000_000  # of a process: what cuDNN tries comes before


def kernels(box, seconds):
    library = box.bin / "libgpu_kernels.so"
    folder = box.logs / "kernels"
    folder.mkdir(exist_ok=True)
    watched = not box.small and library.exists()
    run(
        box,
        "kernels",
        seconds,
        watch(box, library, folder) if watched else {},
        loader=held_batch(box, 256),
        trainer=twin(box),
        measure=measure(box, 1, "2s", "trainer"),
        sweep={"trainer": [ours(box)]},
    )
    if watched:
        box.add(*compared(*read_names(folder)))
    else:
        box.add(Row(WHAT, reason=box.why_not or "libgpu_kernels.so was not built"))


def watch(box, library, folder):
    """Returns the variables with which CUDA's driver loads the library into each process."""
    site = pathlib.Path(box.torch_folder).parent
    found = sorted(site.glob("nvidia/*/lib/libcupti.so.*"))
    variables = {"CUDA_INJECTION64_PATH": library, "BENCHBENCH_KERNELS": folder}
    if found:
        variables["BENCHBENCH_CUPTI"] = found[0]
    return {name: str(value) for name, value in variables.items()}


def last_names(text):
    """Returns the names of a process's kernels that began in its last LAST_NS."""
    whole = [line.split(" ", 1) for line in text.splitlines(True) if line.endswith("\n")]
    begun = [(int(start), name.strip()) for start, name in whole if start.isdigit()]
    last = max((start for start, _ in begun), default=0)
    return {name for start, name in begun if start > last - LAST_NS}


def read_names(folder):
    """Returns the names of the program's kernels, those of the Python's, and why there are none."""
    names, reasons = {True: set(), False: set()}, []
    for path in sorted(folder.iterdir()):
        text = path.read_text(encoding="utf-8", errors="replace")
        names[path.name.startswith("benchbench.")] |= last_names(text)
        reasons += [line[2:] for line in text.splitlines() if line.startswith("# ")]
    return names[True], names[False], "; ".join(sorted(set(reasons)))


def compared(mine, theirs, why):
    """Returns a row of both, and one for each side's own kernels."""
    cells = (WHAT, str(len(mine)), str(len(theirs)))
    if not mine or not theirs:
        return [Row(*cells, verdict=FAIL, reason=why or "none was recorded")]
    rows = [Row(*cells, verdict=PASS if mine == theirs else SEEN)]
    for who, names in (("ours alone", mine - theirs), ("the twin alone", theirs - mine)):
        if names:
            said = ", ".join(sorted(names))
            rows.append(Row(f"kernels of {who}", str(len(names)), reason=said))
    return rows
