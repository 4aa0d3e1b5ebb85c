"""torchvision's customary training pipeline: Pillow decodes the whole picture, crops, resizes
(bilinear, antialiased); the pixels become float32 and are normalised; DataLoader with worker
processes stacks them."""

from data_loader import by_pillow, image_batches
from protocol import serve


def batches(settings):
    from torchvision.transforms import Normalize, ToTensor

    normalize = Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    return image_batches(settings, by_pillow(settings, ToTensor(), normalize))


if __name__ == "__main__":
    serve(batches)
