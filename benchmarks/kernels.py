"""The kernels by log, load and number of jobs: plain EASY in nanoseconds a job, the others as ratios to it.

Each log at its own load, then one whose weeks are drawn anew until there are enough jobs, at several loads. Above
90 % of the machine the queue grows for as long as jobs come: the plain C++ loop looks at every waiting job in
every pass, while the kernel's time per job should grow no faster than the logarithm of their number.
"""

import math
import time

from replication.simulator.predictors import Tsafrir
from replication.simulator.resampling import WEEK, ResampledWeeks
from replication.simulator.schedulers import EASY, Conservative

GROWN = "SDSC-BLUE"
LOADS = (0.7, 0.9, 1.0, 1.1)
SIZES = (250_000, 1_000_000)
MORE = 4_000_000
QUADRATIC = 0.9  # the load beyond which what looks at every waiting job is left out


def _watched(workload, estimate, seed):
    return EASY().run_observed(workload, estimate, seed)[0]


#: Columns, each run as a scheduler is. Predicted: by the kernel with predictions, though these are the requests.
KERNELS = {
    "watched": _watched,
    "predicted": EASY().planned,
    "sjf": EASY(candidates="sjf").run,
    "tsafrir": EASY(predictor=Tsafrir()).run,
    "conservative": Conservative().run,
}


def grown(log, jobs, load):
    """Weeks of a log drawn anew until there are enough jobs, with submissions scaled to a load.

    Parameters
    ----------
    log : replication.simulator.workload.Workload
    jobs : int
    load : float
        Of the machine from the first submission to the last.

    Returns
    -------
    replication.simulator.workload.Workload
    """
    weeks = 10 + math.ceil(1.1 * jobs / len(log) * log.span / WEEK)
    made = ResampledWeeks(weeks, jobs).make(log, 1)
    if len(made) < jobs:
        raise SystemExit(f"{log.name}: {weeks:,} weeks have {len(made):,} jobs alone")
    return made.scaled(made.load / load)


def least_seconds(runs, workload, rounds):
    """Least thread time of each way to run a workload, run in turn; and what the first decided each time."""
    least, decided = dict.fromkeys(runs, float("inf")), {}
    for _ in range(rounds):
        for name, run in runs.items():
            began = time.thread_time()
            decided[name] = run(workload, workload.estimate, 1)
            least[name] = min(least[name], time.thread_time() - began)
    return least, decided


def row(workload, kernels, load, rounds):
    """Print a line of the table; the C++ loop must decide as EASY does."""
    least, decided = least_seconds({"EASY": EASY().run} | kernels, workload, rounds)
    for column in ("start", "backfilled"):
        if "C++" in kernels and not (decided["C++"][column] == decided["EASY"][column]).all():
            raise SystemExit(f"{workload.name}: the C++ loop decides otherwise than the kernel")
    of = least["EASY"]
    ratios = "".join(
        f"{least[name] / of:>14.2f}" if name in least else f"{'-':>14}"
        for name in ("C++", *KERNELS)
    )
    name = f"  {workload.name:<10}{load:>5.0%}{len(workload):>11,}"
    print(f"{name}{of / len(workload) * 1e9:>8.0f}{ratios}", flush=True)


def main(workloads, plain=None, rounds=3, more=False):
    """Print the table.

    Parameters
    ----------
    workloads : dict of str to Workload
        `GROWN` among them.
    plain : Callable, optional
        The plain loop, called as a scheduler's `run`.
    rounds : int
        The least time of so many counts.
    more : bool
        Whether `MORE` jobs are simulated too.
    """
    every = KERNELS if plain is None else {"C++": plain} | KERNELS
    for run in (EASY().run, *every.values()):  # compile, or read what was compiled
        few = workloads[GROWN].take(slice(0, 100))
        run(few, few.estimate, 1)
    heads = "".join(f"{name:>14}" for name in ("C++", *KERNELS))
    print(
        f"\nKernels: EASY in ns/job, the others as ratios to it\n  log        load       jobs    EASY{heads}"
    )
    for workload in workloads.values():
        row(workload, every, workload.load, rounds)
    for load in LOADS:
        for jobs in (*SIZES, MORE) if more else SIZES:
            some = every if load <= QUADRATIC and jobs == SIZES[0] else {"watched": _watched}
            row(grown(workloads[GROWN], jobs, load), some, load, 1)
