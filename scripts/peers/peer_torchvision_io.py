"""torchvision without Pillow: torchvision.io decodes (libjpeg-turbo) the whole picture into a uint8
tensor, the transforms v2 crop and resize it with their uint8 kernels; DataLoader."""

from data_loader import image_batches
from protocol import serve


def batches(settings):
    from torchvision.io import ImageReadMode, decode_jpeg, read_file
    from torchvision.transforms import v2

    transform = v2.Compose(
        [v2.RandomResizedCrop(settings["crop"], antialias=True), v2.RandomHorizontalFlip(0.5)]
    )
    return image_batches(
        settings, lambda path: transform(decode_jpeg(read_file(path), mode=ImageReadMode.RGB))
    )


if __name__ == "__main__":
    serve(batches)
