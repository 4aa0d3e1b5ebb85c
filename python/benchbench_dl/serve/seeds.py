"""The random generators that are global: torch's, numpy's, Python's own. Those that the user made
stay as they are."""

import random
import sys


def seed_all(seed):
    if seed is None:
        return
    random.seed(seed)
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        numpy.random.seed(seed % (1 << 32))
    if torch is not None:
        torch.manual_seed(seed % (1 << 63))
