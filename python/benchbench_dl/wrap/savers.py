"""Functions that write checkpoints. While the script is measured it trains with the same batches
again: what it would save is not true."""

import contextlib
import io
import os
import sys

from ..after_import import AfterImport
from . import patching, ranks, session

# Names of savers, in lists, which several threads may change at once.
writing = []  # those that are at it
written = []  # all that were called so far
for _names in (writing, written):
    os.register_at_fork(after_in_child=_names.clear)

SAVERS = {
    "torch.serialization": ("save",),
    "torch": ("save",),
    "torch.jit": ("save",),
    "torch.jit._script": ("RecursiveScriptModule.save",),
    "torch.distributed.checkpoint.state_dict_saver": ("save", "async_save", "save_state_dict"),
    "torch.distributed.checkpoint": ("save", "async_save", "save_state_dict"),
    "safetensors.torch": ("save_file", "save_model"),
    "safetensors.numpy": ("save_file",),
    "pytorch_lightning.trainer.trainer": ("Trainer.save_checkpoint",),
    "lightning.pytorch.trainer.trainer": ("Trainer.save_checkpoint",),
    "lightning.fabric.fabric": ("Fabric.save",),
    "lightning_fabric.fabric": ("Fabric.save",),
    "lightning.fabric.utilities.cloud_io": ("_atomic_save",),
    "lightning_fabric.utilities.cloud_io": ("_atomic_save",),
    "transformers.trainer": (
        "Trainer.save_model",
        "Trainer._save_checkpoint",
        "Trainer.push_to_hub",
    ),
    "transformers.modeling_utils": ("PreTrainedModel.save_pretrained",),
    "accelerate.accelerator": (
        "Accelerator.save_state",
        "Accelerator.save_model",
        "Accelerator.save",
    ),
    "huggingface_hub.hf_api": ("HfApi.upload_file", "HfApi.upload_folder", "HfApi.create_repo"),
}


def patch():
    """Those that are imported now, and the others once they are."""
    AfterImport(dict.fromkeys(SAVERS, _patch_module)).start()


def _patch_module(module):
    for path in SAVERS[module.__name__]:
        owner, _, name = path.rpartition(".")
        holder = getattr(module, owner, None) if owner else module
        if holder is not None:
            patching.replace(
                holder,
                name,
                lambda original, shown=module.__name__ + "." + path: _guarded(original, shown),
            )


def _guarded(original, name):
    def saver(*args, **kwargs):
        if any(isinstance(value, io.BytesIO) for value in args + tuple(kwargs.values())):
            return original(*args, **kwargs)
        _about_to_save(name)
        with _writing(name):
            return original(*args, **kwargs)

    return saver


@contextlib.contextmanager
def _writing(name):
    engine, was = _engine(), None
    writing.append(name)
    written.append(name)
    try:
        if engine is not None:
            was = engine.note(engine.ledger.saves, name)
        yield
    finally:
        del writing[-1:]
        if was:
            engine.note(engine.ledger.saved, was)


def _engine():
    current = session.current()
    engine = current.engine if current is not None else None
    return engine if engine is not None and engine.active else None


def _about_to_save(name):
    engine = _engine()
    if engine is None or engine.plan.get("keep_going"):
        return
    schedule, raised = engine.schedule, sys.exc_info()[1]
    fails = (
        raised is not None
        and not isinstance(raised, StopIteration)
        and raised is not engine.handled
    )
    if not schedule.steered and not (fails and engine.measuring):  # what it saves is true
        schedule.saves()
        return
    if engine.ends.begun and not engine.measuring:  # it is stopped by an exception, which may save
        return
    if engine.ends.begun:
        ranks.stay()
    if fails:
        engine.ends.of_failed_script(raised, saver=name)
    engine.ends.finish("saver called", saver=name)
