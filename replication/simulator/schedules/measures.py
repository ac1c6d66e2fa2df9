"""Performance measures of a schedule, by name. Times are in seconds, shares between 0 and 1.

Each measure is defined once, here or in the compiled `replication.simulator.kernels.measures`;
`simulate`, `compare` and `sweep` take the same names. Measures of waits and slowdowns leave out the
jobs that `measured_jobs` leaves out; all others are over all jobs.
"""

import functools
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from replication.simulator.choices import did_you_mean
from replication.simulator.errors import InputError
from replication.simulator.kernels import measures

BOUND = measures.BOUND
ALL = "trim=False, in the shell --trim none, measures all jobs"
NO_JOB = (
    "no job is measured, so means are nan: each is among the first to end, or ends after the last "
    f"submission; {ALL}"
)
WARM_UP = 0.01  # share of terminated jobs left out; heel-and-toe, section 2

#: Default measures of `simulate` and `compare`.
DEFAULT = (
    *("jobs", "mean_wait", "mean_bounded_slowdown", "mbs", "mwbs"),
    *("backfilled", "offered_load", "utilisation"),
)
BACKFILLING = ("backfilled", "backfilled_run_time", "backfilled_size", "regular_run_time")
#: Measures of EASY that need an observed run, see `replication.simulator.observation`.
OBSERVED = ("wild", "wild_run_time", "wild_size", "delayed", "events", "delay", "sjfness")
#: Default measures of a sweep.
SWEEP = ("jobs", "mean_wait", "mean_bounded_slowdown", *BACKFILLING, "mbs", "mwbs", "utilisation")

NAMES = {
    "jobs": "jobs measured",
    "mean_wait": "mean wait, s",
    "median_wait": "median wait, s",
    "max_wait": "longest wait, s",
    "wait_p95": "95th percentile of the wait, s; any wait_pN",
    "mean_bounded_slowdown": "mean bounded slowdown",
    "median_bounded_slowdown": "median bounded slowdown",
    "max_bounded_slowdown": "largest bounded slowdown",
    "bounded_slowdown_p95": "95th percentile of the bounded slowdown; any bounded_slowdown_pN",
    "mbs": "mean bounded slowdown as PV-EASY defines it",
    "mwbs": "mean bounded slowdown weighted by size, as PV-EASY defines it",
    "af": "mean flow time (AF of Top Percent), s",
    "ap0waf": "flow time weighted by area (AP0WAF of Top Percent), s",
    "ap1waf": "flow time weighted by area and wait (AP1WAF of Top Percent), s",
    "backfilled": "share of jobs backfilled",
    "backfilled_run_time": "mean run time of the backfilled jobs, s",
    "backfilled_size": "mean size of the backfilled jobs, processors",
    "regular_run_time": "mean run time of the jobs that were not backfilled, s",
    "killed": "share of jobs preempted at least once",
    "under_predicted": "share of jobs predicted shorter than they ran",
    "r2": "share of the variance of run times that the predictions explain",
    "offered_load": "work over capacity, first submission to last",
    "offered_load_with_waste": "offered load with the work of preempted runs",
    "utilisation": "work over capacity, first submission to last end",
    "utilisation_with_waste": "utilisation with the work of preempted runs",
    "wild": "share of jobs backfilled wildly",
    "wild_run_time": "mean run time of the wildly backfilled jobs, s",
    "wild_size": "mean size of the wildly backfilled jobs, processors",
    "delayed": "share of jobs that suffered a wild backfill while at the head of the queue",
    "events": "mean number of wild backfills that a delayed job suffered",
    "delay": "mean delay of the delayed jobs, from first real shadow time to start, s",
    "sjfness": "share of jobs that were the shortest in the queue when started",
}
#: Measures that are nan only if no job is measured.
_OVER_JOBS = tuple(NAMES)[1 : tuple(NAMES).index("backfilled")]
_PERCENTILE = re.compile(r"(wait|bounded_slowdown)_p(100|\d{1,2}(?:\.\d+)?)")

Measure = str | Callable[[Any], float]
Trim = bool | tuple[float, bool]


class MeasureError(InputError):
    """A measure or a trim that does not exist; the message lists the allowed ones."""


