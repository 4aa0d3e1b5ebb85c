"""The script's doings: `n` a fetch of the measured loader, `o` and so on of others that feed the
same steps, `v` of any other, `b` a backward, `S` an optimizer's step, `g` a CUDA graph's replay,
which may hold both."""

import collections
import os
import sys
import threading
import time

from . import patching, session, steps

now = time.monotonic_ns
MOST = 4096
OF_LOADERS = 128  # the number of the first one
BACKWARD, STEP, REPLAY = b"bSg"
SURE = 3  # steps of the optimizer that were alike


def _forget():
    """Counts from now on. Sets `seen`, the last ones as letters' numbers; `trained`, backwards,
    optimizers' steps and graphs' replays; `training`, the thread that did the last of them;
    `optimizers`, that were made; `_engine`, whose ledger is called after each step of one."""
    global seen, trained, training, optimizers, _engine
    seen = collections.deque(maxlen=MOST)
    trained, training, optimizers, _engine = 0, None, 0, None


_forget()
os.register_at_fork(after_in_child=_forget)


def last(letters, count=256):
    """The last ones; `letters`: of the numbers that stand for loaders."""
    return "".join(
        chr(byte) if byte < OF_LOADERS else letters.get(byte, "v") for byte in bytes(seen)[-count:]
    )


def batches_a_step(letter):
    """Fetches of this loader for each step of the optimizer, where they have been as many each
    time; else 1."""
    counts = [part.count(bytes([letter])) for part in bytes(seen).split(b"S")][1:-1][-SURE:]
    return counts[0] if len(counts) >= SURE and counts[0] > 0 and len(set(counts)) == 1 else 1


def _trains(letter):
    """Returns the time."""
    global trained, training
    at = now()
    trained += 1
    training = threading.get_ident()
    seen.append(letter)
    session.lives(at)
    return at


def follow_with(engine):
    """Its ledger is called after each optimizer's step."""
    global _engine
    _engine = engine


def _stepped(self, *_):
    """In the frame of torch that has called the optimizer's `step`."""
    if steps.is_inner(sys._getframe(1)):
        return
    at = _trains(STEP)
    if _engine is not None and _engine.active:
        try:
            _engine.ledger.optimized(at)
        except Exception as error:
            _engine.note_failed(error)
    steps.ended(at)


def patch(torch):
    patching.replace(torch.autograd, "backward", _noting_backward)
    graph = getattr(getattr(torch, "cuda", None), "CUDAGraph", None)
    if graph is not None:
        patching.replace(graph, "replay", lambda original: _noting_replay(torch, original))
    from torch.optim import optimizer

    if hasattr(optimizer, "register_optimizer_step_post_hook"):
        optimizer.register_optimizer_step_post_hook(_stepped)
    else:
        patching.replace(optimizer.Optimizer, "_optimizer_step_code", lambda original: _stepped)
    patching.replace(optimizer.Optimizer, "__init__", _noting_optimizers)


def _noting_backward(original):
    def backward(*args, **kwargs):
        times = steps.times
        times.enters_backward(_trains(BACKWARD))
        try:
            return original(*args, **kwargs)
        finally:
            times.leaves_backward(steps.now())

    return backward


def _noting_replay(torch, original):
    """A graph that may hold a step. One of a validation is replayed without gradients."""

    def replay(*args, **kwargs):
        if torch.is_grad_enabled():
            _trains(REPLAY)
        return original(*args, **kwargs)

    return replay


def _noting_optimizers(original):
    def __init__(optimizer, *args, **kwargs):
        global optimizers
        original(optimizer, *args, **kwargs)
        optimizers += 1

    return __init__
