"""Workloads: read-only columns of jobs, and random generators and hashes keyed by content."""

import hashlib
import json
import math
import operator
import warnings
from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from html import escape
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from replication.simulator.choices import Number
from replication.simulator.errors import InputError

COLUMNS = tuple("job_id submit run_time estimate processors user group executable queue".split())
#: Quick scale: simulate only the first jobs of each log.
QUICK_JOBS = 5000
MACHINE = Number(1, 10**12, whole=True)
#: Offered load to which jobs can be scaled, a share.
HIGHEST_LOAD = 2.0
#: Share of jobs without an estimate up to which results on users' estimates need no warning.
FEW_WITHOUT_ESTIMATE = 0.01
#: The count, in `Workload.cleaning`, of estimates that were raised by more than 10 %.
FAR_BELOW = "estimate-far-below-run-time"
#: A run longer than its estimate by this factor is no overrun that a batch system allows, and the
#: share of such jobs from which the estimates may be in another unit.
FAR, MOST_FAR = 1.1, 0.5
LARGEST = 2**62  # the kernels add two such numbers in 64 bits

_SECONDS = ("submit", "run_time", "estimate")


class WorkloadError(InputError):
    """Jobs that cannot be simulated; the message names the field, the row or job,
    the value and the allowed values.
    """


class UnitWarning(UserWarning):
    """Sizes or estimates may be in another unit than the machine or the run times."""


class Job(NamedTuple):
    """A job before its end, as predictors and schedulers in Python see it;
    times in s, `size` in processors.

    `index` is its position in the columns of the workload; `more` has the values of further columns
    by name, as in ``job.more.partition``.
    """

    index: int
    id: int
    user: int
    group: int
    executable: int
    queue: int
    size: int
    estimate: int
    submit: int
    more: Any


class EndedJob(NamedTuple):
    """A `Job` with its run time, known when it ends."""

    index: int
    id: int
    user: int
    group: int
    executable: int
    queue: int
    size: int
    estimate: int
    submit: int
    more: Any
    run_time: int


