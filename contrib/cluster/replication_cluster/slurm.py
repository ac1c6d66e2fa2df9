"""Conversion of the output of ``sacct --parsable2``; its decisions and counts are listed in
docs/formats.md.

Columns are identified by name, in any order. Needed are JobIDRaw or JobID, Submit, a run time
(ElapsedRaw, Elapsed, or Start and End) and a size (AllocCPUS or NCPUS, AllocTRES, ReqCPUS or
ReqTRES, NNodes). ``sacct --json`` is read, too.

Source: sacct(1) of Slurm 2.6 to 25.11.
"""

import csv
import re
from functools import partial
from itertools import chain, islice

import numpy as np
import pandas as pd

from replication.simulator.errors import among
from replication.simulator.logs.swf import display_name, quote
from replication_cluster import account, files, records, times
from replication_cluster import slurm_fields as fields
from replication_cluster.account import WORDS, Account
from replication_cluster.files import LogError

COLUMNS, ASK = (WORDS["slurm"][name] for name in ("columns", "ask"))
#: What a log must have: in words, and the columns of which one is enough.
NEEDED = WORDS["slurm"]["needed"]
#: Columns of each size, the best first, and the resource in a list of resources.
SIZES = WORDS["slurm"]["sizes"]
NAMES = {"user": "user", "group": "group", "executable": "name"}
READS = ("sacct", "sacct-noheader", "sacct-json")
#: Kinds that a file without a header line may look like.
WITHOUT_HEADER = ("table", "schedule", "squeue", "gwf", "grid-engine", "sacct-columns", "html")
HEAD = 50  # lines that show the separator
_KNOWN = {name for several in COLUMNS.values() for name in several}
_EXPECTED = "expected YYYY-MM-DDTHH:MM:SS (run sacct without SLURM_TIME_FORMAT), Unknown,"


def convert(
    paths, *, partitions=None, cluster=None, key=None, columns=None, size=None, eligible=False,
    **options,
):  # fmt: skip
    """Convert files that sacct wrote, gzipped or not, as one log; ``-`` is standard input.

    Parameters
    ----------
    paths : str, Path or sequence of them
    partitions : sequence of str, optional
        Only jobs of these partitions.
    cluster : str, optional
        Only jobs of this cluster; needed where the log has several.
    key : bytes, optional
        Key of the numbers of names; by default random and not kept.
    columns : sequence of str, optional
        Names of the columns of a file without a header line, as in sacct's ``--format``. The
        separator is the one that divides the lines into that many fields.
    size : {"processors", "nodes", "gpus"}, optional
        Unit of sizes and of the machine; by default processors if the log has them.
    eligible : bool
        Take the time at which a job became eligible for its submission.
    **options
        zone, processors, bad_records, since and smaller_machine of
        `replication_cluster.account.Account`.

    Returns
    -------
    replication_cluster.account.Conversion

    Raises
    ------
    LogError
        For a file that is not sacct's output, values that sacct does not write, or no job that
        ended.
    """
    paths = files.paths_of(paths)
    reader = _Reader(paths, **options)
    reader.column_names, reader.size, reader.eligible = columns, size, eligible
    texts = reader.select(reader.texts(paths), partitions, cluster)
    jobs = reader.sized_jobs(reader.finished(texts))
    jobs = _number(_in_order(reader.last_records(jobs)), reader)
    jobs = reader.numbered(jobs, key, NAMES, "partition")
    notes = (*reader.notes(jobs), *[account.NO_KEY] * (key is None))
    return reader.finish(jobs.drop(columns="partition"), "output of sacct", "Slurm", notes)


def _in_order(jobs):
    """Return the jobs with submissions and starts that respect earlier runs, where an hour of
    autumn occurred twice.
    """
    jobs = jobs.sort_values("submit", kind="stable")
    before = jobs["end"].fillna(jobs["submit"]).groupby(jobs["id"]).shift().fillna(0)
    submit = times.not_before(jobs["submit"], jobs["submit_late"], before)
    start = times.not_before(jobs["start"], jobs["start_late"], submit)
    return jobs.assign(submit=submit, start=start)


