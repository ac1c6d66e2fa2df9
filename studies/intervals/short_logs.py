"""Coverage of intervals over weeks on short logs, pieces of long synthetic logs.

A long log has users that come and go, batches of alike jobs, run times with a heavy tail, and weeks
whose loads follow each other. It is simulated once under three schedulers and cut into short logs.
The effect is the logarithm of the quotient of a measure under f = 1, or under random exceptions,
and under perfect estimates; the true effect is its mean over all short logs of a length. Compared
are the package's interval and ways to improve it for AP0WAF and AP1WAF, in which a few jobs decide.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

import replication as rp
from interval_coverage import MEASURES, PRIORITY, WEEK
from replication.simulator.schedules import intervals, measures

MACHINE, JOBS_A_WEEK, USERS = 64, 250, 12
LONGEST = 36 * 3600  # s, before run times are scaled to the load
LENGTHS = (8, 12, 20, 48)  # weeks
EFFECTS = ("f = 1", "random exceptions")
USED = "as used"


class Process(NamedTuple):
    """The law of a long log."""

    load: float
    correlation: float  # of the logarithms of arrival rates of successive weeks
    spread: float  # standard deviation of these logarithms
    tail: float  # exponent of the Pareto distribution of run times
    batch: int  # mean number of alike jobs that are submitted together


#: Chosen so that mean waits are 20 to 100 hours, before any coverage was computed.
PROCESSES = (
    Process(0.47, 0.3, 0.25, 1.6, 3),
    Process(0.42, 0.6, 0.25, 1.6, 3),
    Process(0.50, 0.3, 0.30, 1.8, 5),
    Process(0.42, 0.6, 0.35, 1.4, 8),
    Process(0.55, 0.3, 0.15, 2.0, 3),
    Process(0.45, 0.8, 0.30, 1.5, 5),
)


def long_log(process, weeks, seed):
    """Return a long log of a process as a workload with perfect estimates."""
    random = np.random.default_rng([seed, weeks])
    normal = random.normal(0, 1, weeks)
    for k in range(1, weeks):
        innovation = np.sqrt(1 - process.correlation**2) * normal[k]
        normal[k] = process.correlation * normal[k - 1] + innovation
    rate = JOBS_A_WEEK * np.exp(process.spread * normal - process.spread**2 / 2)
    left, users = np.zeros(USERS), np.zeros((USERS, 3))  # weeks; run time, size, weight
    columns = []
    for week in range(weeks):
        for k in np.flatnonzero(left <= 0):
            size, weight = 2.0 ** random.integers(0, 7), random.pareto(2.5) + 0.3
            users[k] = np.exp(random.normal(7, 0.7)), size, weight
            left[k] = random.geometric(1 / 8)
        left -= 1
        batches = random.poisson(rate[week] / process.batch)
        of_user = random.choice(USERS, batches, p=users[:, 2] / users[:, 2].sum())
        jobs = random.geometric(1 / process.batch, batches)
        start = np.repeat((week + random.uniform(0, 1, batches)) * WEEK, jobs)
        run_time = users[of_user, 0] * (random.pareto(process.tail, batches) + 0.1)
        size = users[of_user, 1] * 2.0 ** random.integers(-1, 2, batches)
        number = np.arange(len(start)) - np.repeat(np.cumsum(jobs) - jobs, jobs)
        alike = np.exp(random.normal(0, 0.3, len(start)))
        columns.append(
            [start + 60 * number, np.repeat(run_time, jobs) * alike, np.repeat(size, jobs)]
        )
    submit, run_time, size = np.concatenate(columns, axis=1)
    order = np.argsort(submit, kind="stable")
    order = order[submit[order] < weeks * WEEK]
    run_time = np.clip(run_time[order], 10, LONGEST)
    size = np.clip(size[order], 1, MACHINE).astype(np.int64)
    scale = process.load * MACHINE * weeks * WEEK / (size * run_time).sum()
    run_time = np.maximum(1, scale * run_time).astype(np.int64)
    return rp.synthetic(len(order), MACHINE, 0.5).replace(
        submit=submit[order].astype(np.int64),
        processors=size,
        run_time=run_time,
        estimate=run_time,
        draw_key=f"short logs {seed} {weeks}",
    )


def weekly_sums(jobs):
    """Return the sums over weeks from which effects are made, float64[weeks, measures, 3
    schedules, 2].
    """
    exceptions = rp.PaperEASY(let_past=0.25)
    runs = (rp.EASY(), rp.Perfect()), (rp.EASY(), rp.FModel(1)), (exceptions, rp.Perfect())
    _, week = np.unique(jobs.submit // WEEK, return_inverse=True)
    size, run_time, ones = jobs.processors, jobs.run_time.astype(float), np.ones(len(jobs))
    arms = []
    for run in runs:
        wait = rp.simulate(jobs, *run).wait.astype(float)
        flow, area = wait + run_time, size * run_time
        priority = size * (flow**2 - wait**2)
        slowdown = measures.bounded_slowdown(wait, run_time)
        pairs = (wait, ones), (slowdown, ones), (area * flow, area), (priority * flow, priority)
        arms.append([[np.bincount(week, column) for column in pair] for pair in pairs])
    return np.array(arms).transpose(3, 1, 0, 2)


def effects(sums):
    """Return the effects of sums, float64[..., measures, 3, 2] -> float64[..., measures, 2]."""
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.log(sums[..., 0] / sums[..., 1])
    return means[..., 1:] - means[..., :1]


class Method(NamedTuple):
    """An interval of a jackknife over blocks of weeks, and its differences from the package's."""

    blocks: int = intervals.BLOCKS  # at least, where a log has so many weeks
    freedom: float = 1.0  # factor on the degrees of freedom of the package
    above: float = 1.0  # the same at the upper end alone
    skewness: bool = False  # Johnson's correction of the mean


