"""Times of one loop of the script over one loader: rows `[ns, count]`."""

import statistics
from array import array

BLOCK = 4096  # ends of steps that are kept one by one


class LoopTimes:
    """Rows of the loop at one line over one loader, over all of its passes."""

    def __init__(self, feed, place):
        self.feed, self.place = feed, place
        self.iter, self.first, self.wait = [0, 0], [0, 0], [0, 0]
        self.step, self.shutdown = [0, 0], [0, 0]
        self.trained = 0  # optimizers' steps with its batches
        # The end of the step that is under way, from its last optimizer's step on: ns, and 1 where
        # there was one.
        self.end = [0, 0]
        self._ends = array("q")  # of the last steps
        self._regular, self._excess = 0, [0, 0]  # of those before

    @property
    def now(self):
        """The row of the script's own code in this loop."""
        return self.end if self.end[1] else self.step

    def goes_on(self):
        """The step that is under way has another optimizer's step: the time since is the step's."""
        self.step[0] += self.end[0]
        self.end[0] = 0

    def ends_step(self):
        """The step that is under way, in which an optimizer has stepped."""
        end, ends = self.end, self._ends
        ends.append(end[0])
        end[0] = end[1] = 0
        if len(ends) == BLOCK:
            self._fold()

    def _fold(self):
        regular, excess = divided(self._ends)
        self._regular += regular
        self._excess = [self._excess[0] + excess[0], self._excess[1] + excess[1]]
        self._ends = array("q")

    def rows(self):
        """Returns {state: (ns, count)}."""
        ends = self._ends + array("q", [self.end[0]] * self.end[1])
        regular, excess = divided(ends)
        return {
            "iter": tuple(self.iter),
            "first": tuple(self.first),
            "wait": tuple(self.wait),
            "step": (self.step[0] + self._regular + regular, self.step[1]),
            "after step": (self._excess[0] + excess[0], self._excess[1] + excess[1]),
            "shutdown": tuple(self.shutdown),
        }


def divided(ends):
    """Returns (ns, (ns, count)): the regular part of steps' ends, which belongs to the steps, and
    what those beyond twice the median take on top of it, such as a histogram each 20 steps."""
    if not ends:
        return 0, (0, 0)
    median = int(statistics.median(ends))
    beyond = [end - median for end in ends if end > 2 * median]
    return sum(ends) - sum(beyond), (sum(beyond), len(beyond))
