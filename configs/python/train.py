"""Trains ResNet-18 on a folder of JPEGs: a small script of the usual kind, which
configs/python.yaml measures.

    python3 configs/python/train.py my/photos            trains one epoch, without benchbench
    scripts/benchbench run configs/python.yaml           measures make_data and train_step

benchbench imports this file and calls three of its functions; the rest it never runs. That is why
training has to be behind `if __name__ == "__main__":`, as it has to be for DataLoader's workers
under spawn."""

import argparse
import functools

import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms


def open_scaled(path, size):
    """Lets the JPEG decoder skip the detail that a crop of `size` pixels does not need."""
    image = Image.open(path)
    image.draft("RGB", (2 * size, 2 * size))
    return image.convert("RGB")


def make_data(root, size=64, scaled_decode=False):
    """The data set. `root` is a folder with one folder of images per class."""
    how = {"loader": functools.partial(open_scaled, size=size)} if scaled_decode else {}
    return datasets.ImageFolder(
        root,
        transforms.Compose(
            [
                transforms.RandomResizedCrop(size),
                transforms.RandomHorizontalFlip(),
                transforms.ToTensor(),
                transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
            ]
        ),
        **how,
    )


class Training:
    """Makes what a step needs besides its batch. `mixed`: bf16 where torch's autocast allows it,
    with channels last, as people train on a GPU."""

    def __init__(self, device, network="resnet18", mixed=False):
        self.device = torch.device(device)
        self.mixed = mixed
        self.format = torch.channels_last if mixed else torch.preserve_format
        torch.backends.cudnn.benchmark = mixed
        model = getattr(models, network)()
        self.model = model.to(self.device, memory_format=self.format)
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)


def setup(device):
    return Training(device)


def setup_mixed(device):
    return Training(device, "resnet50", mixed=True)


def train_step(batch, state):
    images, labels = batch
    images = images.to(state.device, non_blocking=True, memory_format=state.format)
    labels = labels.to(state.device, non_blocking=True)
    with torch.autocast(state.device.type, dtype=torch.bfloat16, enabled=state.mixed):
        loss = state.criterion(state.model(images), labels)
    state.optimizer.zero_grad()
    loss.backward()
    state.optimizer.step()
    return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", help="a folder with one folder of images per class")
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    given = parser.parse_args()
    loader = DataLoader(
        make_data(given.root, given.size),
        batch_size=given.batch_size,
        shuffle=True,
        num_workers=given.workers,
        pin_memory=given.device != "cpu",
    )
    state = setup(given.device)
    for step, batch in enumerate(loader):
        loss = train_step(batch, state)
        if step % 10 == 0:
            print(f"step {step} of {len(loader)}: loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
