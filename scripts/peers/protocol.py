"""The child's side of a peer: a process started once that answers in JSON lines and counts
delivered batches.

    started with one argument, the settings as JSON: folder, work, batch_size, workers, prefetch,
    crop
    says       {"ready": true, "first": "uint8 (32, 224, 224, 3)"}      after its first batches,
                                                                        start-up over
    is told    go SECONDS LEAD
    says       {"samples": 4096, "seconds": 2.004, "cpu_seconds": 3.9}  after LEAD seconds that
                                                                        count nothing
The process is stopped (SIGSTOP) between two measurements; LEAD uses up what was ready before.
"""

import json
import os
import sys
import time

from images import finished
from process_tree import cpu_seconds

WARM_UP_BATCHES = 16


def own_stdout():
    """Standard output for our answers alone: what a library prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return answers


def look(batch, settings):
    return check(batch.shape, str(batch.dtype).replace("torch.", ""), settings)


def check(shape, dtype, settings):
    """A batch has the rows, the side and the three channels that were asked for, in whatever order
    of axes. Returns its type and shape."""
    shape = tuple(shape)
    wanted = sorted([settings["crop"], settings["crop"], 3])
    if shape[0] != settings["batch_size"] or sorted(shape[1:]) != wanted:
        raise ValueError(
            f"a batch of shape {shape}, not {settings['batch_size']} x {settings['crop']}^2 x 3"
        )
    return f"{dtype} {shape}"


def measure(batches, settings, seconds, lead):
    ahead = 2 * settings["workers"] * settings["prefetch"]  # more than any of the peers holds ready
    end = time.perf_counter() + lead
    while ahead > 0 or time.perf_counter() < end:
        next(batches)
        ahead -= 1
    count, cpu, begin = 0, cpu_seconds(os.getpid()), time.perf_counter()
    while True:
        next(batches)
        count += 1
        now = time.perf_counter()
        if now - begin >= seconds:
            break
    return {
        "samples": count * settings["batch_size"],
        "seconds": now - begin,
        "cpu_seconds": cpu_seconds(os.getpid()) - cpu,
    }


def serve(make_batches, stored=None, write=None, look=look):
    """`make_batches(settings)` iterates for ever over batches; `write(settings, path)` makes the
    peer's own format, called `stored` in the folder of what peers convert: settings["stored"]."""
    settings = json.loads(sys.argv[1])
    answers = own_stdout()
    if write:
        settings["stored"] = os.path.join(settings["work"], stored)
        finished(settings["stored"], lambda path: write(settings, path))
    batches = iter(make_batches(settings))
    first = look(next(batches), settings)
    for _ in range(WARM_UP_BATCHES):
        next(batches)
    print(json.dumps({"ready": True, "first": first}), file=answers)
    for line in sys.stdin:
        word, *numbers = line.split()
        if word != "go":
            break
        print(json.dumps(measure(batches, settings, *map(float, numbers))), file=answers)
    answers.flush()
    os._exit(0)  # not every peer's threads end when asked
