"""NVIDIA DALI on the CPU alone: its file reader, the decoder that decodes only the random crop,
resize, mirror; threads inside one process; the batch is taken where DALI left it; as many batches
ahead as the others have together."""

from images import list_images
from protocol import check, serve


def batches(settings):
    from nvidia.dali import fn, pipeline_def, types

    files, labels = zip(*list_images(settings))

    @pipeline_def(
        batch_size=settings["batch_size"],
        num_threads=settings["workers"],
        device_id=None,
        prefetch_queue_depth=settings["workers"] * settings["prefetch"],
        seed=1,
    )
    def pipeline():
        stored, _ = fn.readers.file(
            files=list(files),
            labels=list(labels),
            random_shuffle=True,
            initial_fill=len(files),
            name="files",
        )
        crop = fn.decoders.image_random_crop(
            stored,
            device="cpu",
            output_type=types.RGB,
            random_area=[0.08, 1.0],
            random_aspect_ratio=[3 / 4, 4 / 3],
        )
        side = settings["crop"]
        return fn.flip(
            fn.resize(crop, size=[side, side], interp_type=types.INTERP_LINEAR, antialias=True),
            horizontal=fn.random.coin_flip(probability=0.5),
        )

    built = pipeline()
    built.build()
    while True:
        yield built.run()[0].as_tensor()


def look(batch, settings):
    return check(batch.shape(), batch.dtype, settings)


if __name__ == "__main__":
    serve(batches, look=look)
