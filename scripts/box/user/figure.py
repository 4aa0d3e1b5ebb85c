"""The lines that a script prints for scripts/gpu_box, one for each figure: FIGURE name value,
REFUSED name why where this torch or this device cannot do it, FAILED name why where the script is
wrong."""

import sys
import time
import traceback

import torch

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ON_GPU = DEVICE.type == "cuda"


class Refused(Exception):
    """This torch, or this device, has no such thing."""


def tell(name, value):
    print(f"FIGURE\t{name}\t{value!r}", flush=True)


def one_line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def attempt(name, measure):
    """Tells the figure that `measure` returns, or why there is none; the script goes on."""
    try:
        tell(name, measure())
    except (Refused, ImportError, NotImplementedError) as why:
        print(f"REFUSED\t{name}\t{one_line(why)}", flush=True)
    except Exception as error:  # a figure costs itself alone
        traceback.print_exc(file=sys.stderr)
        print(f"FAILED\t{name}\t{one_line(error)}", flush=True)


def wait_for_device():
    if ON_GPU:
        torch.cuda.synchronize()


def pinned(tensor):
    return tensor.pin_memory() if ON_GPU else tensor


def seconds_of(work):
    """Returns what the device takes for `work`, by events; on a CPU by its clock."""
    if not ON_GPU:
        begin = time.perf_counter()
        work()
        return time.perf_counter() - begin
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    first.record()
    work()
    last.record()
    last.synchronize()
    return first.elapsed_time(last) / 1e3


def median_seconds(work, times=9):
    work()
    wait_for_device()
    return sorted(seconds_of(work) for _ in range(times))[times // 2]


def loop_seconds(step, steps, warm_up):
    """Returns the mean time of a step in a plain loop that waits for the device at its end."""
    for number in range(warm_up):
        step(number)
    wait_for_device()
    begin = time.perf_counter()
    for number in range(steps):
        step(number)
    wait_for_device()
    return (time.perf_counter() - begin) / steps
