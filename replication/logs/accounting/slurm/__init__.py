"""From ``sacct --parsable2`` to a trace; what is decided, and counted, stands in docs/formats.md.

Columns are found by their names, in any order and number. Needed are JobIDRaw or JobID, Submit, a run time (ElapsedRaw,
Elapsed, or Start and End) and a size (AllocCPUS or NCPUS, AllocTRES, ReqCPUS, ReqTRES, or nodes).

Source: sacct(1) of Slurm 2.6 to 25.11.
"""

from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from replication.logs.accounting import conversion
from replication.logs.accounting.slurm import fields
from replication.logs.accounting.slurm.records import Reader, SlurmError

PATIENCE = 60  # s; Slurm looks at a new job within a minute


def convert(
    path, zone=None, processors=None, per_node=None, partitions=None, cluster=None, key=None
):
    """Read a file that sacct wrote, gzipped or not; ``-`` is standard input. Gives a
    `replication.logs.accounting.conversion.Conversion`.

    `zone` is the cluster's, such as ``Europe/Berlin``; without it times are taken as they stand,
    and an hour may be too many or too few where clocks were changed. `processors` is the size of
    the machine, by default the most that were in use at once, and `per_node` that of a node, for a
    log that has only nodes. Only jobs of some `partitions` are taken, or of one `cluster`, which is
    needed where the log has several. `key` is that of the names' numbers, see
    `replication.logs.accounting.anonymous`; by default drawn and not kept.

    SlurmError for a file that is not sacct's output, a value that sacct does not write, or no job
    that ended.
    """
    told = {"zone": zone, "processors": processors, "per_node": per_node, "key": key}
    reader = Reader(path, fields.Clock(_zone(zone)), partitions, cluster, **told)
    every = list(reader.jobs())
    # The last record of every job and submission, in the order of the file.
    jobs = list({(job.id, job.submit): job for job in every}.values())
    reader.left_out["earlier records of a run that has a later one"] += len(every) - len(jobs)
    _refuse_others(reader)
    reader.refuse_none(jobs, "ended")
    _number(jobs, reader)
    jobs.sort(key=lambda job: (job.submit, job.number))
    _remark(jobs, reader)
    nodes = fields.held(block for job in jobs for block in job.nodes)
    source, assumed = Path(reader.path).name, _assumed(jobs, reader)
    how = {"nodes": nodes, "assumed": assumed, "machines": _machines(jobs)}
    return reader.conversion(jobs, source, "Slurm", "output of sacct", **how)


def _machines(jobs):
    """Partitions by machine; none where a job that ran has no list of nodes or no partition."""
    ran = [job for job in jobs if job.start >= 0 and job.run_time > 0]
    if not all(job.nodes and job.queue for job in ran):
        return ()
    of = {job.queue: {job.queue} for job in ran}
    held = sorted({(*block, job.queue) for job in ran for block in job.nodes})
    before, reached, owner = None, 0, None
    for pattern, first, last, queue in held:
        if pattern == before and first <= reached:
            together = of[owner] | of[queue]
            of |= dict.fromkeys(together, together)
        else:
            before, reached = pattern, first
        reached, owner = max(reached, last), queue
    return tuple(sorted({tuple(sorted(names)) for names in of.values()}))


def _zone(name):
    try:
        return None if name is None else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SlurmError(
            f"time zone {name!r} unknown, allowed: names such as Europe/Berlin or UTC"
        ) from None


def _refuse_others(reader):
    """Refuse several clusters, and partitions that are not there."""
    named, unknown = sorted(reader.clusters - {""}), sorted(reader.partitions - reader.seen)
    if reader.cluster is None and len(named) > 1:
        raise SlurmError(
            f"{reader.path}, cluster: {', '.join(named)}; allowed: one, so choose it with --cluster"
        )
    if unknown:
        raise SlurmError(
            f"{reader.path}, partition: {', '.join(map(repr, unknown))} not there; "
            f"allowed: {', '.join(sorted(reader.seen - {''})) or 'none is named'}"
        )


def _number(jobs, reader):
    """Give every job a number of its own, and tie the runs of requeued jobs together."""
    runs = {}
    for job in sorted(jobs, key=lambda job: job.submit):
        runs.setdefault(job.id, []).append(job)
    own = {
        id: conversion.number(id, digits=15) for id in runs
    }  # None for what cannot stand in the log
    following = 1 + max((number for number in own.values() if number is not None), default=0)
    for id, several in runs.items():
        for job in several:
            job.number = following
            following += 1
        if own[id] is not None:
            job.number = own[id]
            following -= 1
        for before, job in zip(several, several[1:]):
            _tie(before, job, reader)


def _tie(before, job, reader):
    if before.state == "COMPLETED" or before.user != job.user:
        reader.remarks["numbers used again for another job"] += 1
        return
    reader.remarks["further runs of requeued or resized jobs, each a job of its own"] += 1
    job.preceding = before.number
    if before.start >= 0:
        job.think_time = max(0, job.submit - before.end)


def _remark(jobs, reader):
    """Count what is unusual about jobs that are kept."""
    limits = reader.at["limit"] is not None or reader.at["limit_raw"] is not None
    unusual = {
        "tasks of job arrays, each a job of its own": lambda job: "_" in job.shown,
        "parts of heterogeneous jobs, each a job of its own": lambda job: "+" in job.shown,
        "ended without having started": lambda job: job.run_time == 0 and job.start < 0,
        "suspended for a time, which is not part of the run time": lambda job: job.suspended > 0,
        "without a time limit (UNLIMITED, Partition_Limit), so without estimate": lambda job: (
            limits and job.limit < 0
        ),
        "given more processors than asked for": lambda job: job.allocated > job.requested > 0,
        f"could start only {PATIENCE} s or more after submission (dependency, begin time, hold)": lambda job: (
            job.eligible >= job.submit + PATIENCE
        ),
    }
    reader.remark(jobs, unusual)
    reader.remarks["times in an hour that came twice, taken as the first"] += reader.clock.repeated


def _assumed(jobs, reader):
    """What sacct's output does not say besides, a sentence each."""
    if reader.zone is None and reader.clock.local:
        yield (
            "Times are taken as they stand: no time zone was given, so a change of clocks "
            "is not undone."
        )
    if all(job.limit < 0 for job in jobs):
        yield "No job has a time limit, so there are no estimates."
