"""Schedules: start times of a simulation, their validation, measures and tables."""

from dataclasses import dataclass, field
from html import escape
from typing import Any, Self

import numpy as np
import pandas as pd

from replication.simulator import writing
from replication.simulator.estimates import EstimateModel
from replication.simulator.logs import swf
from replication.simulator.schedulers import Scheduler
from replication.simulator.schedules import export, gantt, measures
from replication.simulator.workload import Workload

TABLE = (
    "job_id",
    "submit",
    "start",
    "end",
    "processors",
    "run_time",
    "estimate",
    "prediction",
    "backfilled",
    "times_killed",
)


class ScheduleError(ValueError):
    """An impossible schedule; the message names the first job or instant that is wrong."""


@dataclass(frozen=True, eq=False, repr=False)
class Schedule:
    """The start times of a workload's jobs under one scheduler.

    Parameters
    ----------
    workload : replication.simulator.workload.Workload
    scheduler : replication.simulator.schedulers.Scheduler, optional
        None if the schedule was read from a file.
    estimates : replication.simulator.estimates.EstimateModel, optional
        The source of the estimates; None for an array of values.
    seed : int, optional
        Seed of random estimates and predictions.
    start : int64[n], s
        Start of the run that completed.
    estimate : int64[n], s
        The estimate that the scheduler used.
    backfilled : bool[n]
        Whether the job started before a blocked head.
    prediction : int64[n], s, optional
        The prediction when the job started; the estimate without a predictor.
    times_killed : int64[n], optional
        Number of preemptions before the run that completed.
    killed_runs : int64[k, 3]
        Runs that were preempted: the job's index, start and end of the run, s.
    length : int64[n], s, optional
        Length of the run that completed, if jobs are resumed; by default the run time.
    measure_names : tuple of str or callable
        Names of `measures`, or functions of a schedule.
    trim : bool or (float, bool)
        Jobs excluded from `measures`, see `replication.simulator.schedules.measures.check_trim`.
    first_prediction : int64[n], s, optional
        The prediction at submission, if there is a predictor.
    """

    workload: Workload
    scheduler: Scheduler | None
    estimates: EstimateModel | None
    seed: int | None
    start: np.ndarray
    estimate: np.ndarray
    backfilled: np.ndarray
    prediction: np.ndarray | None = None
    times_killed: np.ndarray | None = None
    killed_runs: np.ndarray = field(default_factory=lambda: np.empty((0, 3), np.int64))
    first_prediction: np.ndarray | None = None
    length: np.ndarray | None = None
    measure_names: tuple = measures.DEFAULT
    trim: bool | tuple[float, bool] = True

    @classmethod
    def of_log(cls, workload: Workload, trim=True) -> Self:
        """Return the schedule of the real machine, from the waits in its log.

        Parameters
        ----------
        workload : replication.simulator.workload.Workload
            Loaded with ``more="wait"``, in its own time: not scaled or resampled.
        trim : bool or (float, bool)
            See `replication.simulator.simulation.simulate`.

        Returns
        -------
        Schedule
            A job counts as backfilled if one that was submitted before it started later.
            `validate` may refuse it, since real machines change their size and logs have errors.

        Raises
        ------
        ScheduleError
            If the workload has no waits, or not that of each job.
        """
        wait = workload.more.get("wait")
        if wait is None:
            raise ScheduleError(f"{workload.name}: no waits; load the log with more='wait'")
        if (wait < 0).any():
            k = int(np.argmax(wait < 0))
            count = int((wait < 0).sum())
            raise ScheduleError(
                f"{workload.name}: job {workload.job_id[k]}: wait {wait[k]}, which is unknown "
                f"({count} such jobs); leave them out: workload.take(workload.more['wait'] >= 0)"
            )
        start = workload.submit + wait
        backfilled = start < np.maximum.accumulate(start)
        return cls(workload, None, None, None, start, workload.estimate, backfilled, trim=trim)

    def __post_init__(self):
        if self.prediction is None:
            object.__setattr__(self, "prediction", self.estimate)
        if self.times_killed is None:
            object.__setattr__(self, "times_killed", np.zeros(len(self.start), np.int64))

    @property
    def end(self) -> np.ndarray:
        """End of each job, int64[n], s."""
        return self.start + (self.workload.run_time if self.length is None else self.length)

    @property
    def wait(self) -> np.ndarray:
        """Time from submission to end minus the run time, int64[n], s.

        If no job is resumed, that is the time from submission to the start of the run that
        completed.
        """
        return self.end - self.workload.submit - self.workload.run_time

    @property
    def jobs(self) -> pd.DataFrame:
        """One row for each job, a pandas.DataFrame.

        Columns: job_id, submit, start, end (s), processors, run_time, estimate, prediction,
        backfilled, times_killed, wait (s), bounded_slowdown, user, group,
        queue and the workload's further columns; one of the same name, such as the log's own wait,
        begins with ``log_``.
        """
        w = self.workload
        slowdown = measures.bounded_slowdown(self.wait, w.run_time)
        more = {"wait": self.wait, "bounded_slowdown": slowdown}
        identifiers = {name: getattr(w, name) for name in ("user", "group", "queue")}
        table = self.columns() | more | identifiers
        logged = {
            f"log_{name}" if name in table else name: values for name, values in w.more.items()
        }
        return pd.DataFrame(table | logged)

    def columns(self) -> dict[str, np.ndarray]:
        """Return the table as a dict of arrays, in the order of ``TABLE``; times are seconds."""
        return {
            name: getattr(self if hasattr(self, name) else self.workload, name) for name in TABLE
        }

    @property
    def measures(self) -> dict[str, float]:
        """The measures `measure_names` by name; see `replication.simulator.schedules.measures`."""
        return self.measured(self.trim, self.measure_names)

    def measured(self, trim=True, names=None) -> dict[str, float]:
        """Return measures by name.

        Parameters
        ----------
        trim : bool or (float, bool)
            Jobs that measures of waits leave out, see `simulate`.
        names : name or function of a schedule, or several, optional
            By default those of `replication.simulator.schedules.measures.DEFAULT`.

        Returns
        -------
        dict of str to float, which prints names with units
            Times in s, shares from 0 to 1; nan for a mean over no jobs.

        Raises
        ------
        MeasureError
        """
        return measures.of(self, names, trim)

    @property
    def trim_effect(self) -> str:
        """The number of jobs measured, and of those excluded by reason."""
        return measures.trim_effect(self, self.trim)

    @property
    def provenance(self) -> dict[str, Any]:
        """Scheduler and estimates as Python expressions, and the seed."""
        scheduler = "from a file" if self.scheduler is None else repr(self.scheduler)
        estimates = "given" if self.estimates is None else repr(self.estimates)
        return {"scheduler": scheduler, "estimates": estimates, "seed": self.seed}

    def __repr__(self):
        w, facts = self.workload, self.provenance
        return (
            f"Schedule of {w.label}: {len(w):,} jobs, {facts['scheduler']}, estimates "
            f"{facts['estimates']}, seed {self.seed}"
        )

    def _repr_html_(self):
        """Return the measures as a table, for notebooks."""
        return f"<p>{escape(repr(self))}</p>{self.measures._repr_html_()}"

    def validate(self) -> "Schedule":
        """Return the schedule itself if it is possible, in about the time of EASY on the same jobs.

        Raises
        ------
        ScheduleError
            If a job has no start, starts before its submission, runs twice at once or for less than
            its run time, or if more processors are in use than the machine has.
        """
        w = self.workload
        if len(self.start) != len(w):
            raise ScheduleError(f"{w.name}: {len(self.start)} starts for {len(w)} jobs")
        self._refuse(self.start < 0, "never started")
        self._refuse(self.start < w.submit, "started before its submission")
        job, killed_start, killed_end = self.killed_runs.T
        if not np.array_equal(np.bincount(job, minlength=len(w)), self.times_killed):
            raise ScheduleError(
                f"{w.name}: killed_runs and times_killed differ; expected a row for each preemption"
            )
        self._validate_runs(job, killed_start, killed_end)
        self._validate_capacity()
        return self

    def _validate_capacity(self):
        """Raise ScheduleError if more processors are in use than the machine has."""
        w, (job, killed_start, killed_end) = self.workload, self.killed_runs.T
        start, end = np.append(self.start, killed_start), np.append(self.end, killed_end)
        size = np.append(w.processors, w.processors[job])
        # Stable sorts are fast here: starts are nearly in order.
        by_start, by_end = np.argsort(start, kind="stable"), np.argsort(end, kind="stable")
        start, freed = start[by_start], np.append(0, np.cumsum(size[by_end]))
        # After each start: all sizes up to it, minus those of the runs that have ended by then.
        used = np.cumsum(size[by_start]) - freed[np.searchsorted(end[by_end], start, "right")]
        over = np.flatnonzero(used > w.machine)
        if len(over):
            instant = start[over[0]]
            raise ScheduleError(
                f"{w.name}: {used[start == instant].max()} processors in use at second {instant}, "
                f"the machine has {w.machine}"
            )

    def _validate_runs(self, job, killed_start, killed_end):
        """Raise ScheduleError unless the runs of a job follow one another
        and together take its run time.
        """
        w = self.workload
        last = self.end - self.start
        together = last + np.bincount(job, killed_end - killed_start, len(w)).astype(np.int64)
        # A job that is not resumed does all its work in the run that completes.
        self._refuse(
            (together if self.length is not None else last) < w.run_time,
            "ran for less than its run time",
        )
        self._refuse(last < 0, "ended before its start")
        if len(job) == 0:
            return
        owner = np.concatenate([job, np.arange(len(w))])
        start, end = (
            np.concatenate([killed_start, self.start]),
            np.concatenate([killed_end, self.end]),
        )
        # The run that completes is the last of those that begin at the same instant.
        order = np.lexsort((np.arange(len(owner)) >= len(job), end, start, owner))
        overlap = (np.diff(owner[order]) == 0) & (start[order][1:] < end[order][:-1])
        twice = np.zeros(len(w), bool)
        twice[owner[order][1:][overlap]] = True
        self._refuse(twice, "runs twice at once")

    def _refuse(self, bad, what):
        if bad.any():
            k = int(np.argmax(bad))
            raise ScheduleError(
                f"{self.workload.name}: job {self.workload.job_id[k]} {what} "
                f"(submit {self.workload.submit[k]}, start {self.start[k]}; "
                f"{int(bad.sum())} such jobs)"
            )

    def write_csv(self, target) -> None:
        """Write the jobs as CSV, with the columns of ``TABLE``.

        Parameters
        ----------
        target : path or open binary file
            A path names the file only when it is complete.
        """
        columns = {name: np.asarray(values, np.int64) for name, values in self.columns().items()}
        with writing.open_output(target) as out:
            out.write(pd.DataFrame(columns).to_csv(index=False, lineterminator="\n").encode())

    def write_swf(self, target) -> None:
        """Write the jobs as a log in SWF with wait times, and the runs
        of preempted jobs as partial executions.

        Parameters
        ----------
        target : path or open binary file
            The content of a name that ends in ``.gz`` is compressed.
        """
        swf.write(target, export.as_trace(self))

    def gantt(self, axes=None, since=None, until=None) -> Any:
        """Draw the jobs that run between two instants as a Gantt chart.

        Parameters
        ----------
        axes : matplotlib axes, optional
            That of a new figure by default.
        since, until : int, s, optional
            See `replication.simulator.schedules.gantt.draw`.
        """
        return gantt.draw(self, axes, since, until)
