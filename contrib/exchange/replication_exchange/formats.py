"""Read schedules of any program, and write Batsim's table of jobs.

| form | content | read by |
|---|---|---|
| CSV | the columns of `Schedule.write_csv` | `replication` |
| SWF | Standard Workload Format 2.2 with wait times, as of `Schedule.write_swf` | programs that read job logs |
| Batsim | the ``_jobs.csv`` of Batsim 3 and later; tables of older versions are read too | Batsim's tools, evalys |

Tables have only the run that completed; lines of status 2 to 4 in SWF are the partial executions of preempted jobs. Batsim's
resources are assigned when the table is written, lowest free one first, since the simulation only counts processors.

Sources: documentation of Batsim, "Jobs" and "Interval set"; the format's definition in the Parallel Workloads Archive.
"""

import io
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from replication.simulator import writing
from replication.simulator.logs import swf
from replication.simulator.schedules import gantt

LATEST = 10**15  # s, before and after 0; also the most processors
#: Names of a plan's columns in tables of this package, of Batsim, and of older versions of Batsim.
NAMES = {
    "job_id": ("job_id", "jobID"),
    "submit": ("submit", "submission_time"),
    "start": ("start", "starting_time"),
    "end": ("end", "finish_time"),
    "processors": ("processors", "requested_number_of_resources", "requested_number_of_processors"),
    "estimate": ("estimate", "requested_time"),
}
COLUMNS = tuple(NAMES)[1:]


class FormatError(ValueError):
    """An unusable file; the message names file, column, value and the allowed values."""


@dataclass(frozen=True)
class Plan:
    """A schedule from a file of any program; jobs in the order of the file.

    Parameters
    ----------
    path : str
    job_id : str[n]
    submit, start, end : float64[n], s
        Of the run that completed.
    processors : int64[n]
    estimate : float64[n], s
        -1 where unknown.
    machine : int, processors, optional
        None if the file does not name it.
    left_out : int
        Number of jobs without a start or an end, which are not in the plan.
    earlier_runs : float64[k, 3]
        Preempted runs: the job's index, start and end, s.
    """

    path: str
    job_id: np.ndarray
    submit: np.ndarray
    start: np.ndarray
    end: np.ndarray
    processors: np.ndarray
    estimate: np.ndarray
    machine: int | None = None
    left_out: int = 0
    earlier_runs: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))

    def __len__(self):
        return len(self.job_id)

    @property
    def wait(self):
        """Time from submission to start, float64[n], s."""
        return self.start - self.submit

    @property
    def run_time(self):
        """Time from start to end, float64[n], s."""
        return self.end - self.start


def intervals(schedule):
    """Return the processors of each job as an interval set such as ``0-3 7``; each job gets the lowest free ones.

    Parameters
    ----------
    schedule : replication.Schedule

    Returns
    -------
    list of str
    """
    w = schedule.workload
    blocks = [[] for _ in range(len(w))]
    for job, first, width in gantt.place(schedule.start, schedule.end, w.processors, w.machine):
        blocks[job].append((first, width))
    sets = []
    for own in map(gantt.merge_blocks, blocks):
        parts = [f"{a}-{a + width - 1}" if width > 1 else str(a) for a, width in own]
        sets.append(" ".join(parts))
    return sets


def write_batsim(schedule, target) -> None:
    """Write a schedule as Batsim's table of jobs.

    Parameters
    ----------
    schedule : replication.Schedule
    target : path or open binary file
        A path names the file only when it is complete.
    """
    w = schedule.workload
    run_time = schedule.end - schedule.start
    turnaround = schedule.end - w.submit
    columns = {
        "job_id": w.job_id,
        "workload_name": Path(w.name).name,
        "profile": run_time,
        "submission_time": w.submit,
        "requested_number_of_resources": w.processors,
        "requested_time": schedule.estimate,
        "success": 1,
        "final_state": "COMPLETED_SUCCESSFULLY",
        "starting_time": schedule.start,
        "execution_time": run_time,
        "finish_time": schedule.end,
        "waiting_time": schedule.wait,
        "turnaround_time": turnaround,
        "stretch": turnaround / np.where(run_time > 0, run_time, np.nan),
        "allocated_resources": intervals(schedule),
        "consumed_energy": np.nan,
        "metadata": "",
    }
    with writing.open_output(target) as out:
        out.write(writing.frame_csv(pd.DataFrame(columns)))


