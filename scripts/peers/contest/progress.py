"""What is going on and how long it will take, on standard error."""

import sys
import time


class Progress:
    """Counts steps of about equal length; the rest of the time is foretold from those done."""

    def __init__(self, steps, seconds_a_step):
        self.steps, self.done, self.begin, self.guess = steps, -1, time.monotonic(), seconds_a_step

    def __call__(self, text):
        self.done += 1
        passed = time.monotonic() - self.begin
        a_step = (passed + 5 * self.guess) / (self.done + 5)
        left = max(0, self.steps - self.done) * a_step
        say(
            f"[{self.done + 1}/{max(self.steps, self.done + 1)}] {text}  |  {left / 60:.1f} min "
            f"left"
        )


def say(text):
    print(f"compare_peers: {text}", file=sys.stderr, flush=True)
