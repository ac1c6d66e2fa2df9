"""The number of modes of the run times of a class of jobs: Silverman's test.

A kernel density estimate has fewer modes the wider its kernel. The critical width for k modes is
the smallest with at most k. The hypothesis of k modes is rejected if few samples drawn from the
estimate of that width have at most k modes at it (Silverman 1981).
"""

import numpy as np
from scipy import ndimage

from replication.simulator.workload import generator

CELLS = 512
SAMPLES, QUICK_SAMPLES = 2000, 200
LEVEL = 0.05


def how_many(quick) -> int:
    """Return the number of samples, which is smaller at quick scale."""
    return QUICK_SAMPLES if quick else SAMPLES


def critical_width(values, k) -> float:
    """Return the smallest width of a normal kernel, in cells of a grid over the values' range, with
    at most `k` modes.

    The values must not all be equal.
    """
    counts = _binned(values, values.min(), values.max())
    low, high = 0.1, float(CELLS)
    while high / low > 1.01:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if _modes(counts, middle) <= k else (middle, high)
    return high


def p_value(values, k, *key, samples=SAMPLES) -> float:
    """Return the share of samples from the smoothed values that have more than `k` modes at the
    critical width.

    The key is that of the random numbers, see `replication.simulator.workload.generator`.
    """
    width = critical_width(values, k)
    low, high = float(values.min()), float(values.max())
    rng, spread = generator("silverman", k, *key), width * (high - low) / CELLS
    # Shrunk to the variance of the values, which the kernel would have added to.
    shrink = 1 / np.sqrt(1 + (spread / values.std()) ** 2)
    exceed = 0
    for _ in range(samples):
        drawn = rng.choice(values, len(values)) + spread * rng.standard_normal(len(values))
        drawn = values.mean() + shrink * (drawn - values.mean())
        exceed += _modes(_binned(drawn, low, high), width) > k
    return exceed / samples


def _binned(values, low, high):
    """Return counts on a grid with a margin of half the range on both sides, so that smoothing has
    no border.
    """
    margin = (high - low) / 2
    return np.histogram(values, bins=2 * CELLS, range=(low - margin, high + margin))[0]


def _modes(counts, width):
    """Return the number of local maxima of the smoothed counts."""
    smooth = ndimage.gaussian_filter1d(counts.astype(float), width, mode="constant", truncate=6)
    # What is left of rounding in the tails is no mode.
    step = np.sign(np.where(np.abs(np.diff(smooth)) > 1e-9 * smooth.max(), np.diff(smooth), 0))
    step = step[step != 0]
    return int(((step[:-1] > 0) & (step[1:] < 0)).sum())
