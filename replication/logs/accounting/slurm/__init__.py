"""From ``sacct --parsable2`` to a trace.

Columns are found by their names, in any order and number. Needed are JobIDRaw or JobID, Submit, a run time
(ElapsedRaw, Elapsed, or Start and End) and a size (AllocCPUS or NCPUS, AllocTRES, ReqCPUS, ReqTRES, or
nodes).
What is decided, and counted:

* A line that is a job step is left out; an array's task and a heterogeneous job's part is a job.
* ``Elapsed`` is the run time. It does not count suspended time, in which a job has given its processors back.
  From Start and End alone, Suspended is taken off.
* A requeued job has a record for each run, with a submission of its own. Each run is a job, because the
  machine was busy with it; the earlier ones get new numbers, and ``preceding_job`` ties them together.
* Several records of one job and one submission are snapshots of it: the last one is kept.
* Jobs that have not ended are left out; jobs that ended without starting are kept with a run time of 0.
* ``UNLIMITED`` and ``Partition_Limit`` are no estimates.

Source: sacct(1) of Slurm 2.6 to 25.11.
"""

from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from replication.logs import swf
from replication.logs.accounting.anonymous import Anonymiser
from replication.logs.accounting.conversion import Conversion, header, numbered, peak
from replication.logs.accounting.slurm.fields import Clock
from replication.logs.accounting.slurm.records import Reader, SlurmError

PATIENCE = 60  # s; Slurm looks at a new job within a minute


def convert(
    path, zone=None, processors=None, per_node=None, partitions=None, cluster=None, key=None
):
    """Read a file that sacct wrote.

    Parameters
    ----------
    path : str or Path
        The file, gzipped or not; ``-`` for standard input.
    zone : str, optional
        Time zone of the cluster, such as ``Europe/Berlin``; without it times are taken as they stand, and an
        hour may be too many or too few where clocks were changed.
    processors : int, optional
        Size of the machine; by default the most that were in use at once.
    per_node : int, optional
        Processors of a node, for a log that has only nodes.
    partitions : sequence of str, optional
        Only jobs that ran in one of these.
    cluster : str, optional
        Only jobs of this one; needed where the log has several.
    key : bytes, optional
        Key of the names' numbers, see `replication.logs.accounting.anonymous`; by default drawn and not kept.

    Returns
    -------
    replication.logs.accounting.conversion.Conversion

    Raises
    ------
    SlurmError
        For a file that is not sacct's output, a value that sacct does not write, or no job that ended.
    """
    reader = Reader(path, Clock(_zone(zone)), per_node, partitions, cluster)
    jobs = _one_record_each(list(reader.jobs()), reader)
    _refuse_unusable(jobs, reader)
    _number(jobs, reader)
    jobs.sort(key=lambda job: (job.submit, job.number))
    _remark(jobs, reader)
    assumed = _assumed(jobs, reader, zone, processors, per_node, key)
    trace = _trace(jobs, reader, zone, processors or _peak(jobs, reader), Anonymiser(key), assumed)
    return Conversion(
        Path(reader.path).name,
        "output of sacct",
        trace,
        reader.records,
        tuple(reader.left_out.items()),
        tuple(reader.remarks.items()),
        tuple(assumed),
    )


def _zone(name):
    try:
        return None if name is None else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SlurmError(
            f"time zone {name!r} unknown, allowed: names such as Europe/Berlin or UTC"
        ) from None


def _one_record_each(jobs, reader):
    """The last record of every job and submission, in the order of the file."""
    last = {(job.id, job.submit): job for job in jobs}
    reader.left_out["earlier records of a run that has a later one"] += len(jobs) - len(last)
    return list(last.values())


def _refuse_unusable(jobs, reader):
    named = sorted(reader.clusters - {""})
    if reader.cluster is None and len(named) > 1:
        raise SlurmError(
            f"{reader.path}, cluster: {', '.join(named)}; allowed: one, so choose it with --cluster"
        )
    if not jobs:
        reasons = ", ".join(f"{count} {what}" for what, count in reader.left_out.items() if count)
        raise SlurmError(
            f"{reader.path}: no job that ended among {reader.records} records "
            f"({reasons or 'none left out'})"
        )


def _number(jobs, reader):
    """Give every job a number of its own, and tie the runs of requeued jobs together."""
    runs = {}
    for job in sorted(jobs, key=lambda job: job.submit):
        runs.setdefault(job.id, []).append(job)
    following = 1 + max((int(id) for id in runs if id.isdigit()), default=0)
    for id, own in runs.items():
        for job in own[:-1] if id.isdigit() else own:
            job.number = following
            following += 1
        if id.isdigit():
            own[-1].number = int(id)
        for before, job in zip(own, own[1:]):
            _tie(before, job, reader)