def as_text(value: Any) -> str:
    """Return a number in four digits, and all digits of whole numbers
    and before the decimal point; else the text.
    """
    if not isinstance(value, float | np.floating):
        return (
            f"{value:,}" if isinstance(value, int | np.integer) and value >= 10_000 else str(value)
        )
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.4g}"


def is_time(name: str) -> bool:
    """Return whether a column is a measure in seconds."""
    return _label(name).endswith(", s")


class Measures(dict):
    """Measures of a schedule by name, which print with definitions, units and warnings."""

    #: Why the numbers may mislead, a sentence each.
    warnings: tuple[str, ...] = ()

    def __repr__(self):
        lines = [f"{as_text(self[name]):>10}  {_label(name)}" for name in self]
        return "\n".join([*lines, *(f"warning: {warning}" for warning in self.warnings)])

    def _repr_html_(self):
        cells = {_label(name): as_text(value) for name, value in self.items()}
        notes = "".join(f"<p>warning: {warning}</p>" for warning in self.warnings)
        return pd.DataFrame({"": cells}).to_html(header=False) + notes


def _label(name):
    """Return the definition of a measure with its unit; of a function its name."""
    if match := _PERCENTILE.fullmatch(name):
        of = "wait, s" if match[1] == "wait" else "bounded slowdown"
        return f"percentile {match[2]} of the {of}"
    return NAMES.get(name, name)


def check_measures(
    measures: Measure | Iterable[Measure] | None, default: tuple
) -> tuple[Measure, ...]:
    """Return measures as a tuple; `default` for None. MeasureError
    for unknown names and functions without one.
    """
    if measures is None:
        return default
    chosen = [measures] if isinstance(measures, str) or callable(measures) else [*measures]
    for measure in chosen:
        if callable(measure):
            if not hasattr(measure, "__name__"):
                raise MeasureError(
                    f"measure {measure!r} has no name; expected a function made by def"
                )
        elif not (
            measure in NAMES or (isinstance(measure, str) and _PERCENTILE.fullmatch(measure))
        ):
            raise MeasureError(
                f"measure {measure!r}{did_you_mean(measure, NAMES)}; allowed: {', '.join(NAMES)}, "
                "or a function of a schedule"
            )
    names = [getattr(measure, "__name__", measure) for measure in chosen]
    for measure, name in zip(chosen, names, strict=True):
        if names.count(name) > 1 or (callable(measure) and name in NAMES):
            raise MeasureError(f"two measures are called {name!r}; expected distinct names")
    return tuple(chosen)


def check_trim(trim: Trim) -> tuple[float, bool]:
    """Return a trim as (warm-up share, cool-down).

    Parameters
    ----------
    trim : bool or (float, bool)
        True is heel-and-toe's (0.01, True), False is (0, False).

    Raises
    ------
    MeasureError
        For anything else.
    """
    if isinstance(trim, bool):
        return (WARM_UP, True) if trim else (0.0, False)
    good = isinstance(trim, tuple | list) and len(trim) == 2 and isinstance(trim[1], bool)
    if not (good and isinstance(trim[0], int | float) and 0 <= trim[0] < 1):
        raise MeasureError(
            f"trim {trim!r}; allowed: True, False, or (share of jobs to end first, whether to "
            "leave out those that end after the last submission), such as (0.05, True)"
        )
    return float(trim[0]), trim[1]


def measured_jobs(submit: np.ndarray, end: np.ndarray, trim: Trim = True) -> np.ndarray:
    """Return the mask of the jobs to measure.

    By default it leaves out the jobs of heel-and-toe (section 2): the first 1 % of the terminated
    jobs, rounded down, where of equal ends the job earlier in the queue goes first; and those that
    end after the last submission.

    Parameters
    ----------
    submit, end : int64[n], s
    trim : bool or (float, bool)
        See `check_trim`.

    Returns
    -------
    bool[n]
    """
    share, cool_down = check_trim(trim)
    submit, end = np.asarray(submit), np.asarray(end)
    kept, warm_up = np.ones(len(end), bool), int(len(end) * share)
    if warm_up:
        # The n-th end of the first jobs is no earlier than that of all; a job submitted later ends
        # later.
        bound = np.partition(end[: 2 * warm_up], warm_up - 1)[warm_up - 1]
        first = end[: np.searchsorted(submit, bound, side="right")]
        kept[np.argsort(first, kind="stable")[:warm_up]] = False
    if cool_down:
        kept &= end <= submit[-1:]
    return kept


