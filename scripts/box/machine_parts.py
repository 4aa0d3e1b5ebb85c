"""Facts of the machine, and whether the program starts on it."""

import contextlib
import re
import subprocess

from table import FAIL, PASS, SEEN, Row

MACHINE = (
    ("cpu", "lscpu"),
    ("nodes", "numactl -H"),
    ("memory", "free -g"),
    ("driver", "cat /proc/driver/nvidia/version"),
    ("disks", "df -h . /dev/shm"),
    ("glibc", "ldd --version"),
    ("status", "cat /proc/self/status"),
    ("compilers", "nvcc --version; gcc --version; command -v compute-sanitizer"),
)
STARTS = (
    ("--version",),
    *(("probe-module", name) for name in ("cuda-devices", "torch", "torch_cuda")),
)
# Figures depend on these lines of `nvidia-smi -q`.
CARD = (
    ("power limit", r"Current Power Limit +: ([\d.]+ W)"),
    ("persistence", r"Persistence Mode +: (\w+)"),
    ("compute mode", r"Compute Mode +: (\w+)"),
    ("ECC", r"ECC Mode\s+Current +: (\w+)"),
    ("PCIe", r"PCIe Generation\s+Max +: \d\s+Current +: (\d)"),
    ("lanes", r"Link Width\s+Max +: \w+\s+Current +: (\w+)"),
)


def look(box, seconds):
    """Finds out which device there is and what this Python has, before any part runs. Returns
    {name: version}, and how the Python ended."""
    said = box.run("cuda_devices", [box.program, "probe-module", "cuda-devices"], seconds)
    device = said.rows(r"^benchbench-cuda\tdevice\t0\t.*\t(.+)$")
    why = said.rows(r"^benchbench-cuda\twhy\t(.+)$")
    box.device, box.no_device = (device[0], "") if device else ("", (why or [said.last()])[0])
    python = box.run("python", [box.python, "look.py"], seconds)
    found = dict(python.rows(r"^(\S+)\t(.+)$"))
    box.torch_device, box.torch_folder = found.get("device", "cpu"), found.get("folder", "")
    return found, python


@contextlib.contextmanager
def watched_card(box):
    """Keeps a log of the card's clocks and power, a line a second; without a daemon that does, this
    also keeps the driver from letting the card go between two programs."""
    words = ["nvidia-smi", "dmon", "-s", "pucvmet", "-d", "1"]
    with open(box.logs / "dmon.txt", "wb") as log:
        try:
            watch = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        except OSError:  # no NVIDIA driver: there is nothing to watch
            watch = None
        try:
            yield
        finally:
            if watch:
                watch.kill()
                watch.wait()


def facts(box, seconds):
    for name, words in MACHINE:
        box.run(name, ["sh", "-c", words], seconds / 2)
    card = box.run("nvidia-smi", ["nvidia-smi", "-q"], seconds / 2)
    found = [(name, re.search(pattern, card.text)) for name, pattern in CARD]
    said = [f"{name} {match.group(1)}" for name, match in found if match]
    box.add(Row("the card, by nvidia-smi", reason=", ".join(said) or card.last()))


def starts(box, seconds):
    box.add(libraries(box, seconds))
    for words in STARTS:
        which = torch_of(box) if words[-1].startswith("torch") else {}
        done = box.run("start_" + words[-1].strip("-"), [box.program, *words], seconds, **which)
        absent = words[-1] == "cuda-devices" and box.no_device
        good = done.code == 0 and not absent
        may_lack = words[-1] in ("cuda-devices", "torch_cuda") and box.small
        verdict = PASS if good else SEEN if may_lack else FAIL
        why = "" if good else done.first() if words[-1] == "torch_cuda" else done.last()
        box.add(Row(f"benchbench {' '.join(words)}", verdict=verdict, reason=why))


def torch_of(box):
    """Returns the variable by which the program takes the torch of the box's Python; the torch of
    a machine without a GPU is another than that of the build."""
    return {} if box.small else {"BENCHBENCH_TORCH_DIR": box.torch_folder}


def libraries(box, seconds):
    """The torch module's own libraries are those of the torch that it is loaded with."""
    files = [box.program, box.bin / "libbenchbench_cuda.so", box.bin / "gpu_figures"]
    done = box.run("ldd", ["ldd", *[path for path in files if path.exists()]], seconds)
    lost = sorted(set(done.rows(r"^\s*(\S+) => not found")))
    why = " ".join(lost) or ("" if done.code == 0 else done.last() or done.ending())
    return Row("all libraries are found", verdict=FAIL if why else PASS, reason=why)
