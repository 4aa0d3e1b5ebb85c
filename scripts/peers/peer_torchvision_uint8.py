"""The customary pipeline without its float32 half: Pillow decodes, crops and resizes, the pixels
stay uint8."""

from data_loader import image_batches
from protocol import serve


def batches(settings):
    from PIL import Image
    from torchvision import transforms

    transform = transforms.Compose(
        [
            transforms.RandomResizedCrop(settings["crop"]),
            transforms.RandomHorizontalFlip(0.5),
            transforms.PILToTensor(),
        ]
    )

    def make_row(path):
        with open(path, "rb") as file:
            return transform(Image.open(file).convert("RGB"))

    return image_batches(settings, make_row)


if __name__ == "__main__":
    serve(batches)
