"""A peer that answers by the protocol with rates that it is given, and measures nothing.

    fake_peer.py '{"rates": [100, 110], "cpu_share": 2.0, "crash_at": 1, "words": "..."}'
The n-th slice has rates[n] samples a second; at slice `crash_at` (-1: before it is ready) it
crashes with words."""

import json
import sys

told = json.loads(sys.argv[1])
if told.get("crash_at") == -1:
    raise RuntimeError(told["words"])
print(json.dumps({"ready": True, "first": "uint8 (32, 224, 224, 3)"}), flush=True)
for number, line in enumerate(sys.stdin):
    word, seconds, lead = line.split()
    if number == told.get("crash_at"):
        raise RuntimeError(told["words"])
    if "garbage" in told:
        print(told["garbage"], flush=True)
        break
    seconds = float(seconds)
    print(
        json.dumps(
            {
                "samples": told["rates"][number] * seconds,
                "seconds": seconds,
                "cpu_seconds": seconds * told.get("cpu_share", 1.0),
            }
        ),
        flush=True,
    )
