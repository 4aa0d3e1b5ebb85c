"""torchvision without Pillow: torchvision.io decodes (libjpeg-turbo) the whole picture into a uint8
tensor, the transforms v2 crop and resize it with their uint8 kernels; DataLoader."""

from data_loader import crop_and_flip, image_batches
from protocol import serve


def batches(settings):
    from torchvision.io import ImageReadMode, decode_jpeg, read_file

    transform = crop_and_flip(settings)
    return image_batches(
        settings, lambda path: transform(decode_jpeg(read_file(path), mode=ImageReadMode.RGB))
    )


if __name__ == "__main__":
    serve(batches)
