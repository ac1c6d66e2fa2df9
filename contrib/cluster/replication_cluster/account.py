"""The account of a conversion: what became of every record, and the resulting log."""

import re
import secrets
import tomllib
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd

from replication.simulator.logs import swf
from replication.simulator.logs.cleaning import most_in_use
from replication.simulator.logs.swf import display_name, quote
from replication.simulator.workload import FAR, doubtful_estimates
from replication_cluster import files, times
from replication_cluster.files import LogError
from replication_cluster.names import KEY_BYTES, numbers
from replication_cluster.times import LATEST, YEAR

#: Vocabulary of the batch systems.
WORDS = tomllib.loads((Path(__file__).parent / "accounting.toml").read_text("utf-8"))
MAX_PROCESSORS = 2**31 - 1  # of a job
BAD_RECORDS = ("refuse", "skip")
SKIPPED = 0.01  # share of the records that may be bad and skipped
COUNTED = ("processors", "nodes", "gpus")
SIZES = ("allocated", "requested")
FEW, MOST = 0.01, 0.5  # shares of jobs from which something matters, and from which it is odd
TOO_MANY = 1.01  # processors in use above a given machine from which it is too small
#: A stated run time is another one than from start to end if they differ by more than both.
GAP, GAP_SHARE = 60, 0.01
#: Decimal places of seconds that count, and the fraction from which a time is rounded.
PLACES, FRACTION = 4, 1e-5
AUTO = "auto"
BACKWARDS = "that ended before they started"
NEVER_STARTED = "ended without having started"
NEVER = "with a start or end of 0, in 1970 or far from the log, taken as never"
ARRAYS = "arrays; their tasks are jobs"
STEPS = "job steps"
HEADERS, ABOVE = "further header lines", "lines before the header"
WAITING, RUNNING = (f"{what} when the log was written" for what in ("waiting", "running"))
#: Ids of a step of a job, and of an array as a whole; ``502[7]`` is a task of one.
STEP = r"\d+(_\d+|\+\d+)?\.(batch|extern|interactive|\d+)"
ARRAY = r".*\[(|\d*[-,:%].*)\].*"
NUMBER = re.compile(r"[0-9]{1,18}(\.[0-9]*)?([eE]\+?[0-9]{1,2})?")
NO_KEY = (
    "Users, groups and job names became numbers with a key that is not kept: "
    "another conversion gives other numbers."
)


ISO = "expected a date (ISO 8601)"
#: Times of jobs that are counted with their sum.
TIMES_OF = {
    "suspended": "suspended for a time, which is not part of the run time,",
    "held": "became eligible later than submitted (holds, dependencies; --eligible), by",
}


class FieldError(ValueError):
    """A value that no batch system writes; the message states what is expected."""


def number(text, expected="expected a number >= 0", most=LATEST):
    """Return a number such as ``64``, ``1770019200.0`` or ``1e+05``."""
    if not NUMBER.fullmatch(text) or float(text) > most:
        raise FieldError(expected)
    return float(text)


def whole(text, expected="expected a whole number >= 0", most=LATEST):
    """Return a whole number, which may be written as ``64.0`` or ``1e+05``."""
    value = number(text, expected, most)
    if not value.is_integer():
        raise FieldError(expected)
    return int(value)


@dataclass(frozen=True)
class Conversion:
    """A converted log with an account of the conversion: every record is a job, is left out by a
    rule, or is bad.

    Parameters
    ----------
    source, form : str
        Name of the input, and its kind.
    log : replication.simulator.logs.swf.Trace
    records : int
        Records in the input.
    left_out, bad, remarks : tuple of (str, int)
        Rules that leave records out, reasons for which records are bad, and remarks on jobs, with
        counts.
    assumed : tuple of str
        What the input does not state, a sentence each.
    sizes : tuple of str
        The fields that gave the sizes, with numbers of jobs, a sentence each.
    unit : str
        Unit of the machine and of the sizes, such as ``allocated processors``.
    """

    source: str
    form: str
    log: swf.Trace
    records: int
    left_out: tuple
    bad: tuple
    remarks: tuple
    assumed: tuple
    sizes: tuple
    unit: str

    @property
    def jobs(self):
        """The jobs, a DataFrame with a column for each field of SWF; -1 is unknown."""
        return pd.DataFrame({name: getattr(self.log, name) for name in swf.FIELDS})

    def lines(self):
        """Yield the account as lines of text."""
        left_out, bad = (sum(count for _, count in of) for of in (self.left_out, self.bad))
        yield (
            f"{self.source}: {self.form}; {self.records:,} records = {len(self.log):,} jobs "
            f"+ {left_out:,} left out + {bad:,} bad"
        )
        yield f"machine and sizes: {self.unit}, {self.log.max_procs:,} on the machine"
        yield from self.sizes
        share = f"{bad / max(self.records, 1):.2%} of the records, at most {SKIPPED:.0%}"
        for title, counts in (
            ("left out", self.left_out),
            (f"bad, skipped ({share})", self.bad),
            ("jobs with a remark", self.remarks),
        ):
            counted = [f"  {count:>10,}  {what}" for what, count in counts if count]
            yield from [f"{title}:", *counted] if counted else ()
        if self.assumed:
            yield from ("notes:", *(f"  - {sentence}" for sentence in self.assumed))


