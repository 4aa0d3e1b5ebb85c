"""Writes what PyTorch's own training does in 50 steps, for the test of the trainers' losses:
FOLDER/<case>/trainer, settings and tensors (lines of words), weights/<name of a tensor> and
batches/<number>.<0 for data, 1 for targets> (their bytes), losses (doubles), and
losses.<what is wrong>, those of the same training with one thing changed. Exits 77 where this
Python has no torch of VERSION, or no torchvision.

    twin_losses.py FOLDER VERSION"""

import copy
import pathlib
import sys

try:
    import torch
    import torchvision  # noqa: F401  make_network() needs it
except Exception as reason:  # an incomplete torch fails in many ways
    print(f"torchvision cannot be imported: {reason}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts" / "figures"))
from twins import Twin, make_network  # noqa: E402

STEPS, BATCHES, BATCH, SIZE, CLASSES = 50, 5, 8, 64, 10
LENGTH, VOCABULARY = 33, 64
# Steps of a ResNet so small that rounding stays what it is, and a weight decay that shows all the
# same: after 50 of them the losses of ResNet-18 in two memory formats differ by 2e-5, at a learning
# rate of 1e-4 by 5e-3. ResNet-50's differ by 2e-3, at 2e-6 by 0.2.
IMAGES = {"learning_rate": 2e-6, "momentum": 0.9, "weight_decay": 50}
DEEP = {"learning_rate": 2e-8, "momentum": 0.9, "weight_decay": 500}
TOKENS = {"learning_rate": 0.1, "momentum": 0.9, "weight_decay": 0.01}
MODEL = {"vocab_size": VOCABULARY, "d_model": 64, "nhead": 4, "num_layers": 2}
MODEL["dim_feedforward"] = 128
MIXED = {"precision": "bf16-mixed"}
# (name, trainer, settings, what is made wrong once each)
CASES = [
    ("resnet18", "resnet18", IMAGES, ("momentum", "weight_decay", "epsilon")),
    ("resnet50", "resnet50", DEEP, ("epsilon",)),
    ("resnet18_mixed", "resnet18", {**IMAGES, **MIXED}, ("momentum",)),
    ("transformer", "transformer", TOKENS, ("momentum", "weight_decay", "epsilon")),
    ("transformer_mixed", "transformer", {**TOKENS, **MIXED}, ("momentum", "weight_decay")),
]


def images():
    image = torch.randn(BATCH, 3, SIZE, SIZE).to(memory_format=torch.channels_last)
    return image, torch.randint(0, CLASSES, (BATCH,))


def sequences():
    lengths = torch.randint(LENGTH // 2, LENGTH + 1, (BATCH,), dtype=torch.int32)
    return torch.randint(0, VOCABULARY, (BATCH, LENGTH)), lengths


def write(path, tensor):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(tensor.detach().contiguous().numpy().tobytes())


def write_case(folder, trainer, settings, wrong):
    tokens = trainer == "transformer"
    sizes = {**MODEL, "longest": LENGTH - 1} if tokens else {"classes": CLASSES}
    torch.manual_seed(3)
    network = make_network(trainer, **sizes)
    batches = [sequences() if tokens else images() for _ in range(BATCHES)]
    write_texts(folder, trainer, {**settings, **(MODEL if tokens else {})})
    for name, tensor in network.state_dict().items():
        write(folder / "weights" / name, tensor)
    for number, (data, target) in enumerate(batches):
        write(folder / "batches" / f"{number}.0", data if tokens else data.permute(0, 2, 3, 1))
        write(folder / "batches" / f"{number}.1", target)
    write_losses(folder / "losses", network, settings, batches)
    for what in wrong:
        write_losses(folder / f"losses.{what}", *with_wrong(what, network, settings), batches)


def with_wrong(what, network, settings):
    """(network, settings), one of which is not as it was."""
    if what == "momentum":
        return network, {**settings, "momentum": 0.85}
    if what == "weight_decay":
        return network, {**settings, "weight_decay": settings["weight_decay"] / 2}
    changed = copy.deepcopy(network)
    for module in changed.modules():
        if hasattr(module, "eps"):
            module.eps = 1e-3
    return changed, settings


def write_texts(folder, trainer, settings):
    folder.mkdir(parents=True)
    (folder / "trainer").write_text(trainer)
    lines = [f"{key} {value}\n" for key, value in settings.items()]
    (folder / "settings").write_text("".join(lines))
    tensors = f"image float32 {SIZE} {SIZE} 3\nlabel int64\n"
    if trainer == "transformer":
        tensors = f"input_ids int64 {LENGTH}\nlength int32\n"
    (folder / "tensors").write_text(tensors)


def write_losses(path, network, settings, batches):
    twin = Twin(copy.deepcopy(network), **settings)
    losses = [twin.step(batches[step % BATCHES]).item() for step in range(STEPS)]
    write(path, torch.tensor(losses, dtype=torch.float64))


def main():
    folder, version = pathlib.Path(sys.argv[1]), sys.argv[2].split("+")[0]
    if torch.__version__.split("+")[0] != version:
        print(f"torch is {torch.__version__}, the trainers' is {version}")
        sys.exit(77)
    torch.set_num_threads(1)  # as the trainers have
    for name, *case in CASES:
        write_case(folder / name, *case)


if __name__ == "__main__":
    main()
