"""simplejpeg (TurboJPEG without a copy) decodes the whole picture, torchvision's transforms v2 crop
and resize; DataLoader."""

from data_loader import image_batches
from images import read
from protocol import serve


def batches(settings):
    import simplejpeg
    import torch
    from torchvision.transforms import v2

    transform = v2.Compose(
        [v2.RandomResizedCrop(settings["crop"], antialias=True), v2.RandomHorizontalFlip(0.5)]
    )

    def make_row(path):
        pixels = simplejpeg.decode_jpeg(read(path), colorspace="RGB")
        # A view: channels last suits the uint8 kernels.
        return transform(torch.from_numpy(pixels).permute(2, 0, 1))

    return image_batches(settings, make_row)


if __name__ == "__main__":
    serve(batches)