@dataclass(frozen=True, eq=False)
class Workload:
    """Jobs in order of submission, and their machine.

    Columns are read-only ``int64[n]`` copies, ordered by (submit, order in the log); a job's index
    is its place in the first-come-first-served queue.

    Parameters
    ----------
    name : str
        Registry name of the log, or the stem of its file.
    machine : int, processors
    job_id : int64[n]
        Job number in the log.
    submit : int64[n], s
        Submission time since the start of the log.
    run_time : int64[n], s
        True run time, never negative.
    estimate : int64[n], s
        The user's estimate (requested time) after the cleaning rules.
    processors : int64[n], processors
        The job's size, between 1 and `machine`.
    user, group, executable, queue : int64[n]
        Identifiers in the log; -1 where unknown.
    stand_in : bool
        True for synthetic workloads; they decide no claim about a paper.
    provenance : dict
        Source of the jobs: path, sha256, the rules applied.
    cleaning : tuple of (str, int)
        Each cleaning rule applied with the number of jobs it changed or dropped.
    without_estimate : float
        Share of the jobs whose estimate the log does not have, or has far below the run time, so
        that the run time stands in.
    draw_key : str
        Key of random draws for these jobs, independent of the name of their file: the registry's
        name for a registered log, else by default a hash of the jobs. Changed copies (scaled,
        cut) keep the key, so that they share random numbers.
    more : dict of str to array[n]
        Further columns of numbers or texts, such as memory or partition, for schedulers,
        predictors, orders and measures of one's own.

    Raises
    ------
    WorkloadError
        For columns of different lengths, values out of range, and jobs that are not in order of
        submission.
    """

    name: str
    machine: int
    job_id: np.ndarray
    submit: np.ndarray
    run_time: np.ndarray
    estimate: np.ndarray
    processors: np.ndarray
    user: np.ndarray
    group: np.ndarray
    executable: np.ndarray
    queue: np.ndarray
    stand_in: bool = False
    provenance: dict = field(default_factory=dict)
    cleaning: tuple = ()
    without_estimate: float = 0.0
    draw_key: str = ""
    more: Mapping = field(default_factory=dict)

    def __post_init__(self):
        if not isinstance(self.name, str):
            raise WorkloadError(f"name {self.name!r:.40}; expected a text")
        try:
            object.__setattr__(self, "machine", MACHINE(self.machine))
        except ValueError as allowed:
            raise WorkloadError(
                f"{self.name}: machine {self.machine!r:.40}; expected {allowed}"
            ) from None
        shape = np.shape(self.job_id)
        for column in COLUMNS:
            values = getattr(self, column)
            if np.shape(values) != shape or len(shape) != 1:
                raise WorkloadError(
                    f"{self.name}: column {column} has shape {np.shape(values)}, expected "
                    f"({shape[0] if shape else 'n'},)"
                )
            try:
                object.__setattr__(self, column, _read_only(values, column))
            except (ValueError, TypeError) as problem:
                raise WorkloadError(f"{self.name}: {column}: {problem}") from None
        more = {name: self._further(name, values) for name, values in self.more.items()}
        object.__setattr__(self, "more", MappingProxyType(more))
        self._check()
        if not self.draw_key:
            columns = (getattr(self, column) for column in COLUMNS)
            object.__setattr__(self, "draw_key", fingerprint(*columns))

    def __reduce__(self):
        # Without values that were computed from the fields.
        values = [getattr(self, field.name) for field in fields(self)]
        return type(self), (*values[:-1], dict(self.more))

    def _further(self, name, values):
        """Return a read-only copy of a further column."""
        try:
            namedtuple("Further", [name])
        except (ValueError, TypeError) as problem:
            raise WorkloadError(f"{self.name}: further column {name!r:.40}: {problem}") from None
        column = np.array(values)
        if column.dtype.kind == "O" and all(isinstance(value, str) for value in column.ravel()):
            column = column.astype(str)
        if column.dtype.kind not in "biufU" or column.shape != np.shape(self.job_id):
            raise WorkloadError(
                f"{self.name}: further column {name} is {column.dtype}{list(column.shape)}; "
                f"expected numbers or texts, [{len(self)}]"
            )
        column.flags.writeable = False
        return column

    def _check(self):
        if len(self) == 0:
            raise WorkloadError(f"{self.name}: no jobs left to simulate")
        for column in _SECONDS:
            self._refuse(column, getattr(self, column) < 0, "0 or more seconds")
            self._refuse(column, getattr(self, column) > LARGEST, f"at most {LARGEST} seconds")
        self._refuse("processors", self.processors < 1, "1 or more")
        self._refuse(
            "processors", self.processors > self.machine, f"at most the machine's {self.machine}"
        )
        steps_back = np.flatnonzero(self.submit[1:] < self.submit[:-1])
        if len(steps_back):
            k = int(steps_back[0]) + 1
            raise WorkloadError(
                f"{self.name}: job {self.job_id[k]}: submit {self.submit[k]} is before the "
                f"previous job's ({self.submit[k - 1]}); expected jobs in order of submission"
            )

    def _refuse(self, column, bad, allowed):
        if bad.any():
            k = int(np.argmax(bad))
            raise WorkloadError(
                f"{self.name}: job {self.job_id[k]}: {column} {getattr(self, column)[k]}, "
                f"allowed: {allowed} ({int(bad.sum())} such jobs)"
            )

    def __len__(self):
        return len(self.job_id)

    def __repr__(self):
        return f"Workload {self.label}: {len(self):,} jobs on {self.machine:,} processors"

    def _repr_html_(self):
        """Return a short table for notebooks."""
        facts = {
            "jobs": f"{len(self):,}",
            "processors": f"{self.machine:,}",
            "days": f"{self.span / 86_400:,.1f}",
            "offered load": f"{100 * self.load:.1f} %",
            "users": f"{len(np.unique(self.user[self.user >= 0])):,}",
            "mean run time": f"{self.run_time.mean() / 3600:,.2f} h",
            "mean estimate": f"{self.estimate.mean() / 3600:,.2f} h",
        } | {f"cleaning: {rule}": f"{count:,} jobs" for rule, count in self.cleaning}
        rows = "".join(
            f"<tr><td style='text-align:left'>{escape(name)}</td><td>{value}</td></tr>"
            for name, value in facts.items()
        )
        return f"<table><tr><th colspan=2>{escape(self.label)}</th></tr>{rows}</table>"

    @property
    def label(self) -> str:
        """The name, marked where the jobs are synthetic or more
        than `FEW_WITHOUT_ESTIMATE` have no estimate.
        """
        marks = ["synthetic"] if self.stand_in else []
        if self.without_estimate > FEW_WITHOUT_ESTIMATE:
            marks.append(f"{100 * self.without_estimate:.0f} % of the jobs without an estimate")
        return f"{self.name} ({', '.join(marks)})" if marks else self.name

    @property
    def span(self) -> int:
        """Seconds from the first submission to the last."""
        return int(self.submit[-1] - self.submit[0])

    @property
    def load(self) -> float:
        """Offered load: work over capacity between the first and the last submission (a share).

        nan where all jobs are submitted at once.
        """
        return (
            float((self.run_time.astype(float) * self.processors).sum())
            / (self.machine * self.span)
            if self.span
            else math.nan
        )

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some columns or facts changed.

        Parameters
        ----------
        **changes
            Fields of `Workload` by name.

        Raises
        ------
        WorkloadError
            For jobs that cannot be simulated, by field and job.
        """
        return replace(self, **changes)

    def take(self, index: slice | np.ndarray) -> Self:
        """Return some of the jobs, in the same order.

        Parameters
        ----------
        index : slice, bool[n] or int64[k]
            Sorted positions in the columns, or a mask such as ``workload.user == 3``.

        Raises
        ------
        WorkloadError
            If no job is left, the positions are not sorted, or a mask is not of n jobs.
        """
        try:
            return replace(self, **self.columns(index))
        except IndexError as problem:
            raise WorkloadError(f"{self.name}: take: {problem}") from None

    def columns(self, index: slice | np.ndarray = slice(None)) -> dict[str, Any]:
        """Return some rows of all columns by name; those of `more` as a dict of this name."""
        more = {name: column[index] for name, column in self.more.items()}
        return {name: getattr(self, name)[index] for name in COLUMNS} | {"more": more}

    def jobs(self, estimate=None, ended: bool = False) -> list:
        """Return the jobs one by one, as predictors and schedulers in Python see them.

        Parameters
        ----------
        estimate : sequence of n int, s, optional
            In place of the users' estimates.
        ended : bool
            Return `EndedJob`, which has the run time, in place of `Job`.
        """
        estimates = self.estimate if estimate is None else estimate
        columns = self.job_id, self.user, self.group, self.executable, self.queue, self.processors
        further = namedtuple("Further", self.more)
        more = [
            further(*row) for row in zip(*(c.tolist() for c in self.more.values()), strict=True)
        ]
        lists = [np.asarray(column).tolist() for column in (*columns, estimates, self.submit)]
        lists += [more or [further()] * len(self), *([self.run_time.tolist()] if ended else [])]
        return list(map(EndedJob if ended else Job, range(len(self)), *lists))

    def scaled(self, factor: float) -> Self:
        """Return a copy with all submission times multiplied by `factor`, rounded to whole seconds.

        Heel-and-toe, section 3: a load of 76 % becomes 80 % with a factor of 76/80.

        Parameters
        ----------
        factor : float

        Raises
        ------
        WorkloadError
            For a factor that is not a finite number above 0, and for times that become too large.
        """
        if not (isinstance(factor, Real) and 0 < factor < math.inf):
            raise WorkloadError(
                f"{self.name}: scaling factor {factor!r:.40}, allowed: a finite number above 0"
            )
        submit = np.rint(self.submit * float(factor))
        if submit[-1] >= LARGEST:
            raise WorkloadError(
                f"{self.name}: scaling factor {factor:g}: submissions reach {submit[-1]:g} s, "
                f"allowed: below {LARGEST} s"
            )
        return replace(self, submit=submit.astype(np.int64))

    def at_load(self, share: float) -> Self:
        """Return a copy with submission times scaled so that the offered `load` becomes `share`.

        Run times have to be cut first (`replication.simulator.estimates.EstimateModel.cut`):
        cutting them later would lower the load again. The copy's `load` differs from `share` by the
        rounding to whole seconds.

        Parameters
        ----------
        share : float
            Such as 0.9 for 90 %; above 0 and up to `HIGHEST_LOAD`.

        Raises
        ------
        WorkloadError
            For a share that is not allowed, and where the jobs have no load: no work, or all
            submitted at once.
        """
        if not (isinstance(share, Real) and 0 < share <= HIGHEST_LOAD and self.load > 0):
            raise WorkloadError(
                f"{self.name}, of load {self.load:g}: load {share!r:.40}, allowed: a share above 0 "
                f"and up to {HIGHEST_LOAD:g} (0.9 for 90 %), for jobs that take time and are not "
                "all submitted at once"
            )
        return self.scaled(self.load / share)

    @classmethod
    def from_columns(
        cls,
        name: str,
        machine: int,
        submit,
        run_time,
        processors,
        estimate=None,
        *,
        job_id=None,
        user=None,
        group=None,
        executable=None,
        queue=None,
        **facts: Any,
    ) -> Self:
        """Build a workload from plain sequences, numpy arrays or pandas columns.

        Parameters
        ----------
        name : str
        machine : int, processors
        submit, run_time : sequences of n whole seconds
            Or of time spans (pandas Timedelta, numpy timedelta64). Submissions may also be points
            in time (pandas Timestamp, numpy datetime64): seconds since the first are taken.
        processors : sequence of n whole numbers
        estimate : sequence of n whole seconds or time spans, optional
            The run times by default.
        job_id, user, group, executable, queue : sequences of n whole numbers, optional
            Job numbers are 1, 2, ... by default, the others -1, unknown.
        **facts
            more, stand_in, provenance, cleaning, without_estimate and draw_key as in `Workload`.

        Warns
        -----
        UnitWarning
            If more than half of the estimates are more than 10 % below the run times. They count
            as missing ones in `without_estimate`, unless this share is among the facts.

        Raises
        ------
        WorkloadError
            For fractions, missing values, dates where time spans belong, and values out of range,
            by column and row (from 0).
        """
        n, unknown = len(submit), np.full(len(submit), -1)
        jobs = cls(
            name,
            machine,
            submit=submit,
            run_time=run_time,
            estimate=run_time if estimate is None else estimate,
            processors=processors,
            job_id=np.arange(1, n + 1) if job_id is None else job_id,
            user=unknown if user is None else user,
            group=unknown if group is None else group,
            executable=unknown if executable is None else executable,
            queue=unknown if queue is None else queue,
            **facts,
        )
        far = jobs.run_time > FAR * jobs.estimate
        if "without_estimate" in facts or far.mean() <= MOST_FAR:
            return jobs
        warnings.warn(doubtful_estimates(name, jobs.run_time, jobs.estimate, far), UnitWarning, 2)
        cleaning = (*jobs.cleaning, (FAR_BELOW, int(far.sum())))
        return replace(jobs, without_estimate=float(far.mean()), cleaning=cleaning)


def doubtful_estimates(name, run_time, estimate, far) -> str:
    """Return the warning of estimates that are far below run times, with a guess at their unit.

    Parameters
    ----------
    name : str
    run_time, estimate : int64[n], s
    far : bool[n]
    """
    units = {"minutes": 60, "hours": 3600, "days": 86_400}
    fits = (u for u, s in units.items() if np.all(run_time[far] <= FAR * s * estimate[far]))
    guess = next((f" (are they in {unit} in place of seconds?)" for unit in fits), "")
    return (
        f"{name}: {int(far.sum()):,} of {len(far):,} estimates are more than 10 % below the run "
        f"time{guess}"
    )


def usage(
    start: np.ndarray, end: np.ndarray, processors: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the processors in use over time.

    Parameters
    ----------
    start, end : int64[n], s
    processors : int64[n]

    Returns
    -------
    instant : int64[m], s
        Every instant at which a job starts or ends, ascending.
    used : int64[m], processors
        In use from each instant to the next; 0 after the last.
    """
    instant, place = np.unique(np.concatenate([start, end]), return_inverse=True)
    change = np.concatenate([processors, -processors])
    return instant, np.cumsum(np.bincount(place, weights=change, minlength=len(instant))).astype(
        np.int64
    )


