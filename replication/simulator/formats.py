"""Schedules as other programs of the field write and read them: SWF, Batsim's jobs table, evalys' job set.

| form | what it is | read by |
|---|---|---|
| native | CSV with the columns of `replication.simulator.schedule.TABLE` | this package |
| swf | Standard Workload Format 2.2 with the wait times filled in | whatever reads job logs |
| batsim | the ``_jobs.csv`` of Batsim 3 and later | Batsim's tools, evalys |
| evalys | the columns of evalys' ``JobSet``, and no others | evalys 4 |

Tables have only the run that completed. SWF has, after the line of a preempted job, lines of status 2 to 4 for its
partial executions, as the format asks for. Its own line then has the run time that counts: of the run that completed
where work is lost, all runs together where it is resumed. Resources are numbered from 0 and given out lowest first,
since the simulation itself has no places.

Sources: documentation of Batsim, "Jobs" and "Interval set"; evalys, ``JobSet.columns``; the format's definition in the
Parallel Workloads Archive.
"""

import io
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from replication import __version__
from replication.simulator import gantt, swf, writing
from replication.simulator.choices import among

LARGEST = 2**31 - 1  # processors of a job
LONGEST_ID = 200  # characters of a job's name
LATEST = 10**15  # s, before and after 0
FORMS = ("native", "swf", "batsim", "evalys")
BATSIM = tuple(
    """
    job_id workload_name profile submission_time requested_number_of_resources requested_time success final_state
    starting_time execution_time finish_time waiting_time turnaround_time stretch allocated_resources consumed_energy
    metadata
""".split()
)
NOT_EVALYS = ("profile", "final_state", "consumed_energy", "metadata")
EVALYS = tuple(name for name in BATSIM if name not in NOT_EVALYS)

_MISSING = ("", "nan", "na", "n/a", "null", "none")
# What each column of a plan is called in the tables, the newest name first.
_NAMES = {
    "native": {name: (name,) for name in "job_id submit start end processors estimate".split()},
    "batsim": {
        "job_id": ("job_id", "jobID"),
        "submit": ("submission_time",),
        "start": ("starting_time",),
        "end": ("finish_time",),
        "estimate": ("requested_time",),
        "processors": ("requested_number_of_resources", "requested_number_of_processors"),
    },
}


class FormatError(ValueError):
    """A file or a form that cannot be used: names file, column, value and what is allowed."""


@dataclass(frozen=True)
class Plan:
    """A schedule as read from a file, whatever wrote it; jobs in the order of the file.

    Times are float64[n], s, of the run that completed; the estimate is -1 where unknown. The machine is None where the
    file does not name it. Jobs without a start or an end are left out and counted. `earlier_runs`, float64[k, 3], are
    the runs that were preempted: the job's index, start and end, s.
    """

    path: str
    form: str
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
        """From submission to start, float64[n], s."""
        return self.start - self.submit

    @property
    def run_time(self):
        """From start to end, float64[n], s."""
        return self.end - self.start


def write(schedule, target, form=None) -> None:
    """Write a schedule in one of `FORMS` to a path or a binary file.

    By default SWF for a path that ends in ``.swf`` or ``.swf.gz``, else native. A path gets its name only when the file
    is complete.
    """
    form = form or ("swf" if str(target).endswith((".swf", ".swf.gz")) else "native")
    among(FORMS, "form", form, FormatError)
    if form == "native":
        schedule.write_csv(target)
    elif form == "swf":
        swf.write(target, as_trace(schedule))
    else:
        _write_table(schedule, target, BATSIM if form == "batsim" else EVALYS)


