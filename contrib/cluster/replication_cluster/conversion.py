"""Parts that all converters share: counts of what was left out, the resulting log, and anonymous
names.
"""

import hashlib
import hmac
import os
import secrets
import tomllib
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pandas as pd

from replication_cluster import files, swf
from replication_cluster.files import LogError

#: Vocabulary of the batch systems.
WORDS = tomllib.loads((Path(__file__).parent / "accounting.toml").read_text("utf-8"))
MAX_PROCESSORS = 2**31 - 1  # of a job
LATEST = 10**11  # s since 1970, and of a time limit
YEAR = 366 * 86400  # s
CALENDAR = 10 * YEAR  # s; submissions below, half of them or more, do not count from 1970
#: Numbers for "never" and "unlimited" in databases: the largest of 31 bits, and from NO_VAL of
#: Slurm on.
LARGEST, NO_VALUE = 2**31 - 1, 2**32 - 2
BAD_RECORDS = ("refuse", "skip")
#: Bad records that may be skipped: this share of all, or this number.
SKIPPED, FEW = 0.01, 10
SIZE_UNITS = ("processors", "nodes")
KEY_BYTES = 32
NAME_BITS = 48  # two of 100,000 names get the same number with a probability of 1 in 56,000
#: SWF fields taken from columns of other names.
RENAMED = {
    **{"run_time": "run_time", "status": "status", "job_id": "number", "requested_time": "limit"},
    **{f"{which}_processors": which for which in ("allocated", "requested")},
}
BACKWARDS = "that ended before they started"
NEVER_STARTED = "ended without having started"
NEVER = "with a start or end of 0, in 1970 or far from the log, taken as never"
ARRAYS = "arrays; their tasks are jobs"
STEPS = "job steps"
WAITING, RUNNING = (f"{what} when the log was written" for what in ("waiting", "running"))
#: Ids of a step of a job, and of an array as a whole; ``502[7]`` is a task of one.
STEP = r"\d+(_\d+|\+\d+)?\.(batch|extern|interactive|\d+)"
ARRAY = r".*\[(|\d*[-,:%].*)\].*"
NO_DATE = r"(0000|0001|1899|1900|9999)-.*"  # zero dates and the like of databases
NO_KEY = (
    "Users, groups and job names became numbers with a key that is not kept: "
    "another conversion gives other numbers."
)


def implausible(submit, run_time):
    """Return the mask of the jobs that ran longer than a year or than the log, bool[n].

    The log is as long as the time from its first submission to its last, if that is a day or more.
    Such a run time is often the distance from 0, or from 1970, which stood for an unknown start.

    Parameters
    ----------
    submit, run_time : float64[n], s
        Negative or nan where unknown.
    """
    times = submit[submit >= 0]
    span = float(times.max() - times.min()) if len(times) else 0.0
    return run_time > (min(span, YEAR) if span >= 86_400 else YEAR)


class FieldError(ValueError):
    """A value that no batch system writes; the message states what is expected."""


@dataclass(frozen=True)
class Conversion:
    """A converted log with an account of the conversion.

    Parameters
    ----------
    source, form : str
        Name of the input, and its kind.
    log : replication_cluster.swf.Log
    records : int
        Records in the input.
    left_out, remarks : tuple of (str, int)
        Reasons for leaving records out, and remarks on those kept, with counts.
    assumed : tuple of str
        What the input does not state, a sentence each.
    sizes : tuple of str
        The fields that gave the sizes, with numbers of jobs, a sentence each.
    unit : {"processors", "nodes"}
        Unit of sizes and of the machine.
    """

    source: str
    form: str
    log: swf.Log
    records: int
    left_out: tuple
    remarks: tuple
    assumed: tuple
    sizes: tuple = ()
    unit: str = "processors"

    @property
    def jobs(self):
        """The jobs, a DataFrame; see `replication_cluster.swf.Log`."""
        return self.log.jobs

    @property
    def without_names(self):
        """The log without names of queues, for publication."""
        kept = tuple(one for one in self.log.comments if not one.startswith(" Queue: "))
        return replace(self.log, comments=kept)

    def lines(self):
        """Yield the account as lines of text."""
        yield (
            f"{self.source}: {self.form}, {self.records:,} records, {len(self.log):,} jobs kept, "
            f"{self.log.processors:,} {self.unit}"
        )
        yield from self.sizes
        for title, counts in (("left out", self.left_out), ("kept, with a remark", self.remarks)):
            counted = [f"  {count:>10,}  {what}" for what, count in counts if count]
            yield from [f"{title}:", *counted] if counted else ()
        if self.assumed:
            yield from ("assumed:", *(f"  - {sentence}" for sentence in self.assumed))


