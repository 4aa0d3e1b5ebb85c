"""The customary pipeline without its float32 half: Pillow decodes, crops and resizes, the pixels
stay uint8."""

from data_loader import by_pillow, image_batches
from protocol import serve


def batches(settings):
    from torchvision.transforms import PILToTensor

    return image_batches(settings, by_pillow(settings, PILToTensor()))


if __name__ == "__main__":
    serve(batches)
