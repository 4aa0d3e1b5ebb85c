"""The table with its machine and its settings, as text, JSON and Markdown."""

import dataclasses
import datetime
import json
import os

from contest import machine
from contest.rounds import MOST_LOST_ROUNDS
from contest.rows import markdown

# Options of compare_peers that say what was measured, and not where to write.
NUMBERS = ("rounds", "seconds", "images", "storage_images", "workers", "batch_size", "prefetch")
SETTINGS = (*NUMBERS, "crop", "set", "storage_set", "fio")


def document(rows, details, settings, pins, version):
    return {
        "schema": "benchbench-peers-1",
        "date": datetime.date.today().isoformat(),
        "benchbench": version,
        "machine": machine.facts(),
        "settings": {name: getattr(settings, name) for name in SETTINGS},
        "peers": pins,
        "rows": [dataclasses.asdict(row) for row in rows],
        "contests": details,
    }


def write_json(path, told):
    with open(path, "w") as file:
        json.dump(told, file, indent=1)
        file.write("\n")


def page(told, rows, command):
    m, s = told["machine"], told["settings"]
    return f"""# Peers, {told["date"]}, {m["cpu"]}

{m["cpus"]} CPUs, {m["memory_gib"]} GiB, {m["kernel"]}, governor {m["governor"]},
huge pages {m["huge_pages"]}, Python {m["python"]}.
{told["benchbench"]}

    {command}

{s["rounds"]} rounds of slices of {s["seconds"]:g} s, every contestant once per round in
random order. {s["images"]} images of about 500 x 375 (quality 90), warm, random resized crop
{s["crop"]}, batches of {s["batch_size"]}, {s["prefetch"]} batches prefetched per worker; cold reads
of {s["storage_images"]} images. Columns ours and peer are medians; the ratio is the geometric mean
of the ratios within rounds, its interval Student's t on their logarithms; for times, peer over
ours. "reached" and "missed" require the whole interval to be on one side of the goal. A contestant
that fails loses the round and restarts in the next, and drops out after {MOST_LOST_ROUNDS + 1} lost
rounds; lost rounds are listed.

{markdown(rows)}

Versions: {", ".join(told["peers"])}. What each peer does: `scripts/peers/peer_*.py`.
"""


def publish(folder, told, rows, command):
    """Writes both files; returns their names."""
    os.makedirs(folder, exist_ok=True)
    stem = os.path.join(folder, f"{told['date']}-{machine.slug(told['machine']['cpu'])}")
    write_json(stem + ".json", told)
    with open(stem + ".md", "w") as file:
        file.write(page(told, rows, command))
    return [stem + ".md", stem + ".json"]
