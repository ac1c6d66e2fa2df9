"""Sweeps: workloads, loads, schedulers, estimate models and seeds to one tidy table.

A task is one point of the grid with all its seeds. Its rows depend on the task alone, not on order
or number of workers. They are stored under a hash of everything that they depend on. The
jobs of a point are scaled only when they are simulated; stored rows need no jobs.
"""

import functools
import hashlib
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from replication.simulator.choices import Choice
from replication.simulator.errors import InputError
from replication.simulator.estimates import EstimateModel, FModel, Users, cut_runs
from replication.simulator.observation import observe
from replication.simulator.schedulers import EASY, Scheduler
from replication.simulator.schedules import measures
from replication.simulator.schedules.intervals import schedules_without
from replication.simulator.schedules.measures import Measure, Trim, warn_of_no_jobs
from replication.simulator.simulation import SimulationError, check_workload, resolve, simulate
from replication.simulator.sweeps import engines, keys
from replication.simulator.sweeps.results import Results
from replication.simulator.sweeps.store import RESULTS, Rows
from replication.simulator.workload import COLUMNS, HIGHEST_LOAD, Workload, check_seed, fingerprint
from replication.simulator.writing import report

LOG = "log"  # name of the log's own load
TEXTBOOK = EASY()
#: Measures that depend on the estimates even where the schedule does not.
_OF_ESTIMATES = ("under_predicted", "r2")


class SweepError(InputError):
    """A sweep that cannot be run; the message lists the allowed values."""


@dataclass(frozen=True, eq=False)
class Jobs:
    """The jobs of a point: those of a log, cut and scaled to a load when they are needed.

    Parameters
    ----------
    log : Workload
    load : float, optional
        By default that of the log.
    e_max : int, s, optional
        To which run times are cut before submissions are scaled.
    """

    log: Workload
    load: float | None = None
    e_max: int | None = None

    @functools.cached_property
    def scaled(self) -> Workload:
        """The jobs; SweepError if they have no load."""
        jobs = self.log
        if self.load is None:
            return jobs
        if not jobs.load > 0:
            raise SweepError(
                f"{jobs.name}, of load {jobs.load:g}: load {self.load!r}, allowed: only {LOG!r} "
                "if all jobs come at once or take no time"
            )
        return (jobs if self.e_max is None else cut_runs(jobs, self.e_max)).at_load(self.load)


@dataclass(frozen=True, eq=False)
class Task:
    """One point of the grid.

    Parameters
    ----------
    workload : Workload or Jobs
        The jobs to simulate, already scaled to their load.
    estimates : EstimateModel
    scheduler : Scheduler
    seeds : tuple of int
        One row each; one is enough where nothing is random, see `seeds_of`.
    load : float or str
        The load in the table, nan for the log's own; or a name.
    watched : bool
        Whether to add the measures `replication.simulator.schedules.measures.OBSERVED`, of EASY
        only.
    measures : tuple of str or callable
    trim : bool or (float, bool)
    blocks : bool
        Whether to add rows of the measures without each block of weeks, for intervals.

    Raises
    ------
    SweepError, SchedulerError, EstimateError, MeasureError
    """

    workload: Workload | Jobs
    estimates: EstimateModel
    scheduler: Scheduler = TEXTBOOK
    seeds: tuple[int, ...] = (1,)
    load: float | str = math.nan
    watched: bool = False
    measures: tuple[Measure, ...] = measures.SWEEP
    trim: Trim = True
    blocks: bool = False

    def __post_init__(self) -> None:
        check_workload(self.log)
        object.__setattr__(self, "scheduler", Scheduler.check(self.scheduler))
        model = EstimateModel.check(self.estimates)
        object.__setattr__(self, "estimates", resolve(model, self.scheduler, self.log))
        where = f"{self.log.name}, load {self.load}"
        if not self.seeds:
            raise SweepError(f"{where}: no seeds, allowed: one or more")
        if self.watched and not hasattr(self.scheduler, "run_observed"):
            raise SweepError(f"{where}: {self.scheduler!r} watched, allowed: any EASY")
        names = measures.check_measures(self.measures, measures.SWEEP)
        more = tuple(name for name in measures.OBSERVED if self.watched and name not in names)
        object.__setattr__(self, "seeds", tuple(map(check_seed, self.seeds)))
        object.__setattr__(self, "measures", (*names, *more))
        object.__setattr__(self, "trim", measures.check_trim(self.trim))

    @property
    def log(self) -> Workload:
        """The workload, or that of which it is made."""
        return self.workload.log if isinstance(self.workload, Jobs) else self.workload

    @property
    def scaled(self) -> Workload:
        """The jobs to simulate; SweepError if they have no load."""
        return self.workload.scaled if isinstance(self.workload, Jobs) else self.workload

    @property
    def jobs(self) -> int:
        """Jobs to simulate, over all seeds."""
        return len(self.log) * len(self.seeds)

    @property
    def columns(self) -> set[str]:
        """The columns that its rows have at least."""
        names = {getattr(measure, "__name__", measure) for measure in self.measures}
        return {"seed", "offered_load", *names}

    @property
    def simulated_estimates(self) -> EstimateModel:
        """The estimates, or the users' if the scheduler ignores them,
        so that such points are simulated once.
        """
        depends = any(callable(measure) or measure in _OF_ESTIMATES for measure in self.measures)
        if depends or getattr(self.scheduler, "uses_estimates", True):
            return self.estimates
        return Users(e_max=getattr(self.estimates, "e_max", None))

    @property
    def key(self) -> str | None:
        """Hash of all that the rows depend on, in hexadecimal; None if some of it has no code that
        says so.
        """
        jobs = self.workload if isinstance(self.workload, Jobs) else Jobs(self.workload)
        choices = self.scheduler, self.simulated_estimates, self.measures, self.trim, self.seeds
        parts = (jobs.load, jobs.e_max), choices, self.blocks
        text = f"{keys.simulator()} {fingerprint_of(self.log)} {keys.identity(parts)}"
        if keys.is_lasting(text):
            return hashlib.sha256(text.encode()).hexdigest()
        return None

    @property
    def facts(self) -> dict[str, Any]:
        """The point by column of the table, without the values of the estimate model."""
        return {
            "log": self.log.name,
            "stand_in": self.log.stand_in,
            "load": self.load,
            "scheduler": repr(self.scheduler),
            "estimates": repr(self.estimates),
            "model": self.estimates.name,
        }


