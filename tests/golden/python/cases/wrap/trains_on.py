"""A training loop on what one of the scripts of ../faults makes: trains_on.py SCRIPT CALL ARGUMENTS
LOADER [SECONDS]. ARGUMENTS of the call and LOADER's own, where it makes a data set, are JSON; a
step takes SECONDS."""

import importlib
import json
import os
import sys
import time

import torch
from torch.utils.data import DataLoader

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "faults")
)


def main(script, call, arguments, settings, seconds="0.001"):
    made = getattr(importlib.import_module(script), call)(**json.loads(arguments))
    loader = made if isinstance(made, DataLoader) else DataLoader(made, **json.loads(settings))
    weight = torch.zeros((), requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=1e-6)
    for _epoch in range(10**6):
        for _batch in loader:
            loss = weight * 0.5
            loss.backward()
            optimizer.step()
            time.sleep(float(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
