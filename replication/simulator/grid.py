"""Many simulations: workloads, loads, schedulers, estimate models and seeds to one tidy table.

A task is one point of the grid with all its seeds. What it finds depends on the task alone, so tasks may run
in any order, on any number of workers, in threads or on other machines. Each task's rows are kept, found
again by a hash of everything they depend on; a run that was stopped goes on where it was.
"""

import hashlib
import json
import os
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
import pyarrow as pa

from replication.simulator import cell, code, engines, kept, observed
from replication.simulator.choices import Choice
from replication.simulator.estimates import EstimateModel, Users
from replication.simulator.kernels import cells
from replication.simulator.measures import WARM_UP
from replication.simulator.resampling import Resampling
from replication.simulator.schedulers import EASY, Scheduler
from replication.simulator.simulation import checked, simulate
from replication.simulator.workload import Workload

RESULTS = kept.RESULTS
LOG = "log"  # what the log's own load is called
JOBS = ("submit", "run_time", "estimate", "processors")
PEOPLE = ("user", "group", "executable", "queue")  # what predictors may go by
TEXTBOOK = EASY()


class SweepError(ValueError):
    """A sweep that cannot be made; the message says what is allowed."""


@dataclass(frozen=True, eq=False)
class Task:
    """One point of the grid.

    Parameters
    ----------
    workload : replication.simulator.workload.Workload
        As simulated: scaled to its load.
    estimates : replication.simulator.estimates.EstimateModel
    scheduler : replication.simulator.schedulers.Scheduler
    seeds : tuple of int
        One row each. What draws nothing needs only one, see `seeds_of`.
    load : str or float
        What the load is called in the table.
    watched : bool
        Whether to measure what `replication.simulator.observed` does; nan otherwise.
    resampling : replication.simulator.resampling.Resampling, optional
        How the workload was drawn, where it was.

    Raises
    ------
    SweepError, SchedulerError, EstimateError
        For what is none of these, for no seeds, and for a scheduler that cannot be watched.
    """

    workload: Workload
    estimates: EstimateModel
    scheduler: Scheduler = TEXTBOOK
    seeds: tuple = (1,)
    load: object = LOG
    watched: bool = False
    resampling: Resampling | None = None

    def __post_init__(self):
        if not isinstance(self.workload, Workload):
            raise SweepError(
                f"workload is a {type(self.workload).__name__}, allowed: a Workload "
                "(from load, or Workload.from_columns)"
            )
        EstimateModel.check(self.estimates)
        Scheduler.check(self.scheduler)
        where = f"{self.workload.name}, {self.load} load"
        if not self.seeds:
            raise SweepError(f"{where}: no seeds, allowed: one or more")
        if self.watched and not isinstance(self.scheduler, EASY):
            raise SweepError(f"{where}: {self.scheduler!r} watched, allowed: any EASY")
        object.__setattr__(self, "seeds", tuple(int(seed) for seed in self.seeds))

    @property
    def jobs(self):
        """Jobs to simulate, over all seeds."""
        return len(self.workload) * len(self.seeds)

    @property
    def left_out(self):
        """How many of the first jobs to end are not measured."""
        return int(len(self.workload) * WARM_UP)

    @property
    def key(self):
        """Hash of all that the rows depend on, in hexadecimal.

        None for what has no source that could be hashed, such as a scheduler of a notebook's own: it is computed
        each time.
        """
        choices = [*_choices(self.scheduler), *_choices(self.estimates)]
        if not all(code.has_source(type(choice).__module__) for choice in choices):
            return None
        by, columns = [cell.__name__], JOBS
        if self.scheduler != TEXTBOOK:
            by = [__name__, *(type(choice).__module__ for choice in choices)]
            columns += PEOPLE
        facts = [
            code.digest(*by, type(self.estimates).__module__),
            engines.fingerprint(self.workload, columns),
            repr(self.scheduler),
            repr(self.estimates),
            self.seeds,
            self.left_out,
            self.watched,
        ]
        return hashlib.sha256(json.dumps(facts, allow_nan=False).encode()).hexdigest()

    @property
    def asked(self):
        """What was asked for, by column of the table; the model's values and the seed aside."""
        drawn = {} if self.resampling is None else {"resampling": repr(self.resampling)}
        return {
            "log": self.workload.name,
            "stand_in": self.workload.stand_in,
            "load": self.load,
            **drawn,
            "scheduler": repr(self.scheduler),
            "estimates": repr(self.estimates),
            "model": self.estimates.name,
        }


