"""FFCV: the same JPEG bytes in its own file, its decoder (libjpeg-turbo, whole picture), random
crop with OpenCV's INTER_AREA, flip; compiled by numba, threads inside one process; its own three
batches ahead. Its file would hold pictures encoded anew, so the encoder is replaced by one that
keeps the stored bytes."""

from images import list_images, read
from protocol import serve


def write_file(settings, path):
    import numpy
    import simplejpeg
    from ffcv.fields import IntField, RGBImageField
    from ffcv.fields.rgb_image import IMAGE_MODES
    from ffcv.writer import DatasetWriter

    class StoredImages(RGBImageField):
        def encode(self, destination, path, malloc):
            stored = read(path)
            destination["height"], destination["width"] = simplejpeg.decode_jpeg_header(stored)[:2]
            destination["mode"] = IMAGE_MODES["jpg"]
            destination["data_ptr"], storage = malloc(len(stored))
            storage[:] = numpy.frombuffer(stored, dtype="u1")

    writer = DatasetWriter(path, {"image": StoredImages(), "label": IntField()}, num_workers=1)
    writer.from_indexed_dataset(list_images(settings))


def batches(settings):
    import numpy
    from ffcv.fields import RGBImageField
    from ffcv.fields.rgb_image import RandomResizedCropRGBImageDecoder
    from ffcv.loader import Loader, OrderOption
    from ffcv.transforms import RandomHorizontalFlip, ToTensor

    side = settings["crop"]
    count = len(list_images(settings))
    loader = Loader(
        settings["stored"],
        batch_size=settings["batch_size"],
        num_workers=settings["workers"],
        custom_fields={"image": RGBImageField},
        order=OrderOption.RANDOM,
        os_cache=True,
        drop_last=True,
        indices=numpy.tile(numpy.arange(count), max(1, 200000 // count)),  # epochs of minutes
        pipelines={
            "image": [
                RandomResizedCropRGBImageDecoder((side, side)),
                RandomHorizontalFlip(0.5),
                ToTensor(),
            ],
            "label": None,
        },
    )
    while True:
        for (images,) in loader:
            yield images


if __name__ == "__main__":
    serve(batches, stored="ffcv.beton", write=write_file)