METHODS = {
    USED: Method(),
    "12 blocks": Method(blocks=12),
    "half the degrees of freedom": Method(freedom=0.5),
    "both": Method(blocks=12, freedom=0.5),
    "half at the upper end": Method(above=0.5),
    "skewness corrected": Method(skewness=True),
}


def ends(sums, method):
    """Return both ends of the intervals of several logs, float64[2, logs, measures, 2].

    Parameters
    ----------
    sums : float64[logs, weeks, measures, 3, 2]
    method : Method
    """
    weeks = sums.shape[1]
    count = max(weeks // intervals.BLOCK, min(weeks, method.blocks))
    block = np.arange(weeks) * count // weeks
    parts = np.add.reduceat(sums, np.flatnonzero(np.diff(block, prepend=-1)), axis=1)
    whole = parts.sum(axis=1, keepdims=True)
    pseudo = count * effects(whole) - (count - 1) * effects(whole - parts)
    mean, spread = pseudo.mean(axis=1), pseudo.std(axis=1)
    deviation = (pseudo - mean[:, None]) / spread[:, None]
    if method.skewness:
        mean = mean + (deviation**3).mean(axis=1) * spread / (6 * count)
    factor = np.where(np.isin(MEASURES, PRIORITY), intervals.PRIORITY, intervals.PLAIN)[:, None]
    wanted = method.freedom * factor * count / ((deviation**4).mean(axis=1) - 1)
    error = pseudo.std(axis=1, ddof=1) / np.sqrt(count)
    t_low, t_high = (
        stats.t.ppf(0.975, np.clip(part * wanted, 1.2, (count - 1) / 2))
        for part in (1, method.above)
    )
    return np.array([mean - t_low * error, mean + t_high * error])


def coverage(sums, lengths=LENGTHS):
    """Return the share of the short logs whose interval holds the true effect.

    Parameters
    ----------
    sums : float64[weeks, measures, 3, 2]
        Of `weekly_sums`.
    lengths : sequence of int
        Weeks of the short logs.

    Returns
    -------
    pandas.DataFrame
        Columns weeks, method, measure, effect; the number of logs with an interval; coverage, above
        (the true effect lies above the interval), and width, the median over the logs.
    """
    rows = []
    for weeks in lengths:
        logs = sums[: len(sums) // weeks * weeks].reshape(-1, weeks, *sums.shape[1:])
        with np.errstate(divide="ignore", invalid="ignore"):
            ends_of = {name: ends(logs, method) for name, method in METHODS.items()}
        # All methods are compared on the same logs: those with an interval under each.
        defined = np.all(
            [np.isfinite(both).all(axis=(0, 2, 3)) for both in ends_of.values()], axis=0
        )
        true = effects(logs.sum(axis=1))[defined].mean(axis=0)
        for name, both in ends_of.items():
            low, high = both[:, defined]
            columns = (low <= true) & (true <= high), true > high
            shares = [column.mean(axis=0) for column in columns]
            shares.append(np.median(high - low, axis=0))
            for m, e in np.ndindex(true.shape):
                key = [weeks, name, MEASURES[m], EFFECTS[e], int(defined.sum())]
                rows.append([*key, *(float(share[m, e]) for share in shares)])
    columns = "weeks method measure effect logs coverage above width".split()
    return pd.DataFrame(rows, columns=columns)


def overview(table):
    """Return coverage by length, measure and method over all processes and effects: least, mean and
    most; the mean of *above*; and the width over that of the package.
    """
    keys = ["process", "weeks", "measure", "effect"]
    used = table[table["method"] == USED].set_index(keys)["width"].rename("used")
    table = table.join(used, on=keys)
    table["relative width"] = table["width"] / table["used"]
    by = table.groupby(["weeks", "measure", "method"], sort=False)
    return by.agg(
        least=("coverage", "min"),
        mean=("coverage", "mean"),
        most=("coverage", "max"),
        above=("above", "mean"),
        width=("relative width", "mean"),
    ).reset_index()
