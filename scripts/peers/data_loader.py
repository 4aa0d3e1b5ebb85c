"""PyTorch's DataLoader as its users are told to set it up, over an order without an end."""

from images import endless_order, list_images


class Images:
    """A data set whose samples are make_row(path)."""

    def __init__(self, settings, make_row):
        self.files, self.make_row = list_images(settings), make_row

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        path, label = self.files[index]
        return self.make_row(path), label


def crop_and_flip(settings):
    """The customary transform of uint8 tensors, by torchvision's v2."""
    from torchvision.transforms import v2

    crop = v2.RandomResizedCrop(settings["crop"], antialias=True)
    return v2.Compose([crop, v2.RandomHorizontalFlip(0.5)])


def by_torchvision_io(settings):
    """The row of a picture's bytes: torchvision.io decodes all of it, v2 crops and flips."""
    import torch
    from torchvision.io import ImageReadMode, decode_jpeg

    transform = crop_and_flip(settings)

    def make_row(stored):
        stored = torch.frombuffer(bytearray(stored), dtype=torch.uint8)
        return transform(decode_jpeg(stored, mode=ImageReadMode.RGB))

    return make_row


def by_pillow(settings, *last):
    """The customary row of a picture: Pillow decodes all of it, crops, resizes and flips."""
    from PIL import Image
    from torchvision import transforms

    crop = transforms.RandomResizedCrop(settings["crop"])
    transform = transforms.Compose([crop, transforms.RandomHorizontalFlip(0.5), *last])

    def make_row(path):
        with open(path, "rb") as file:
            return transform(Image.open(file).convert("RGB"))

    return make_row


def data_loader(dataset, settings, **more):
    """Persistent workers, the prefetch factor all are given, one torch thread a process,
    page-locked memory off."""
    import torch
    from torch.utils.data import DataLoader, IterableDataset

    torch.set_num_threads(1)
    if not isinstance(dataset, IterableDataset):
        more["sampler"] = Endless(len(dataset))
    return DataLoader(
        dataset,
        batch_size=settings["batch_size"],
        num_workers=settings["workers"],
        drop_last=True,
        prefetch_factor=settings["prefetch"],
        persistent_workers=True,
        pin_memory=False,
        **more,
    )


class Endless:
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return endless_order(self.count)


def image_batches(settings, make_row):
    for images, _ in data_loader(Images(settings, make_row), settings):
        yield images
