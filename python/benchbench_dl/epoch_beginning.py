"""An epoch's beginning: what is waited for its first batches. The first one takes long where
workers have to make it, but then those that others made meanwhile come at once: a gap is what all
of them took beyond as many usual waits."""


class EpochBeginning:
    """`gap_ns`: from the epoch before to this one's first batch; `prefetched`: batches that the
    workers make at once."""

    def __init__(self, gap_ns, prefetched):
        self.first_ns = self.ns = gap_ns
        self.batches, self._most = 1, max(1, prefetched)

    def add(self, waited_ns):
        """The next batch. Whether it was the last of the beginning, or none of it."""
        if self.batches < self._most:
            self.ns += waited_ns
            self.batches += 1
        return self.batches >= self._most


def mean(values):
    """None: there are none."""
    return round(sum(values) / len(values)) if values else None


def facts(beginnings, else_ns=None):
    """Means, of those that are whole where some are. `else_ns`: to a first batch, where no
    beginning was seen."""
    most = max((one.batches for one in beginnings), default=1)
    whole = [one.ns for one in beginnings if one.batches == most]
    return {
        "epoch_gap_ns": mean(whole) if whole else else_ns,
        "epoch_gap_batches": most,
    }
