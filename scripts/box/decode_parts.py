"""Images that the device decodes for our loader, against those that its workers decode."""

from device_parts import has_device
from records import read_records, sample_seconds, select_records
from table import Row, within

PIXELS = "pixels that the device decodes, of the first batch"
RATE = "images that the device decodes for our loader"
SMALL = (
    "dataset.synthesize.samples=64",
    "dataset.synthesize.image.mean_width=100",
    "dataset.synthesize.image.mean_height=80",
    "loader.num_workers=1",
    "loader.batch_size=8",
    "loader.transform.random_resized_crop=32",
    "measure.class=selftest",
    "measure.window=200ms",
)


def decoded(box, seconds):
    """Puts the sum of a batch's pixels against the workers', and the rate against torchvision's."""
    if not has_device(box, RATE):
        return
    small = [word for one in SMALL for word in ("--set", one)]
    box.benchbench("decoded", "decoded.yaml", seconds, *(small if box.small else ()))
    records = read_records(box.runs / "decoded")
    there, here = (of_backend(records, "pipeline", name) for name in ("nvjpeg", "cpu"))
    skipped = [r for r in records if r["status"] == "SKIPPED"]
    if skipped and not there:
        return box.add(Row(PIXELS, reason=skipped[0]["reasons"][0]["text"]))
    box.judge(PIXELS, first_sum(there), first_sum(here), "", within(0.01))
    taken = sample_seconds(of_backend(records, "loader", "nvjpeg"))
    truth = box.truth.get("decode batch_64")
    box.judge(RATE, 1 / taken if taken else None, truth, "/s", not_judged=box.why_not)
    box.judge_trials("images that the device decodes", there)


def of_backend(records, mode, name):
    return select_records(records, mode, {"loader.decode.backend": name})


def first_sum(records):
    """Returns the sum of the bytes that trainer touch found in its first batch; None of none."""
    return (records[0]["facts"]["loss_first"] - 1) * 2**32 if records else None
