"""The modal model of users' estimates (Tsafrir, Etsion and Feitelson, JSSPP 2005),
advocated by heel-and-toe.

It first makes a distribution of estimates, a few round values that most jobs share and a tail of
rarer ones, and then assigns them to the jobs. ``docs/decisions/heel_and_toe.md`` lists our
decisions where its description is incomplete.
"""

import math
from dataclasses import dataclass

import numpy as np

from replication.simulator.choices import Number, option
from replication.simulator.estimates.models import EstimateError, EstimateModel
from replication.simulator.kernels import supply as kernel
from replication.simulator.workload import generator

MINUTE, HOUR = 60, 3600
HEAD = 20  # popular values
HEAD_SHARE = 0.89  # of the jobs that use them
SMALLEST_E_MAX = HOUR
# Distinct estimates by number of jobs, joined by straight lines.
DISTINCT = ((0, 20, 200, 1000, 10_000, 70_000, 250_000), (0, 10, 20, 35, 90, 340, 565))
ROUND = (
    *(m * MINUTE for m in (5, 10, 15, 20, 30)),
    *(h * HOUR for h in (1, 2, 3, 4, 5, 6, 8, 10, 12, 18)),
)
# The last step is ours: a short E_max has fewer than 20 multiples of five minutes.
STEPS = (*(h * HOUR for h in (200, 100, 50, 10, 5, 2, 1)), *(m * MINUTE for m in (20, 10, 5, 1)))
# Popularity rank of the value at each time rank (E_max, then ascending) in four logs of the
# archive, a line each.
RANKS = tuple(
    zip(
        (3, 1, 4, 17, 13, 7, 8, 18, 2, 6, 16, 10, 5, 15, 14, 19, 11, 12, 9, 20),
        (1, 3, 4, 2, 12, 9, 8, 18, 6, 7, 11, 20, 16, 5, 14, 13, 10, 15, 17, 19),
        (1, 4, 10, 14, 20, 2, 3, 7, 12, 6, 19, 5, 18, 16, 9, 17, 15, 13, 8, 11),
        (1, 6, 5, 3, 7, 2, 18, 19, 4, 11, 20, 9, 10, 14, 13, 16, 15, 17, 8, 12),
    )
)
MOVES = (30, -30, 20, -20, 10, -10)  # s, tried where a tail value is taken


@dataclass(frozen=True)
class Modal(EstimateModel):
    """The modal model of users' estimates (Tsafrir, Etsion and Feitelson, JSSPP 2005).

    A few round values are the estimates of most jobs, and E_max is the most frequent.
    """

    e_max: int = option(allowed=Number(SMALLEST_E_MAX, whole=True), about="the longest estimate, s")
    share: float | None = option(
        None,
        Number(0, 1, or_none=True),
        "share of the jobs that use E_max; the model's own by default",
    )

    def estimate(self, workload, seed) -> np.ndarray:
        """Return the estimates.

        Parameters
        ----------
        workload : Workload
        seed : int

        Returns
        -------
        int64[n], s
            No estimate is below the job's run time.

        Raises
        ------
        EstimateError
            If run times are above `e_max`, or the modes cannot cover them.
        """
        longest = int(workload.run_time.max())
        if longest > self.e_max:
            raise EstimateError(
                f"{workload.name}: run times reach {longest} s, allowed: up to E_max "
                f"{self.e_max} s (see estimates.cut_runs)"
            )
        supply, random = self._supply(workload, seed)
        order = np.argsort(-workload.run_time, kind="stable")
        dealt = np.empty(len(workload), np.int64)
        stuck = kernel.deal(workload.run_time[order], supply, random.random(len(workload)), dealt)
        if stuck >= 0:
            raise EstimateError(
                f"{workload.name}: {stuck + 1} jobs run {workload.run_time[order[stuck]]} s or "
                f"longer, but only {stuck} estimates are that long; raise E_max ({self.e_max} s) "
                "or its share"
            )
        estimate = np.empty(len(workload), np.int64)
        estimate[order] = dealt
        return estimate

    def covers(self, workload, seeds=(1,)) -> bool:
        """Return whether the model has an estimate for every run time of a workload,
        with each of the seeds.
        """
        longest_first = np.sort(workload.run_time)[::-1]
        return all((self._supply(workload, seed)[0] >= longest_first).all() for seed in seeds)

    def _supply(self, workload, seed):
        """Return all estimates, the longest first, and the random generator that assigns them."""
        n, fixed = len(workload), [] if self.share is None else [(self.e_max, self.share)]
        random = generator(workload.draw_key, n, "modal", self.e_max, fixed, int(seed))
        return np.repeat(*modes(n, self.e_max, self.share, random))[::-1].copy(), random


