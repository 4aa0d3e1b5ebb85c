"""Asks torch about the device: figures of ours stand against what it says."""

TRUTH = (
    ("copy on the device, read and written", "copy_rate", "B/s"),
    ("a tiny kernel, eager", "kernel_eager", "s"),
    ("a tiny kernel, in a graph", "kernel_in_graph", "s"),
    ("launches that the queue holds", "queue", ""),
    ("host's time of a copy call of 1 MiB, pinned", "call_pinned", "s"),
    ("host's time of a copy call of 1 MiB, pageable", "call_pageable", "s"),
    ("product of 8192 x 8192, bf16", "product_rate", "FLOP/s"),
)
# Graphs come last: a capture that fails may spoil what follows it.
TWINS = (
    ("bf16, foreach", "foreach"),
    ("bf16, batch copied from pinned memory", "copied"),
    ("bf16, fused", "fused"),
    ("bf16, loop over parameters", "loop"),
    ("bf16, batch of 32, eager", "few_eager"),
    ("fp32", "fp32"),
    ("bf16, fused, CUDA graph", "graph"),
    ("bf16, batch of 32, CUDA graph", "few_graph"),
)


def truth(box, seconds):
    """Parts that follow put their own figures against some of these: box.truth has all of them."""
    box.truth.update(box.figures("truth", "truth.py", seconds))
    for what, figure, unit in TRUTH:
        if figure in box.truth:
            ours = box.ours.get(figure)
            box.judge(f"torch: {what}", ours, box.truth[figure], unit, not_judged=box.why_not)


def twin(box, seconds):
    found = box.figures("twin", "twin.py", seconds, *(figure for _, figure in TWINS))
    box.truth.update(found)
    for what, figure in TWINS:
        if figure in found:
            box.judge(f"ResNet-50, {what}", None, found[figure], "s", not_judged=box.why_not)


def decode(box, seconds):
    found = box.figures("decode", "decode.py", seconds)
    for figure, value in found.items():
        box.truth[f"decode {figure}"] = value
        if figure != "bytes":
            what = f"images that torchvision decodes, {figure.replace('_', ' ')}"
            box.judge(what, None, value, "/s", not_judged=box.why_not)
