"""Deal a supply of estimates to jobs so that none falls below its job's run time."""

from numba import njit


@njit(nogil=True, cache=True)
def deal(run_time, supply, draws, dealt):
    """Draw for each job one of the unused estimates that are not below its run time,
    with equal probabilities.

    Parameters
    ----------
    run_time, supply : int64[n], s
        Both descending; `supply` is overwritten.
    draws : float64[n]
        In [0, 1), one for each job.
    dealt : int64[n], s, out

    Returns
    -------
    int
        -1, or the first job for which no estimate is left.
    """
    offered = kept = 0  # supply[:kept] are the unused estimates that are long enough
    for k in range(len(run_time)):
        while offered < len(supply) and supply[offered] >= run_time[k]:
            supply[kept] = supply[offered]
            offered += 1
            kept += 1
        if kept == 0:
            return k
        chosen = int(draws[k] * kept)
        dealt[k] = supply[chosen]
        kept -= 1
        supply[chosen] = supply[kept]
    return -1
