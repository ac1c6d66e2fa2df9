"""Compare schedulers by their measures."""

from collections.abc import Iterable, Mapping
from numbers import Integral

import numpy as np
import pandas as pd

from replication.simulator.estimates import EstimateModel, Users
from replication.simulator.logs.resampling import WEEK, ResampledWeeks
from replication.simulator.observation import observe
from replication.simulator.schedulers import Scheduler
from replication.simulator.schedules import measures as measuring
from replication.simulator.schedules.measures import Measure, Trim
from replication.simulator.simulation import (
    SimulationError,
    as_list,
    as_workloads,
    resolve,
    simulate,
)
from replication.simulator.sweeps import code
from replication.simulator.sweeps.results import Results
from replication.simulator.workload import Workload, check_seed

LEVEL = 0.95  # of confidence intervals
FEWEST = 20  # resampled workloads
FEWEST_WEEKS = 2  # whole weeks of a log; with one, all resampled workloads are equal
#: The bootstrap of a maximum is inconsistent.
MAXIMA = ("max_wait", "max_bounded_slowdown")


def compare(
    workloads: Workload | Mapping | Iterable[Workload | Mapping],
    schedulers: Scheduler | Iterable[Scheduler],
    estimates: EstimateModel | Iterable[EstimateModel] | None = None,
    seed: int = 1,
    *,
    measures: Measure | Iterable[Measure] | None = None,
    trim: Trim = True,
    resampled: int | None = None,
) -> pd.DataFrame:
    """Compare schedulers on workloads by their measures.

    Parameters
    ----------
    workloads : Workload or several
        Workloads of different names; or logs to load, such as ``{"file": "my.swf", "bad_lines": "skip"}``.
    schedulers : Scheduler or several
    estimates : EstimateModel or several, optional
        The workloads' own estimates by default.
    seed : int
        Seed of random estimate models and of random predictors.
    measures : name or function of a schedule, or several, optional
        As in `simulate`; `compare` also takes those of `replication.simulator.schedules.measures.OBSERVED`, of EASY only.
    trim : bool or (float, bool)
        As in `simulate`.
    resampled : int, optional
        Number of workloads, at least 20, drawn from each log by `ResampledWeeks` with as many weeks as the log has, on which each
        scheduler is compared with the first one. All schedulers run on the same workloads. The log must have two weeks.

    Returns
    -------
    pandas.DataFrame
        A row for each combination: log, stand_in, scheduler, estimates, seed and the measures. With `resampled`, a row
        for each measure: its value on the log itself, the difference from the first scheduler, and the ends (low,
        high) of that difference's 95 % confidence interval, from percentiles over the resampled logs. Such intervals hold
        the true difference in 72 to 92 % of simulated cases.

    Raises
    ------
    SimulationError, SchedulerError, EstimateError, MeasureError
        For values that are no scheduler, estimate or measure, for two workloads of one name, for a scheduler given twice, and
        for intervals of maxima or of logs that are too short.

    Examples
    --------
    >>> import replication as rp
    >>> three = rp.Workload.from_columns("three", 4, submit=[0, 1, 2], run_time=[9, 5, 3], processors=[3, 4, 1])
    >>> table = rp.compare(three, [rp.FCFS(), rp.EASY()], measures="max_wait", trim=False)
    >>> table["max_wait"].tolist()
    [12.0, 8.0]
    """
    names, trim = measuring.check_measures(measures, measuring.DEFAULT), measuring.check_trim(trim)
    seed = check_seed(seed)
    logs = as_workloads(workloads)
    schedulers = [Scheduler.check(one) for one in as_list(schedulers, Scheduler)]
    given = Users() if estimates is None else estimates
    models = [EstimateModel.check(one) for one in as_list(given, EstimateModel)]
    if resampled is not None:
        is_whole = isinstance(resampled, Integral) and not isinstance(resampled, bool)
        if not is_whole or resampled < FEWEST:
            raise SimulationError(
                f"resampled {resampled!r}; allowed: a whole number from {FEWEST}, or None"
            )
        if largest := [name for name in names if str(name).endswith(("_p100", *MAXIMA))]:
            raise SimulationError(
                f"resampled: {largest[0]}, whose interval from resampled weeks is wrong; allowed: measures that are no maximum"
            )
        for workload in logs:
            if workload.span < FEWEST_WEEKS * WEEK:
                raise SimulationError(
                    f"resampled: {workload.name} has {workload.span / WEEK:.1f} weeks; "
                    f"allowed: logs of {FEWEST_WEEKS} weeks or more"
                )
    identities = [code.identity(one) for one in schedulers]
    if not schedulers or len({*identities}) < len(identities):
        raise SimulationError(f"schedulers {schedulers}; allowed: one or more, each once")
    rows, labels = [], code.labels(schedulers)
    for workload in logs:
        length = max(round(workload.span / WEEK), 1)
        samples = [ResampledWeeks(length).make(workload, k) for k in range(1, (resampled or 0) + 1)]
        for model in models:
            # The measures of each scheduler on the log and on each sample.
            results = [
                [measure(jobs, one, model, seed, names, trim) for one in schedulers]
                for jobs in (workload, *samples)
            ]
            for k, label in enumerate(labels):
                row = {"log": workload.name, "stand_in": workload.stand_in}
                own = resolve(model, schedulers[k], workload)
                row |= {"scheduler": label, "estimates": repr(own), "seed": seed}
                if resampled is None:
                    rows.append(row | results[0][k])
                    continue
                for name, value in results[0][k].items():
                    differences = [one[k][name] - one[0][name] for one in results]
                    ends = (1 - LEVEL) / 2, (1 + LEVEL) / 2
                    low, high = np.quantile(differences[1:], ends).tolist()
                    numbers = {"difference": differences[0], "low": low, "high": high}
                    rows.append(row | {"measure": name, "value": value} | numbers)
    return Results(rows)


def measure(
    workload: Workload,
    scheduler: Scheduler,
    estimates: EstimateModel,
    seed: int,
    names: tuple[Measure, ...],
    trim: Trim,
) -> dict[str, float]:
    """Return measures of one simulation by name, also those that need an observed run of EASY."""
    if not any(name in measuring.OBSERVED for name in names):
        schedule = simulate(workload, scheduler, estimates, seed)
        return measuring.of(schedule, names, trim)
    seen = observe(workload, estimates, seed, scheduler)
    return measuring.of(seen.schedule, names, trim, seen.measures)
