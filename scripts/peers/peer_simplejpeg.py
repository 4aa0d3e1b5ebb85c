"""simplejpeg (TurboJPEG without a copy) decodes the whole picture, torchvision's transforms v2 crop
and resize; DataLoader."""

from data_loader import crop_and_flip, image_batches
from images import read
from protocol import serve


def batches(settings):
    import simplejpeg
    import torch

    transform = crop_and_flip(settings)

    def make_row(path):
        pixels = simplejpeg.decode_jpeg(read(path), colorspace="RGB")
        # A view: channels last suits the uint8 kernels.
        return transform(torch.from_numpy(pixels).permute(2, 0, 1))

    return image_batches(settings, make_row)


if __name__ == "__main__":
    serve(batches)
