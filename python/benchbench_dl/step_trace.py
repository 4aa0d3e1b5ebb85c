"""Are steps still getting faster or slower? The rule of benchbench's own step trace
(harness/series/step_trace.cpp)."""

import math

BINS = 64
_NORMAL_95 = 1.959964
_T_95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447)


class StepTrace:
    """The durations of any number of steps in at most 64 bins of equally many steps, the width
    doubling as it fills."""

    def __init__(self):
        self.steps, self.time = 0, 0
        self._bins, self._width = [], 1

    def add(self, ns):
        if not self._bins or self._bins[-1][1] == self._width:
            if len(self._bins) == BINS:
                self._bins = [
                    [a[0] + b[0], a[1] + b[1]] for a, b in zip(self._bins[::2], self._bins[1::2])
                ]
                self._width *= 2
            self._bins.append([0, 0])
        self._bins[-1][0] += ns
        self._bins[-1][1] += 1
        self.steps += 1
        self.time += ns

    def slope_share(self):
        """How much the step time changed from the first to the last bin, as a share of its mean; 0
        where noise explains it."""
        means = [total / count for total, count in self._bins if count == self._width]
        if len(means) < 3 or sum(means) <= 0:
            return 0.0
        slope = _straight_line(means) if len(means) < 8 else _median_line(means)
        return slope * (len(means) - 1) / (sum(means) / len(means))


def _straight_line(y):
    n, mean = len(y), sum(y) / len(y)
    x = [i - (n - 1) / 2 for i in range(n)]
    xx = sum(a * a for a in x)
    xy = sum(a * (b - mean) for a, b in zip(x, y))
    slope = xy / xx
    error = math.sqrt(max(0.0, sum((b - mean) ** 2 for b in y) - slope * xy) / (n - 2) / xx)
    return slope if abs(slope) > _T_95[n - 3] * error else 0.0


def _median_line(y):
    slopes = sorted((y[j] - y[i]) / (j - i) for i in range(len(y)) for j in range(i + 1, len(y)))
    rising = sum((slope > 0) - (slope < 0) for slope in slopes)
    n = len(y)
    spread = math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
    return 0.0 if abs(rising) - 1 <= _NORMAL_95 * spread else slopes[len(slopes) // 2]


class WarmUp:
    """When the warm-up ends: harness/trial/warm_up.cpp, but in groups of one batch a worker, which
    arrive in bursts."""

    def __init__(self, fixed, cap, window, slope):
        self._fixed, self._cap, self._window, self._slope = fixed, cap, window, slope
        self._block = StepTrace()
        self._looked_at = self._looked_at_time = 0
        self.steady = False

    def done_after(self, group, ns, since_request):
        """After each group of steps that follows the discarded ones."""
        if self._fixed is not None:
            return self.is_over(since_request)
        self._looked_at += group
        self._looked_at_time += ns
        self._block.add(ns)
        if self._block.steps >= 3 and self._block.time >= self._window / 4:
            self.steady = abs(self._block.slope_share()) <= self._slope
            if self.steady:
                return True
            self._block = StepTrace()
        if self._cap is not None:
            return self.is_over(since_request)
        # Three groups show a slope, however long each is.
        least = max(10, 3 * group)
        return self._looked_at_time >= 2 * self._window and self._looked_at >= least

    def is_over(self, since_request):
        """True if its time has passed, whatever the steps took."""
        self.steady = self.steady or self._fixed is not None
        limit = self._cap if self._fixed is None else self._fixed
        return limit is not None and since_request >= limit
