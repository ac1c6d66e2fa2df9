"""The jobs that a scheduler is given: one immutable set of columns, whatever they came from."""

import datetime
import math
import operator
from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import Any, Self

import numpy as np

from replication.simulator.seeding import fingerprint

COLUMNS = tuple("job_id submit run_time estimate processors user group executable queue".split())
#: Quick scale: simulate only the first jobs of each log.
QUICK_JOBS = 5000
MOST_PROCESSORS = 10**12
LARGEST = 2**62  # the kernels add two such numbers in 64 bits

_SECONDS = ("submit", "run_time", "estimate")


class WorkloadError(ValueError):
    """Jobs that cannot be simulated; the message names field, row or job, value and what is allowed."""


@dataclass(frozen=True, eq=False)
class Workload:
    """Jobs in order of submission, and the machine they are meant for.

    Columns are read-only ``int64[n]`` copies, ordered by (submit, order in the log); a job's index is its place in
    the first-come-first-served queue.

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
        Where the jobs came from: path, sha256, the rules applied.
    cleaning : tuple of (str, int)
        Each cleaning rule applied with the number of jobs it touched.
    draw_key : str
        What random draws for these jobs are keyed by, so that equal jobs get equal numbers whatever their file is
        called: the registry's name for a registered log, else by default a hash of the jobs. Changed copies (scaled,
        cut, resampled) keep the key, so that they share random numbers.
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
    draw_key: str = ""

    def __post_init__(self):
        object.__setattr__(self, "machine", self._checked_machine())
        shape = np.shape(self.job_id)
        for column in COLUMNS:
            values = getattr(self, column)
            if np.shape(values) != shape or len(shape) != 1:
                raise WorkloadError(
                    f"{self.name}: column {column} has shape {np.shape(values)}, expected ({shape[0] if shape else 'n'},)"
                )
            try:
                object.__setattr__(self, column, _frozen(values, column))
            except ValueError as problem:
                raise WorkloadError(f"{self.name}: {column}: {problem}") from None
        self._check()
        if not self.draw_key:
            columns = (getattr(self, column) for column in COLUMNS)
            object.__setattr__(self, "draw_key", fingerprint(*columns))

    def __getstate__(self):
        """Return the fields alone: nothing computed from them travels with a copy or a pickle."""
        return {own.name: getattr(self, own.name) for own in fields(self)}

    def __setstate__(self, state):
        for name, value in state.items():
            if name in COLUMNS:
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def _checked_machine(self):
        try:
            machine = 0 if isinstance(self.machine, bool) else operator.index(self.machine)
        except TypeError:
            machine = 0
        if not 1 <= machine <= MOST_PROCESSORS:
            raise WorkloadError(
                f"{self.name}: machine {self.machine!r:.40}; "
                f"expected a whole number of processors from 1 to {MOST_PROCESSORS}"
            )
        return machine

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
                f"{self.name}: job {self.job_id[k]}: submit {self.submit[k]} is before the previous job's "
                f"({self.submit[k - 1]}); expected jobs in order of submission"
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
        """The name, marked where the jobs are synthetic."""
        return f"{self.name}{' (synthetic)' if self.stand_in else ''}"

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
            float(np.dot(self.run_time, self.processors)) / (self.machine * self.span)
            if self.span
            else math.nan
        )

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some columns or facts changed, checked again."""
        return replace(self, **changes)

    def take(self, index) -> Self:
        """Return the jobs at `index` (mask, slice or sorted positions), in the same order."""
        return replace(self, **{c: getattr(self, c)[index] for c in COLUMNS})

    def scaled(self, factor: float) -> Self:
        """Return a copy with all submission times multiplied by `factor`, rounded to whole seconds.

        Heel-and-toe, section 3: a load of 76 % becomes 80 % with a factor of 76/80.

        Raises
        ------
        WorkloadError
            For a factor that is not a finite number above 0, and for times that become too large.
        """
        try:
            number = math.nan if isinstance(factor, bool | str) else float(factor)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not 0 < number < math.inf:
            raise WorkloadError(
                f"{self.name}: scaling factor {factor!r:.40}, allowed: a finite number above 0"
            )
        submit = np.rint(self.submit * number)
        if submit[-1] >= LARGEST:
            raise WorkloadError(
                f"{self.name}: scaling factor {number:g}: submissions reach {submit[-1]:g} s, "
                f"allowed: below {LARGEST} s"
            )
        return replace(self, submit=submit.astype(np.int64))

    def at_load(self, share: float) -> Self:
        """Return a copy with submission times scaled so that the offered `load` becomes `share`.

        Run times have to be cut first (`replication.simulator.estimates.EstimateModel.cut`): cutting them later
        would lower the load again. The copy's `load` differs from `share` by the rounding to whole seconds.

        Raises
        ------
        WorkloadError
            For a share that is not a finite number above 0, and where the jobs have no load: no work, or all
            submitted at once.
        """
        try:
            wanted = math.nan if isinstance(share, bool | str) else float(share)
        except (TypeError, ValueError, OverflowError):
            wanted = math.nan
        if not (0 < wanted < math.inf and self.load > 0):
            raise WorkloadError(
                f"{self.name}, of load {self.load:g}: load {share!r:.40}, allowed: a share above 0, and only the "
                "log's own where all jobs come at once or take no time"
            )
        return self.scaled(self.load / wanted)

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
            Or of time spans (pandas Timedelta, numpy timedelta64). Submissions may also be points in time (pandas
            Timestamp, numpy datetime64): seconds since the first are taken.
        processors : sequence of n whole numbers
        estimate : sequence of n whole seconds or time spans, optional
            The run times by default.
        job_id, user, group, executable, queue : sequences of n whole numbers, optional
            Job numbers are 1, 2, ... by default, the others -1, unknown.
        **facts
            stand_in, provenance, cleaning and draw_key as in `Workload`.

        Raises
        ------
        WorkloadError
            For fractions, missing values, dates where time spans belong, and values out of range, by column and row
            (from 0).
        """
        n = len(submit)
        others = {"job_id": job_id, "user": user, "group": group}
        others |= {"executable": executable, "queue": queue}
        unknown = {"job_id": np.arange(1, n + 1)}
        columns = {
            column: unknown.get(column, np.full(n, -1)) if values is None else values
            for column, values in others.items()
        }
        return cls(
            name,
            machine,
            submit=submit,
            run_time=run_time,
            estimate=run_time if estimate is None else estimate,
            processors=processors,
            **columns,
            **facts,
        )


def usage(start: np.ndarray, end: np.ndarray, processors: np.ndarray):
    """Return the processors in use over time.

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


