"""What every converter of accounting logs gives: the trace, and an account of how it was made."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from replication.basics import paths
from replication.basics.data import toml
from replication.logs import swf
from replication.logs.accounting.anonymous import Anonymiser
from replication.logs.workload import usage

#: What batch systems call things.
WORDS = toml(paths.DATA / "accounting.toml")
MOST_PROCESSORS = 2**31 - 1  # of a job
LATEST = 10**11  # s since 1970, and of a limit


@dataclass(frozen=True)
class Conversion:
    """A log of another format as a trace, with nothing left unsaid: how many records were read,
    each reason for leaving some out and each remark on those kept with how many, and what the
    log does not say and was taken for granted, a sentence each. `machines` has the partitions of each machine,
    those that share nodes together; none where the log does not say which nodes its jobs had.
    """

    source: str
    form: str
    trace: object
    records: int
    left_out: tuple
    changed: tuple
    assumed: tuple
    machines: tuple = ()

    @property
    def without_names(self):
        """The trace as it may be handed on: the names of queues are for reports on one's own cluster alone."""
        kept = tuple(one for one in self.trace.comments if not one.startswith(" Queue: "))
        return replace(self.trace, comments=kept)

    def lines(self):
        """The account in lines of text."""
        yield (
            f"{self.source}: {self.form}, {self.records:,} records, {len(self.trace):,} jobs kept, "
            f"{self.trace.max_procs:,} processors"
        )
        for title, counts in (("left out", self.left_out), ("kept, with a remark", self.changed)):
            found = [(what, count) for what, count in counts if count]
            if found:
                yield f"{title}:"
                yield from (f"  {count:>10,}  {what}" for what, count in found)
        if self.assumed:
            yield "assumed:"
            yield from (f"  - {sentence}" for sentence in self.assumed)

    def facts(self):
        """The account as plain values, for JSON."""
        return {
            "source": self.source,
            "form": self.form,
            "records": self.records,
            "jobs": len(self.trace),
            "processors": self.trace.max_procs,
            "left_out": dict(self.left_out),
            "changed": dict(self.changed),
            "assumed": list(self.assumed),
        }


@dataclass(slots=True)
class Run:
    """One run of a job as every batch system tells of it; times are Unix times, s; -1 where unknown."""

    id: str
    submit: int
    start: int
    run_time: int
    allocated: int
    requested: int
    limit: int
    status: int
    user: str
    group: str
    name: str
    queue: str
    number: int = -1
    preceding: int = -1
    think_time: int = -1
    suspended: int = 0

    @property
    def end(self):
        """When the processors were free again; the submission of a job that never started."""
        return self.submit if self.start < 0 else self.start + self.run_time + self.suspended

    @property
    def size(self):
        """Processors that the run held; 0 where unknown."""
        return max(self.allocated if self.allocated > 0 else self.requested, 0)


def number(text, digits=9):
    """A whole number of at most so many digits; None for anything else."""
    return int(text) if re.fullmatch(rf"[0-9]{{1,{digits}}}", text) else None


def within_limits(run, where, error):
    """The run; `error` where it has a size or a time that no machine has, so that no sum of such overflows."""
    for what, value, most in (
        ("processors", max(run.allocated, run.requested), MOST_PROCESSORS),
        ("s since 1970 at its end", run.end, LATEST),
        ("s of limit", run.limit, LATEST),
    ):
        if value > most:
            raise error(f"{where}: {value:,} {what}; allowed: up to {most:,}")
    return run


def peak(start, length, size):
    """Most processors in use at once, from int64 columns of starts and lengths, s, and sizes."""
    return int(usage(start, start + length, size)[1].max(initial=0)) if len(start) else 0


@dataclass(frozen=True)
class Told:
    """What a log does not say of its machine and whoever converts it may: its time zone, its processors and those
    of a node; and the key of the names' numbers.
    """

    zone: str | None = None
    processors: int | None = None
    per_node: int | None = None
    key: bytes | None = None