class Anonymiser:
    """Numbers for names by a keyed hash; the same key gives the same numbers in every log.

    Without the key, nobody can find the name of a number, not even from a list of all names.

    Parameters
    ----------
    key : bytes, optional
        At least 16 bytes; by default random and not kept.
    """

    def __init__(self, key=None):
        self._key = secrets.token_bytes(KEY_BYTES) if key is None else key
        if len(self._key) < 16:
            raise LogError(f"key: {len(self._key)} bytes; expected 16 or more")
        self._numbers = {}

    def number(self, kind, name):
        """Return the number of a name of some kind (user, group, job), below 2**48; -1 for an empty
        name.
        """
        if not name:
            return -1
        if (kind, name) not in self._numbers:
            digest = hmac.new(self._key, f"{kind}\0{name}".encode(), hashlib.sha256).digest()
            self._numbers[kind, name] = int.from_bytes(digest[: NAME_BITS // 8], "big")
        return self._numbers[kind, name]


def read_key(path):
    """Return the key in a file; a missing file is created with a random key, readable by its owner
    only.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(handle, "wb") as file:
            file.write(f"{secrets.token_hex(KEY_BYTES)}\n".encode())
    key = Path(path).read_bytes().strip()
    if len(key) < 16:
        raise LogError(f"{path}: {len(key)} bytes; expected 16 or more")
    return key


def time_zone(name):
    """Return a time zone by its name; None if there is none of that name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def unix_times(texts, zone):
    """Convert dates to Unix times.

    Parameters
    ----------
    texts : pandas.Series of str
        ISO 8601, with or without an offset.
    zone : str
        Time zone of dates without an offset.

    Returns
    -------
    times : float64[n], s; nan where the text is no date.
    late : float64[n], s
        The same, with the second occurrence of an hour that occurred twice.
    local : bool[n], dates without an offset.
    """
    texts = texts.mask(texts.str.fullmatch(NO_DATE).eq(True))
    dates = pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True)
    local = ~texts.str.contains(r"Z$|[T ]\d.*[+-]\d\d:?\d*$", regex=True, na=False)
    plain, exact = dates.dt.tz_localize(None), _seconds(dates)
    times, late = (
        np.where(local, _seconds(plain.dt.tz_localize(zone, first, "shift_forward")), exact)
        for first in (np.full(len(dates), True), np.full(len(dates), False))
    )
    return times, late, local.to_numpy() & ~np.isnan(times)


def _seconds(dates):
    """Return Unix times of a datetime Series with a time zone, float64[n], s."""
    whole = dates.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy("datetime64[s]")
    return np.where(np.isnat(whole), np.nan, whole.astype(np.int64).astype(np.float64))


def not_before(times, late, earliest):
    """Return the later occurrence of a time that would otherwise be before something that came
    first.
    """
    return np.where((times < earliest) & (late >= earliest), late, times)


def known_times(submit, start, end):
    """Return submissions, starts and ends without those that stand for *never*: nan in their place.

    Databases write 0, a date in 1970, or the largest number of their type. Any start or end more
    than a year before the first submission is one of them.

    Parameters
    ----------
    submit, start, end : float64[n], s
        nan where unknown.

    Returns
    -------
    list of three float64[n], s
    """
    given = submit[~np.isnan(submit)]
    calendar = len(given) > 0 and np.median(given) > CALENDAR
    first = given[given >= YEAR].min() if calendar else 0.0
    known = []
    for times in (submit, start, end):
        never = (times == LARGEST) | (times >= NO_VALUE)
        if calendar:
            never |= times < (YEAR if times is submit else first - YEAR)
        elif times is not submit:
            never |= (times == 0) & (submit > 0)
        known.append(np.where(never, np.nan, times))
    return known


def end_times(runs):
    """Return the end of each run, s; the submission of runs that never started."""
    end = runs["start"] + runs["run_time"] + runs["suspended"]
    return end.where(runs["start"] >= 0, runs["submit"])


def usage(start, end, size):
    """Return the instants of all changes, ascending, and the processors in use from each to the
    next.
    """
    instant, place = np.unique(np.concatenate([start, end]), return_inverse=True)
    change = np.bincount(place, np.concatenate([size, -size]), minlength=len(instant))
    return instant, np.cumsum(change).astype(np.int64)


def peak(start, length, size):
    """Return the most processors in use at once; times in s, all int64[n]."""
    return int(usage(start, start + length, size)[1].max(initial=0)) if len(start) else 0


class Account:
    """Counts of a conversion, and the steps that accounting logs share.

    Runs are a DataFrame indexed by place, such as ``sacct.txt, line 7``. Text columns: id, user,
    group, name, queue. Numeric columns, -1 where unknown: submit, start (Unix times, s), run_time,
    limit, suspended (s; 0 if never), allocated, requested (processors or nodes), status, number.
    Records that cannot be read are collected in `bad`, by place: the reason and the message.
    """

    def __init__(self, path, zone=None, processors=None, key=None, bad_records="refuse"):
        self.path = path
        self.zone, self.processors, self.key = zone, processors, key
        self.bad_records, self.bad = bad_records, {}
        self.sizes, self.unit = (), None
        self.records = 0
        self.left_out, self.remarks = Counter(), Counter()

    def reasons(self):
        """Return the reasons for leaving records out, in words."""
        return ", ".join(f"{count} {why}" for why, count in self.left_out.items() if count)

    def parse(self, texts, name, function):
        """Return `function` of each text of a column, object[n]; None where the record is bad."""
        codes, distinct = pd.factorize(texts)
        values = np.empty(len(distinct), object)
        for k, text in enumerate(distinct):
            try:
                values[k] = function(text)
            except FieldError as error:
                self.refuse(texts, codes == k, name, error)
        return values[codes]

    def refuse(self, texts, bad, name, expected):
        """Note the records that are bad because of a column, bool[n]."""
        for place, text in texts[bad].items():
            message = f"{place}, {name}: {files.quoted(text)}; {expected}"
            self.bad.setdefault(place, (f"with an unreadable {name}", message))

    def good(self, runs):
        """Return the runs whose records are not bad."""
        return runs[~runs.index.isin([*self.bad])] if self.bad else runs

    def settle(self):
        """Count the bad records as left out; raise LogError if they are refused or too many."""
        reasons = Counter(reason for reason, _ in self.bad.values())
        counted = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items())
        few = len(self.bad) <= max(FEW, SKIPPED * self.records)
        hint = "--bad-records skip leaves them out" if few else "at most 1 % can be skipped"
        if self.bad and not (few and self.bad_records == "skip"):
            raise LogError(
                f"{next(iter(self.bad.values()))[1]}; {len(self.bad):,} of {self.records:,} "
                f"records cannot be read: {counted}; {hint}"
            )
        self.left_out.update(reasons)

    def sized(self, runs, which, columns):
        """Return the first known size of the columns (by label), -1 for none; note which gave it.

        Columns are float64[n], nan or below 1 where unknown.
        """
        size, source = np.full(len(runs), -1.0), np.full(len(runs), "none", object)
        for label, values in columns.items():
            here = (size < 1) & (values >= 1)
            size[here], source[here] = values[here], label
        return runs.assign(**{which: size, f"{which}_from": source})

    def count_sizes(self, runs):
        """Note in words which fields gave the sizes of these runs."""
        for which in ("allocated", "requested"):
            counts = Counter(sorted(runs[f"{which}_from"])).most_common()
            if [label for label, _ in counts] != ["none"]:
                words = ", ".join(f"{label} {count:,}" for label, count in counts)
                self.sizes += (f"{which} size: {words}",)

    def leave_out(self, runs, bad, why):
        """Return the runs that are not bad; count the others."""
        if bad.any():
            self.left_out[why] += int(bad.sum())
        return runs[~bad]

    def check(self, runs, what):
        """Return the runs; raise LogError if there are none, or for a size or time that no machine
        has.
        """
        self.settle()
        if not len(runs):
            raise LogError(
                f"{self.path}: no job that {what} among {self.records} records "
                f"({self.reasons() or 'none'})"
            )
        for unit, values, most in (
            ("processors", runs[["allocated", "requested"]].max(axis=1), MAX_PROCESSORS),
            ("s since 1970 at its end", end_times(runs), LATEST),
            ("s of limit", runs["limit"], LATEST),
        ):
            if (largest := values.max()) > most:
                place = values.index[values.argmax()]
                raise LogError(f"{place}: {largest:,.0f} {unit}; expected up to {most:,}")
        return runs

    def remark(self, runs, unusual):
        """Count runs that are kept but unusual; `unusual` maps a description to bool[n]."""
        limit, size = runs["limit"], runs[["allocated", "requested"]].max(axis=1)
        early = (runs["start"] >= 0) & (runs["start"] < runs["submit"])
        self.remark_implausible(runs["submit"], runs["run_time"], runs.index)
        unusual = unusual | {
            "ran longer than their limit": (limit >= 0) & (limit < runs["run_time"]),
            "of unknown size": size < 0,
            "started before their submission, so their wait is unknown": early,
        }
        for what, which in unusual.items():
            self.remarks[what] += int(which.sum())

    def remark_implausible(self, submit, run_time, places):
        """Count the jobs that ran longer than the log or than a year, and name the first one."""
        odd = np.flatnonzero(implausible(np.asarray(submit), np.asarray(run_time)))
        if len(odd):
            words = f"ran longer than the log or than a year (first: {places[odd[0]]})"
            self.remarks[words] += len(odd)

    def conversion(self, runs, source, computer, form, path=None, assumed=()):
        """Return the `Conversion` of these runs; submissions count from the first one."""
        self.count_sizes(runs)
        first, last = runs["submit"].min(), end_times(runs).max()
        anonymiser = Anonymiser(self.key)
        queue, queues = pd.factorize(runs["queue"].where(runs["queue"] != ""))
        wait = (runs["start"] - runs["submit"]).clip(lower=-1)
        columns = {
            "submit": runs["submit"] - first,
            "wait": wait.where(runs["start"] >= 0, -1),
            "queue": pd.Series(np.where(queue < 0, -1, queue + 1), runs.index),
        }
        for field, kind in {"user": "user", "group": "group", "executable": "name"}.items():
            columns[field] = runs[kind].map(partial(anonymiser.number, kind))
        columns |= {field: runs[column] for field, column in RENAMED.items()}
        columns = {field: column.to_numpy() for field, column in columns.items()}
        if self.key is None:
            assumed = (*assumed, NO_KEY)
        names = tuple(f" Queue: {number} {name}" for number, name in enumerate(queues, 1))
        log = swf.from_columns(columns, names, path or self.path)
        return self.result(source, form, computer, log, first, last, self.zone, assumed)

    def result(self, source, form, computer, log, start, end, zone, assumed):
        """Return the `Conversion` of a log from `start` to `end`, Unix times in s; its header is
        added.
        """
        assumed, machine, unit = [*assumed], self.processors, self.unit or SIZE_UNITS[0]
        if unit != SIZE_UNITS[0]:
            assumed.insert(0, f"Sizes and the machine are numbers of {unit}.")
        if machine is None:
            machine = peak(*log.runs())
            if not machine:
                raise LogError(
                    f"{self.path}: no job with a start and a size, so the size of the machine is "
                    "unknown; give --processors"
                )
            assumed.insert(0, f"The machine has {machine:,} {unit}, the most in use at once.")
        dates = [
            datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
            for time in (start, end)
        ]
        labels = {"Version": 2.2, "Computer": computer, "Conversion": "replication-cluster"}
        labels |= {"MaxJobs": len(log), "MaxRecords": len(log), "MaxProcs": machine}
        labels |= {"UnixStartTime": int(start), "TimeZoneString": zone or "unknown"}
        labels |= {"StartTime": dates[0], "EndTime": dates[1]}
        header = (f" {label}: {value}" for label, value in labels.items())
        notes = (f" Note: {sentence}" for sentence in assumed)
        log = replace(log, comments=(*header, *notes, *log.comments))
        counts = tuple(self.left_out.items()), tuple(self.remarks.items())
        return Conversion(
            source, form, log, self.records, *counts, tuple(assumed), self.sizes, unit
        )
