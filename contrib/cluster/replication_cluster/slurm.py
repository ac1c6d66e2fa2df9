"""Conversion of the output of ``sacct --parsable2``; its decisions and counts are listed in
docs/formats.md.

Columns are identified by name, in any order. Needed are JobIDRaw or JobID, Submit, a run time
(ElapsedRaw, Elapsed, or Start and End) and a size (AllocCPUS or NCPUS, AllocTRES, ReqCPUS or
ReqTRES, NNodes). ``sacct --json`` is read, too.

Source: sacct(1) of Slurm 2.6 to 25.11.
"""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from replication_cluster import conversion, files
from replication_cluster import slurm_fields as fields
from replication_cluster.conversion import WORDS, Account
from replication_cluster.files import LogError

COLUMNS, ASK = (WORDS["slurm"][name] for name in ("columns", "ask"))
#: What a log must have: in words, and the columns of which one is enough.
NEEDED = {
    "JobIDRaw or JobID": ("id",),
    "Submit": ("submit",),
    "ElapsedRaw, Elapsed, or Start and End": ("elapsed_raw", "elapsed", "end"),
    "AllocCPUS, NCPUS, AllocTRES, ReqCPUS, ReqTRES or NNodes": (
        *("allocated", "allocated_tres", "requested", "requested_tres", "nodes"),
    ),
}
READS = ("sacct", "sacct-noheader", "sacct-tabs", "sacct-json")
#: Columns of each size, the best first, and the resource in a list of resources.
SIZES = {
    "processors": (("allocated", "allocated_tres"), ("requested", "requested_tres"), "cpu"),
    "nodes": (("nodes", "allocated_tres"), ("requested_nodes", "requested_tres"), "node"),
}
_TIMES = ("submit", "start", "end")


def convert(
    path,
    zone=None,
    processors=None,
    partitions=None,
    cluster=None,
    key=None,
    columns=None,
    size=None,
    bad_records="refuse",
):
    """Convert a file that sacct wrote, gzipped or not; ``-`` is standard input.

    Parameters
    ----------
    path : str or Path
    zone : str, optional
        Time zone of the cluster, such as ``Europe/Berlin``. Without it times are taken as they
        stand, and are an hour off where clocks changed.
    processors : int, optional
        Size of the machine; by default the most processors in use at once.
    partitions : sequence of str, optional
        Only jobs of these partitions.
    cluster : str, optional
        Only jobs of this cluster; needed where the log has several.
    key : bytes, optional
        Key of the numbers of names; by default random and not kept.
    columns : sequence of str, optional
        Names of the columns of a file without a header line, as in sacct's ``--format``.
    size : {"processors", "nodes"}, optional
        Unit of sizes and of the machine; by default processors if the log has them.
    bad_records : {"refuse", "skip"}
        Whether records that cannot be read are an error, or are counted and left out, up to ten or
        1 % of all.

    Returns
    -------
    replication_cluster.conversion.Conversion

    Raises
    ------
    LogError
        For a file that is not sacct's output, values that sacct does not write, or no job that
        ended.
    """
    if zone is not None and conversion.time_zone(zone) is None:
        raise LogError(f"time zone {zone!r} unknown; expected a name such as Europe/Berlin or UTC")
    reader = _Reader(files.display_name(path), zone, processors, key, bad_records)
    reader.given, reader.unit = columns, size
    texts = reader.select(reader.texts(path), partitions, cluster)
    every = reader.check(reader.good(reader.sized_jobs(reader.finished(texts))), "ended")
    # The last record of each job and submission, in the order of the file.
    jobs = every[~every.duplicated(["id", "submit"], keep="last")]
    reader.left_out["earlier records of a run that has a later one"] += len(every) - len(jobs)
    jobs = _number(_in_order(jobs), reader).sort_values(["submit", "number"])
    reader.remark(jobs)
    source, assumed = Path(reader.path).name, reader.assumed(jobs)
    return reader.conversion(jobs, source, "Slurm", "output of sacct", assumed=assumed)


