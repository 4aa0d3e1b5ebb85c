#!/usr/bin/env python3
"""Answers as the program does where scripts/compare_peers asks it: 1,000 samples/s, 250 ns a null
batch."""

import json
import os
import sys


def after(option):
    return sys.argv[sys.argv.index(option) + 1]


command = sys.argv[1]
if command == "--version":
    print("benchbench 0")
elif command == "data":
    print("image_folder\t/nowhere/images")
elif command == "run":
    assert os.path.exists(sys.argv[2]) and "loader.num_workers=" in " ".join(sys.argv)
    os.makedirs(after("--out"))
    facts = {"samples": 1000, "window_ns": 10**9, "cpu_user_s": 1.5, "cpu_system_s": 0.5}
    with open(os.path.join(after("--out"), "journal.jsonl"), "w") as journal:
        for _ in range(3):
            print(json.dumps({"status": "VALID", "reasons": [], "facts": facts}), file=journal)
elif command == "micro":
    name = sys.argv[2].lstrip("^") + "real_time"
    print(
        json.dumps(
            {
                "benchmarks": [
                    {"name": name, "iterations": 1000, "real_time": 250.0, "time_unit": "ns"}
                ]
            }
        )
    )
else:
    sys.exit(f"error: unknown command {command}")