def _frozen(values, column):
    """Return `values` as int64 that nobody can write to; raise ValueError for what is no whole number.

    The buffer is a bytes object: it cannot be made writeable again, and copies of a workload share it.
    """
    if isinstance(values, np.ndarray) and values.dtype == np.int64 and _is_immutable(values):
        return np.ascontiguousarray(values)
    return np.frombuffer(_whole_numbers(values, column).tobytes(), np.int64)


def _is_immutable(values):
    while isinstance(values.base, np.ndarray) and values.flags.c_contiguous:
        values = values.base
    return isinstance(values.base, bytes)


def _whole_numbers(values, column):
    """Return `values` as an int64 array; raise ValueError, which names the row, for what has no such meaning."""
    expected = "whole seconds" if column in _SECONDS else "whole numbers"
    if np.ma.is_masked(values):
        row = int(np.argmax(np.ma.getmaskarray(values)))
        raise ValueError(f"masked value at row {row}; expected {expected}")
    if getattr(getattr(values, "dtype", None), "tz", None) is not None:  # pandas, with a time zone
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
    array = np.asarray(values)
    if array.dtype == object:
        array = _from_objects(array)
    kind = array.dtype.kind
    if kind in "mM":
        return _seconds(array, column)
    if kind not in "iuf":
        raise ValueError(f"{array.dtype} {array.flat[0]!r:.40}; expected {expected}")
    if kind == "f":
        wrong = ~(np.isfinite(array) & (array == np.rint(array)) & (np.abs(array) < 2.0**63))
    else:
        wrong = array > np.uint64(2**63 - 1) if kind == "u" else np.zeros(1, bool)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(f"{array[row]} at row {row}; expected {expected}")
    return array.astype(np.int64)


def _from_objects(array):
    """Return an array of Python objects as one of numbers, time spans or points in time."""
    for kind, dtype in ((datetime.timedelta, "m8[us]"), (datetime.datetime, "M8[us]")):
        if len(array) and all(isinstance(value, kind) for value in array):
            return np.array(array.tolist(), dtype)
    for row, value in enumerate(array):
        try:
            operator.index(value)
        except TypeError:
            raise ValueError(f"{value!r:.40} at row {row}; expected whole numbers") from None
    try:
        return np.array([operator.index(value) for value in array], np.int64)
    except OverflowError:
        raise ValueError("a number of more than 64 bits; expected whole numbers") from None


def _seconds(array, column):
    """Return time spans as whole seconds, and points in time as whole seconds since the first."""
    allowed = "mM" if column == "submit" else "m" if column in _SECONDS else ""
    if array.dtype.kind not in allowed:
        expected = "time spans or whole seconds" if allowed else "whole numbers"
        raise ValueError(f"{array[0]!r:.60} at row 0; expected {expected}")
    missing = np.isnat(array)
    if not missing.any():
        if array.dtype.kind == "M":
            array = array - array.min()
        if np.datetime_data(array.dtype)[0] in ("generic", "Y", "M"):
            raise ValueError(f"{array.dtype}: no length in seconds; expected whole seconds")
        whole = array.astype("m8[s]")
        missing = whole.astype(array.dtype) != array
    if missing.any():
        row = int(np.argmax(missing))
        raise ValueError(f"{array[row]} at row {row}; expected whole seconds")
    return whole.astype(np.int64)