def _in_order(jobs):
    """Return the jobs with submissions and starts that respect earlier runs, where an hour of
    autumn occurred twice.
    """
    jobs = jobs.sort_values("submit", kind="stable")
    before = conversion.end_times(jobs).groupby(jobs["id"]).shift().fillna(0)
    submit = conversion.not_before(jobs["submit"], jobs["submit_late"], before)
    jobs = jobs.assign(submit=submit)
    known = jobs["start"] >= 0
    start = conversion.not_before(jobs["start"], jobs["start_late"], jobs["submit"])
    return jobs.assign(start=np.where(known, start, -1))


def _number(jobs, reader):
    """Number the jobs; runs of a requeued job are jobs of their own."""
    jobs = jobs.sort_values("submit", kind="stable")
    again = jobs["id"].duplicated()
    # A new number for ids that SWF cannot hold, and for all runs of a job but the last.
    known = pd.to_numeric(jobs["id"].where(jobs["id"].str.fullmatch("[0-9]{1,15}")))
    own = known.where(~jobs["id"].duplicated(keep="last"))
    following = known.max() if known.notna().any() else 0
    reader.remarks["further runs of requeued or resized jobs, each a job of its own"] += int(
        again.sum()
    )
    return jobs.assign(number=own.fillna(following + own.isna().cumsum()))


