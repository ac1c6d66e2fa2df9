"""What every converter of accounting logs gives: the trace, and an account of how it was made."""

import itertools
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pandas as pd

from replication.cluster.accounting.anonymous import Anonymiser
from replication.simulator import files, paths, swf
from replication.simulator.data import toml
from replication.simulator.workload import usage

#: What batch systems call things.
WORDS = toml(paths.DATA / "accounting.toml")
BATCH = 1 << 16  # records
MOST_PROCESSORS = 2**31 - 1  # of a job
LATEST = 10**11  # s since 1970, and of a limit
#: What a run is called in a log, besides its times and names.
FIELDS = {
    **{name: name for name in ("run_time", "status", "think_time")},
    **{"job_id": "number", "requested_time": "limit", "preceding_job": "preceding"},
    **{f"{which}_processors": which for which in ("allocated", "requested")},
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


class FieldError(ValueError):
    """A value that no batch system writes; the message says what is allowed."""


def zone(name):
    """A time zone by its name; None where there is none of that name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def moments(texts, zone):
    """Unix times of dates in texts, float64[n], s, nan for what is none; whether each had no offset, bool[n], so that it
    is one of the zone; and whether it was in an hour that came twice, bool[n], of which the first is taken.
    """
    dates = pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True)
    local = ~texts.str.contains(r"Z$|[T ]\d.*[+-]\d\d:?\d*$", regex=True, na=False)
    first, second = (seconds(dates.dt.tz_localize(None), zone, first) for first in (True, False))
    found = np.where(local, first, seconds(dates, zone))
    return found, local.to_numpy() & ~np.isnan(found), local.to_numpy() & (second > first)


def seconds(dates, zone, first=True):
    """Unix times of dates, float64[n], s; those without a zone are of the one given, and of an hour that came twice
    the first is meant, or the second.
    """
    if dates.dt.tz is None:
        twice = np.full(len(dates), first)
        dates = dates.dt.tz_localize(zone, ambiguous=twice, nonexistent="shift_forward")
    whole = dates.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy("datetime64[s]")
    return np.where(np.isnat(whole), np.nan, whole.astype(np.int64).astype(np.float64))


def ends(runs):
    """When the processors of runs were free again; the submission of those that never started."""
    end = runs["start"] + runs["run_time"] + runs["suspended"]
    return end.where(runs["start"] >= 0, runs["submit"])


def peak(start, length, size):
    """Most processors in use at once, from int64 columns of starts and lengths, s, and sizes."""
    return int(usage(start, start + length, size)[1].max(initial=0)) if len(start) else 0


class Account:
    """What a reader counts: records, those left out by the reason, remarks on those kept, and jobs of
    which only the nodes are known. `path` is what its errors, of class `error`, call the log.

    A log does not say its time zone, the processors of its machine and those of a node, and whoever converts it may;
    `key` is that of the names' numbers.

    Runs are a pandas DataFrame by their place, such as ``sacct.txt, line 7``: the texts id, user, group, name and
    queue, and numbers of which -1 is unknown: submit and start (Unix times, s), run_time, limit and suspended (s; 0
    where never), allocated and requested (processors), status, number, preceding and think_time.
    """

    def __init__(self, path, error, zone=None, processors=None, per_node=None, key=None):
        self.path, self.error = path, error
        self.zone, self.processors, self.per_node, self.key = zone, processors, per_node or 1, key
        self.records = self.sized_by_nodes = 0
        self.left_out, self.remarks = Counter(), Counter()

    def reasons(self):
        """Why records were left out, in words; empty where none was."""
        return ", ".join(f"{count} {why}" for why, count in self.left_out.items() if count)

    def texts(self, records, columns):
        """Records, each with its place in front, as a DataFrame of texts by place; made in pieces, which take a
        fraction of the memory of lists.
        """
        pieces = []
        while not pieces or len(pieces[-1]) == BATCH:
            piece = [*itertools.islice(records, BATCH)]
            pieces.append(pd.DataFrame(piece, columns=["place", *columns], dtype="str"))
        return pd.concat(pieces).set_index("place")

    def read(self, texts, name, read):
        """What `read` makes of the texts of a column, object[n], each worked out once; errors name place, column, value
        and what is allowed.
        """
        codes, found = pd.factorize(texts)
        values = np.empty(len(found), object)
        for k, text in enumerate(found):
            try:
                values[k] = read(text)
            except FieldError as error:
                self.refuse(texts, codes == k, name, error)
        return values[codes]

    def refuse(self, texts, bad, name, allowed):
        """An error for the first bad text of a column, where one is."""
        if bad.any():
            k = int(np.argmax(bad))
            told = files.shown(texts.iloc[k])
            raise self.error(f"{texts.index[k]}, {name}: {told}; {allowed}")

    def leave(self, runs, bad, why):
        """The runs that are not bad; the others are counted."""
        if bad.any():
            self.left_out[why] += int(bad.sum())
        return runs[~bad]

    def checked(self, runs, what):
        """The runs, of which there is one at least, and none has a size or a time that no machine has: sums of such
        would overflow.
        """
        if not len(runs):
            raise self.error(
                f"{self.path}: no job that {what} among {self.records} records ({self.reasons() or 'none'})"
            )
        for named, values, most in (
            ("processors", runs[["allocated", "requested"]].max(axis=1), MOST_PROCESSORS),
            ("s since 1970 at its end", ends(runs), LATEST),
            ("s of limit", runs["limit"], LATEST),
        ):
            most_said, place = values.max(), values.index[values.argmax()]
            if most_said > most:
                raise self.error(f"{place}: {most_said:,.0f} {named}; allowed: up to {most:,}")
        return runs

    def remark(self, runs, unusual):
        """Count runs that are kept and unusual in some way; which are, bool[n], by words."""
        limit, size = runs["limit"], runs[["allocated", "requested"]].max(axis=1)
        unusual = unusual | {
            "ran longer than their limit": (limit >= 0) & (limit < runs["run_time"]),
            "of unknown size": size < 0,
            "started before their submission, so their wait is unknown": (
                (runs["start"] >= 0) & (runs["start"] < runs["submit"])
            ),
        }
        for what, which in unusual.items():
            self.remarks[what] += int(which.sum())

    def conversion(self, runs, source, computer, form, path=None, nodes=0, assumed=(), machines=()):
        """The conversion of these runs, in the order given; `assumed` comes behind what no such log says.
        Submissions count from the first one.
        """
        machine = self.processors or self._machine(runs)
        assumed = (*self._assumed(machine), *assumed)
        first, last = runs["submit"].min(), ends(runs).max()
        comments = header(
            computer, first, last, self.zone or "unknown", machine, nodes, assumed, len(runs)
        )
        anonymiser = Anonymiser(self.key)
        queue, queues = pd.factorize(runs["queue"].where(runs["queue"] != ""))
        wait = (runs["start"] - runs["submit"]).clip(lower=-1)
        columns = {
            "wait": wait.where(runs["start"] >= 0, -1),
            "queue": np.where(queue < 0, -1, queue + 1),
        }
        for field, kind in {"user": "user", "group": "group", "executable": "name"}.items():
            columns[field] = runs[kind].map(partial(anonymiser.number, kind))
        columns |= {field: runs[what] for field, what in FIELDS.items()}
        named = (f" Queue: {number} {name}" for number, name in enumerate(queues, 1))
        trace = swf.Trace.from_columns(
            runs["submit"] - first, (*comments, *named), str(path or self.path), **columns
        )
        return self.done(source, form, trace, assumed, machines)

    def done(self, source, form, trace, assumed, machines=()):
        """The trace with this account of it."""
        counts = tuple(self.left_out.items()), tuple(self.remarks.items())
        return Conversion(source, form, trace, self.records, *counts, tuple(assumed), machines)

    def _machine(self, runs):
        """The size of the machine: most processors in use at once, or those of the largest run where all took no time."""
        runs = runs[runs["start"] >= 0]
        size = np.maximum(runs["allocated"].where(runs["allocated"] > 0, runs["requested"]), 0)
        start, length, size = (
            one.to_numpy(np.int64) for one in (runs["start"], ends(runs) - runs["start"], size)
        )
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
    """Comment lines of a converted log: Unix times of the first submission and the last end, s, and the
    machine's size, 0 where unknown.
    """
    start, end = (
        datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        for moment in (started, ended)
    )
    times = {"UnixStartTime": int(started), "TimeZoneString": zone}
    times |= {"StartTime": start, "EndTime": end}
    how = {"MaxNodes": nodes, "MaxProcs": processors}
    return swf.trace.header(computer, "replication convert", records, assumed, **times, **how)
