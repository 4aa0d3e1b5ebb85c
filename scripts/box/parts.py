"""The parts of scripts/gpu_box, in the order in which they run."""

from typing import Callable, NamedTuple

import device_parts
import fault_parts
import machine_parts
import python_parts
import torch_parts


class Part(NamedTuple):
    """`seconds`: what it may need on a GPU box, by which parts share the time that is left.
    `run(box, seconds)` adds its rows."""

    name: str
    half: int
    seconds: int
    run: Callable


PARTS = (
    Part("facts", 1, 6, machine_parts.facts),
    Part("starts", 1, 12, machine_parts.starts),
    Part("calibration", 1, 35, device_parts.calibration),
    Part("truth", 1, 25, torch_parts.truth),
    Part("copies", 1, 15, device_parts.copies),
    Part("trains", 1, 50, device_parts.trains),
    Part("check", 1, 70, device_parts.check),
    Part("twin", 1, 80, torch_parts.twin),
    Part("hand_over", 1, 40, python_parts.hand_over),
    Part("decode", 1, 20, torch_parts.decode),
    Part("faults", 1, 60, fault_parts.faults),
    Part("sanitizer", 1, 40, fault_parts.sanitizer),
    Part("network", 2, 85, python_parts.network),
    Part("products", 2, 75, python_parts.products),
    Part("wrap", 2, 120, python_parts.wrap),
)


def limit(part, later, left, given):
    """Returns the seconds that a part may take: its share of what is left, by the seconds of all
    that are still to run; or those of --seconds, `given`."""
    if part.name in given:
        return max(0, min(given[part.name], left))
    return max(0, left) * part.seconds / (part.seconds + sum(one.seconds for one in later))
