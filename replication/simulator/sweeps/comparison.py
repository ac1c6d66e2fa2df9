"""Compare schedulers by their measures."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from replication.simulator.estimates import EstimateModel, Users
from replication.simulator.observation import observe
from replication.simulator.schedulers import Scheduler
from replication.simulator.schedules import intervals as over_weeks
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

#: A maximum has no interval, as it does not depend on most weeks.
MAXIMA = ("max_wait", "max_bounded_slowdown")
#: Measures weighted by areas and waits.
PRIORITY = ("ap0waf", "ap1waf")


def compare(
    workloads: Workload | Mapping | Iterable[Workload | Mapping],
    schedulers: Scheduler | Iterable[Scheduler],
    estimates: EstimateModel | Iterable[EstimateModel] | None = None,
    seed: int = 1,
    *,
    measures: Measure | Iterable[Measure] | None = None,
    trim: Trim = True,
    intervals: bool = False,
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
    intervals : bool
        Compare each scheduler with the first one, with confidence intervals over the weeks of the log (see
        `replication.simulator.schedules.intervals`), which must have three weeks with jobs.

    Returns
    -------
    pandas.DataFrame
        A row for each combination: log, stand_in, scheduler, estimates, seed and the measures. With `intervals`, a row
        for each measure: its value, the difference from the first scheduler, and the ends (low, high) of that
        difference's 95 % confidence interval.

    Raises
    ------
    SimulationError, SchedulerError, EstimateError, MeasureError
        For values that are no scheduler, estimate or measure, for two workloads of one name, for a scheduler given twice, and
        for intervals of maxima, of measures of observed runs, or of logs that are too short.

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
    if intervals:
        _check_intervals(names, logs)
    identities = [code.identity(one) for one in schedulers]
    if not schedulers or len({*identities}) < len(identities):
        raise SimulationError(f"schedulers {schedulers}; allowed: one or more, each once")
    rows, labels = [], code.labels(schedulers)
    for workload in logs:
        for model in models:
            several = [
                _measured(workload, one, model, seed, names, trim, intervals) for one in schedulers
            ]
            for scheduler, label, found in zip(schedulers, labels, several, strict=True):
                row = {"log": workload.name, "stand_in": workload.stand_in, "scheduler": label}
                row |= {"estimates": repr(resolve(model, scheduler, workload)), "seed": seed}
                if not intervals:
                    rows.append(row | found[0])
                    continue
                for name, value in found[0].items():
                    own, first = (
                        np.array([part[name] for part in one]) for one in (found, several[0])
                    )
                    factor = over_weeks.PRIORITY if name in PRIORITY else over_weeks.PLAIN
                    ends = over_weeks.interval(own - first, factor)
                    numbers = dict(zip(("difference", "low", "high"), ends, strict=True))
                    rows.append(row | {"measure": name, "value": value} | numbers)
    return Results(rows)


def _check_intervals(names, logs):
    """Raise SimulationError for measures and logs that have no intervals over weeks."""
    if largest := [name for name in names if str(name).endswith(("_p100", *MAXIMA))]:
        raise SimulationError(
            f"intervals: {largest[0]} depends on one job; allowed: measures that are no maximum"
        )
    if observed := [name for name in names if name in measuring.OBSERVED]:
        raise SimulationError(
            f"intervals: {observed[0]} belongs to a whole run; allowed: measures over the jobs of a schedule"
        )
    for workload in logs:
        if (weeks := len(np.unique(over_weeks.blocks(workload.submit)))) < over_weeks.FEWEST:
            raise SimulationError(
                f"intervals: {workload.name} has {weeks} weeks with jobs; "
                f"allowed: logs of {over_weeks.FEWEST} weeks or more"
            )


def _measured(workload, scheduler, estimates, seed, names, trim, intervals):
    """Return the measures of a simulation; with intervals, then those without each block of weeks."""
    if not intervals:
        return [measure(workload, scheduler, estimates, seed, names, trim)]
    schedule = simulate(workload, scheduler, estimates, seed)
    parts = [schedule, *over_weeks.schedules_without(schedule)]
    return [measuring.of(one, names, trim) for one in parts]


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
