#!/usr/bin/python3
"""In place of an interpreter: writes what is no message, as BABBLE says, and waits."""

import os
import sys
import time

what = os.environ.get("BABBLE", "nonsense")
if what == "nonsense":
    os.write(3, b"this is no message of ours at all\n" * 10)
elif what == "half":
    os.write(3, (500).to_bytes(4, "little") + (0).to_bytes(4, "little") + b'{"type": "hel')
    sys.exit(0)
elif what == "huge":
    os.write(3, (2**32 - 1).to_bytes(4, "little") * 2 + b"{")
time.sleep(3600)
