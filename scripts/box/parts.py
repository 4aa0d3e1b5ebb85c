"""The parts of scripts/gpu_box, in the order in which they run."""

from typing import Callable, NamedTuple

import decode_parts
import device_parts
import fault_parts
import kernel_parts
import machine_parts
import network_parts
import python_parts
import torch_parts


class Part(NamedTuple):
    """`seconds`: what it may need on a GPU box, by which parts share the time that is left.
    `run(box, seconds)` adds its rows. The parts of a `visit` have their seconds within 320 s."""

    name: str
    visit: int
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
    Part("decode", 1, 20, torch_parts.decode),
    Part("decoded", 1, 25, decode_parts.decoded),
    Part("faults", 1, 60, fault_parts.faults),
    Part("networks", 2, 100, network_parts.networks),
    Part("few", 2, 60, network_parts.few),
    Part("kinds", 2, 75, network_parts.kinds),
    Part("fed", 2, 70, network_parts.fed),
    Part("kernels", 2, 15, kernel_parts.kernels),
    Part("twin", 3, 80, torch_parts.twin),
    Part("network", 3, 85, python_parts.network),
    Part("products", 3, 75, python_parts.products),
    Part("hand_over", 3, 40, python_parts.hand_over),
    Part("wrap", 4, 120, python_parts.wrap),
    Part("language", 4, 30, network_parts.language),
    Part("memory", 4, 170, network_parts.memory),
    Part("sanitizer", 4, 40, fault_parts.sanitizer),
)


def limit(part, later, left, given):
    """Returns the seconds that a part may take: its share of what is left, by the seconds of all
    that are still to run; or those of --seconds, `given`."""
    if part.name in given:
        return max(0, min(given[part.name], left))
    return max(0, left) * part.seconds / (part.seconds + sum(one.seconds for one in later))
