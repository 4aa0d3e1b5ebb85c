"""PyTorch's DataLoader as its users are told to set it up, over an order without an end."""

from images import endless_order, list_images


def images_of(settings, make_row):
    """A data set whose samples are make_row(path)."""
    from torch.utils.data import Dataset

    class Images(Dataset):
        def __init__(self):
            self.files = list_images(settings["folder"])

        def __len__(self):
            return len(self.files)

        def __getitem__(self, index):
            path, label = self.files[index]
            return make_row(path), label

    return Images()


def data_loader(dataset, settings, order=None, **more):
    """Persistent workers, the prefetch factor all are given, one torch thread a process,
    page-locked memory off."""
    import torch
    from torch.utils.data import DataLoader, IterableDataset

    torch.set_num_threads(1)
    if not isinstance(dataset, IterableDataset):
        more["sampler"] = order or Endless(len(dataset))
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
    for images, _ in data_loader(images_of(settings, make_row), settings):
        yield images
