"""Which device the script's steps run on."""


def used_by(torch):
    """The one in use is where this process has tensors, once it has begun to use CUDA; a batch is made on the CPU in any case."""
    cuda = getattr(torch, "cuda", None)
    try:
        if cuda is not None and cuda.is_initialized() and cuda.memory_allocated() > 0:
            return {"device": "cuda:{}".format(cuda.current_device()), "device_name": cuda.get_device_name()}
    except Exception:  # a build of torch that has the module alone
        pass
    return {"device": "cpu", "device_name": None}