def _choices(choice):
    """A choice and those in its options."""
    yield choice
    for one in fields(choice):
        if isinstance(getattr(choice, one.name), Choice):
            yield from _choices(getattr(choice, one.name))


def seeds_of(scheduler, model, seeds):
    """The seeds that make a difference: the first alone where neither draws at random.

    Parameters
    ----------
    scheduler : replication.simulator.schedulers.Scheduler
    model : replication.simulator.estimates.EstimateModel
    seeds : sequence of int

    Returns
    -------
    tuple of int
    """
    choices = [*_choices(scheduler), *_choices(model)]
    drawn = any(getattr(choice, "draws_at_random", True) for choice in choices)
    return tuple(seeds) if drawn else tuple(seeds[:1])


def sweep(
    workloads,
    schedulers=TEXTBOOK,
    estimates=None,
    seeds=1,
    loads=None,
    workers=None,
    watched=False,
    resampling=None,
    **how,
):
    """Simulate every combination; what was simulated before is read.

    Parameters
    ----------
    workloads : Workload or sequence of them
    schedulers : Scheduler or sequence of them
    estimates : EstimateModel or sequence of them, optional
        The workloads' own estimates by default.
    seeds : int or sequence of int
        So many, 1 and upwards, or these. What draws nothing at random runs once, with the first.
    loads : sequence of float, optional
        Offered loads that submissions are scaled to, as shares; None or ``"log"`` among them is the log's own.
    workers : int, optional
        Threads or processes; one for each processor by default.
    watched : bool
        Measure wild backfills, delays and SJFness as well; of EASY only, with predictions too.
    resampling : replication.simulator.resampling.Resampling or sequence of them, optional
        Workloads to draw from each, one for every seed; estimates and predictions are drawn with the same seed.
    **how
        engine, folder and progress, as in `run`.

    Returns
    -------
    pandas.DataFrame
        A row for each simulation: log, stand_in, load, resampling where there is one, scheduler, estimates (as one
        types them), model and its values (such as f and e_max), seed, and the measures of
        `replication.simulator.kernels.cells.ROW`.

    Raises
    ------
    SweepError, SimulationError, SchedulerError, EstimateError
        For what cannot be simulated.

    Examples
    --------
    >>> import replication as rp
    >>> three = rp.Workload.from_columns("three", 4, submit=[0, 1, 2], run_time=[9, 5, 3], processors=[3, 4, 1])
    >>> table = rp.sweep(three, [rp.FCFS(), rp.EASY()], folder=None)
    >>> table["mean_wait"].round(2).tolist()
    [4.0, 0.0]
    """
    seeds = range(1, seeds + 1) if isinstance(seeds, int) else list(seeds)
    tasks = points(
        _several(workloads, Workload),
        [None] if loads is None else _several(loads, float),
        [
            (Scheduler.check(scheduler), EstimateModel.check(model))
            for scheduler in _several(schedulers, Scheduler)
            for model in _several(estimates or Users(), EstimateModel)
        ],
        seeds,
        watched,
        [Resampling.check(one) for one in _several(resampling or (), Resampling)],
    )
    return run(tasks, workers or os.cpu_count() or 1, **how)


def points(workloads, loads, choices, seeds, watched=False, resamplings=()):
    """The tasks of a grid.

    Parameters
    ----------
    workloads : iterable of replication.simulator.workload.Workload
    loads : sequence of float or None
        As in `sweep`.
    choices : sequence of (Scheduler, EstimateModel)
    seeds : sequence of int
    watched : bool
    resamplings : sequence of replication.simulator.resampling.Resampling
        The workloads themselves are simulated where there are none.

    Returns
    -------
    list of Task
    """
    return [
        Task(at, model, scheduler, own or seeds_of(scheduler, model, seeds), called, watched, how)
        for workload in workloads
        for how, own, drawn in _drawn(workload, resamplings, seeds)
        for called, at in at_loads(drawn, loads)
        for scheduler, model in choices
    ]


