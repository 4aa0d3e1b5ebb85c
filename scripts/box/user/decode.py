"""Images a second that torchvision decodes: on the GPU in batches, and on one core."""

import time

import torch
from figure import ON_GPU, attempt, wait_for_device

COUNT, BATCHES = (256, (64, 256)) if ON_GPU else (8, (4,))
HEIGHT, WIDTH = 375, 500


def made_images():
    """Returns JPEGs of smooth noise, which are about as large as photographs of that size."""
    from torchvision.io import encode_jpeg

    torch.manual_seed(0)
    found = []
    for _ in range(COUNT):
        rough = 255 * torch.rand(1, 3, HEIGHT // 6, WIDTH // 6)
        smooth = torch.nn.functional.interpolate(rough, (HEIGHT, WIDTH), mode="bilinear")
        grainy = smooth[0] + 24 * torch.randn(3, HEIGHT, WIDTH)
        found.append(encode_jpeg(grainy.clamp(0, 255).to(torch.uint8), quality=90))
    return found


def rate(images, batch, seconds):
    from torchvision.io import ImageReadMode, decode_jpeg

    def decode(part):
        if ON_GPU:
            return decode_jpeg(part, mode=ImageReadMode.RGB, device="cuda")
        return list(map(decode_jpeg, part))

    decode(images[:batch])
    wait_for_device()
    begin, done = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        for at in range(0, len(images) - batch + 1, batch):
            decode(images[at : at + batch])
            done += batch
    wait_for_device()
    return done / (time.perf_counter() - begin)


def one_core(images):
    from torchvision.io import decode_jpeg

    torch.set_num_threads(1)
    begin = time.perf_counter()
    for image in images[:200]:
        decode_jpeg(image)
    return min(200, len(images)) / (time.perf_counter() - begin)


def main():
    images = []

    def mean_bytes():
        images.extend(made_images())
        return sum(map(len, images)) / len(images)

    attempt("bytes", mean_bytes)
    if not images:
        return
    for batch in BATCHES:
        attempt(f"batch_{batch}", lambda: rate(images, batch, 2 if ON_GPU else 0.1))
    attempt("one_core", lambda: one_core(images))


if __name__ == "__main__":
    main()
