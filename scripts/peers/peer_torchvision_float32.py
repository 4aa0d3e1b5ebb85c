"""torchvision's customary training pipeline: Pillow decodes the whole picture, crops, resizes
(bilinear, antialiased); the pixels become float32 and are normalised; DataLoader with worker
processes stacks them."""

from data_loader import image_batches
from protocol import serve


def batches(settings):
    from PIL import Image
    from torchvision import transforms

    transform = transforms.Compose(
        [
            transforms.RandomResizedCrop(settings["crop"]),
            transforms.RandomHorizontalFlip(0.5),
            transforms.ToTensor(),
            transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
        ]
    )

    def make_row(path):
        with open(path, "rb") as file:
            return transform(Image.open(file).convert("RGB"))

    return image_batches(settings, make_row)


if __name__ == "__main__":
    serve(batches)