def warn_of_no_jobs(table: Any) -> None:
    """Warn if a row of a table of results, a DataFrame without the number of measured jobs, is of a
    run in which no job is measured.
    """
    names = [c for c in map(str, table) if c in _OVER_JOBS or _PERCENTILE.fullmatch(c)]
    if names and "jobs" not in table and (none := table[names].isna().all(axis=1)).any():
        warnings.warn(f"{none.sum():,} of {len(table):,} runs: {NO_JOB}", stacklevel=3)


def trim_effect(schedule: Any, trim: Trim = True) -> str:
    """Return the effect of a trim as a sentence: jobs measured, and jobs left out by reason.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule
    trim : bool or (float, bool)
        See `check_trim`.

    Returns
    -------
    str
    """
    warm_up, cool_down = check_trim(trim)
    n, submit, end = len(schedule.workload), schedule.workload.submit, schedule.end
    measured, early = (
        int(measured_jobs(submit, end, choice).sum())
        for choice in ((warm_up, cool_down), (warm_up, False))
    )
    late = early - measured
    return (
        f"{measured:,} of {n:,} jobs measured; the first {n - early:,} to end are left out "
        f"(warm-up), and {late:,} that end after the last submission"
    )


class _Sample:
    """A schedule and the jobs of it that are measured."""

    def __init__(self, schedule, trim):
        self.schedule, self.jobs = schedule, schedule.workload
        self.kept = measured_jobs(self.jobs.submit, schedule.end, trim)

    def __getattr__(self, name):
        """Compute the columns of the measured jobs when they are needed."""
        columns = {
            "wait": self.schedule,
            "run_time": self.jobs,
            "processors": self.jobs,
            "user": self.jobs,
        }
        if name not in columns:
            raise AttributeError(name)
        setattr(self, name, getattr(columns[name], name)[self.kept])
        return getattr(self, name)

    @property
    def warnings(self):
        """Why measures of these jobs may mislead, a sentence each."""
        count, total = int(self.kept.sum()), len(self.kept)
        span = self.jobs.span
        late = int(self.schedule.end.max() - self.jobs.submit[-1])
        if 2 * count < total:
            yield f"{count:,} of {total:,} jobs are measured, fewer than half; {ALL}"
        if late > span:
            yield (
                f"the last job ends {as_text(late / 86400)} days after the last submission, the "
                f"submissions take {as_text(span / 86400)}; utilisation counts both, offered load "
                "the submissions alone; compare at a lower load or with more jobs"
            )

    @functools.cached_property
    def performance(self):
        jobs = self.jobs
        end = _column(self.schedule.end)
        return measures.performance(jobs.submit, jobs.run_time, jobs.processors, end, self.kept)

    @functools.cached_property
    def backfilling(self):
        jobs = self.jobs
        return measures.backfilling(jobs.run_time, jobs.processors, self.schedule.backfilled)

    @functools.cached_property
    def slowdown(self):
        return bounded_slowdown(self.wait, self.run_time)

    def load(self, waste, until):
        jobs, schedule = self.jobs, self.schedule
        run_time = jobs.run_time + (wasted_time(schedule) if waste else 0)
        return load(run_time, jobs.processors, jobs.machine, int(until - jobs.submit[0]))


def _copy(schedule):
    """Return a schedule of arrays of its own, which a function may change;
    audits are shared, and read-only.
    """
    arrays = {name: a.copy() for name, a in vars(schedule).items() if isinstance(a, np.ndarray)}
    copy = replace(schedule, **arrays)
    vars(copy)["_audits"] = vars(schedule).setdefault("_audits", {})
    return copy


def _column(values):
    """Return int64[n] as a read-only array, so that kernels are compiled for one type."""
    column = np.ascontiguousarray(values, np.int64).view()
    column.flags.writeable = False
    return column


def _of_values(values, function):
    return float(function(values)) if len(values) else float("nan")


