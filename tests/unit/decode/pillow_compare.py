"""Compares rows made by the decoder with Pillow's: FOLDER/list.txt has a line per image, `file size
x y width height mirrored kind resize`; FOLDER/<file>.rgb holds the rows. Prints the largest
difference of any channel."""

import sys

from PIL import Image, ImageChops

folder, worst = sys.argv[1], 0
with open(folder + "/list.txt") as file:
    lines = file.readlines()
for line in lines:
    name, size, x, y, width, height, mirrored, kind, resize = line.split()
    size, x, y, width, height, resize = (int(v) for v in (size, x, y, width, height, resize))
    image = Image.open(f"{folder}/{name}").convert("RGB")
    if kind == "random":
        image = image.crop((x, y, x + width, y + height)).resize((size, size), Image.BILINEAR)
    else:  # torchvision's Resize, then CenterCrop
        w, h = image.size
        w, h = (resize, int(resize * h / w)) if w <= h else (int(resize * w / h), resize)
        image = image.resize((w, h), Image.BILINEAR)
        left, top = int(round((w - size) / 2.0)), int(round((h - size) / 2.0))
        image = image.crop((left, top, left + size, top + size))
    if mirrored == "1":
        image = image.transpose(Image.FLIP_LEFT_RIGHT)
    with open(f"{folder}/{name}.rgb", "rb") as file:
        ours = file.read()
    assert len(ours) == 3 * size * size and image.size == (size, size), (name, len(ours))
    apart = ImageChops.difference(Image.frombytes("RGB", (size, size), ours), image)
    difference = max(most for _, most in apart.getextrema())
    if difference > worst:
        worst = difference
        print("#", name, line.strip(), "differs by", difference)
print(worst)