class _Reader(Account):
    """Reads a file, and counts what it leaves out."""

    columns, local, given = {}, False, None

    def texts(self, path):
        """Return the fields of all records that are no job steps, a DataFrame by place; missing
        columns are empty.
        """
        with files.open_text(path, READS) as file:
            records = [*(self._json if file.kind == "sacct-json" else self._records)(file)]
        if not self.columns:
            raise LogError(f"{self.path}: an empty file; expected the output of {ASK}")
        table = pd.DataFrame(records, columns=["place", *self.columns], dtype="str")
        return table.set_index("place").reindex(columns=[*COLUMNS], fill_value="")

    def _json(self, file):
        """Yield place and fields of each job of ``sacct --json``."""
        try:
            jobs = [*json.load(file)["jobs"]]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise LogError(f"{self.path}: {error}; expected the output of sacct --json") from None
        self.columns = dict.fromkeys(fields.of_json({}), "of JSON")
        self.columns |= {"allocated_tres": "tres.allocated", "requested": "required.CPUs"}
        for self.records, job in enumerate(jobs, 1):
            place = f"{self.path}, job {self.records}"
            try:
                yield place, *fields.of_json(job).values()
            except (AttributeError, KeyError, TypeError):
                self.bad[place] = (
                    "that are no jobs",
                    f"{place}: {files.quoted(job)}; expected a job",
                )

    def _records(self, file):
        """Yield place and fields of each record that is no job step."""
        columns, closed, places = None, False, {}
        separator = "\t" if file.kind == "sacct-tabs" else "|"
        for number, line in files.lines(file, self.path):
            parts = line.split(separator)
            if columns is None:
                # With --parsable every line ends with a bar, with --parsable2 none does.
                closed = len(parts) > 1 and parts[-1] == ""
                columns = parts[:-1] if closed else parts
                if file.kind == "sacct-noheader" and len(self.given or ()) != len(columns):
                    raise LogError(
                        f"{self.path}, line {number}: no header line (sacct --noheader); name its "
                        f"{len(columns)} columns in order: --columns JobID,JobIDRaw,... "
                        f"({len(self.given or ())} given)"
                    )
                names = columns
                if self.given and file.kind != "sacct":
                    names, columns = [*self.given], [""] * len(self.given)
                places = self._places(names)
                self.columns = {what: names[place] for what, place in places.items()}
                if names is columns:
                    continue
            parts = parts[:-1] if closed and parts[-1] == "" else parts
            if parts == columns:
                continue
            self.records += 1
            if len(parts) != len(columns):  # sacct does not escape the separator in a name
                self.left_out["with more or fewer fields than the header"] += 1
                continue
            if any("." in parts[places[name]] for name in ("id", "shown") if name in places):
                self.left_out[conversion.STEPS] += 1
                continue
            yield f"{self.path}, line {number}", *(parts[k].strip() for k in places.values())

    def _places(self, columns):
        """Return the position of each known column."""
        known = {name.strip().casefold(): place for place, name in enumerate(columns)}
        places = {
            what: next(known[name] for name in names if name in known)
            for what, names in COLUMNS.items()
            if known.keys() & {*names}
        }
        missing = [names for names, any_of in NEEDED.items() if not places.keys() & {*any_of}]
        if missing:
            raise LogError(
                f"{self.path}, line 1: no column {missing[0]} in "
                f"{files.quoted('|'.join(columns))}; expected the output of {ASK}"
            )
        return places

    def select(self, texts, partitions, cluster):
        """Return the records of one cluster and of some partitions."""
        named = sorted({*texts["cluster"]} - {""})
        if cluster is None and len(named) > 1:
            raise LogError(f"{self.path}, cluster: {', '.join(named)}; choose one with --cluster")
        if cluster:
            texts = self.leave_out(texts, texts["cluster"] != cluster, "of another cluster")
        if not partitions:
            return texts
        several = {names: {*names.split(",")} for names in {*texts["partition"]}}
        seen = set().union(*several.values())
        if unknown := sorted({*partitions} - seen):
            raise LogError(
                f"{self.path}, partition: {', '.join(map(repr, unknown))}; "
                f"expected {', '.join(sorted(seen - {''})) or 'none, as none is named'}"
            )
        kept = [names for names, each in several.items() if each & {*partitions}]
        return self.leave_out(texts, ~texts["partition"].isin(kept), "of another partition")

    def finished(self, texts):
        """Return the records of jobs that ended, with state, status, times and run time; nan where
        unknown.
        """
        (submit, start, end), late = zip(*(self._times(texts, what) for what in _TIMES))
        start = conversion.not_before(start, late[1], submit)
        times = conversion.known_times(submit, start, conversion.not_before(end, late[2], start))
        self.remarks[conversion.NEVER] += int(
            (np.isnan(times[1]) & ~np.isnan(start) | np.isnan(times[2]) & ~np.isnan(end)).sum()
        )
        jobs = texts.assign(
            submit_late=late[0],
            start_late=late[1],
            state=self._parse(texts, "state", fields.state),
            suspended=np.nan_to_num(self._numbers(texts, "suspended", fields.duration)),
            queue=texts["partition"],
            **dict(zip(_TIMES, times)),
        )
        jobs["status"] = jobs["state"].map(fields.STATES)
        between = jobs["end"] - jobs["start"] - jobs["suspended"]
        between = between.mask(jobs["start"].isna() & jobs["end"].notna(), 0)
        elapsed = self._numbers(texts, "elapsed_raw", fields.count)
        coarse = self._numbers(texts, "elapsed", fields.duration)
        elapsed = np.where(np.isnan(elapsed), coarse, elapsed)
        never = jobs["start"].isna() & (elapsed > jobs["end"] - jobs["submit"])
        jobs["run_time"] = np.where(np.isnan(elapsed) | never, between, elapsed)
        jobs = self.good(jobs)
        jobs = self.leave_out(jobs, jobs["submit"].isna(), "no time of submission")
        for word in sorted({*jobs["state"]} - fields.STATES.keys()):
            newer = jobs["state"] == word
            jobs = self.leave_out(jobs, newer, f"in state {word}, which this version does not know")
        unfinished = jobs["status"].isna() | (jobs["end"].isna() & ("end" in self.columns))
        waiting = unfinished & jobs["start"].isna()
        jobs = self.leave_out(jobs, waiting, conversion.WAITING)
        jobs = self.leave_out(jobs, unfinished[~waiting], conversion.RUNNING)
        jobs = self.leave_out(
            jobs, jobs["shown"].str.fullmatch(conversion.ARRAY), conversion.ARRAYS
        )
        jobs = self.leave_out(jobs, jobs["run_time"].isna(), "no run time")
        return self.leave_out(jobs, jobs["run_time"] < 0, conversion.BACKWARDS)

    def sized_jobs(self, jobs):
        """Return the jobs with sizes and limit; -1 where unknown."""
        present = self.columns.keys()
        if self.unit is None:
            known = {name for names in SIZES["processors"][:2] for name in names} & present
            self.unit = "processors" if known else "nodes"
        *both, kind = SIZES[self.unit]
        if not {name for names in both for name in names} & present:
            raise LogError(
                f"{self.path}: no column of {self.unit}; it has {', '.join(self.columns.values())}"
            )
        for which, names in zip(("allocated", "requested"), both):
            columns = {}
            for name in filter(present.__contains__, names):
                lists = name.endswith("_tres")
                function = partial(fields.resource, name=kind) if lists else fields.count
                columns[self.columns[name]] = self._numbers(jobs, name, function)
            jobs = self.sized(jobs, which, columns)
        raw = self._numbers(jobs, "limit_raw", partial(fields.limit, minutes=True))
        limit = np.where(np.isnan(raw), self._numbers(jobs, "limit", fields.limit), raw)
        return jobs.assign(limit=limit).fillna(dict.fromkeys(("start", "end", "limit"), -1))

    def remark(self, jobs):
        """Count jobs that are kept but unusual."""
        limits = bool({"limit", "limit_raw"} & self.columns.keys())
        unusual = {
            "tasks of arrays or parts of heterogeneous jobs": jobs["shown"].str.contains("[_+]"),
            conversion.NEVER_STARTED: (jobs["run_time"] == 0) & (jobs["start"] < 0),
            "suspended for a time, which is not part of the run time": jobs["suspended"] > 0,
            "without a time limit (UNLIMITED, Partition_Limit), so without estimate": (
                (jobs["limit"] < 0) & limits
            ),
            "given more processors than requested": (
                (jobs["allocated"] > jobs["requested"]) & (jobs["requested"] > 0)
            ),
        }
        super().remark(jobs, unusual)

    def assumed(self, jobs):
        """Yield what sacct's output does not state, a sentence each."""
        if self.zone is None and self.local:
            yield (
                "Times are taken as they stand: without a time zone, clock changes "
                "are not corrected."
            )
        if (jobs["limit"] < 0).all():
            yield "No job has a time limit, so there are no estimates."
        partitions = jobs["queue"].nunique()
        if partitions > 1:
            yield f"{partitions} partitions share one machine; select others with --partitions."

    def _parse(self, texts, what, function):
        return self.parse(texts[what], COLUMNS[what][0], function)

    def _numbers(self, texts, what, function):
        """Return numbers, float64[n]; nan where there is none."""
        return self._parse(texts, what, function).astype(np.float64)

    def _times(self, texts, what):
        """Return Unix times and their later occurrences, float64[n], s; nan where there is none
        (Unknown, None, empty).
        """
        texts, name = texts[what], COLUMNS[what][0]
        none = texts.isin(fields.NEVER).to_numpy()
        whole = texts.str.fullmatch("[0-9]{1,11}").to_numpy(bool)
        dates = texts.where(~none & ~whole)
        times, late, local = conversion.unix_times(dates, self.zone or "UTC")
        self.local |= bool(local.any())
        never = times < 0  # before 1970
        whole_times = pd.to_numeric(texts.where(whole))
        times, late = (np.where(whole, whole_times, one) for one in (times, late))
        expected = (
            "expected YYYY-MM-DDTHH:MM:SS with or without an offset, seconds since 1970, or "
            "Unknown (run sacct without SLURM_TIME_FORMAT)"
        )
        none = none | texts.str.fullmatch(conversion.NO_DATE).to_numpy(bool)
        self.refuse(texts, ~none & np.isnan(times), name, expected)
        return np.where(never, 0, times), late