def fingerprint_of(workload: Workload) -> str:
    """Return a hash of a workload's machine, draw key and columns; computed once for each."""
    text = workload.__dict__.get("_fingerprint")
    if text is None:
        columns = fingerprint(*(getattr(workload, name) for name in COLUMNS))
        text = f"{workload.machine} {workload.draw_key} {columns}"
        if workload.more:
            text += f" {keys.identity(dict(workload.more))}"
        object.__setattr__(workload, "_fingerprint", text)  # not copied, since it is no field
    return text


def _choices(choice):
    """Yield a choice and those in its options."""
    yield choice
    for option in fields(choice):
        if isinstance(getattr(choice, option.name), Choice):
            yield from _choices(getattr(choice, option.name))


def is_random(scheduler: Scheduler, model: EstimateModel) -> bool:
    """Return whether a simulation depends on the seed."""
    uses = getattr(scheduler, "uses_estimates", True)
    choices = [*_choices(scheduler), *(_choices(model) if uses else ())]
    return any(getattr(choice, "draws_at_random", True) for choice in choices)


def seeds_of(scheduler: Scheduler, model: EstimateModel, seeds: Sequence[int]) -> tuple[int, ...]:
    """Return the seeds of the rows of a point: the first if scheduler and estimates are not random.

    The f-model has a row for each seed at f = 0 as well, so that all points of a curve over f have
    as many.
    """
    on_curve = isinstance(model, FModel) and getattr(scheduler, "uses_estimates", True)
    return tuple(seeds) if on_curve or is_random(scheduler, model) else tuple(seeds[:1])