_DEFINITIONS: dict[str, Callable[[_Sample], float]] = {
    **{
        name: functools.partial(lambda k, s: s.performance[k], k)
        for k, name in enumerate(("jobs", "mean_wait", "mean_bounded_slowdown", "mbs", "mwbs"))
    },
    **{
        name: functools.partial(lambda k, s: s.backfilling[k], k)
        for k, name in enumerate(BACKFILLING)
    },
    "median_wait": lambda s: _of_values(s.wait, np.median),
    "max_wait": lambda s: _of_values(s.wait, np.max),
    "median_bounded_slowdown": lambda s: _of_values(s.slowdown, np.median),
    "max_bounded_slowdown": lambda s: _of_values(s.slowdown, np.max),
    "af": lambda s: average_flow(s.wait, s.run_time),
    "ap0waf": lambda s: weighted_flow(s.wait, s.run_time, s.processors, 0),
    "ap1waf": lambda s: weighted_flow(s.wait, s.run_time, s.processors, 1),
    "killed": lambda s: float((s.schedule.times_killed > 0).mean()),
    "under_predicted": lambda s: float((_first_predictions(s.schedule) < s.jobs.run_time).mean()),
    "r2": lambda s: determination(s.jobs.run_time, _first_predictions(s.schedule)),
    "offered_load": lambda s: s.load(False, s.jobs.submit[-1]),
    "offered_load_with_waste": lambda s: s.load(True, s.jobs.submit[-1]),
    "utilisation": lambda s: s.load(False, s.schedule.end.max()),
    "utilisation_with_waste": lambda s: s.load(True, s.schedule.end.max()),
}


def of(
    schedule: Any,
    measures: Measure | Iterable[Measure] | None = None,
    trim: Trim = True,
    observed: dict[str, float] | None = None,
) -> dict[str, float]:
    """Return measures of a schedule by name; nan for a mean over no jobs.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule
    measures : name or function of a schedule, or several, optional
        Names of `NAMES`; `DEFAULT` by default. A function is called by its own name.
    trim : bool or (float, bool)
        See `check_trim`.
    observed : dict, optional
        Measures of an observed run.

    Raises
    ------
    MeasureError
    """
    sample, result = _Sample(schedule, trim), Measures()
    for measure in check_measures(measures, DEFAULT):
        if callable(measure):
            value = measure(_copy(schedule))
            if np.ndim(value) or not isinstance(value, Real | np.bool_):
                raise MeasureError(
                    f"measure {measure.__name__} is {value!r:.60}; expected a number"
                )
            result[measure.__name__] = float(value)
        elif measure in OBSERVED:
            if observed is None:
                raise MeasureError(
                    f"measure {measure!r}; allowed with compare and sweep, and EASY only"
                )
            result[measure] = observed[measure]
        elif measure in _DEFINITIONS:
            result[measure] = _DEFINITIONS[measure](sample)
        else:
            column, percent = _PERCENTILE.fullmatch(measure).groups()
            values = sample.wait if column == "wait" else sample.slowdown
            result[measure] = _of_values(values, functools.partial(np.percentile, q=float(percent)))
    if "jobs" in result:
        result["jobs"] = int(result["jobs"])
    result.warnings = tuple(sample.warnings)
    return result


def bounded_slowdown(wait: np.ndarray, run_time: np.ndarray) -> np.ndarray:
    """Return max(1, (w + r) / max(10, r)) of each job, with wait w and run time r
    (heel-and-toe, section 2).

    Parameters
    ----------
    wait, run_time : int64[n], s

    Returns
    -------
    float64[n]
    """
    return np.maximum(1.0, (wait + run_time) / np.maximum(BOUND, run_time))


def pv_bounded_slowdown(wait: np.ndarray, run_time: np.ndarray) -> np.ndarray:
    """Return (w + max(r, 10)) / max(r, 10) of each job, with wait w and run time r
    (PV-EASY, formula 1).

    It differs from `bounded_slowdown` for runs below 10 s that waited.

    Parameters
    ----------
    wait, run_time : int64[n], s

    Returns
    -------
    float64[n]
    """
    bounded = np.maximum(BOUND, run_time)
    return (wait + bounded) / bounded


