"""From ``sacct --parsable2`` to a trace; what is decided, and counted, stands in docs/formats.md.

Columns are found by their names, in any order and number. Needed are JobIDRaw or JobID, Submit, a run time (ElapsedRaw,
Elapsed, or Start and End) and a size (AllocCPUS or NCPUS, AllocTRES, ReqCPUS, ReqTRES, or nodes).

Source: sacct(1) of Slurm 2.6 to 25.11.
"""

from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from replication.logs import files
from replication.logs.accounting import conversion
from replication.logs.accounting.conversion import WORDS, Account, Run
from replication.logs.accounting.slurm import fields

PATIENCE = 60  # s; Slurm looks at a new job within a minute
MEANING, FREE_TEXT, ASK = (WORDS["slurm"][name] for name in ("columns", "free_text", "ask"))
#: What a log must have: in words, and the columns of which one will do.
NEEDED = {
    "JobIDRaw or JobID": ("id",),
    "Submit": ("submit",),
    "ElapsedRaw, Elapsed, or Start and End": ("elapsed_raw", "elapsed", "end"),
    "AllocCPUS, NCPUS, AllocTRES, ReqCPUS, ReqTRES, AllocNodes, NNodes or NodeList": (
        *("allocated", "allocated_tres", "requested", "requested_tres", "nodes", "node_list"),
    ),
}


class SlurmError(ValueError):
    """Output of sacct that cannot be used: names file, line, column, value and what is allowed."""


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


class Reader(Account):
    """Goes through the lines of a file, gzipped or not, and counts what it leaves out; what is `told` is as of
    `Account`.
    """

    def __init__(self, path, clock, partitions=None, cluster=None, **told):
        super().__init__(files.called(path), SlurmError, **told)
        self._from, self.clock = path, clock
        self.cluster, self.partitions = cluster, set(partitions or ())
        self.clusters, self.seen = set(), set()  # names of clusters and of partitions

    def jobs(self):
        """Every record that is a job which ended."""
        columns = None
        for number, line in files.lines(self._from, SlurmError):
            parts = line.split("|")
            if columns is None:
                # With --parsable every line ends with a bar, with --parsable2 none does.
                self.closed = len(parts) > 1 and parts[-1] == ""
                columns = self._cut(parts)
                self._find(columns)
            elif self._cut(parts) != columns:
                self.records += 1
                row = self._row(self._cut(parts), columns)
                job = row and self._job(partial(self._value, row, number), number)
                if job:
                    yield job
        if columns is None:
            raise SlurmError(f"{self.path}: an empty file; allowed: the output of {ASK}")

    def _cut(self, parts):
        """The fields of a line, without what stands behind a last bar."""
        return parts[:-1] if self.closed and parts[-1] == "" else parts

    def _find(self, columns):
        """Where each meaning stands."""
        at = {name.strip().casefold(): place for place, name in enumerate(columns)}
        self.at = {
            what: next((at[name] for name in names if name in at), None)
            for what, names in MEANING.items()
        }
        self.free = [at[name] for name in FREE_TEXT if name in at]
        missing = [
            names
            for names, any_of in NEEDED.items()
            if all(self.at[what] is None for what in any_of)
        ]
        if missing:
            words = columns[0].casefold().split() if len(columns) == 1 else ()
            found = f"no column {missing[0]}"
            if {"jobid", "jobidraw"} & {*words} and len(words) > 1:
                found = "columns are separated by blanks (use --parsable2)"
            raise SlurmError(
                f"{self.path}, line 1: {found} in {files.shown('|'.join(columns))}; "
                f"allowed: the output of {ASK}"
            )

    def _row(self, parts, columns):
        """The fields of a line, or None where there are too few or too many to tell them apart."""
        surplus = len(parts) - len(columns)
        if surplus > 0 and len(self.free) == 1:
            # sacct writes the separator inside a name as it is, and only one column can have one.
            here = self.free[0]
            self.remarks["the separator stood in a name"] += 1
            end = here + surplus + 1
            return [*parts[:here], "|".join(parts[here:end]), *parts[end:]]
        if surplus:
            self.left_out["with more or fewer fields than the header, not to be told apart"] += 1
            return None
        return parts

    def _value(self, row, line, what, read=str):
        """What stands in a row, by its meaning; errors name file, line, column and value."""
        place = self.at[what]
        text = "" if place is None else row[place].strip()
        try:
            return read(text)
        except fields.FieldError as error:
            raise SlurmError(
                f"{self.path}, line {line}, {MEANING[what][0]}: {files.shown(text)}; {error}"
            ) from None

    def _job(self, get, line):
        """The job of a row, whose values `get` gives, or None where it is left out."""
        reason = self._elsewhere(get)
        if not reason:
            status, state = get("state", fields.state) if get("state") else (-1, "")
            submit, start, end = (
                get(what, self.clock.seconds) for what in ("submit", "start", "end")
            )
            run_time = _run_time(get, start, end)
            reason = self._unusable(status, submit, start, end, run_time)
        if reason:
            self.left_out[reason] += 1
            return None
        allocated, requested, nodes = self._sizes(get)
        job = Run(
            submit=submit,
            start=_or_unknown(start),
            run_time=run_time,
            allocated=allocated,
            requested=requested,
            limit=_or_unknown(_limit(get)),
            status=status,
            queue=get("partition"),
            suspended=get("suspended", fields.duration) or 0,
            eligible=_or_unknown(get("eligible", self.clock.seconds)),
            state=state,
            nodes=nodes,
            **{what: get(what) for what in ("id", "shown", "user", "group", "name")},
        )
        return conversion.within_limits(job, f"{self.path}, line {line}", SlurmError)

    def _elsewhere(self, get):
        """Why a record is no job of this machine; empty where it is one."""
        if "." in get("id") or "." in get("shown"):
            return "job steps"
        self.clusters.add(get("cluster"))
        if self.cluster and get("cluster") != self.cluster:
            return "of another cluster"
        partitions = set(get("partition").split(","))
        self.seen |= partitions
        if self.partitions and not self.partitions & partitions:
            return "of another partition"
        return ""

    def _unusable(self, status, submit, start, end, run_time):
        """Why a job is left out; empty where it is kept."""
        if submit is None:
            return "no time of submission"
        if status is None or (self.at["end"] is not None and end is None):
            state = "waiting" if start is None else "not ended"
            return f"{state} when the log was taken"
        return "no run time" if run_time is None else ""

    def _sizes(self, get):
        """Processors allocated and requested, -1 where unknown, and the names of the nodes."""
        names = get("node_list", fields.nodes)
        allocated = get("allocated", fields.count) or get("allocated_tres", fields.tres_processors)
        requested = get("requested", fields.count) or get("requested_tres", fields.tres_processors)
        if not allocated and not requested:
            held = get("nodes", fields.count) or fields.held(names)
            self.sized_by_nodes += held > 0
            allocated = held * self.per_node
        return allocated or -1, requested or -1, names


def _run_time(get, start, end):
    """Seconds that a job ran, without suspensions; 0 where it never started, None where unknown."""
    elapsed = get("elapsed_raw", fields.count)
    elapsed = get("elapsed", fields.duration) if elapsed is None else elapsed
    if elapsed is not None or end is None:
        return elapsed
    if start is None:
        return 0
    return max(0, end - start - (get("suspended", fields.duration) or 0))


def _or_unknown(seconds):
    return -1 if seconds is None else seconds


def _limit(get):
    """Seconds of the time limit; None where there is none."""
    raw = get("limit_raw", partial(fields.limit, minutes=True))
    return get("limit", fields.limit) if raw is None else raw