def _tie(before, job, reader):
    if before.state == "COMPLETED" or before.user != job.user:
        reader.remarks["numbers used again for another job"] += 1
        return
    reader.remarks["further runs of requeued or resized jobs, each a job of its own"] += 1
    job.preceding = before.number
    if before.start is not None:
        job.think_time = max(0, job.submit - before.start - before.run_time - before.suspended)


def _remark(jobs, reader):
    """Count what is unusual about jobs that are kept."""
    limits = reader.at["limit"] is not None or reader.at["limit_raw"] is not None
    remarks = {
        "tasks of job arrays, each a job of its own": lambda job: "_" in job.shown,
        "parts of heterogeneous jobs, each a job of its own": lambda job: "+" in job.shown,
        "ended without having started": lambda job: job.run_time == 0 and job.start is None,
        "suspended for a time, which is not part of the run time": lambda job: job.suspended > 0,
        "without a time limit (UNLIMITED, Partition_Limit), so without estimate": lambda job: (
            limits and job.limit is None
        ),
        "ran longer than their limit": lambda job: (
            job.limit is not None and job.run_time > job.limit
        ),
        "of unknown size": lambda job: max(job.allocated, job.requested) < 0,
        "given more processors than asked for": lambda job: job.allocated > job.requested > 0,
        "started before their submission, so their wait is unknown": lambda job: (
            job.start is not None and job.start < job.submit
        ),
        f"could start only {PATIENCE} s or more after submission (dependency, begin time, hold)": lambda job: (
            job.eligible is not None and job.eligible >= job.submit + PATIENCE
        ),
    }
    for what, true_of in remarks.items():
        reader.remarks[what] += sum(map(true_of, jobs))
    reader.remarks["times in an hour that came twice, taken as the first"] += reader.clock.repeated


def _peak(jobs, reader):
    """Most processors in use at once, and at least the largest job that ran."""
    ran = [job for job in jobs if job.start is not None and job.run_time > 0]
    if not ran:
        raise SlurmError(
            f"{reader.path}: no job with a start, so the machine's size is not known; "
            "give --processors"
        )
    sizes = [max(job.allocated if job.allocated > 0 else job.requested, 0) for job in ran]
    most = peak(
        *(
            np.array(values, np.int64)
            for values in (
                [job.start for job in ran],
                [job.run_time + job.suspended for job in ran],
                sizes,
            )
        )
    )
    if most < 1:
        raise SlurmError(
            f"{reader.path}: no job with a size, so the machine's is not known; give --processors"
        )
    return most


def _assumed(jobs, reader, zone, processors, per_node, key):
    """What the log does not say, a sentence each."""
    found = []
    if processors is None:
        found.append(
            f"The machine has {_peak(jobs, reader)} processors: the most that the log's jobs held "
            "at once."
        )
    if zone is None and reader.clock.local:
        found.append(
            "Times are taken as they stand: no time zone was given, so a change of clocks "
            "is not undone."
        )
    if reader.sized_by_nodes:
        found.append(
            f"{reader.sized_by_nodes} jobs have nodes only: a node counts as {per_node or 1} "
            f"processor{'s' if (per_node or 1) > 1 else ''}."
        )
    if all(job.limit is None for job in jobs):
        found.append("No job has a time limit, so there are no estimates.")
    if key is None:
        found.append(
            "Users, groups and job names became numbers with a key that is not kept: "
            "another conversion gives other numbers."
        )
    return found


def _trace(jobs, reader, zone, processors, anonymiser, assumed):
    first = min(job.submit for job in jobs)
    last = max(
        job.submit if job.start is None else job.start + job.run_time + job.suspended
        for job in jobs
    )
    nodes = set().union(*(job.nodes for job in jobs))

    def column(value):
        return np.array([value(job) for job in jobs], np.int64)

    def names(kind, what):
        return column(lambda job: anonymiser.number(kind, getattr(job, what)))

    return swf.Trace.from_columns(
        column(lambda job: job.submit - first),
        path=str(reader.path),
        comments=header(
            "Slurm", first, last, zone or "unknown", processors, len(nodes), assumed, len(jobs)
        ),
        job_id=column(lambda job: job.number),
        wait=column(lambda job: -1 if job.start is None else max(-1, job.start - job.submit)),
        run_time=column(lambda job: job.run_time),
        allocated_processors=column(lambda job: job.allocated),
        requested_processors=column(lambda job: job.requested),
        requested_time=column(lambda job: -1 if job.limit is None else job.limit),
        status=column(lambda job: job.status),
        user=names("user", "user"),
        group=names("group", "group"),
        executable=names("name", "name"),
        queue=numbered([job.partition for job in jobs]),
        preceding_job=column(lambda job: job.preceding),
        think_time=column(lambda job: job.think_time),
    )