def modes(n, e_max, share, random) -> tuple[np.ndarray, np.ndarray]:
    """Return the distribution of estimates: distinct values, ascending, s,
    and the number of jobs with each, two int64[k].

    The jobs add up to `n`. `share` is the known share of E_max, or None.
    """
    distinct = max(HEAD, round(float(np.interp(n, *DISTINCT))))
    by_rank = {x: (14.0491 * math.exp(-0.177531 * x) + 0.462513) / 100 for x in range(2, HEAD + 1)}
    by_rank[1] = HEAD_SHARE - sum(by_rank.values())
    order = ranks(share is not None, random)
    shares = {time: by_rank[rank] for time, rank in zip(head_times(e_max), order, strict=True)}
    head = max(HEAD_SHARE, share or 0) if distinct > HEAD else 1.0
    times = [time for time in shares if share is None or time != e_max]
    scale = (head - (share or 0)) / sum(shares[time] for time in times)
    shares |= {time: shares[time] * scale for time in times}
    if share is not None:
        shares[e_max] = share
    tail = tail_times(e_max, distinct, set(shares))
    weights = 795.6 * np.arange(HEAD + 1.0, HEAD + 1 + len(tail)) ** -2.267
    rare = random.permutation((1 - head) * weights / weights.sum())
    return job_counts(shares | dict(zip(tail, rare, strict=True)), e_max, share, n)


def head_times(e_max) -> list[int]:
    """Return the 20 popular values, s: E_max first, then ascending."""
    chosen = [e_max] + [time for time in ROUND if time < e_max]
    for step in STEPS:
        for time in range((e_max - 1) // step * step, 0, -step):
            if len(chosen) < HEAD and time not in chosen:
                chosen.append(time)
    return [e_max, *sorted(chosen[1:HEAD])]


def ranks(e_max_known, random) -> list[int]:
    """Return the popularity rank of each popular value: that of E_max, then by ascending time.

    Two ranks are drawn from the unused ones that occur in the logs at that place or before it, and
    the more popular one is taken. A rank that does not occur later is taken at once. E_max is the
    most popular unless its share is known.
    """
    last = {
        rank: max(t for t, row in enumerate(RANKS) if rank in row) for rank in range(1, HEAD + 1)
    }
    drawn, pool = [], []
    for place, row in enumerate(RANKS):
        pool += [rank for rank in row if rank not in drawn]
        overdue = min(((last[rank], rank) for rank in pool if last[rank] <= place), default=None)
        if place == 0 and not e_max_known:
            rank = 1
        elif overdue:
            _, rank = overdue
        else:
            rank = min(pool[k] for k in random.integers(len(pool), size=2))
        drawn.append(rank)
        pool = [candidate for candidate in pool if candidate != rank]
    return drawn


def tail_times(e_max, distinct, taken) -> list[int]:
    """Return the rarer values, s, up to `e_max` and different from those in `taken`."""
    taken, times = set(taken), []
    a = 1 + 12.1039 * distinct**-0.6026
    for i in range(1, distinct - HEAD + 1):
        x = i / (distinct - HEAD)
        time = round(e_max * (a - 1) * x / (a - x) / MINUTE) * MINUTE
        fits = [
            time + move
            for move in (0, *MOVES)
            if 0 < time + move <= e_max and time + move not in taken
        ]
        if fits:
            times.append(fits[0])
            taken.add(fits[0])
    return times


def job_counts(shares, e_max, share, n) -> tuple[np.ndarray, np.ndarray]:
    """Return distinct estimates, s, and the number of jobs with each, two int64[k];
    the numbers add up to `n`.

    A known `share` of the jobs has E_max; the other numbers are rounded by largest remainder.
    """
    times = np.array(sorted(shares), np.int64)
    wanted = np.array([shares[int(time)] for time in times]) * n
    fixed = (times == e_max) & (share is not None)
    jobs = np.zeros(len(times), np.int64)
    jobs[fixed] = round((share or 0) * n)
    jobs[~fixed] = _apportion(wanted[~fixed], n - int(jobs.sum()))
    return times[jobs > 0], jobs[jobs > 0]


def _apportion(wanted, total):
    """Return whole numbers in proportion to `wanted`, of sum `total`, by largest remainder."""
    if total == 0:
        return np.zeros(len(wanted), np.int64)
    exact = wanted * (total / wanted.sum())
    parts = np.floor(exact).astype(np.int64)
    parts[np.argsort(parts - exact, kind="stable")[: total - int(parts.sum())]] += 1
    return parts