def read(path) -> Plan:
    """Read a schedule of this package or of another program; the first line decides the form.

    Parameters
    ----------
    path : str or pathlib.Path
        ``-`` is standard input.

    Returns
    -------
    Plan

    Raises
    ------
    FormatError
        For another form, a missing column, a value that is no number, and a file in which no job has a start and an
        end.
    """
    content = swf.read_bytes(path, FormatError).removeprefix(b"\xef\xbb\xbf")
    path = swf.display_name(path)
    first = content[:1_000_000].lstrip().partition(b"\n")[0].strip()
    is_swf = first.startswith(b";") or len(first.split()) == 18
    plan = _read_swf(path, content) if is_swf else _read_csv(path, content, first)
    if len(plan) == 0:
        raise FormatError(f"{path}: none of its {plan.left_out} jobs has a start and an end")
    return plan


def _read_swf(path, content):
    trace = swf.parse(content, path)
    size = np.where(
        trace.allocated_processors > 0, trace.allocated_processors, trace.requested_processors
    )
    start = np.where(trace.wait >= 0, trace.submit + trace.wait, np.nan)
    end = np.where(trace.run_time >= 0, start + trace.run_time, np.nan)
    size = np.where(size > 0, size, np.nan)
    row = {number: k for k, number in enumerate(trace.job_id.tolist())}
    earlier, ends = [], {}
    for number, wait, run_time, _, status in trace.parts.tolist():
        job = row[number]
        begin = ends.get(job, int(trace.submit[job])) + max(wait, 0)
        ends[job] = begin + max(run_time, 0)
        if status == 2:
            earlier.append((job, begin, ends[job]))
        else:
            start[job], end[job] = begin, ends[job]
    ids = trace.job_id.astype(str)
    columns = trace.submit, start, end, size, trace.requested_time
    return _plan(path, ids, columns, trace.max_procs, earlier)


def _read_csv(path, content, first):
    header = first.decode("utf-8", "replace")
    names = {
        column: next((name for name in known if name in header.split(",")), None)
        for column, known in NAMES.items()
    }
    for column in ("job_id", *COLUMNS[:-1]):
        if names[column] is None:
            expected = " or ".join(NAMES[column])
            raise FormatError(
                f"{path}, line 1: {swf.quote(header)}; expected SWF, or CSV with a column {expected}"
            )
    try:
        table = pd.read_csv(io.BytesIO(content), dtype=str, index_col=False, skipinitialspace=True)
    except (ValueError, pd.errors.ParserError) as error:
        raise FormatError(f"{path}: {swf.quote(str(error).splitlines()[0], 200)}") from None
    columns = []
    for name in map(names.get, COLUMNS):
        values = table[name] if name else pd.Series(np.nan, table.index)
        columns.append(pd.to_numeric(values, errors="coerce").to_numpy(np.float64))
        wrong = np.isnan(columns[-1]) & values.notna()
        if wrong.any():
            row = int(np.argmax(wrong))
            raise FormatError(
                f"{path}, line {row + 2}, column {name}: {swf.quote(values[row])}; allowed: numbers"
            )
    return _plan(path, table[names["job_id"]].fillna("").to_numpy(str), columns)


def _plan(path, ids, columns, machine=None, earlier=()):
    """Return the plan of the columns in the order of `COLUMNS`, without the jobs that lack one other than the estimate."""
    columns = np.array(columns, np.float64)
    ran = np.isfinite(columns[:-1]).all(axis=0)
    submit, start, end, size, estimate = columns = np.nan_to_num(columns[:, ran], nan=-1)
    for name, values in zip(COLUMNS, columns, strict=True):
        good, allowed = np.abs(values) <= LATEST, f"seconds up to {LATEST:g}"
        if name == "processors":
            good = good & (values == np.rint(values)) & (values >= 1)
            allowed = f"whole numbers from 1 to {LATEST:g}"
        if not good.all():
            raise FormatError(f"{path}, column {name}: {values[~good][0]:g}; allowed: {allowed}")
    place = np.cumsum(ran) - 1
    runs = [(place[job], *times) for job, *times in earlier if ran[job]]
    return Plan(
        path,
        ids[ran],
        submit,
        start,
        end,
        size.astype(np.int64),
        estimate,
        machine,
        left_out=int(np.count_nonzero(~ran)),
        earlier_runs=np.array(runs, np.float64).reshape(-1, 3),
    )
