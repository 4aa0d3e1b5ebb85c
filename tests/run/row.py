#!/usr/bin/env python3
"""Runs one row of ctest and measures it: row.py ROW COMMAND...

Appends "ROW <tab> SECONDS <tab> CPU" to the file that BENCHBENCH_TEST_TIMES names: the row's time
on the wall, and the seconds of CPU of the command and of all that it waited for. Without the
variable it only becomes the command."""

import os
import resource
import subprocess
import sys
import time


def main(row, *command):
    times = os.environ.get("BENCHBENCH_TEST_TIMES")
    if not times:
        os.execv(command[0], command)
    begin = time.monotonic()
    code = subprocess.call(command)
    seconds = time.monotonic() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(times, "a", encoding="utf-8") as file:
        file.write(f"{row}\t{seconds:.2f}\t{used.ru_utime + used.ru_stime:.2f}\n")
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
