"""Performance measures of a schedule, by name. Times are in seconds, shares between 0 and 1.

`NAMES` defines each measure: its words, its unit and its function; `wait_p95` and
`bounded_slowdown_p95` stand for any percentile. `simulate`, `compare` and `sweep` take the same
names. Measures of waits, slowdowns and flow times leave out the jobs that `measured_jobs` leaves
out; all others are over all jobs.
"""

import functools
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
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
#: Default measures of a sweep.
SWEEP = ("jobs", "mean_wait", "mean_bounded_slowdown", *BACKFILLING, "mbs", "mwbs", "utilisation")

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
    return (measure := definition(name)) is not None and measure.unit == "s"


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
    return str(definition(name) or name)


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
        elif not (isinstance(measure, str) and definition(measure)):
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
    names = [c for c in map(str, table) if c in _MEASURED or _PERCENTILE.fullmatch(c)]
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
    """A schedule, the jobs of it that are measured, and the observations of its run if it has
    any.
    """

    def __init__(self, schedule, trim, observed=None):
        self.schedule, self.jobs, self.observed = schedule, schedule.workload, observed
        self.kept = measured_jobs(self.jobs.submit, schedule.end, trim)
        first = schedule.first_prediction
        self.predicted = schedule.prediction if first is None else first

    @functools.cached_property
    def wait(self):
        return self.schedule.wait[self.kept]

    @functools.cached_property
    def run_time(self):
        return self.jobs.run_time[self.kept]

    @functools.cached_property
    def slowdown(self):
        return bounded_slowdown(self.wait, self.run_time)

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
    def sums(self):
        jobs = self.jobs
        end = _column(self.schedule.end)
        return measures.performance(jobs.submit, jobs.run_time, jobs.processors, end, self.kept)

    @functools.cached_property
    def backfilled(self):
        return measures.backfilling(
            self.jobs.run_time, self.jobs.processors, self.schedule.backfilled
        )

    @functools.cached_property
    def wild(self):
        return measures.backfilling(self.jobs.run_time, self.jobs.processors, self.observed.wild)

    @functools.cached_property
    def delayed(self):
        return self.observed.events > 0

    def flow(self, alpha):
        return weighted_flow(self.wait, self.run_time, self.jobs.processors[self.kept], alpha)

    def load(self, to_last_end=False, waste=False):
        jobs, schedule = self.jobs, self.schedule
        run_time = jobs.run_time + (wasted_time(schedule) if waste else 0)
        until = schedule.end.max() if to_last_end else jobs.submit[-1]
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


@dataclass(frozen=True)
class Definition:
    """The definition of a measure; as text its words with the unit."""

    compute: Callable[[_Sample], float] = field(repr=False)
    words: str
    unit: str = ""

    def __str__(self):
        return f"{self.words}, {self.unit}" if self.unit else self.words


def _percentile(column, percent):
    name, unit = ("wait", "s") if column == "wait" else ("slowdown", "")
    words = f"percentile {percent} of the {column.replace('_', ' ')}"
    at = functools.partial(np.percentile, q=float(percent))
    return lambda s: _of_values(getattr(s, name), at), words, unit


