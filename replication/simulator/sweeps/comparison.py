"""Compare schedulers by their measures."""

import os
from collections.abc import Iterable

import numpy as np
import pandas as pd

from replication.simulator.estimates import EstimateModel, Users
from replication.simulator.schedulers import Scheduler
from replication.simulator.schedules import intervals as over_weeks
from replication.simulator.schedules import measures as measuring
from replication.simulator.schedules.measures import Measure, Trim
from replication.simulator.simulation import SimulationError
from replication.simulator.sweeps import grid, keys
from replication.simulator.sweeps.differences import differences
from replication.simulator.sweeps.results import Results
from replication.simulator.sweeps.store import RESULTS
from replication.simulator.workload import Workload, check_seed

#: A maximum has no interval, as it does not depend on most weeks.
MAXIMA = ("max_wait", "max_bounded_slowdown")
#: Columns of a comparison before those of the measures.
FACTS = ("log", "stand_in", "scheduler", "estimates")


def compare(
    workloads: Workload | Iterable[Workload],
    schedulers: Scheduler | str | Iterable[Scheduler | str],
    estimates: EstimateModel | str | Iterable[EstimateModel | str] | None = None,
    seed: int = 1,
    *,
    measures: Measure | Iterable[Measure] | None = None,
    trim: Trim = True,
    intervals: bool = False,
    workers: int | None = None,
    folder: str | os.PathLike | None = RESULTS,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Compare schedulers on workloads by their measures.

    Parameters
    ----------
    workloads : Workload or several
        Workloads of different names.
    schedulers : Scheduler or str, or several
        Text as in `simulate`.
    estimates : EstimateModel or str, or several, optional
        The workloads' own estimates by default. Text may be a range, such as ``"f-model=0:10:1"``.
    seed : int
        Seed of random estimate models and of random predictors.
    measures : name or function of a schedule, or several, optional
        As in `simulate`; `compare` also takes those of
        `replication.simulator.schedules.measures.OBSERVED`, of EASY only.
    trim : bool or (float, bool)
        As in `simulate`.
    intervals : bool
        Compare each scheduler with the first one, with confidence intervals over the weeks of the
        log (see `replication.simulator.schedules.intervals`), which must have three weeks with
        jobs.
    workers, folder, progress
        As in `sweep`: a comparison is a sweep, whose finished results are stored.

    Returns
    -------
    pandas.DataFrame
        A row for each combination: log, stand_in, scheduler, estimates, seed and the measures. With
        `intervals`, a row for each measure: its value, the difference from the first scheduler, and
        the ends (low, high) of that difference's 95 % confidence interval.

    Raises
    ------
    SimulationError, SchedulerError, EstimateError, MeasureError
        For values that are no scheduler, estimate or measure, for two workloads of one name, for a
        scheduler given twice, and for intervals of maxima, of measures of observed runs, or of logs
        that are too short. A simulation that is refused does not stop the others; its error is
        raised at the end.

    Examples
    --------
    >>> import replication as rp
    >>> columns = {"submit": [0, 1, 2], "run_time": [9, 5, 3], "processors": [3, 4, 1]}
    >>> three = rp.Workload.from_columns("three", 4, **columns)
    >>> table = rp.compare(three, [rp.FCFS(), rp.EASY()], measures="max_wait", trim=False)
    >>> table["max_wait"].tolist()
    [12.0, 8.0]
    """
    names = measuring.check_measures(measures, measuring.DEFAULT)
    logs, seed = grid.as_workloads(workloads), check_seed(seed)
    schedulers = Scheduler.check_all(schedulers)
    models = EstimateModel.check_all(Users() if estimates is None else estimates)
    if len({keys.identity(scheduler) for scheduler in schedulers}) < max(len(schedulers), 1):
        raise SimulationError(f"schedulers {schedulers}; allowed: one or more, each once")
    if intervals:
        _check_intervals(names, logs)
    choices = [(scheduler, model) for model in models for scheduler in schedulers]
    tasks = grid.points(logs, [None], choices, [seed], False, names, trim, intervals)
    table = grid.run(tasks, workers, folder, progress)
    columns = [measure.__name__ if callable(measure) else measure for measure in names]
    measuring.warn_of_no_jobs(table)
    facts = [name for name in table.columns[: table.columns.get_loc("seed")] if "load" not in name]
    table = Results(table[[*facts, "seed", *columns, *(["block"] if intervals else [])]])
    if intervals:
        table = Results(differences(table))
    table = Results(table.drop(columns=[name for name in facts if name not in FACTS]))
    table.attrs["asked"] = measures is not None
    return table


def _check_intervals(names, logs):
    """Raise SimulationError for measures and logs that have no intervals over weeks."""
    if largest := [name for name in names if str(name).endswith(("_p100", *MAXIMA))]:
        raise SimulationError(
            f"intervals: {largest[0]} depends on one job; allowed: measures that are no maximum"
        )
    if observed := [name for name in names if name in measuring.OBSERVED]:
        raise SimulationError(
            f"intervals: {observed[0]} belongs to a whole run; allowed: measures over the jobs of "
            "a schedule"
        )
    for workload in logs:
        if (weeks := len(np.unique(over_weeks.blocks(workload.submit)))) < over_weeks.FEWEST:
            raise SimulationError(
                f"intervals: {workload.name} has {weeks} weeks with jobs; "
                f"allowed: logs of {over_weeks.FEWEST} weeks or more"
            )
