"""Writes what torchvision says of random images under random weights:
FOLDER/<depth>/weights/<tensor name>, FOLDER/<depth>/images and FOLDER/<depth>/logits, each the
tensor's bytes. Exits 77 where torchvision is not installed."""

import pathlib
import sys

try:
    import torch
    import torchvision
except Exception as reason:  # an incomplete torch fails in many ways
    print(f"torchvision cannot be imported: {reason}")
    sys.exit(77)


def write(path, tensor):
    path.write_bytes(tensor.detach().contiguous().numpy().tobytes())


torch.set_num_threads(1)  # more wait for each other longer than they work
torch.manual_seed(3)
for depth in (18, 50):
    folder = pathlib.Path(sys.argv[1]) / str(depth)
    (folder / "weights").mkdir(parents=True)
    network = getattr(torchvision.models, f"resnet{depth}")()
    network.train()
    with (
        torch.no_grad()
    ):  # running statistics away from their start, so that evaluation tests them too
        network(torch.randn(4, 3, 32, 32))
    network.eval()
    for name, tensor in network.state_dict().items():
        write(folder / "weights" / name, tensor)
    images = torch.randn(2, 3, 64, 64)
    with torch.no_grad():
        logits = network(images)
    write(folder / "images", images)
    write(folder / "logits", logits)
