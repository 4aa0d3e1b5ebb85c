"""Ratios within rounds and their 95 % interval."""

import math
from dataclasses import dataclass

# Student's t, two-sided 95 %, for 1 to 30 degrees of freedom.
T_975 = (
    12.7062,
    4.3027,
    3.1824,
    2.7764,
    2.5706,
    2.4469,
    2.3646,
    2.3060,
    2.2622,
    2.2281,
    2.2010,
    2.1788,
    2.1604,
    2.1448,
    2.1314,
    2.1199,
    2.1098,
    2.1009,
    2.0930,
    2.0860,
    2.0796,
    2.0739,
    2.0687,
    2.0639,
    2.0595,
    2.0555,
    2.0518,
    2.0484,
    2.0452,
    2.0423,
)
Z_975 = 1.959964


def t_975(freedom):
    if freedom <= len(T_975):
        return T_975[freedom - 1]
    z = Z_975  # Cornish and Fisher: right to 0.0001 from 30 on
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


@dataclass(frozen=True)
class Ratio:
    value: float  # geometric mean over the rounds
    low: float
    high: float
    rounds: int


def ratio_of(ours, theirs):
    """Of two {round: rate}: only rounds that have both count. None with fewer than two, which have
    no interval."""
    logs = [math.log(ours[n] / theirs[n]) for n in ours if theirs.get(n, 0) > 0 and ours[n] > 0]
    if len(logs) < 2:
        return None
    mean = sum(logs) / len(logs)
    variance = sum((x - mean) ** 2 for x in logs) / (len(logs) - 1)
    half = t_975(len(logs) - 1) * math.sqrt(variance / len(logs))
    return Ratio(math.exp(mean), math.exp(mean - half), math.exp(mean + half), len(logs))
