"""The process that benchbench starts in the user's interpreter: PYTHON start_child.py. See
PROTOCOL.md."""

import os
import sys


def reserve_standard_streams():
    """Where 0, 1 or 2 is closed, whatever the user's code opens next would become its standard
    output."""
    while True:
        descriptor = os.open(os.devnull, os.O_RDWR)
        if descriptor > 2:
            os.close(descriptor)
            return
        os.set_inheritable(descriptor, True)


def main():
    reserve_standard_streams()
    folder = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0] or ".") == folder:
        del sys.path[0]
    sys.path.append(folder)
    from benchbench_dl.serve.conversation import hold_conversation

    hold_conversation()


if __name__ == "__main__":
    main()