def _read_only(values, column):
    """Return a read-only copy of `values`, int64[n]."""
    array = np.array(_whole_numbers(values, column), np.int64)
    array.flags.writeable = False
    return array


def _whole_numbers(values, column):
    """Return `values` as an array of whole numbers; raise ValueError
    with the row of another value.
    """
    expected = "whole seconds" if column in _SECONDS else "whole numbers"
    series = pd.Series(values)
    if series.empty:
        return np.zeros(0, np.int64)
    if series.dtype.kind == "M" and column == "submit":
        series = series - series.min()
    if series.dtype.kind == "m" and column in _SECONDS:
        series = series.dt.total_seconds()
    if series.dtype.kind not in "iuf":
        raise ValueError(f"{series.dtype} {series.iloc[0]!r:.40}; expected {expected}")
    array = series.to_numpy(np.float64 if series.hasnans else None)
    if array.dtype == np.int64:
        return array
    wrong = ~(np.isfinite(array) & (array == np.rint(array)) & (np.abs(array) < 2.0**63))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"{array[row]} at row {row}; expected {expected}")
    return array


def check_seed(seed: int) -> int:
    """Return a seed as an int; raise WorkloadError unless it is whole, from 0 to 2**63 - 1."""
    try:
        number = -1 if isinstance(seed, bool) else operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 2**63:
        raise WorkloadError(f"seed {seed!r:.40}; allowed: a whole number from 0 to {2**63 - 1}")
    return number


def generator(*key: str | float | bool | None) -> np.random.Generator:
    """Return a random generator that depends on its key alone.

    Parameters
    ----------
    *key : str, int, float, bool or None
        The purpose of the numbers, for instance ``(workload.draw_key, "random-f", 2.0, seed)``.

    Returns
    -------
    numpy.random.Generator
        PCG64, seeded by the sha256 of the key written as JSON.
    """
    digest = hashlib.sha256(json.dumps(key, allow_nan=False).encode()).digest()
    return np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest, "big")))
    )


def fingerprint(*columns: np.ndarray) -> str:
    """Return the sha256 of integer arrays in hexadecimal; the same on every machine."""
    digest = hashlib.sha256()
    for column in columns:
        digest.update(np.ascontiguousarray(column, "<i8"))
    return digest.hexdigest()