def mbs(wait: np.ndarray, run_time: np.ndarray) -> float:
    """Return the mean of `pv_bounded_slowdown` over jobs, nan over none (PV-EASY, section 5.1.2).

    Parameters
    ----------
    wait, run_time : int64[n], s

    Returns
    -------
    float
    """
    return mwbs(wait, run_time, np.ones(len(wait), np.int64))


def mwbs(wait: np.ndarray, run_time: np.ndarray, processors: np.ndarray) -> float:
    """Return the mean of `pv_bounded_slowdown` over some jobs, weighted by their sizes
    (PV-EASY, formula 2).

    Parameters
    ----------
    wait, run_time : int64[n], s
    processors : int64[n]

    Returns
    -------
    float
        nan over no jobs.
    """
    return measures.mean(
        pv_bounded_slowdown(wait, run_time).astype(np.float64), _column(processors)
    )


def weighted_flow(
    wait: np.ndarray, run_time: np.ndarray, processors: np.ndarray, alpha: float
) -> float:
    """Return AP^alpha WAF, the average flow time weighted by area and amplified wait
    (Top Percent, equation 2).

    The weight of a job is its size times F^(alpha + 1) - w^(alpha + 1), with F the flow time and w
    the wait. At alpha = 0 it is the job's area, its size times its run time.

    Parameters
    ----------
    wait, run_time : int64[n], s
    processors : int64[n]
    alpha : float
        Above -1, so that the weights grow with the flow time; the paper uses 0 and 1.

    Returns
    -------
    float, s
        nan where all weights are 0.

    Raises
    ------
    ValueError
        If `alpha` is -1 or less.
    """
    if not alpha > -1:
        raise ValueError(f"alpha is {alpha}, allowed: above -1")
    wait, run_time = wait.astype(float), run_time.astype(float)
    flow = wait + run_time
    weight = processors * (run_time if alpha == 0 else flow ** (alpha + 1) - wait ** (alpha + 1))
    # Not np.dot: the order in which BLAS adds up depends on the processor, and with it the last
    # bits.
    return float((weight * flow).sum() / weight.sum()) if weight.any() else float("nan")


def average_flow(wait: np.ndarray, run_time: np.ndarray) -> float:
    """Return AF, the mean time from submission to end (Top Percent, section IV.A; Horn 1973).

    Parameters
    ----------
    wait, run_time : int64[n], s

    Returns
    -------
    float, s
    """
    return _of_values(wait + run_time, np.mean)


def determination(run_time: np.ndarray, prediction: np.ndarray) -> float:
    """Return R2, the share of the run times' variance that the predictions explain
    (Top Percent, equation 3).

    Parameters
    ----------
    run_time, prediction : int64[n], s

    Returns
    -------
    float
        1 if perfect, 0 if as good as the mean run time, negative if worse; nan where all run times
        are equal.
    """
    missed = ((run_time - prediction).astype(float) ** 2).sum()
    spread = ((run_time - run_time.mean()) ** 2).sum()
    return float(1 - missed / spread) if spread > 0 else float("nan")


def load(run_time: np.ndarray, processors: np.ndarray, machine: int, span: float) -> float:
    """Return the work of some jobs over the capacity of a machine in a span of time.

    PV-EASY divides by the time from the first submission to the last in Table 3, and to the last
    end in Table 5.

    Parameters
    ----------
    run_time : int64[n], s
    processors : int64[n]
    machine : int, processors
    span : int, s

    Returns
    -------
    float
        A share; nan where the span is 0.
    """
    work = float((run_time.astype(float) * processors).sum())
    return work / (machine * span) if span > 0 else float("nan")


def wasted_time(schedule: Any) -> np.ndarray:
    """Return the time that each job ran beyond its run time, in runs that were preempted.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule

    Returns
    -------
    int64[n], s
    """
    job, start, end = schedule.killed_runs.T
    ran = np.bincount(job, end - start, len(schedule.start)).astype(np.int64)
    return ran + schedule.end - schedule.start - schedule.workload.run_time


def _first_predictions(schedule):
    first = schedule.first_prediction
    return schedule.prediction if first is None else first
