"""The same images by four JPEG decoders, for configs/decoders.yaml: each is one function that
benchbench calls as `call`, and all that differs is who makes pixels of a file.

Every decoder's first image is compared with Pillow's before anything is measured, and
configs/decoders.yaml --variant pixels compares all of them."""

import os

import numpy
import torch
from PIL import Image
from torch.utils.data import Dataset

TOLERANCE = 2  # levels of 255 that a pixel may be from Pillow's
RESIZE, CROP = 256, 224  # as for evaluation: the shorter side, then the centre


def pillow(root):
    return Images(root, lambda path: Image.open(path).convert("RGB"))


def opencv(root):
    import cv2

    cv2.setNumThreads(0)  # the DataLoader has workers
    flags = cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
    return Images(root, lambda path: Image.fromarray(cv2.imread(path, flags)[:, :, ::-1]))


def torchvision(root):
    from torchvision import io

    def decode(path):
        pixels = io.decode_jpeg(io.read_file(path), mode=io.ImageReadMode.RGB)
        return Image.fromarray(pixels.permute(1, 2, 0).numpy())

    return Images(root, decode)


def simplejpeg(root):
    import simplejpeg as library

    def decode(path):
        with open(path, "rb") as file:
            return Image.fromarray(library.decode_jpeg(file.read(), colorspace="RGB"))

    return Images(root, decode)


class Images(Dataset):
    """A folder with one folder of images per class, as torchvision's ImageFolder takes it."""

    def __init__(self, root, decode):
        self.files = listed(root)
        self.decode = decode
        check_pixels(self[0][0], prepared(Image.open(self.files[0][0]).convert("RGB")), root)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        path, label = self.files[index]
        return prepared(self.decode(path)), label


def listed(root):
    """[(path, label)]"""
    folders = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
    return [
        (os.path.join(root, folder, name), label)
        for label, folder in enumerate(folders)
        for name in sorted(os.listdir(os.path.join(root, folder)))
    ]


def prepared(image):
    """Resized and cropped by Pillow whoever decoded it: uint8 [C, H, W]."""
    scale = RESIZE / min(image.size)
    width, height = (RESIZE if n == min(image.size) else int(n * scale) for n in image.size)
    x, y = round((width - CROP) / 2), round((height - CROP) / 2)
    image = image.resize((width, height), Image.BILINEAR).crop((x, y, x + CROP, y + CROP))
    return torch.from_numpy(numpy.array(image)).permute(2, 0, 1)


def check_pixels(image, expected, what):
    """Returns the largest difference; raises where it is more than TOLERANCE."""
    largest = int((image.round().to(torch.int16) - expected.to(torch.int16)).abs().max())
    if largest > TOLERANCE:
        raise ValueError(f"{what}: a pixel is {largest} levels from Pillow's, not {TOLERANCE}")
    return largest


def open_reference(device, root):
    """setup: which file a label stands for, where each class has one image."""
    files = listed(root)
    if len({label for _, label in files}) < len(files):
        raise ValueError(f"{root} has classes of several images: a label does not name its file")
    return [path for path, _ in files]


def compare(batch, paths):
    """train_step: the largest difference of this batch, whoever made it, in place of a loss."""
    images, labels = batch
    largest = 0
    for image, label in zip(images.cpu(), labels.tolist()):
        expected = prepared(Image.open(paths[label]).convert("RGB"))
        largest = max(largest, check_pixels(image, expected, paths[label]))
    return float(largest)