def _number(jobs, reader):
    """Number the jobs; runs of a requeued job are jobs of their own."""
    jobs = jobs.sort_values("submit", kind="stable")
    again, same = (jobs.duplicated(names) for names in ("id", ["id", "user", "name"]))
    # A new number for ids that SWF cannot hold, and for all runs of a job but the last.
    ids = pd.to_numeric(jobs["id"].where(jobs["id"].str.fullmatch("[0-9]{1,15}")))
    numbers = ids.where(~jobs["id"].duplicated(keep="last"))
    following = ids.max() if ids.notna().any() else 0
    reader.remark("further runs of requeued or resized jobs, each a job of its own", again & same)
    reader.remark("whose id an earlier job of another user or name had", again & ~same)
    jobs = jobs.assign(job_id=numbers.fillna(following + numbers.isna().cumsum()))
    return jobs.sort_values(["submit", "job_id"])


class _Reader(Account):
    """Reads files, and counts what it leaves out."""

    columns, column_names, size, eligible = {}, None, None, False

    def texts(self, paths):
        """Return the fields of all records that are no job steps, a DataFrame by place; missing
        columns are empty.
        """
        self.columns, rows = {}, []
        for path in paths:
            reads = READS + WITHOUT_HEADER * bool(self.column_names)
            with files.open_text(path, reads) as file:
                read = self._json if file.kind == "sacct-json" else self._records
                rows += read(file, display_name(path))
        if not self.columns:
            raise LogError(f"{self.source}: an empty file; expected the output of {ASK}")
        table = pd.DataFrame(rows, columns=["place", *COLUMNS], dtype="str")
        return table.set_index("place")

    def _json(self, file, name):
        """Yield place and fields of each job of ``sacct --json``, or of its jobs, one a line."""
        self.columns |= dict.fromkeys(fields.of_json({}), "of JSON")
        self.columns |= {"allocated_tres": "tres.allocated", "requested": "required.CPUs"}
        for place, _, job in files.json_records(file, name):
            self.records += 1
            try:
                values = fields.of_json(job)
                yield place, *(values.get(what, "") for what in COLUMNS)
            except (AttributeError, KeyError, TypeError):
                message = f"{place}: {quote(job)}; expected a job of sacct --json"
                self.bad[place] = "that are no jobs", message

    def _records(self, file, name):
        """Yield place and fields of each record that is no job step."""
        assembler, places, lines = None, {}, files.lines(file)
        head = [*islice(lines, HEAD)]
        headers = (number for number, line in head if _is_header(line) and not self.column_names)
        begin = next(headers, 0)
        above = sum(number < begin for number, _ in head)
        self.records += above
        self.left_out[account.ABOVE] += above
        for number, line in chain(head[above:], lines):
            if assembler is None or _is_header(line):
                header = _is_header(line) or (assembler is None and file.kind == "sacct")
                if assembler is not None:
                    yield from self._jobs(assembler.rest(), places, name)
                    self.records += 1
                    self.left_out[account.HEADERS] += 1
                separator = _separator(line) if header else self._given_separator(head, name)
                parts = _split(line, separator)
                # With --parsable every line ends with a bar, with --parsable2 none does.
                closed = len(parts) > 1 and parts[-1] == ""
                parts = parts[:-1] if closed else parts
                names = [column.strip() for column in (parts if header else self.column_names)]
                places = self._places(names, f"{name}, line {number}")
                used = {*places.values()}
                columns = [fields.column(c, c in used) for c in map(str.casefold, names)]
                assembler = records.Assembler(columns, separator, self.remarks)
                if header:
                    continue
            parts = _split(line, separator)
            parts = parts[:-1] if closed and parts[-1] == "" else parts
            yield from self._jobs(assembler.add(number, parts), places, name)
        if assembler is not None:
            yield from self._jobs(assembler.rest(), places, name)

    def _given_separator(self, head, name):
        """Return the separator of a file without a header line, whose columns are given."""
        count = len(self.column_names or ())
        separator = records.separator([line for _, line in head], count) if count else None
        if separator is None:
            number, line = head[0]
            names = len(records.divide(line, "|" if "|" in line else "\t"))
            problem = f"no separator gives the {count} columns of --columns; " * bool(count)
            raise LogError(
                f"{name}, line {number}: no header line (sacct --noheader); {problem}name its "
                f"{names} columns in order, as in sacct's --format: --columns JobID,JobIDRaw,..."
            )
        return separator

    def _jobs(self, rows, places, name):
        """Yield place and fields of the records that are no job steps; note those that are bad."""
        for number, record, text in rows:
            self.records += 1
            place = f"{name}, line {number}"
            if record is None:
                hint = "name the columns, with free text such as JobName last or not at all"
                message = f"{quote(text)}; expected the columns of the header ({hint})"
                self.bad[place] = "with more or fewer fields than the header", f"{place}: {message}"
            elif any("." in record[places[what]] for what in ("id", "shown") if what in places):
                self.left_out[account.STEPS] += 1
            else:
                get = (record[places[what]].strip() if what in places else "" for what in COLUMNS)
                yield place, *get

    def _places(self, columns, place):
        """Return the column of each known field, by name in small letters."""
        present = {name.casefold(): name for name in columns}
        places = {
            what: next(name for name in names if name in present)
            for what, names in COLUMNS.items()
            if present.keys() & {*names}
        }
        self.columns |= {what: present[name] for what, name in places.items()}
        missing = [names for names, any_of in NEEDED.items() if not places.keys() & {*any_of}]
        if missing:
            named = quote("|".join(columns))
            message = f"no column {missing[0]} in {named}; expected the output of {ASK}"
            raise LogError(f"{place}: {message}")
        return places

    def select(self, texts, partitions, cluster):
        """Return the records of one cluster and of some partitions."""
        named = sorted({*texts["cluster"]} - {""})
        if cluster is None and len(named) > 1:
            raise LogError(f"{self.source}, cluster: {', '.join(named)}; choose one with --cluster")
        if cluster:
            texts = self.leave_out(texts, texts["cluster"] != cluster, "of another cluster")
        if not partitions:
            return texts
        several = {names: {*names.split(",")} for names in {*texts["partition"]}}
        seen = set().union(*several.values())
        for name in partitions:
            among(sorted(seen - {""}), f"{self.source}, partition", name, LogError)
        kept = [names for names, each in several.items() if each & {*partitions}]
        return self.leave_out(texts, ~texts["partition"].isin(kept), "of another partition")

    def finished(self, texts):
        """Return the records of jobs that ended, with state, times and run time."""
        get = partial(self.times, unknown=[*fields.NEVER], expected=_EXPECTED)
        pairs = {what: get(texts[what], self._label(what)) for what in ("submit", "start", "end")}
        (submit, submit_late), (start, start_late), (end, end_late) = pairs.values()
        start = times.not_before(start, start_late, submit)
        end = times.not_before(end, end_late, start)
        submit, start, end = self.known_times(submit, start, end)
        states = {text: fields.state(text) for text in {*texts["state"]}}
        suspended = np.nan_to_num(self._numbers(texts, "suspended", fields.duration))
        jobs = texts.assign(submit=submit, start=start, end=end, suspended=suspended)
        jobs = jobs.assign(submit_late=submit_late, start_late=start_late)
        if self.eligible and "eligible" not in self.columns:
            raise LogError(f"{self.source}: no column Eligible, for --eligible")
        eligible = get(texts["eligible"], self._label("eligible"))[0]
        jobs = self.eligible_from(jobs, eligible, self.eligible)
        jobs["state"] = texts["state"].map(states)
        jobs["status"] = jobs["state"].map(fields.STATES).astype(np.float64)
        between = jobs["end"] - jobs["start"] - jobs["suspended"]
        between = between.mask(jobs["start"].isna() & jobs["end"].notna(), 0)
        elapsed = self._numbers(texts, "elapsed_raw", fields.count)
        coarse = self._numbers(texts, "elapsed", fields.duration)
        elapsed = np.where(np.isnan(elapsed), coarse, elapsed)
        never = jobs["start"].isna() & (elapsed > jobs["end"] - jobs["submit"])
        elapsed = np.where(never, np.nan, elapsed)
        jobs["run_time"] = self.run_times(jobs.index, between, elapsed, "Elapsed")
        wrong = ~texts["id"].str.fullmatch(fields.JOB).to_numpy(bool)
        self.refuse(texts["id"], wrong, self._label("id"), "expected the number of a job")
        unknown = ~jobs["state"].isin([*fields.STATES]).to_numpy()
        self.refuse(texts["state"], unknown, "State", f"expected {', '.join(_STATES)}")
        jobs = self.good(jobs)
        jobs = self.without(jobs, jobs["submit"].isna(), "without a submission")
        unfinished = jobs["status"].isna() | (jobs["end"].isna() & ("end" in self.columns))
        waiting = unfinished & jobs["start"].isna()
        jobs = self.leave_out(jobs, waiting, account.WAITING)
        jobs = self.leave_out(jobs, unfinished[~waiting], account.RUNNING)
        arrays = jobs["shown"].str.fullmatch(account.ARRAY).astype(bool)
        jobs = self.leave_out(jobs, arrays, account.ARRAYS)
        jobs = self.without(jobs, jobs["run_time"].isna(), "without a run time")
        jobs = self.without(jobs, jobs["run_time"] < 0, account.BACKWARDS)
        ran_to = jobs["start"] + jobs["run_time"] + jobs["suspended"]
        return jobs.assign(end=ran_to.fillna(jobs["end"]))

    def sized_jobs(self, jobs):
        """Return the jobs with sizes and limits."""
        present = self.columns.keys()
        sources = {name for names in SIZES["processors"][:2] for name in names} & present
        self.asked = bool(self.size)
        self.counted = self.size or ("processors" if sources else "nodes")
        *both, kind = SIZES[self.counted]
        if not {name for names in both for name in names} & present:
            names = ", ".join(self.columns.values())
            raise LogError(f"{self.source}: no column of {self.counted}; it has {names}")
        for which, names in zip(account.SIZES, both):
            columns = {}
            for name in filter(present.__contains__, names):
                lists = name.endswith("_tres")
                get = partial(fields.resource, name=kind) if lists else fields.count
                columns[self.columns[name]] = jobs[name], get
            jobs = self.sized(jobs, which, columns)
        raw = self._numbers(jobs, "limit_raw", partial(fields.limit, minutes=True))
        coarse = self._numbers(jobs, "limit", fields.limit)
        return self.good(jobs.assign(limit=np.where(np.isnan(raw), coarse, raw)))

    def last_records(self, jobs):
        """Return the last record of each job and submission, in the order of the files."""
        earlier = jobs.duplicated(["id", "submit"], keep="last")
        jobs = self.leave_out(jobs, earlier, "earlier records of a run that has a later one")
        parts = jobs["shown"].str.contains("[_+]")
        self.remark("tasks of arrays or parts of heterogeneous jobs", parts)
        self.remark(account.NEVER_STARTED, (jobs["run_time"] == 0) & jobs["start"].isna())
        if {"limit", "limit_raw"} & self.columns.keys():
            remark = "without a time limit (UNLIMITED, Partition_Limit), so without estimate"
            self.remark(remark, jobs["limit"].isna())
        return jobs

    def notes(self, jobs):
        """Yield a sentence on several partitions."""
        partitions = jobs["partition"].nunique()
        if partitions > 1:
            yield f"{partitions} partitions share one machine; select others with --partitions."

    def _label(self, what):
        return self.columns.get(what, what)

    def _numbers(self, texts, what, function):
        """Return numbers, float64[n]; nan where there is none."""
        return self.parse(texts[what], self._label(what), function)


_STATES = [*filter(None, fields.STATES)]


def _is_header(line):
    """Return whether a line names columns: known ones, and no digits."""
    if re.search(r"[0-9]|\s-", line):  # a record, or a call of sacct
        return False
    return len(_KNOWN & {*re.findall("[a-z]+", line.casefold())}) >= 3


def _separator(line):
    """Return the separator of a header line: what stands between the first two names."""
    match = re.search(r"\w(\W+)\w", line) or re.match(r".*?\w(\W+)$", line)
    return (match[1].replace('"', "") if match else "") or "|"


def _split(line, separator):
    """Return the fields of a line; those of tables of other programs may be quoted."""
    if separator in (",", ";", "\t") and '"' in line:
        return next(csv.reader([line], delimiter=separator))
    return line.split(separator)
