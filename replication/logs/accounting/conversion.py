"""What every converter of accounting logs gives: the trace, and an account of how it was made."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from operator import attrgetter

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
#: What a run is called in a log, besides its times and names.
FIELDS = {
    "job_id": "number",
    "run_time": "run_time",
    "allocated_processors": "allocated",
    "requested_processors": "requested",
    "requested_time": "limit",
    "status": "status",
    "preceding_job": "preceding",
    "think_time": "think_time",
}


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
            found = [f"  {count:>10,}  {what}" for what, count in counts if count]
            yield from [f"{title}:", *found] if found else ()
        if self.assumed:
            yield from ("assumed:", *(f"  - {sentence}" for sentence in self.assumed))

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
    """One run of a job as batch systems tell of it; times are Unix times, s; -1 where unknown."""

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
    # What sacct says besides.
    shown: str = ""
    eligible: int = -1
    state: str = ""
    nodes: tuple = ()

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


class Account:
    """What a reader counts: records, those left out by the reason, remarks on those kept, and jobs of
    which only the nodes are known. `path` is what its errors, of class `error`, call the log.

    A log does not say its time zone, the processors of its machine and those of a node, and whoever converts it may;
    `key` is that of the names' numbers.
    """

    def __init__(self, path, error, zone=None, processors=None, per_node=None, key=None):
        self.path, self.error = path, error
        self.zone, self.processors, self.per_node, self.key = zone, processors, per_node or 1, key
        self.records = self.sized_by_nodes = 0
        self.left_out, self.remarks = Counter(), Counter()

    def reasons(self):
        """Why records were left out, in words; empty where none was."""
        return ", ".join(f"{count} {why}" for why, count in self.left_out.items() if count)

    def refuse_none(self, runs, what):
        """Refuse a log without runs, with the reasons for leaving all out."""
        if not runs:
            raise self.error(
                f"{self.path}: no job that {what} among {self.records} records ({self.reasons() or 'none'})"
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
        """The conversion of these runs, in the order given; `assumed` comes behind what no such log says.
        Submissions count from the first one.
        """
        machine = self.processors or self._machine(runs)
        assumed = (*self._assumed(machine), *assumed)
        first, last = min(run.submit for run in runs), max(run.end for run in runs)
        comments = header(
            computer, first, last, self.zone or "unknown", machine, nodes, assumed, len(runs)
        )
        anonymiser, queues = Anonymiser(self.key), {"": -1}

        def column(value):
            return np.array([value(run) for run in runs], np.int64)

        columns = {
            "wait": column(lambda run: -1 if run.start < 0 else max(-1, run.start - run.submit)),
            "user": column(lambda run: anonymiser.number("user", run.user)),
            "group": column(lambda run: anonymiser.number("group", run.group)),
            "executable": column(lambda run: anonymiser.number("name", run.name)),
            "queue": column(lambda run: queues.setdefault(run.queue, len(queues))),
        } | {name: column(attrgetter(what)) for name, what in FIELDS.items()}
        named = (f" Queue: {number} {name}" for name, number in queues.items() if name)
        trace = swf.Trace.from_columns(
            column(lambda run: run.submit - first),
            (*comments, *named),
            str(path or self.path),
            **columns,
        )
        return self.done(source, form, trace, assumed, machines)

    def done(self, source, form, trace, assumed, machines=()):
        """The trace with this account of it."""
        counts = tuple(self.left_out.items()), tuple(self.remarks.items())
        return Conversion(source, form, trace, self.records, *counts, tuple(assumed), machines)

    def _machine(self, runs):
        """The size of the machine: most processors in use at once, or those of the largest run where all took no time."""
        started = [(run.start, run.end - run.start, run.size) for run in runs if run.start >= 0]
        start, length, size = np.array(started, np.int64).reshape(-1, 3).T
        most = peak(start, length, size) or int(size.max(initial=0))
        if most < 1:
            raise self.error(
                f"{self.path}: no job with a start and a size, so the machine's size is not known; "
                "give --processors"
            )
        return most

    def _assumed(self, machine):
        """What such logs do not say, a sentence each."""
        if self.processors is None:
            yield f"The machine has {machine} processors: the most that the log's jobs held at once."
        if self.sized_by_nodes:
            several = "s" if self.per_node > 1 else ""
            yield (
                f"{self.sized_by_nodes} jobs have nodes only: a node counts as {self.per_node} "
                f"processor{several}."
            )
        if self.key is None:
            yield (
                "Users, groups and job names became numbers with a key that is not kept: "
                "another conversion gives other numbers."
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
