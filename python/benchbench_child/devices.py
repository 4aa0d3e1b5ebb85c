"""Which device steps run on, as torch says."""


def with_tensors(cuda):
    """A script need not make its device the current one: model.to("cuda:1") is enough."""
    current = cuda.current_device()
    for index in [current] + [i for i in range(cuda.device_count()) if i != current]:
        if cuda.memory_allocated(index) > 0:
            return index
    return None


def used_by(torch):
    """The one in use is where this process has tensors, once it has begun to use CUDA; a batch is
    made on the CPU in any case."""
    cuda = getattr(torch, "cuda", None)
    try:
        index = with_tensors(cuda) if cuda is not None and cuda.is_initialized() else None
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
