"""The device that steps run on, as torch says."""


def with_tensors(cuda):
    """Returns {device: bytes}. An allocator of the user's own need not say how much it holds."""
    held = {}
    for index in range(cuda.device_count()):
        try:
            held[index] = cuda.memory_allocated(index)
        except Exception:
            continue
    return {index: size for index, size in held.items() if size > 0}


def _most_used(cuda):
    """A script need not make its device the current one: model.to("cuda:1") is enough."""
    held, current = with_tensors(cuda), cuda.current_device()
    return max(held, key=lambda index: (held[index], index == current), default=current)


def used_by(torch):
    """The one in use is where this process has most, once it has begun to use CUDA, and the current
    one where torch knows of nothing; a batch is made on the CPU in any case."""
    cuda = getattr(torch, "cuda", None)
    try:
        index = _most_used(cuda) if cuda is not None and cuda.is_initialized() else None
        if index is not None:
            return {"device": f"cuda:{index}", "device_name": cuda.get_device_name(index)}
    except Exception:  # a build of torch that has the module alone
        pass
    return {"device": "cpu", "device_name": None}


def found():
    """Returns the members of `cuda`."""
    try:
        import torch

        return {
            "available": bool(torch.cuda.is_available()),
            "built": torch.version.cuda is not None,
            "torch": torch.__version__,
            "file": torch.__file__,
        }
    except Exception as error:
        return {"available": False, "why": f"{type(error).__name__}: {error}"}
