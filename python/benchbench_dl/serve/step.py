"""The user's train step."""

import functools
import sys

from ..failure import scenario
from ..user_failures import failure_of
from . import calling
from .seeds import seed_all
from .user_code import load


class Step:
    """`train_step(batch)`, or `train_step(batch, state)` where it takes a second argument and
    `setup` made one."""

    def __init__(self, part, root=None):
        self._root = root  # the folder of the data
        code = load(part)
        self.name = part["call"]
        self._function = code.find(self.name, "trainer.call")
        self._setup_name = part.get("setup")
        self._setup = code.find(self._setup_name, "trainer.setup") if self._setup_name else None
        needs, takes = calling.positions(self._function)
        if takes < 1:
            raise scenario(f"{self.name} takes no batch", f"write it as def {self.name}(batch)")
        if needs > 2:
            raise scenario(
                f"{self.name} needs {needs} arguments",
                "it gets the batch, and what setup returned",
            )
        if needs == 2 and not self._setup:
            raise scenario(
                f"{self.name} needs a second argument, and trainer.setup is not given",
                "set trainer.setup to the function that makes it: setup(device)",
            )
        self._takes_state = takes >= 2
        self.on_setup = lambda state: None  # called with what setup returned
        self.parameters = 0

    def set_up(self, device, seed):
        """Calls `setup`, and returns the function of one batch."""
        seed_all(seed)
        state = None
        if self._setup:
            try:
                state = self._made(device)
            except BaseException as error:
                raise failure_of(error, self._setup_name) from error
            self.parameters = parameters_of(state)
            self.on_setup(state)
        function = self._function
        if self._setup and self._takes_state:
            return lambda batch: function(batch, state)
        return function

    def _made(self, device):
        """Returns what `setup` does. It gets the folder of the data as `root` if it takes one."""
        setup = self._setup
        if self._root and calling.takes(setup, "root"):
            setup = functools.partial(setup, root=self._root)
        return setup(device) if calling.positions(setup)[1] > 0 else setup()


def parameters_of(state):
    """Of all modules that the state is or holds."""
    torch = sys.modules.get("torch")
    if torch is None:
        return 0
    held = [state]
    if isinstance(state, dict):
        held += state.values()
    elif isinstance(state, (list, tuple)):
        held += state
    elif not isinstance(state, torch.nn.Module):
        held += list(getattr(state, "__dict__", {}).values()) + list(vars(type(state)).values())
    found = {}
    for module in held:
        if isinstance(module, torch.nn.Module):
            found.update((id(p), p.numel()) for p in module.parameters() if not _lazy(torch, p))
    return sum(found.values())


def _lazy(torch, parameter):
    return isinstance(parameter, getattr(torch.nn, "UninitializedParameter", ()))


def loss_of(returned):
    """As a number, where it is one or holds one."""
    if isinstance(returned, dict):
        returned = returned.get("loss")
    elif isinstance(returned, (list, tuple)) and returned:
        returned = returned[0]
    elif hasattr(returned, "loss"):
        returned = returned.loss
    try:
        value = float(returned)
    except Exception:
        return None
    return value if value - value == 0 else None  # JSON knows neither NaN nor infinity