#: Measures over the jobs that `measured_jobs` leaves: nan only if it leaves none.
_MEASURED = {
    "jobs": (lambda s: int(s.sums[0]), "jobs measured"),
    "mean_wait": (lambda s: s.sums[1], "mean wait", "s"),
    "median_wait": (lambda s: _of_values(s.wait, np.median), "median wait", "s"),
    "max_wait": (lambda s: _of_values(s.wait, np.max), "longest wait", "s"),
    "wait_p95": _percentile("wait", 95),
    "mean_bounded_slowdown": (lambda s: s.sums[2], "mean bounded slowdown"),
    "median_bounded_slowdown": (
        lambda s: _of_values(s.slowdown, np.median),
        "median bounded slowdown",
    ),
    "max_bounded_slowdown": (lambda s: _of_values(s.slowdown, np.max), "largest bounded slowdown"),
    "bounded_slowdown_p95": _percentile("bounded_slowdown", 95),
    "mbs": (lambda s: s.sums[3], "mean bounded slowdown as PV-EASY defines it"),
    "mwbs": (lambda s: s.sums[4], "mean bounded slowdown weighted by size, as PV-EASY defines it"),
    "af": (lambda s: average_flow(s.wait, s.run_time), "mean flow time (AF of Top Percent)", "s"),
    "ap0waf": (lambda s: s.flow(0), "flow time weighted by area (AP0WAF of Top Percent)", "s"),
    "ap1waf": (
        lambda s: s.flow(1),
        "flow time weighted by area and wait (AP1WAF of Top Percent)",
        "s",
    ),
}
#: Measures over all jobs.
_WHOLE = {
    "backfilled": (lambda s: s.backfilled[0], "share of jobs backfilled"),
    "backfilled_run_time": (lambda s: s.backfilled[1], "mean run time of the backfilled jobs", "s"),
    "backfilled_size": (
        lambda s: s.backfilled[2],
        "mean size of the backfilled jobs",
        "processors",
    ),
    "regular_run_time": (
        lambda s: s.backfilled[3],
        "mean run time of the jobs that were not backfilled",
        "s",
    ),
    "killed": (
        lambda s: float((s.schedule.times_killed > 0).mean()),
        "share of jobs preempted at least once",
    ),
    "under_predicted": (
        lambda s: float((s.predicted < s.jobs.run_time).mean()),
        "share of jobs predicted shorter than they ran",
    ),
    "r2": (
        lambda s: determination(s.jobs.run_time, s.predicted),
        "share of the variance of run times that the predictions explain",
    ),
    "offered_load": (lambda s: s.load(), "work over capacity, first submission to last"),
    "offered_load_with_waste": (
        lambda s: s.load(waste=True),
        "offered load with the work of preempted runs",
    ),
    "utilisation": (
        lambda s: s.load(to_last_end=True),
        "work over capacity, first submission to last end",
    ),
    "utilisation_with_waste": (
        lambda s: s.load(to_last_end=True, waste=True),
        "utilisation with the work of preempted runs",
    ),
}
_OBSERVED = {
    "wild": (lambda s: s.wild[0], "share of jobs backfilled wildly"),
    "wild_run_time": (lambda s: s.wild[1], "mean run time of the wildly backfilled jobs", "s"),
    "wild_size": (lambda s: s.wild[2], "mean size of the wildly backfilled jobs", "processors"),
    "delayed": (
        lambda s: float(s.delayed.mean()),
        "share of jobs that suffered a wild backfill while at the head of the queue",
    ),
    "events": (
        lambda s: _of_values(s.observed.events[s.delayed], np.mean),
        "mean number of wild backfills that a delayed job suffered",
    ),
    "delay": (
        lambda s: _of_values(s.observed.delay[s.delayed], np.mean),
        "mean delay of the delayed jobs, from first real shadow time to start",
        "s",
    ),
    "sjfness": (
        lambda s: float(s.observed.shortest.mean()),
        "share of jobs that were the shortest in the queue when started",
    ),
}
#: All measures by name.
NAMES = {name: Definition(*row) for name, row in (_MEASURED | _WHOLE | _OBSERVED).items()}
#: Measures of EASY that need an observed run, see `replication.simulator.observation`.
OBSERVED = tuple(_OBSERVED)
_PERCENTILE = re.compile(r"(wait|bounded_slowdown)_p(100|\d{1,2}(?:\.\d+)?)")


def definition(name: str) -> Definition | None:
    """Return the definition of a measure, any percentile included; None for other names."""
    if name not in NAMES and (match := _PERCENTILE.fullmatch(name)):
        return Definition(*_percentile(*match.groups()))
    return NAMES.get(name)


def of(
    schedule: Any,
    measures: Measure | Iterable[Measure] | None = None,
    trim: Trim = True,
    observed: Any = None,
) -> dict[str, float]:
    """Return measures of a schedule by name; nan for a mean over no jobs.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule
    measures : name or function of a schedule, or several, optional
        Names of `NAMES`; `DEFAULT` by default. A function is called by its own name.
    trim : bool or (float, bool)
        See `check_trim`.
    observed : replication.simulator.observation.Observed, optional
        The observations of the run, for the measures `OBSERVED`.

    Raises
    ------
    MeasureError
    """
    sample, result = _Sample(schedule, trim, observed), Measures()
    for measure in check_measures(measures, DEFAULT):
        if callable(measure):
            value = measure(_copy(schedule))
            if np.ndim(value) or not isinstance(value, Real | np.bool_):
                raise MeasureError(
                    f"measure {measure.__name__} is {value!r:.60}; expected a number"
                )
            result[measure.__name__] = float(value)
        elif measure in OBSERVED and observed is None:
            raise MeasureError(
                f"measure {measure!r}; allowed with compare and sweep, and EASY only"
            )
        else:
            result[measure] = definition(measure).compute(sample)
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
