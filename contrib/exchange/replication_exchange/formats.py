"""Read schedules of any program, and write Batsim's table of jobs.

| form | content | read by |
|---|---|---|
| CSV | the columns of `Schedule.write_csv` | `replication` |
| SWF | Standard Workload Format 2.2 with wait times, as of `Schedule.write_swf` | log readers |
| Batsim | the ``_jobs.csv`` of Batsim 3 and later; older tables are read too | Batsim, evalys |

Tables have only the run that completed; lines of status 2 to 4 in SWF are the partial executions of
preempted jobs. Batsim's resources are assigned when the table is written, lowest free one first,
since the simulation only counts processors.

Sources: documentation of Batsim, "Jobs" and "Interval set"; the format's definition in the Parallel
Workloads Archive.
"""

import io
import itertools
import re
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
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
    "workload": ("workload_name",),
    "resources": ("allocated_resources", "allocated_processors"),
}
COLUMNS = ("submit", "start", "end", "processors", "estimate")
TEXTS = ("job_id", "workload", "resources")
_PART = re.compile(r"(\d{1,15})(?:-(\d{1,15}))?", re.ASCII)


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
    workload : str[n], optional
        The workload of each job in tables of Batsim, where a number is unique only within its
        workload.
    resources : list of n lists of (int, int), optional
        First and last resource of each part of a job's set, ascending and disjoint; no part if the
        set is unknown. None if the file has no sets.
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
    workload: np.ndarray | None = None
    resources: list | None = None

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

    @property
    def clock(self):
        """Second that is 0 in `replication_exchange.plans.as_schedule`, and its units in a second,
        two int.

        Whole seconds are counted as they are, others in milliseconds from the first submission.
        """
        times = np.concatenate(
            [self.submit, self.start, self.end, self.earlier_runs[:, 1:].ravel()]
        )
        if (times == np.rint(times)).all():
            return 0, 1
        return int(np.floor(self.submit.min())), 1000

    def ticks(self, *times):
        """Return arrays of times of this plan, s, in the units of its `clock`, a list of
        int64[...].
        """
        origin, per_second = self.clock
        return [np.rint((one - origin) * per_second).astype(np.int64) for one in times]

    @property
    def keys(self):
        """Name of each job, str[n]: its number, behind its workload if the file has workloads."""
        if self.workload is None:
            return self.job_id
        return np.char.add(np.char.add(self.workload, "!"), self.job_id)


def intervals(schedule):
    """Return the processors of each job as an interval set such as ``0-3 7``; each job gets the
    lowest free ones.

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


def write_batsim(schedule, target, clock=(0, 1)) -> None:
    """Write a schedule as Batsim's table of jobs.

    Parameters
    ----------
    schedule : replication.Schedule
    target : path or open binary file
        A path names the file only when it is complete.
    clock : (int, int), optional
        The second that is 0 in the schedule, and the schedule's units in a second, as in
        `Plan.clock`.
    """
    w = schedule.workload
    origin, per_second = clock

    def seconds(times):
        return times if per_second == 1 else times / per_second

    run_time = schedule.end - schedule.start
    turnaround = schedule.end - w.submit
    columns = {
        "job_id": w.job_id,
        "workload_name": Path(w.name).name,
        "profile": seconds(run_time),
        "submission_time": origin + seconds(w.submit),
        "requested_number_of_resources": w.processors,
        "requested_time": seconds(schedule.estimate),
        "success": 1,
        "final_state": "COMPLETED_SUCCESSFULLY",
        "starting_time": origin + seconds(schedule.start),
        "execution_time": seconds(run_time),
        "finish_time": origin + seconds(schedule.end),
        "waiting_time": seconds(schedule.wait),
        "turnaround_time": seconds(turnaround),
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
        For another form, a missing column, a value that is no number, and a file in which no job
        has a start and an end.
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
    try:
        trace, per_second = swf.parse(content, path), 1
    except swf.SWFError:  # also for fractions of seconds; another problem is raised again
        trace, per_second = swf.parse(_in_milliseconds(content), path), 1000
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
    asked = np.where(trace.requested_time < 0, -1, trace.requested_time / per_second)
    columns = trace.submit / per_second, start / per_second, end / per_second, size, asked
    earlier = [(job, *(time / per_second for time in run)) for job, *run in earlier]
    return _plan(path, ids, columns, trace.max_procs, earlier)


def _in_milliseconds(content):
    """Return a log in SWF with all times in milliseconds, halves rounded upwards."""
    times = [swf.FIELDS.index(name) for name in swf.IN_SECONDS]

    def converted(line):
        tokens = line.split()
        if line.lstrip().startswith(b";") or len(tokens) < len(swf.FIELDS):
            return line
        for k in times:
            if re.fullmatch(rb"\d+\.?\d*|\.\d+", tokens[k]):
                exact = 1000 * Decimal(tokens[k].decode())
                tokens[k] = b"%d" % exact.to_integral_value(ROUND_HALF_UP)
        return b" ".join(tokens)

    return b"\n".join(map(converted, content.split(b"\n")))


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
                f"{path}, line 1: {swf.quote(header)}; expected SWF, or CSV with a column "
                f"{expected}"
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
    text = {name: table[names[name]].fillna("") for name in TEXTS if names[name]}
    if "resources" in text:
        where = f"{path}, line {{}}, column {names['resources']}"
        text["resources"] = [
            _parts(words, where.format(row)) for row, words in enumerate(text["resources"], 2)
        ]
    return _plan(path, text.pop("job_id").to_numpy(str), columns, **text)


def _parts(words, where):
    """Return the disjoint parts, (first, last) each, of a set such as ``0-3 7`` or ``7,0-3``."""
    found = [_PART.fullmatch(word) for word in words.replace(",", " ").split()]
    parts = [(int(one[1]), int(one[2] or one[1])) if one else (1, 0) for one in found]
    if any(last < first for first, last in parts):
        raise FormatError(f"{where}: {swf.quote(words)}; allowed: resources such as '0-3 7'")
    return merge(parts)


def merge(parts) -> list[tuple[int, int]]:
    """Return the union of sets of resources, (first, last) each, in ascending order and
    disjoint.
    """
    merged = []
    for first, last in sorted(parts):
        if merged and first <= merged[-1][1] + 1:
            first, before = merged.pop()
            last = max(last, before)
        merged.append((first, last))
    return merged


def _plan(path, ids, columns, machine=None, earlier=(), workload=None, resources=None):
    """Return the plan of the columns in the order of `COLUMNS`, without the jobs that lack one
    other than the estimate.
    """
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
        workload=None if workload is None else workload.to_numpy(str)[ran],
        resources=None if resources is None else list(itertools.compress(resources, ran)),
    )