def as_trace(schedule) -> swf.Trace:
    """Return the schedule as a log in SWF: waits filled in, the estimate as requested time, sizes as both fields."""
    w = schedule.workload
    parts = _parts(schedule)
    notes = [", ".join(f"{name} {value}" for name, value in schedule.provenance.items())]
    how = f"replication {__version__}"
    comments = swf.header(f"simulated from {w.label}", how, len(w), notes, MaxProcs=w.machine)
    start, run_time = schedule.start.copy(), schedule.end - schedule.start
    if schedule.length is not None:  # resumed: all parts together did the work
        job, begin, end = schedule.killed_runs.T
        np.minimum.at(start, job, begin)
        np.add.at(run_time, job, end - begin)
    return swf.Trace.from_columns(
        w.submit,
        comments=comments,
        path=w.name,
        parts=parts,
        job_id=w.job_id,
        wait=start - w.submit,
        run_time=run_time,
        allocated_processors=w.processors,
        requested_processors=w.processors,
        requested_time=schedule.estimate,
        status=np.ones(len(w), np.int64),
        user=w.user,
        group=w.group,
        executable=w.executable,
        queue=w.queue,
    )


def _parts(schedule):
    """Return the runs of preempted jobs as `swf.Trace.parts`: all but the last of status 2, the last of status 3."""
    w, killed = schedule.workload, schedule.killed_runs
    jobs = np.unique(killed[:, 0])
    last = np.stack([jobs, schedule.start[jobs], schedule.end[jobs]], axis=1)
    runs = np.concatenate([killed, last])
    status = np.repeat([2, 3], [len(killed), len(last)])
    order = np.lexsort((status, runs[:, 2], runs[:, 1], runs[:, 0]))
    job, start, end = runs[order].T
    before = np.where(np.diff(job, prepend=-1) != 0, w.submit[job], np.roll(end, 1))
    columns = w.job_id[job], start - before, end - start, w.processors[job], status[order]
    return np.stack(columns, axis=1)


def intervals(schedule):
    """Processors of each job as an interval set such as ``0-3 7``, lowest free ones first."""
    w = schedule.workload
    blocks = [[] for _ in range(len(w))]
    for job, first, width in gantt.place(schedule.start, schedule.end, w.processors, w.machine):
        blocks[job].append((first, width))
    return [
        " ".join(f"{a}-{a + width - 1}" if width > 1 else str(a) for a, width in gantt.merged(own))
        for own in blocks
    ]


def _write_table(schedule, target, columns):
    w = schedule.workload
    run_time = schedule.end - schedule.start
    turnaround = schedule.end - w.submit
    values = {
        "job_id": w.job_id,
        "workload_name": w.name,
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
        # There is no stretch where the run took no time.
        "stretch": turnaround / np.where(run_time > 0, run_time, np.nan),
        "allocated_resources": intervals(schedule),
        "consumed_energy": np.nan,
        "metadata": "",
    }
    table = pd.DataFrame({name: values[name] for name in columns})
    with writing.opened(target) as out:
        out.write(writing.frame_csv(table))


def read(path):
    """Read a schedule that this package or another program wrote; its form is found by its first
    line. FormatError for a file that is none of the forms, a column that is missing, a value
    that is no number, or no job with a start and an end.
    """
    # Once: a pipe cannot be read again.
    content = swf.read_bytes(path, FormatError).removeprefix(b"\xef\xbb\xbf")
    path = swf.display_name(path)
    first = content[:1_000_000].lstrip().partition(b"\n")[0]
    names = first.decode("utf-8", "replace").strip().split(",")
    if first.startswith(b";") or len(first.split()) == 18:
        plan = _read_swf(path, content)
    elif "starting_time" in names:
        plan = _read_table(path, "batsim", content, names)
    elif {"job_id", "submit", "start", "end"} <= set(names):
        plan = _read_table(path, "native", content, names)
    else:
        raise FormatError(
            f"{path}, line 1: {swf.quoted(first)}; allowed: an SWF file, "
            "or CSV with starting_time (Batsim, evalys) or with job_id, submit, start, end"
        )
    if len(plan) == 0:
        raise FormatError(f"{path}: none of its {plan.left_out} jobs has a start and an end")
    return plan


