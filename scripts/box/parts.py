"""The parts of scripts/gpu_box, in the order in which they run."""

from typing import Callable, NamedTuple

import device_parts
import fault_parts
import machine_parts
import python_parts
import torch_parts
from box import PATIENCE


class Part(NamedTuple):
    """`seconds`: its limit where all have room: most parts end long before theirs. `run(box, seconds)` adds rows."""

    name: str
    half: int
    seconds: int
    run: Callable


PARTS = (
    Part("facts", 1, 10, machine_parts.facts),
    Part("starts", 1, 14, machine_parts.starts),
    Part("calibration", 1, 30, device_parts.calibration),
    Part("truth", 1, 30, torch_parts.truth),
    Part("copies", 1, 10, device_parts.copies),
    Part("trains", 1, 50, device_parts.trains),
    Part("check", 1, 70, device_parts.check),
    Part("twin", 1, 75, torch_parts.twin),
    Part("decode", 1, 20, torch_parts.decode),
    Part("faults", 1, 60, fault_parts.faults),
    Part("sanitizer", 1, 40, fault_parts.sanitizer),
    Part("network", 2, 85, python_parts.network),
    Part("products", 2, 75, python_parts.products),
    Part("hand_over", 2, 40, python_parts.hand_over),
    Part("wrap", 2, 120, python_parts.wrap),
)


def limit(part, later, left, given):
    """Returns the seconds that a part may take: its own, or, where all that are still to run have
    no room for theirs, its share of what is left. `given` are those of --seconds."""

    def own(one):
        return given.get(one.name, one.seconds * PATIENCE)

    wanted = own(part) + sum(map(own, later))
    return own(part) if wanted <= left else own(part) * max(0, left) / wanted