def _drawn(workload, resamplings, seeds):
    """The workloads to simulate instead of one: how each was drawn, with which seed, and its jobs."""
    if not resamplings:
        yield None, None, workload
    for how in resamplings:
        yield from ((how, (seed,), how.make(workload, seed)) for seed in seeds)


def at_loads(workload, loads):
    """A workload at several loads.

    Parameters
    ----------
    workload : replication.simulator.workload.Workload
    loads : iterable of float or None
        As in `sweep`.

    Yields
    ------
    called : str or float
    workload : replication.simulator.workload.Workload

    Raises
    ------
    SweepError
        For what is no share, and where all jobs are submitted at once.
    """
    for load in loads:
        if load is None or load == LOG:
            yield LOG, workload
            continue
        try:
            share = float(load)
        except (TypeError, ValueError):
            share = np.nan
        if not (0 < share < np.inf and workload.load > 0):
            raise SweepError(
                f"{workload.name}, of load {workload.load:g}: load {load!r}, allowed: a share above 0, or "
                f"{LOG!r}; and only {LOG!r} where all jobs come at once or take no time"
            )
        yield share, workload.scaled(workload.load / share)


def _several(given, kind):
    return [given] if isinstance(given, kind) else list(given)


def compute(task):
    """Simulate a task.

    Parameters
    ----------
    task : Task

    Returns
    -------
    dict of str to list
        Columns seed and `replication.simulator.kernels.cells.ROW`; a row for each seed.
    """
    if task.scheduler == TEXTBOOK:
        rows = cell.rows(
            task.workload, task.estimates, task.seeds, task.left_out, task.watched, checked
        )
    else:
        rows = np.array([_simulated(task, seed) for seed in task.seeds])
    return {"seed": list(task.seeds)} | dict(zip(cells.ROW, rows.T.tolist(), strict=True))


def _simulated(task, seed):
    if task.watched:
        seen = observed.observe(task.workload, task.estimates, seed, task.scheduler)
        found = seen.schedule.measures | seen.measures
    else:
        schedule = simulate(task.workload, task.scheduler, task.estimates, seed)
        found = schedule.measures | observed.backfilling(schedule)
    return [float(found.get(name, np.nan)) for name in cells.ROW]


def run(tasks, workers=1, engine=None, folder=RESULTS, progress=None):
    """Run tasks, or read what was found before.

    Parameters
    ----------
    tasks : iterable of Task
    workers : int
        Threads or processes.
    engine : str or concurrent.futures.Executor, optional
        ``threads``, ``processes``, the address of a Dask scheduler, or an executor; threads by default.
    folder : pathlib.Path, optional
        Where results are kept; nowhere for None.
    progress : bool, optional
        False to say nothing of how far it is, see `replication.simulator.engines.computed`.

    Returns
    -------
    pandas.DataFrame
        As `sweep` gives it, in the order of the tasks and their seeds.
    """
    tasks = list(tasks)
    if not tasks:
        raise SweepError("nothing to simulate; allowed: one workload, scheduler and model or more")
    found = kept.results(tasks, compute, workers, engine, folder, progress)
    asked = pd.DataFrame([task.asked for task in tasks])
    values = {one.name for task in tasks for one in fields(task.estimates)} - {*asked}
    for name in sorted(values):
        own = [getattr(task.estimates, name, None) for task in tasks]
        asked[name] = [np.nan if value is None else value for value in own]
    seeds = [len(task.seeds) for task in tasks]
    asked = asked.loc[np.repeat(np.arange(len(tasks)), seeds)].reset_index(drop=True)
    return pd.concat([asked, pa.concat_tables(found).to_pandas()], axis=1)