def _read_swf(path, content):
    trace = swf.parse(content, path)
    size = np.where(
        trace.allocated_processors > 0, trace.allocated_processors, trace.requested_processors
    )
    start = np.where(trace.wait >= 0, trace.submit + trace.wait, np.nan)
    columns = {
        "job_id": trace.job_id,
        "submit": trace.submit,
        "start": start,
        "end": np.where(trace.run_time >= 0, start + trace.run_time, np.nan),
        "processors": np.where(size > 0, size, np.nan),
        "estimate": trace.requested_time,
    }
    row = {number: k for k, number in enumerate(trace.job_id.tolist())}
    earlier, ends = [], {}
    for number, wait, run_time, _, status in trace.parts.tolist():
        job = row[number]
        begin = ends.get(job, int(trace.submit[job])) + max(wait, 0)
        ends[job] = begin + max(run_time, 0)
        if status == 2:
            earlier.append((number, begin, ends[job]))
        else:
            columns["start"][job], columns["end"][job] = begin, ends[job]
    names = dict(zip(columns, columns, strict=True))
    return _plan(path, "swf", names, columns, trace.max_procs, earlier)


def _read_table(path, form, content, header):
    found = {
        what: next((name for name in names if name in header), None)
        for what, names in _NAMES[form].items()
    }
    missing = [what for what, name in found.items() if name is None and what != "estimate"]
    if missing:
        raise FormatError(
            f"{path}, line 1: no column {' or '.join(_NAMES[form][missing[0]])}; "
            f"the others are {swf.quoted(', '.join(header))}"
        )
    wanted = [name for name in found.values() if name]
    try:
        table = pd.read_csv(
            io.BytesIO(content), usecols=wanted, dtype=str, keep_default_na=False, skipinitialspace=True
        )  # fmt: skip
    except (ValueError, pd.errors.ParserError) as error:
        raise FormatError(
            f"{path}: {swf.quoted(str(error).splitlines()[0], 200)}; expected CSV"
        ) from None
    columns = {"job_id": table[found["job_id"]].to_numpy()}
    for what, name in found.items():
        if name and what != "job_id":
            numbers = pd.to_numeric(table[name], errors="coerce")
            wrong = numbers.isna() & ~table[name].str.strip().str.lower().isin(_MISSING)
            if wrong.any():
                row = int(np.argmax(wrong))
                raise FormatError(
                    f"{path}, line {row + 2}, column {name}: {swf.quoted(table[name][row])}; allowed: numbers"
                )
            columns[what] = numbers.to_numpy(np.float64)
    return _plan(path, form, found, columns)


def _plan(path, form, found, columns, machine=None, earlier=()):
    """Return the plan of these columns, whose names in the file are `found`; jobs without start, end or size are left out."""

    def demand(what, good, shown, allowed):
        if not good.all():
            wrong = shown[~good][0]
            raise FormatError(f"{path}, column {found[what]}: {wrong:g}; allowed: {allowed}")

    ids = [str(one) for one in columns["job_id"]]
    if max(map(len, ids), default=0) > LONGEST_ID:
        raise FormatError(
            f"{path}, column {found['job_id']}: {max(map(len, ids)):,} characters; "
            f"allowed: up to {LONGEST_ID}"
        )
    needed = np.array([columns[what] for what in ("submit", "start", "end", "processors")])
    ran = np.isfinite(needed).all(axis=0)
    submit, start, end, size = needed[:, ran]
    estimate = np.nan_to_num(columns.get("estimate", np.full(len(ids), -1.0)), nan=-1)[ran]
    whole = (size == np.rint(size)) & (size >= 1) & (size <= LARGEST)
    demand("processors", whole, size, f"whole numbers from 1 to {LARGEST}")
    times = {"submit": submit, "start": start, "end": end, "estimate": estimate}
    for what, values in times.items():
        demand(what, np.abs(values) <= LATEST, values, f"seconds up to {LATEST:g}")
    left_out = len(ids) - int(ran.sum())
    size, ids = size.astype(np.int64), np.array(ids, str)[ran]
    row = {number: k for k, number in enumerate(ids.tolist())}
    runs = [(row[str(number)], *run) for number, *run in earlier if str(number) in row]
    return Plan(
        path,
        form,
        ids,
        **times,
        processors=size,
        machine=machine,
        left_out=left_out,
        earlier_runs=np.array(runs, np.float64).reshape(-1, 3),
    )