def sweep(
    workloads: Workload | Iterable[Workload],
    schedulers: Scheduler | str | Iterable[Scheduler | str] = TEXTBOOK,
    estimates: EstimateModel | str | Iterable[EstimateModel | str] | None = None,
    seeds: int | Iterable[int] = 1,
    loads: float | str | Iterable[float | str | None] | None = None,
    workers: int | None = None,
    watched: bool = False,
    *,
    measures: Measure | Iterable[Measure] | None = None,
    trim: Trim = True,
    folder: str | os.PathLike | None = RESULTS,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Simulate every combination, or read its stored results.

    Parameters
    ----------
    workloads : Workload or several
    schedulers : Scheduler or str, or several
        Text as in `simulate`. A scheduler that ignores estimates is simulated once for all of them.
    estimates : EstimateModel or str, or several, optional
        The workloads' own estimates by default. Text may be a range, such as ``"f-model=0:10:1"``.
    seeds : int or several
        A number of seeds (1, 2, ...) or the seeds themselves. Points without random numbers have
        one row, with the first.
    loads : float or several, optional
        Offered loads as shares, above 0 and up to 2; ``"log"`` is the log's own, the default. Run
        times are cut to the model's E_max first, and submissions then scaled to the load.
    workers : int, optional
        Number of threads, one for each processor by default; or of the processes of a
        ``joblib.parallel_config``, see docs/guide.md.
    watched : bool
        Whether to measure wild backfills, delays and SJFness as well, of EASY only.
    measures : name or function of a schedule, or several, optional
        As in `compare`; by default jobs, mean_wait, mean_bounded_slowdown, the measures of
        backfilling, mbs, mwbs and utilisation.
    trim : bool or (float, bool)
        As in `simulate`.
    folder : path, optional
        Folder of the stored results; None to store nothing.
    progress : bool, optional
        False for no progress bar.

    Returns
    -------
    pandas.DataFrame
        A row for each simulation: log, stand_in, load (nan for the log's own), offered_load (that
        of the simulated jobs), scheduler, estimates, model and its values (such
        as f and e_max), seed, and the measures. Different choices of one repr are numbered, such as
        ``OrderedEASY(order=f) #2``. It prints means over seeds, and first the columns that differ.

    Raises
    ------
    SweepError, SimulationError, SchedulerError, EstimateError, MeasureError, WorkerError
        For values that are not allowed, and a point that is given twice. A point that cannot be
        simulated does not stop the others; its error is raised at the end.

    Examples
    --------
    >>> import replication as rp
    >>> columns = {"submit": [0, 1, 2], "run_time": [9, 5, 3], "processors": [3, 4, 1]}
    >>> three = rp.Workload.from_columns("three", 4, **columns)
    >>> table = rp.sweep(three, [rp.FCFS(), rp.EASY()], trim=False, folder=None)
    >>> table["mean_wait"].round(2).tolist()
    [6.67, 2.67]
    """
    models = EstimateModel.check_all(Users() if estimates is None else estimates)
    tasks = points(
        workloads,
        [None] if loads is None else as_list(loads, float),
        [(scheduler, model) for scheduler in Scheduler.check_all(schedulers) for model in models],
        seed_list(seeds),
        watched,
        measures,
        trim,
    )
    table = run(tasks, workers, folder, progress)
    warn_of_no_jobs(table)
    table.attrs["asked"] = measures is not None
    return table


def seed_list(seeds: int | Iterable[int]) -> list[int]:
    """Return the seeds of a sweep: 1 to `seeds`, or the given ones, which have to be different."""
    if np.iterable(seeds):
        result = [check_seed(seed) for seed in seeds]
    else:
        result = list(range(1, check_seed(seeds) + 1))
    if not result or len(set(result)) < len(result):
        raise SweepError(f"seeds {seeds!r:.60}; allowed: a number from 1, or different seeds")
    return result


def points(
    workloads: Workload | Iterable[Workload],
    loads: Sequence[float | str | None],
    choices: Sequence[tuple[Scheduler, EstimateModel]],
    seeds: Sequence[int],
    watched: bool = False,
    names: Measure | Iterable[Measure] | None = None,
    trim: Trim = True,
    blocks: bool = False,
) -> list[Task]:
    """Return the tasks of a grid; arguments as in `sweep` and `Task`, with lists of the others.

    Raises
    ------
    SweepError, SimulationError
        For loads that do not exist, for two workloads of one name, and for a point that is given
        twice.
    """
    names, tasks = measures.check_measures(names, measures.SWEEP), []
    for workload in as_workloads(workloads):
        shared: dict = {}
        for load in map(check_load, loads):
            for scheduler, model in choices:
                limit = None if load is None else getattr(model, "e_max", None)
                if (load, limit) not in shared:
                    shared[load, limit] = Jobs(workload, load, limit) if load else workload
                point = math.nan if load is None else load, watched, names, trim, blocks
                point_seeds = seeds_of(scheduler, model, seeds)
                tasks.append(Task(shared[load, limit], model, scheduler, point_seeds, *point))
    rows: set[tuple] = set()
    distinct = {id(choice): choice for task in tasks for choice in (task.scheduler, task.estimates)}
    names = {key: keys.identity(choice) for key, choice in distinct.items()}
    for task in tasks:
        row = names[id(task.scheduler)], names[id(task.estimates)], task.seeds
        if (where := (task.log.name, str(task.load), *row)) in rows:
            point = task.log.name, str(task.load), repr(task.scheduler), repr(task.estimates)
            raise SweepError(f"{', '.join(point)} is given twice; expected each point once")
        rows.add(where)
    return tasks


def check_load(load: float | str | None) -> float | None:
    """Return a load as a number; None for the log's own, None or ``"log"``;
    SweepError for others.
    """
    if load is None or load == LOG:
        return None
    if isinstance(load, Real) and not isinstance(load, bool) and 0 < load <= HIGHEST_LOAD:
        return float(load)
    raise SweepError(
        f"load {load!r}; allowed: a share above 0 and up to {HIGHEST_LOAD:g} (0.9 for 90 %), or "
        f"{LOG!r}"
    )


def compute(task: Task) -> Rows:
    """Simulate a task, once if nothing is random: seeds and measures by column,
    a row for each seed.

    With `blocks` a seed has a row for all jobs, block 0, and one without each block of weeks,
    from 1 on.
    """
    model, jobs = task.simulated_estimates, task.scaled
    random = is_random(task.scheduler, model) or getattr(model, "draws_at_random", True)
    runs = [_measured(task, jobs, model, seed) for seed in task.seeds[: None if random else 1]]
    runs *= len(task.seeds) // len(runs)
    rows = [row for run in runs for row in run]
    columns = {name: [float(row[name]) for row in rows] for name in rows[0]}
    seeds = [seed for seed, run in zip(task.seeds, runs, strict=True) for _ in run]
    facts = {"seed": seeds, "offered_load": [model.cut(jobs).load] * len(rows)}
    if task.blocks:
        columns["block"] = [k for run in runs for k in range(len(run))]
    return facts | columns


def _measured(task, jobs, model, seed):
    """Return the measures of a simulation; with `blocks`,
    then those without each block of weeks.
    """
    if any(name in measures.OBSERVED for name in task.measures):
        seen = observe(jobs, model, seed, task.scheduler)
        return [measures.of(seen.schedule, task.measures, task.trim, seen)]
    schedule = simulate(jobs, task.scheduler, model, seed)
    parts = [schedule, *(schedules_without(schedule) if task.blocks else ())]
    return [measures.of(part, task.measures, task.trim) for part in parts]


def run(
    tasks: Iterable[Task],
    workers: int | None = None,
    folder: str | os.PathLike | None = RESULTS,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Run tasks and return their table, in the order of the tasks and their seeds;
    arguments as in `sweep`.
    """
    tasks = list(tasks)
    if not tasks:
        raise SweepError("nothing to simulate; allowed: one workload, scheduler and model or more")
    results = engines.results(tasks, compute, workers, folder, progress)
    points = pd.DataFrame([task.facts for task in tasks])
    for name in ("scheduler", "estimates"):
        points[name] = keys.labels(getattr(task, name) for task in tasks)
    for name in sorted(
        {option.name for task in tasks for option in fields(task.estimates)} - {*points}
    ):
        values = [getattr(task.estimates, name, None) for task in tasks]
        points[name] = [np.nan if value is None else value for value in values]
    points = points.loc[
        np.repeat(np.arange(len(tasks)), [len(result["seed"]) for result in results])
    ]
    # By columns: a frame for each task takes a hundred times as long.
    names = dict.fromkeys(name for result in results for name in result)
    missing = {id(result): [math.nan] * len(result["seed"]) for result in results}
    rows = {
        name: [v for result in results for v in result.get(name, missing[id(result)])]
        for name in names
    }
    points.insert(points.columns.get_loc("load") + 1, "offered_load", rows.pop("offered_load"))
    half = [len(task.log) / 2 for task, result in zip(tasks, results) for _ in result["seed"]]
    if few := sum(jobs < least for jobs, least in zip(rows.get("jobs", ()), half)):
        report(
            f"{few} of {len(half)} simulations measure fewer than half of the jobs; {measures.ALL}"
        )
    rows = pd.DataFrame({name: rows[name] for name in rows if name not in points})
    return Results(pd.concat([points.reset_index(drop=True), rows], axis=1))


def as_list(values: Any, kind: type) -> list:
    """Return one value of a kind, or an iterable of values, as a list."""
    single = isinstance(values, kind | str | type) or not np.iterable(values)
    return [values] if single else list(values)


def as_workloads(workloads: Any) -> list[Workload]:
    """Return one workload, or several, as a list.

    Raises
    ------
    SimulationError
        For anything else, and for two workloads of one name, since tables identify workloads by it.
    """
    workloads = [check_workload(workload) for workload in as_list(workloads, Workload)]
    names = [workload.name for workload in workloads]
    for name in names:
        if names.count(name) > 1:
            raise SimulationError(
                f"two workloads are called {name!r}; expected distinct names "
                "(workload.replace(name=...))"
            )
    return workloads