def in_order(texts):
    """Return numbers of texts from 1, in the order in which they appear; -1 where unknown."""
    codes = pd.factorize(texts)[0]
    return np.where(codes < 0, -1, codes + 1)


def _nearest(seconds):
    """Return times rounded to seconds, halves upwards; nan where unknown."""
    return np.floor(seconds.round(PLACES) + 0.5)


class Account:
    """Counts of a conversion, and the steps that all sources share.

    Runs are a DataFrame indexed by place, such as ``sacct.txt, line 7``. Its columns are float64,
    nan where unknown: submit, start, end (Unix times, s), run_time, limit (s), allocated, requested
    (processors or nodes), and fields of SWF.

    Parameters
    ----------
    paths : sequence of str or Path
        The files that are read as one.
    zone : str, optional
        Time zone of the cluster, such as ``Europe/Berlin``. Without it times are taken as they
        stand, and are an hour off where clocks changed.
    processors : int, optional
        Size of the machine; by default the most processors in use at once.
    bad_records : {"refuse", "skip"}
        Whether records that cannot be read are an error, or are counted and left out, up to 1 % of
        all.
    since : str, optional
        Leave out jobs that were submitted before this date; "auto" is the day on which the first
        job ended.
    smaller_machine : bool
        Accept a given machine with fewer processors than were in use at once.
    sizes : {"allocated", "requested"}, optional
        The sizes that count; by default those that more jobs state.
    """

    def __init__(
        self, paths, *, zone=None, processors=None, bad_records="refuse", since=None,
        smaller_machine=False, sizes=None,
    ):  # fmt: skip
        if zone is not None and times.time_zone(zone) is None:
            raise LogError(f"time zone {zone!r} unknown; expected a name such as Europe/Berlin")
        twice = [path for path in paths if [*map(str, paths)].count(str(path)) > 1]
        if twice:
            raise LogError(f"{display_name(twice[0])}: given twice; expected each file once")
        self.source = files.names(paths)
        self.zone, self.processors, self.since = zone, processors, since
        self.smaller_machine, self.of_sizes = smaller_machine, sizes
        self.bad_records, self.bad = bad_records, {}
        self.unread = {which: {} for which in SIZES}  # sizes that are not understood, as `bad`
        self.sizes, self.counted, self.local = (), COUNTED[0], False
        self.asked = False  # whether the unit of sizes is asked for by name
        self.raw = {}  # columns of times, as they are in the files
        self.records = 0
        self.left_out, self.remarks = Counter(), Counter()

    def parse(self, texts, name, function, bad=None):
        """Return `function` of each text of a column, float64[n]; nan for None and where the record
        is bad.
        """
        codes, distinct = pd.factorize(texts)
        values = np.full(len(distinct), np.nan)
        for k, text in enumerate(distinct):
            try:
                value = function(text)
            except FieldError as error:
                self.refuse(texts, codes == k, name, error, bad)
            else:
                values[k] = np.nan if value is None else value
        return values[codes]

    def refuse(self, texts, wrong, name, expected, bad=None):
        """Note the records that are bad because of a column, bool[n]."""
        bad = self.bad if bad is None else bad
        for place, text in texts[wrong].items():
            message = f"{place}, {name}: {quote(text)}; {expected}"
            bad.setdefault(place, (f"with an unreadable {name}", message))

    def without(self, runs, wrong, reason, hint=""):
        """Return the runs that are good; note those that are bad for a reason, bool[n]."""
        for place in runs.index[wrong]:
            self.bad.setdefault(place, (reason, f"{place}: a record {reason}{hint}"))
        return self.good(runs)

    def good(self, runs):
        """Return the runs whose records are not bad."""
        return runs[~runs.index.isin([*self.bad])] if self.bad else runs

    def numbered(self, runs, key, names, queue):
        """Return the runs with numbers of names, by the fields of SWF that have them, and of a
        column of queues, in the order in which they appear.
        """
        key = secrets.token_bytes(KEY_BYTES) if key is None else key
        for field, column in names.items():
            kind = "name" if field == "executable" else field
            runs[field] = numbers(key, kind, runs[column])
        return runs.assign(queue=in_order(runs[queue].where(runs[queue] != "")))

    def leave_out(self, runs, which, why):
        """Return the runs that a rule does not leave out; count the others."""
        if which.any():
            self.left_out[why] += int(which.sum())
        return runs[~which]

    def remark(self, what, which):
        """Count jobs that are kept but unusual, bool[n]."""
        self.remarks[what] += int(np.sum(which))

    def times(self, texts, name, unknown, unit="s", expected=ISO, form=None):
        """Return Unix times of a column and their later occurrences, float64[n], s; nan where
        unknown, 0 for never.
        """
        none = (texts.isin(unknown) | texts.str.fullmatch(times.NO_DATE).eq(True)).to_numpy(bool)
        zone = self.zone or "UTC"
        numbers = pd.to_numeric(texts.where(~none), errors="coerce").to_numpy(np.float64)
        if form:
            numbers, expected = np.full(len(texts), np.nan), f"expected a date of the form {form!r}"
            if "%Z" in form:
                expected += f", with the name of a time of {zone} (--time-zone)"
        seconds = numbers * times.UNITS[unit]
        dates, late, local = times.unix_times(texts.where(~none & np.isnan(numbers)), zone, form)
        self.local |= bool(local.any())
        self.raw[name] = texts
        days = ~none & texts.str.fullmatch(times.DAY).eq(True).to_numpy(bool) & np.isnan(numbers)
        if days.sum() > MOST * (~none).sum():
            self.refuse(texts, days, name, "expected a date with a time of the day")
        none = none | (numbers == -1)
        both = (np.where(np.isnan(numbers), np.maximum(of, 0), seconds) for of in (dates, late))
        occurrences = [np.where(none, np.nan, of) for of in both]
        wrong = ~none & ~((occurrences[0] >= 0) & (occurrences[0] <= LATEST))
        if wrong.any():
            guess = times.unit_of(numbers[wrong][0])
            hint = f" (in seconds; are these in {guess}?)" if guess not in (None, unit) else ""
            or_number = "" if form else f" or a number since 1970{hint}"
            self.refuse(texts, wrong, name, f"{expected}{or_number}")
        return occurrences

    def run_times(self, places, between, stated, name):
        """Return the stated run times, float64[n], s; what is between start and end in place of
        longer and unknown ones. Count those that differ.
        """
        gap = np.abs(stated - between)
        odd = gap > np.maximum(GAP, GAP_SHARE * between)
        odd &= ~((np.abs(gap - 3600) <= 1) & self.local)  # the clock was changed
        longer = odd & (stated > between)
        for word, which, taken in (
            ("longer", longer, "start to end"), ("shorter", odd & ~longer, name)
        ):  # fmt: skip
            if which.any():
                hours = times.duration(gap[which].sum())
                self.remark(
                    f"whose {name} is {word} than from start to end, by {hours} in all (first: "
                    f"{places[which][0]}); {taken} is taken", which,
                )  # fmt: skip
        return np.where(np.isnan(stated) | longer, between, stated)

    def known_times(self, submit, start, end):
        """Return times without those that mean never; count the jobs that had them."""
        columns = times.known_times(submit, start, end)
        lost = [np.isnan(after) & ~np.isnan(t) for t, after in zip((start, end), columns[1:])]
        self.remark(NEVER, lost[0] | lost[1])
        return columns

    def eligible_from(self, runs, eligible, take):
        """Return the runs with the time for which they were held, s; with `take`, submissions are
        the times at which they became eligible.
        """
        held = (eligible - runs["submit"]).clip(lower=0).fillna(0)
        runs = runs.assign(held=held)
        return runs.assign(submit=runs["submit"] + held) if take else runs

    def sized(self, runs, which, columns, forms=()):
        """Return the runs with the first known size of some columns, nan for none; note which gave
        it.

        `columns` maps a label to the texts and the function that parses them; an unreadable text of
        those in `forms`, or of any request, makes a record bad only if its size is needed.
        """
        size, source = np.full(len(runs), np.nan), np.full(len(runs), "none", object)
        for label, (texts, function) in columns.items():
            bad = self.unread[which] if label in forms or which == "requested" else self.bad
            # A later column counts only where earlier ones have no size.
            skip = ~np.isnan(size) | runs.index.isin([*bad])
            texts = texts.where(~skip, "")
            values = self.parse(texts, label, function, bad)
            large = values > MAX_PROCESSORS
            self.refuse(texts, large, label, f"expected up to {MAX_PROCESSORS:,}", bad)
            here = np.isnan(size) & (values >= 1) & ~large
            size[here], source[here] = values[here], label
        return runs.assign(**{which: size, f"{which}_from": source})

    def settle(self):
        """Raise LogError if bad records are refused, or too many."""
        few = len(self.bad) <= SKIPPED * self.records
        if self.bad and not (few and self.bad_records == "skip"):
            message = next(iter(self.bad.values()))[1]
            counted = ", ".join(f"{count:,} {reason}" for reason, count in self._reasons().items())
            raise LogError(
                f"{message}; {len(self.bad):,} of {self.records:,} records cannot be read: "
                f"{counted}; --bad-records skip leaves out up to {SKIPPED:.0%} of all records"
            )

    def _reasons(self):
        return Counter(reason for reason, _ in self.bad.values())

    def finish(self, runs, form, computer, notes=()):
        """Return the `Conversion` of these runs; raise LogError if there are none, or for bad
        records that are not skipped.
        """
        runs = runs.assign(limit=runs["limit"].where(runs["limit"] > 0))  # 0 is no limit
        unit = self._unit(runs)
        other = SIZES[1 - SIZES.index(unit)]
        runs = self._understood(runs, unit, other)
        self.settle()
        if runs.empty:
            counts = ", ".join(f"{n:,} {why}" for why, n in self.left_out.items() if n) or "none"
            raise LogError(f"{self.source}: no job among {self.records:,} records ({counts})")
        exact = runs.assign(size=runs[unit].fillna(runs[other]))
        runs = self._whole_seconds(exact)
        self._look(runs, exact["submit"])
        replaced = runs[unit].isna() & runs[other].notna() & (runs["run_time"] > 0)
        self.remark(f"without {unit} {self.counted}, so the {other} ones count", replaced)
        machine, size_notes = self._machine(runs, unit)
        runs, window = self._window(runs)
        self._count(runs)
        first, last = int(runs["submit"].min()), runs[["submit", "end"]].max(axis=None)
        notes = (*size_notes, *window, *self._estimates(runs), *notes)
        if self.zone is None and self.local:
            notes += ("Times are taken as they stand: without --time-zone, clock changes stay in.",)
        wait = runs["start"] - runs["submit"]
        columns = {
            "wait": wait.where(wait >= 0),
            "requested_time": runs["limit"],
            **{f"{which}_processors": runs[which] for which in SIZES},
            **{field: runs[field] for field in swf.FIELDS if field in runs and field != "submit"},
        }
        columns = {name: _whole(values) for name, values in columns.items()}
        columns["submit"] = runs["submit"].to_numpy(np.int64) - first
        dates = [datetime.fromtimestamp(time, UTC) for time in (first, last)]
        dates = [f"{date:%Y-%m-%d %H:%M:%S} UTC" for date in dates]
        n, measure = len(runs), f"{unit} {self.counted}"
        header = {"Version": 2.2, "Computer": computer, "Conversion": "replication-cluster"}
        header |= {"MaxJobs": n, "MaxRecords": n, "MaxProcs": machine, "Sizes": measure}
        header |= {"UnixStartTime": first, "TimeZoneString": self.zone or "unknown"}
        header |= {"StartTime": dates[0], "EndTime": dates[1]}
        header = (*header.items(), *(("Note", sentence) for sentence in notes))
        counters = self.left_out, self._reasons(), self.remarks
        counts = (tuple(counter.items()) for counter in counters)
        comments = [f" {label}: {value}" for label, value in header]
        log = swf.Trace.from_columns(**columns, comments=comments)
        return Conversion(self.source, form, log, self.records, *counts, notes, self.sizes, measure)

    def _whole_seconds(self, runs):
        """Return the runs with times in whole seconds; count those that had fractions.

        Submissions, starts and ends are rounded, and a run time is the difference of its ends, so
        that a possible schedule stays possible. Limits are rounded upwards.
        """
        exact = runs[["submit", "start", "run_time", "limit"]]
        odd = (exact - exact.round()).abs() > FRACTION
        if not odd.any(axis=None):
            return runs
        names = ["submit", "start", "end", "run_time"]
        submit, start, end, alone = (_nearest(runs[name]) for name in names)
        run_time = (_nearest(runs["start"] + runs["run_time"]) - start).fillna(alone)
        remark = f"with times rounded to seconds ({odd.sum(axis=None):,} times)"
        self.remark(remark, odd.any(axis=1))
        none = (runs["run_time"] > 0) & (run_time == 0)
        self.remark("that ran for less than a second, and for 0 s once rounded", none)
        limit = np.ceil(runs["limit"] - FRACTION)
        return runs.assign(submit=submit, start=start, end=end, run_time=run_time, limit=limit)

    def _look(self, runs, exact):
        """Raise LogError if, in whole seconds, most jobs do not run, or different submissions of
        most jobs are one.
        """
        began = runs["start"].notna() | runs["start"].isna().all()
        same = runs["submit"] == runs["submit"].mode()[0]
        for which, jobs, problem in (
            (began & (runs["run_time"] == 0), began, "have a run time of 0 s"),
            (same & (exact[same].nunique() > 1), ~exact.isna(), "are submitted in one second"),
        ):
            if which.sum() > MOST * jobs.sum():
                place = runs.index[which][0]
                raw = (f"{name} {quote(of[place])}" for name, of in self.raw.items() if of[place])
                raise LogError(
                    f"{place}: {', '.join(raw)}; {which.sum():,} of {jobs.sum():,} jobs {problem}; "
                    "expected times in their unit, and with the time of the day"
                )

    def _unit(self, runs):
        """Return the size that is asked for or that more jobs state: "allocated" or "requested";
        LogError if jobs were given far less than they requested.
        """
        if self.of_sizes:
            return self.of_sizes
        ran = ~(runs["run_time"] == 0)
        counts = {which: int((ran & (runs[which] >= 1)).sum()) for which in SIZES}
        unit = max(SIZES, key=counts.get)
        allocated, requested = (int(of.sum()) for _, of in runs[ran][[*SIZES]].dropna().items())
        if unit == SIZES[0] and allocated < MOST * requested:
            raise LogError(
                f"{self.source}: {allocated:,} {self.counted} were allocated and {requested:,} "
                "requested; expected --sizes requested, or --sizes allocated if these are right"
            )
        return unit

    def _understood(self, runs, unit, other):
        """Return the runs without those that are bad since a size is not understood."""
        needed = self.unread[unit]
        unread = runs.index.isin([*self.unread[other]])
        self.remark(f"whose {other} size is not understood", unread & runs[unit].notna())
        for place in runs.index[unread & runs[unit].isna()]:
            needed.setdefault(place, self.unread[other][place])
        for place in runs.index[runs.index.isin([*needed])]:
            self.bad.setdefault(place, needed[place])
        return self.good(runs)

    def _machine(self, runs, unit):
        """Return the size of the machine, and notes on it and on sizes."""
        for which in SIZES:
            counts = Counter(sorted(runs[f"{which}_from"])).most_common()
            if [label for label, _ in counts] != ["none"]:
                sources = ", ".join(f"{label} {count:,}" for label, count in counts)
                self.sizes += (f"{which} size: {sources}",)
        measure = f"{unit} {self.counted}"
        notes = (f"The machine and the sizes of jobs are {measure}.",)
        without = runs.index[runs["size"].isna() & (runs["run_time"] > 0)]
        if self.asked and len(without):
            raise LogError(
                f"{without[0]}: no number of {self.counted}; {len(without):,} of {len(runs):,} "
                "jobs have none; expected another --size, or a file without these jobs"
            )
        complete = runs[(runs["start"] >= 0) & (runs["run_time"] > 0) & (runs["size"] >= 1)]
        if self.processors:
            self._refuse_a_smaller_machine(complete, measure)
            return self.processors, notes
        if complete.empty:
            raise LogError(f"{self.source}: no job with a start and a size; give --processors")
        most, _ = most_in_use(complete["start"], complete["run_time"], complete["size"])
        return most, (*notes, f"The machine has {most:,} {measure}, the most in use at once.")

    def _refuse_a_smaller_machine(self, runs, measure):
        """Raise LogError if the log's jobs used more than the machine that is given."""
        if "suspended" in runs:  # others ran on their processors
            runs = runs[~(runs["suspended"] > 0)]
        if runs.empty or self.smaller_machine:
            return
        most, instant = most_in_use(runs["start"], runs["run_time"], runs["size"])
        if most > TOO_MANY * self.processors:
            raise LogError(
                f"{self.source}: at {times.shown(instant, self.zone)} {most:,} {measure} were in "
                f"use, on a machine of {self.processors:,}, which may be in another unit; expected "
                f"--processors {most} or more (in a map processors), or --smaller-machine"
            )

    def _window(self, runs):
        """Return the runs that were submitted from `since` on, and notes on the edges of the
        records.
        """
        end, notes = runs["end"].dropna(), []
        begin = times.day_of(end.min(), self.zone) if len(end) else -np.inf
        early = runs["submit"] < begin
        if early.any():
            length = times.duration(begin - runs["submit"].min())
            notes.append(
                f"Jobs submitted up to {length} before {times.shown(begin, self.zone)}, the first "
                f"day on which a job ended: {early.sum():,}. They were in the system before the "
                "records begin (--since auto leaves them out)."
            )
        if self.since is not None:
            since = begin if self.since == AUTO else self._date(self.since)
            before = f"submitted before {times.shown(max(since, 0), self.zone)} (--since)"
            runs, notes = self.leave_out(runs, runs["submit"] < since, before), []
            if runs.empty:
                raise LogError(f"{self.source}: no job submitted from --since {self.since} on")
        if len(end):
            unfinished = self.left_out[WAITING] + self.left_out[RUNNING]
            notes.append(
                f"The last job ended at {times.shown(end.max(), self.zone)}; jobs that had not "
                f"ended by then are missing ({unfinished:,} of them are in the input)."
            )
        return runs, notes

    def _date(self, text):
        text = re.sub(f"^{times.DAY}$", r"\1T00:00", str(text))
        texts = pd.Series([text], ["--since"], dtype="str")
        seconds, _ = Account.times(self, texts, "date", ())
        if not seconds[0] >= 0:
            raise LogError(f"--since {quote(text)}; expected a date (ISO 8601), or auto")
        return seconds[0]

    def _count(self, runs):
        """Count jobs that are kept but unusual."""
        requested, allocated = runs["requested"], runs["allocated"]
        for word, which in (("more", allocated > requested), ("fewer", allocated < requested)):
            sums = (int(of[which].sum()) for of in (allocated, requested))
            self.remark("given {} {} than requested ({:,} for {:,})".format(
                word, self.counted, *sums
            ), which)  # fmt: skip
        limit, run_time, submit = (runs[name] for name in ("limit", "run_time", "submit"))
        for column, remark in TIMES_OF.items():
            if column in runs and (long := runs[column] > 0).any():
                self.remark(f"{remark} {times.duration(runs[column].sum())} in all", long)
        self.remark("ran longer than their limit", run_time > limit)
        self.remark("ran more than 10 % longer than their limit", run_time > FAR * limit)
        self.remark("of unknown size", runs["size"].isna())
        self.remark("of unknown run time", run_time.isna())
        early = "started before their submission, so their wait is unknown"
        self.remark(early, runs["start"] < submit)
        span = min(submit.max() - submit.min(), YEAR)
        odd = np.flatnonzero(run_time > (span if span >= 86400 else YEAR))
        if len(odd):
            remark = f"ran longer than the log or than a year (first: {runs.index[odd[0]]})"
            self.remarks[remark] += len(odd)

    def _estimates(self, runs):
        """Yield notes on limits that are missing or below the run times."""
        limit, run_time = runs["limit"], runs["run_time"]
        if limit.isna().all():
            yield "No job has a time limit, so there are no estimates."
        usable = (limit > 0) & (run_time > 0)
        far = (usable & (run_time > FAR * limit))[usable]
        if far.sum() > FEW * len(far):
            note = doubtful_estimates(self.source, run_time[usable], limit[usable], far)
            yield f"{note}; as estimates they are raised to them, which no scheduler knows."


def _whole(values):
    """Return whole numbers, -1 where unknown."""
    return np.rint(values.fillna(-1).to_numpy(np.float64)).astype(np.int64)
