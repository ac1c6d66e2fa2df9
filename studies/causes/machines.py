"""The gain at an equal price on thirteen logs; the rules are in docs/decisions/causes.md."""

import joblib
import numpy as np
import pandas as pd

import prices
from notebooks import placebo
from notebooks.heel_and_toe.trends import ends
from replication import Deterministic, Users, simulate
from replication.simulator.schedules import intervals

#: Prices at which the ways are compared: none, and that of f = 1.
PRICES = (prices.NO_PRICE, 1)
#: A log in which more jobs have no user estimate has the heads of doubled perfect estimates.
MOST_WITHOUT_ESTIMATE = 0.1
WEEKS = ("weeks low", "weeks high")
SIDES = [f"{side} by {what}" for what in ("seeds", "weeks") for side in ("ahead", "behind")]
MEANS = ["mean", "low", "high", "one more low", "one more high"]
UNITS = prices.UNITS | dict.fromkeys((*ends("gain, more"), *WEEKS, *MEANS), prices.POINTS)


def machines(workloads, processors, loads):
    """Return the machines that are compared, by name: each log at its recorded load and size, or at
    another load, and further sizes.

    Parameters
    ----------
    workloads : dict of str to replication.Workload
    processors : dict of str to list of int
        Further sizes of the machine, by log.
    loads : dict of str to float
        Load in place of the recorded one, by log.

    Returns
    -------
    dict of str to replication.Workload
        The names of machines of a size or at a load of their own have it behind the log.
    """
    by_name = {}
    for log, jobs in workloads.items():
        if log in loads:
            by_name[f"{log}, load {loads[log]:g}"] = jobs.at_load(loads[log])
        else:
            by_name[log] = jobs
        for size in processors.get(log, ()):
            by_name[f"{log}, {size} processors"] = jobs.replace(machine=size)
    return by_name


class Runs:
    """The runs of all points on a machine.

    Parameters
    ----------
    jobs : replication.Workload
    points : list of (str, float)
        Ways and levels, of `prices.levels`.
    seeds : list of int
    workers : int
        Threads.

    Attributes
    ----------
    table : pandas.DataFrame
        As `prices.Choice` takes it.
    waits : dict of (str, float) to float64[seeds, 1 + blocks]
        Mean wait of each point, s: of all jobs, then without each block of weeks.
    """

    def __init__(self, jobs, points, seeds, workers=1):
        has_estimates = jobs.without_estimate <= MOST_WITHOUT_ESTIMATE
        is_head = prices.heads(jobs, Users() if has_estimates else Deterministic(1))

        def of_seed(seed):
            shifted = placebo.shifted(jobs, seed)
            for way, level in points:
                wait = simulate(shifted, *prices.choices(way, level, seed), seed).wait
                # Blocks of the recorded submissions, so that all seeds have the same.
                columns = np.column_stack([wait, np.ones(len(wait))])
                sums = intervals.sums_without(columns, jobs.submit)
                yield (way, level), seed, wait[is_head].mean(), intervals.ratio(sums, 0, 1)

        runs = joblib.Parallel(workers, prefer="threads")(
            joblib.delayed(lambda seed: list(of_seed(seed)))(seed) for seed in seeds
        )
        rows, self.waits = [], {}
        for point, seed, heads, means in (run for several in runs for run in several):
            rows.append([*point, seed, means[0], heads])
            self.waits.setdefault(point, []).append(means)
        self.waits = {point: np.array(several) for point, several in self.waits.items()}
        table = pd.DataFrame(rows, columns=["way", "level", "seed", "mean_wait", "heads"])
        start = table[table["level"] == 0]
        others = [start.assign(way=way) for way in (prices.RANDOM, prices.RELAXED)]
        self.table = pd.concat([table, *others], ignore_index=True)

    def gain_without(self, way, weights):
        """Return the gain in the mean wait over all seeds under their mixtures, per cent, in the
        whole log and without each block of weeks: float64[1 + blocks].

        `weights` has a row for each level and a column for each seed, as of `prices.Choice`.
        """
        start = self.waits[prices.F, 0.0]
        waits = (self.waits[way, level] if level else start for level in weights.index)
        mixed = (weights.to_numpy()[:, :, None] * np.array([*waits])).sum(axis=0)
        return 100 * (1 - mixed.mean(axis=0) / start.mean(axis=0))


def equal_price(runs):
    """Return the largest gain of each way on each machine at no price and at that of f = 1.

    Parameters
    ----------
    runs : dict of str to Runs
        By machine.

    Returns
    -------
    pandas.DataFrame
        Columns machine, f and further ones as of `prices.equal_price`, of the mean wait and the
        heads; and the interval over weeks of the difference from the f-model's gain.
    """
    rows = []
    for name, machine_runs in runs.items():
        choice = prices.Choice(machine_runs.table)
        for f in PRICES:
            limits = choice.limit(f)
            weights = {way: choice.weights(way, limits) for way in prices.WAYS}
            gains = {way: machine_runs.gain_without(way, weights[way]) for way in weights}
            for row in prices.at_price(choice, f):
                _, *weeks = intervals.interval(gains[row["way"]] - gains[prices.F])
                more = zip(WEEKS, weeks, strict=True)
                rows.append({"machine": name, "f": f} | row | dict(more))
    return pd.DataFrame(rows)


def over_machines(table, names):
    """Return the mean over machines of the differences from the f-model's gain, with its interval
    and that of one more machine, both Student's.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `equal_price`.
    names : list of str
        The machines that count.

    Returns
    -------
    pandas.DataFrame
        Columns f and way; machines, their number, and those whose interval over seeds and over
        weeks is above and below 0 (ahead, behind); mean, low, high, and one more low, one more
        high, points.
    """
    rows, counted = [], table[table["machine"].isin(names) & (table["way"] != prices.F)]
    for (f, way), part in counted.groupby(["f", "way"], sort=False):
        mean, low, high = prices.student(part["gain, more"])
        wider = np.sqrt(len(part) + 1) * np.array([low - mean, high - mean])
        sides = [
            count
            for ends_ in (ends("gain, more")[1:], WEEKS)
            for count in ((part[ends_[0]] > 0).sum(), (part[ends_[1]] < 0).sum())
        ]
        rows.append([f, way, len(part), *sides, mean, low, high, *(mean + wider)])
    return pd.DataFrame(rows, columns=["f", "way", "machines", *SIDES, *MEANS])