class Account:
    """What a reader counts: records, those left out by the reason, remarks on those kept, and jobs of
    which only the nodes are known. `path` is what its errors, of class `error`, call the log.
    """

    def __init__(self, path, error, told=Told()):  # noqa: B008, it is frozen
        self.path, self.error, self.told = path, error, told
        self.records = self.sized_by_nodes = 0
        self.left_out, self.remarks = Counter(), Counter()

    def refuse_none(self, runs, what):
        """Refuse a log without runs, with the reasons for leaving all out."""
        if not runs:
            reasons = ", ".join(f"{count} {why}" for why, count in self.left_out.items() if count)
            raise self.error(
                f"{self.path}: no job that {what} among {self.records} records ({reasons or 'none'})"
            )

    def remark(self, runs, unusual):
        """Count what is unusual about runs that are kept: `unusual` says it of a run, by words."""
        unusual = unusual | {
            "ran longer than their limit": lambda run: 0 <= run.limit < run.run_time,
            "of unknown size": lambda run: max(run.allocated, run.requested) < 0,
            "started before their submission, so their wait is unknown": lambda run: (
                0 <= run.start < run.submit
            ),
        }
        for what, true_of in unusual.items():
            self.remarks[what] += sum(map(true_of, runs))

    def conversion(self, runs, source, computer, form, path=None, nodes=0, assumed=(), machines=()):
        """The conversion of these runs, in the order given; `assumed` comes behind what no such log says."""
        machine = self.told.processors or self._machine(runs)
        assumed = (*self._assumed(machine), *assumed)
        path, anonymiser = str(path or self.path), Anonymiser(self.told.key)
        zone = self.told.zone
        trace = _trace(runs, path, anonymiser, computer, zone, machine, nodes, assumed)
        return self.done(source, form, trace, assumed, machines)

    def done(self, source, form, trace, assumed, machines=()):
        """The trace with this account of it."""
        counts = tuple(self.left_out.items()), tuple(self.remarks.items())
        return Conversion(source, form, trace, self.records, *counts, tuple(assumed), machines)

    def _machine(self, runs):
        """The size of the machine: most processors in use at once, and at least those of the largest run."""
        started = [run for run in runs if run.start >= 0]
        ran = [run for run in started if run.end > run.start] or started
        start, length, size = (
            np.array([value(run) for run in ran], np.int64)
            for value in (lambda r: r.start, lambda r: r.end - r.start, lambda r: r.size)
        )
        most = max(peak(start, length, size), size.max(initial=0))
        if most < 1:
            raise self.error(
                f"{self.path}: no job with a start and a size, so the machine's size is not known; "
                "give --processors"
            )
        return int(most)

    def _assumed(self, machine):
        """What such logs do not say, a sentence each."""
        per_node = self.told.per_node or 1
        if self.told.processors is None:
            yield f"The machine has {machine} processors: the most that the log's jobs held at once."
        if self.sized_by_nodes:
            yield (
                f"{self.sized_by_nodes} jobs have nodes only: a node counts as {per_node} "
                f"processor{'s' if per_node > 1 else ''}."
            )
        if self.told.key is None:
            yield (
                "Users, groups and job names became numbers with a key that is not kept: "
                "another conversion gives other numbers."
            )


def _trace(runs, path, anonymiser, computer, zone, processors, nodes, assumed):
    """The runs as a log, in the order given; submissions count from the first one."""
    first, last = min(run.submit for run in runs), max(run.end for run in runs)

    def column(value):
        return np.array([value(run) for run in runs], np.int64)

    def names(kind, what):
        return column(lambda run: anonymiser.number(kind, getattr(run, what)))

    plain = ("run_time", "status", "think_time")
    comments = header(
        computer, first, last, zone or "unknown", processors, nodes, assumed, len(runs)
    )
    queues = dict.fromkeys(run.queue for run in runs if run.queue)
    named = (f" Queue: {k} {name}" for k, name in enumerate(queues, start=1))
    return swf.Trace.from_columns(
        column(lambda run: run.submit - first),
        path=path,
        comments=(*comments, *named),
        job_id=column(lambda run: run.number),
        wait=column(lambda run: -1 if run.start < 0 else max(-1, run.start - run.submit)),
        allocated_processors=column(lambda run: run.allocated),
        requested_processors=column(lambda run: run.requested),
        requested_time=column(lambda run: run.limit),
        user=names("user", "user"),
        group=names("group", "group"),
        executable=names("name", "name"),
        queue=numbered([run.queue for run in runs]),
        preceding_job=column(lambda run: run.preceding),
        **{name: column(lambda run, name=name: getattr(run, name)) for name in plain},
    )


def header(computer, started, ended, zone, processors, nodes, assumed, records):
    """Comment lines of a converted log, as the format's version 2.2 asks for: Unix times of the
    first submission and the last end, s, and the machine's size, 0 where unknown.
    """

    def date(moment):
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

    lines = {
        "Version": 2.2,
        "Computer": computer,
        "Conversion": "replication convert",
        "MaxJobs": records,
        "MaxRecords": records,
        "UnixStartTime": int(started),
        "TimeZoneString": zone,
        "StartTime": date(started),
        "EndTime": date(ended),
        "MaxNodes": nodes,
        "MaxProcs": processors,
    }
    return (
        *(f" {label}: {value}" for label, value in lines.items() if value not in (0, "")),
        *(f" Note: {sentence}" for sentence in assumed),
    )


def numbered(names):
    """Numbers 1, 2, ... for names in the order in which they first appear, int64[n]; -1 for an
    empty one.
    """
    known = {}
    return np.array(
        [known.setdefault(name, len(known) + 1) if name else -1 for name in names], np.int64
    )
