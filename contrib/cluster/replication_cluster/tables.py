"""Conversion of tables of jobs, CSV or parquet, by a map that states the meaning and unit of each
column.

A map is a TOML file, described in docs/formats.md. Maps of public data sets are in ``maps``.
"""

import csv
import difflib
import itertools
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from replication_cluster import conversion, files, swf
from replication_cluster.conversion import LATEST, Account, known_times
from replication_cluster.files import LogError

MAPS = Path(__file__).parent / "maps"
TIMES = ("submit", "start", "end")
LENGTHS = ("run_time", "requested_time")
COUNTS = ("allocated_processors", "requested_processors")
NAMES = ("user", "group", "executable", "queue", "partition")
JOB = "job"  # an id, by which steps, arrays and repeated rows are recognised
NEEDED = (("submit",), ("run_time", "end"), COUNTS)  # one of each
FIELDS = (*TIMES, *LENGTHS, *COUNTS, *NAMES, "status", JOB)
READS = (
    *("parquet", "csv", "csv-semicolons", "csv-tabs", "csv-bars"),
    *("schedule", "sacct", "sacct-tabs"),
)
UNITS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86400}
_MOST = 2**31 - 1  # of a length or a count


@dataclass(frozen=True)
class Map:
    """Meaning of the columns of a table."""

    path: str
    title: str
    fields: dict
    source: str = ""
    processors: int | None = None
    time_zone: str = "UTC"
    unknown: tuple = ("",)
    only: dict = field(default_factory=dict)


def maps():
    """Return the names of the included maps."""
    return sorted(path.stem for path in MAPS.glob("*.toml"))


def read_map(source):
    """Read a map from its file, or an included one by its name; LogError if it is missing or
    invalid.
    """
    path = MAPS / f"{source}.toml" if str(source) in maps() else Path(source)
    if not path.is_file():
        raise LogError(f"map {source}: no such file{_hint(str(source), maps())}")
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LogError(f"{path}: {str(error).splitlines()[0]}; expected TOML") from None
    _check(path, "key", content, Map.__dataclass_fields__.keys() - {"path"})
    fields = content.get("fields", {})
    _check(f"{path}, fields", "field", fields, FIELDS)
    for name, rule in fields.items():
        if not isinstance(rule, dict) or not isinstance(rule.get("column"), str):
            raise LogError(f"{path}, {name}: expected a table with the name of a column")
        _check(f"{path}, {name}", "key", rule, ("column", "unit", "times", "values"))
        if rule.get("unit", "s") not in UNITS:
            raise LogError(f"{path}, {name}: unit {rule['unit']!r}; expected {', '.join(UNITS)}")
    if conversion.time_zone(content.get("time_zone", "UTC")) is None:
        raise LogError(
            f"{path}: time zone {content['time_zone']!r}; expected a name such as Europe/Rome"
        )
    missing = [" or ".join(any_of) for any_of in NEEDED if not {*any_of} & fields.keys()]
    if missing:
        raise LogError(f"{path}: no field {missing[0]}")
    return Map(str(path), **{"title": path.stem} | content)


def _hint(name, known):
    close = difflib.get_close_matches(name, known, 1)
    return f" (did you mean {close[0]}?)" if close else f"; expected one of {', '.join(known)}"


def _check(place, what, given, known):
    for name in given:
        if name not in known:
            raise LogError(f"{place}: unknown {what} {name!r}{_hint(name, [*known])}")


def convert(path, by, processors=None, bad_records="refuse"):
    """Convert a table of jobs: parquet, or CSV with a header line, gzipped or not; equal tables
    give equal logs.

    Parameters
    ----------
    path : str or Path
    by : Map, str or Path
        A map, its file, or the name of an included one.
    processors : int, optional
        Size of the machine instead of the map's; without either, the most processors in use at
        once.
    bad_records : {"refuse", "skip"}
        Whether sizes that are no whole numbers are an error, or their rows are counted and left
        out, up to ten or 1 %.

    Returns
    -------
    replication_cluster.conversion.Conversion
        Job numbers are the numbers of the rows, from 1.

    Raises
    ------
    LogError
        For a table that cannot be read, lacks a needed column, or has no job.
    """
    by = by if isinstance(by, Map) else read_map(by)
    reader = _Reader(path, by, processors or by.processors, bad_records)
    columns = reader.jobs(reader.read())
    if columns.empty:
        reasons = reader.reasons() or "none left out"
        raise LogError(f"{path}: no job among {reader.records} rows ({reasons})")
    first = int(columns["submit"].min())
    lengths = columns["wait"].clip(lower=0) + columns["run_time"].clip(lower=0)
    last = int((columns["submit"] + lengths).max())
    log = swf.from_columns(columns.assign(submit=columns["submit"] - first), path=path)
    form, assumed = f"table of jobs, {by.title}", reader.assumed()
    return reader.result(Path(path).name, form, by.title, log, first, last, by.time_zone, assumed)


class _Reader(Account):
    """Reads a table, and counts what it leaves out and cannot parse."""

    def __init__(self, path, by, processors, bad_records):
        super().__init__(path, processors=processors, bad_records=bad_records)
        self.by, self.late = by, {}
        self.wanted, self.unused, self.missing = [], [], []

    def assumed(self):
        """Yield a sentence each about unused and missing columns."""
        if self.unused:
            names = ", ".join(map(_printable, self.unused[:40])) + ", ..." * (len(self.unused) > 40)
            yield f"{len(self.unused)} columns are not used: {names}."
        for name, column in self.missing:
            yield f"No column {_printable(column)}, so {name} is unknown."

    def read(self):
        """Return the wanted columns of the table as texts, a DataFrame indexed by row number, from
        1.
        """
        with files.open_text(self.path, READS, newline="") as file:
            table = self._parquet() if file.kind == "parquet" else self._csv(file)
        return table.apply(_canonical)

    def _parquet(self):
        try:
            import pyarrow  # noqa: PLC0415, optional
            from pyarrow import parquet  # noqa: PLC0415

            self._choose(parquet.read_schema(self.path).names)
            table = parquet.read_table(self.path, columns=self.wanted)
            columns = {name: _texts(table[name], pyarrow) for name in self.wanted}
        except (OSError, ImportError, ValueError) as error:
            raise LogError(f"{self.path}: {str(error).splitlines()[0]}") from None
        self.records = table.num_rows
        table = pd.DataFrame(columns, dtype="str")
        return table.set_index(np.arange(1, self.records + 1))

    def _csv(self, file):
        first = next((line for line in file if not line.isspace()), "")
        separator = max(",;\t|", key=first.count)
        rows = csv.reader(itertools.chain([first], file), delimiter=separator)
        try:
            names = next((row for row in rows if row), None)
            if names is None:
                raise LogError(f"{self.path}: an empty file; expected a header line and rows")
            self._choose(names)
            places, whole = [names.index(name) for name in self.wanted], {}
            for self.records, row in enumerate(filter(None, rows), 1):
                if len(row) == len(names):
                    whole[self.records] = [row[k] for k in places]
        except csv.Error as error:
            raise LogError(f"{self.path}, line {rows.line_num}: {error}") from None
        self.left_out["with more or fewer fields than the header"] += self.records - len(whole)
        return pd.DataFrame.from_dict(whole, "index", "str", self.wanted)

    def _choose(self, names):
        """Determine the wanted, the unused and the missing columns."""
        fields = {name: rule["column"] for name, rule in self.by.fields.items()}
        needed = {*fields.values(), *self.by.only}
        self.wanted = [name for name in names if name in needed]
        twice = next((name for name in self.wanted if self.wanted.count(name) > 1), None)
        if twice is not None:
            raise LogError(f"{self.path}: column {_printable(twice)} occurs twice")
        self.unused = [name for name in names if name not in needed]
        self.missing = [(n, column) for n, column in fields.items() if column not in names]
        present = fields.keys() - dict(self.missing)
        absent = [
            " or ".join(fields[name] for name in any_of if name in fields)
            for any_of in NEEDED
            if not present & {*any_of}
        ] + [column for column in self.by.only if column not in names]
        if absent:
            raise LogError(
                f"{self.path}: no column {_printable(absent[0])}; "
                f"the table has {files.quoted(', '.join(names))}"
            )

    def jobs(self, table):
        """Return the jobs of a table, a DataFrame of SWF fields."""
        for column, values in self.by.only.items():
            other = ~table[column].isin([*map(_plain_text, values)])
            table = self.leave_out(table, other, f"of another {_printable(column)}")
        ids = table.get(self.by.fields.get(JOB, {}).get("column"))
        if ids is not None:
            for form, why in (
                (conversion.STEP, conversion.STEPS),
                (conversion.ARRAY, conversion.ARRAYS),
            ):
                table = self.leave_out(table, ids[table.index].str.fullmatch(form), why)
        column = {
            name: self._column(name, rule, table[rule["column"]])
            for name, rule in self.by.fields.items()
            if rule["column"] in table and name != JOB
        }
        nan = np.full(len(table), np.nan)
        submit, start, end = (column.get(name, nan) for name in TIMES)
        # Where an hour of autumn occurred twice, the order of the times decides.
        start = conversion.not_before(start, self.late.get("start", start), submit)
        end = conversion.not_before(end, self.late.get("end", end), start)
        given = submit, start, end
        submit, start, end = known_times(*given)
        never = [
            ~np.isnan(one) & np.isnan(known) for one, known in zip(given, (submit, start, end))
        ]
        self.remarks[conversion.NEVER] += int((never[1] | never[2]).sum())
        status, run_time = (column.get(name, nan) for name in ("status", "run_time"))
        has_both = {"start", "end"} <= column.keys()
        started = ~np.isnan(start) | (status == 1) | (not has_both)
        # A run time counted from 0 is none.
        run_time = np.where(never[1] & (run_time > end - submit), np.nan, run_time)
        run_time = np.where(np.isnan(run_time), end - start, run_time)
        ended = ~np.isnan(end) | (status == 0) | (status == 5) | (not has_both)
        run_time = np.where(np.isnan(run_time) & ~started & ended, 0, run_time)
        begun = np.isnan(run_time) & ~ended
        jobs = {"submit": submit, "wait": np.where(start < submit, np.nan, start - submit)}
        jobs |= {"start": start, "run_time": run_time, "begun": begun}
        jobs |= {name: column[name] for name in (LENGTHS[1], *NAMES, "status") if name in column}
        jobs = pd.DataFrame(jobs, table.index)
        for name in COUNTS:
            label = _printable(self.by.fields.get(name, {}).get("column", ""))
            sizes = {label: column[name]} if name in column else {}
            jobs = self.sized(jobs, name.partition("_")[0], sizes)
        jobs = self.good(jobs)
        jobs = self.leave_out(jobs, jobs["submit"].isna(), "of unknown submission")
        jobs = self.leave_out(jobs, jobs["run_time"] < 0, conversion.BACKWARDS)
        jobs = self.leave_out(jobs, jobs["begun"] & jobs["start"].isna(), conversion.WAITING)
        jobs = self.leave_out(jobs, jobs["begun"], conversion.RUNNING)
        if ids is not None:
            same = jobs[["submit", "start"]].assign(id=ids[jobs.index]).duplicated(keep="last")
            jobs = self.leave_out(jobs, same, "repeated rows of one run")
        self.settle()
        early = jobs["start"] < jobs["submit"]
        self.remarks["started before their submission, so their wait is unknown"] += int(
            early.sum()
        )
        self.remarks["of unknown run time"] += int(jobs["run_time"].isna().sum())
        unstarted = jobs["start"].isna() & (jobs["run_time"] == 0) & has_both
        self.remarks[conversion.NEVER_STARTED] += int(unstarted.sum())
        places = [f"{self.path}, row {number}" for number in jobs.index]
        self.remark_implausible(jobs["submit"], jobs["run_time"], places)
        self.count_sizes(jobs)
        jobs = jobs.rename(columns={name.partition("_")[0]: name for name in COUNTS})
        numbers = ("wait", "run_time", *COUNTS, LENGTHS[1], "status")
        kept = {name: _rounded(jobs[name]) for name in numbers if name in jobs}
        kept |= {name: jobs[name].to_numpy(np.int64) for name in NAMES if name in jobs}
        kept |= {"job_id": jobs.index.to_numpy(np.int32)}
        return pd.DataFrame(kept | {"submit": np.floor(jobs["submit"].to_numpy()).astype(np.int64)})

    def _column(self, name, rule, texts):
        """Return a column as float64, nan where unknown; names as numbers."""
        unknown = texts.isin(["", *map(_plain_text, self.by.unknown)]).to_numpy()
        if name in NAMES:
            return np.where(unknown, -1, pd.factorize(texts.where(~unknown))[0] + 1)
        if name == "status":
            values = {_plain_text(text): status for text, status in rule.get("values", {}).items()}
            numbers, most = texts.map(values).to_numpy(np.float64), 5
        elif name in TIMES:
            numbers, most = self._dates(name, rule, texts), LATEST
            unknown = unknown | texts.str.fullmatch(conversion.NO_DATE).to_numpy(bool)
        else:
            numbers = _plain(texts)
            unlimited = (numbers >= conversion.NO_VALUE) & (
                numbers < conversion.NO_VALUE + 2
            )  # INFINITE and NO_VAL
            unknown = unknown | unlimited
            numbers = _lengths(rule, texts, numbers) if name in LENGTHS else numbers
            numbers, most = numbers * rule.get("times", 1), _MOST
        numbers = np.where(unknown, np.nan, numbers)
        with np.errstate(invalid="ignore"):
            bad = ~unknown & ~((numbers >= 0) & (numbers <= most))
            negative = bad & (numbers < 0)
        unreadable = f"with a {name} that could not be read ({_printable(rule['column'])})"
        self.remarks[f"with a {name} below 0, taken as unknown"] += int(negative.sum())
        self.remarks[unreadable] += int((bad & ~negative).sum())
        if name in COUNTS:
            part = ~bad & (np.abs(numbers - np.rint(numbers)) > 1e-6)
            for row, text in texts[part].items():
                message = (
                    f"{self.path}, row {row}, {_printable(rule['column'])}: {files.quoted(text)} "
                    f"times {rule.get('times', 1)}; expected a whole {name.partition('_')[0]} size "
                    "(the map's times can make smaller units)"
                )
                self.bad.setdefault(row, (f"with a fraction as {name}", message))
        return np.where(bad, np.nan, numbers)

    def _dates(self, name, rule, texts):
        number = _plain(texts) * UNITS[rule.get("unit", "s")]
        dates, late, _ = conversion.unix_times(texts.where(np.isnan(number)), self.by.time_zone)
        self.late[name] = np.where(np.isnan(number), late, number)
        return np.where(np.isnan(number), dates, number)


def _plain_text(value):
    """Return the text by which a value is compared: ``3`` for 3, 3.0 and "3.0",
    ``true`` for True.
    """
    text = str(value).strip()
    if text.lower() in ("true", "false"):
        return text.lower()
    return re.sub(r"^(-?\d+)\.0+$", r"\1", text)


def _canonical(texts):
    """Return a column of texts, the same whatever the storage."""
    codes, distinct = pd.factorize(texts.fillna(""))
    return pd.Series(
        np.array([*map(_plain_text, distinct)], object)[codes], texts.index, dtype="str"
    )


def _texts(column, pyarrow):
    """Return a column of a parquet file as texts, as a CSV file has them; "" for none."""
    kind, types = column.type, pyarrow.types
    if types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if types.is_integer(kind) or types.is_string(kind) or types.is_large_string(kind):
        values = column.cast(pyarrow.string()).to_pandas().astype(object)
    elif types.is_binary(kind) or types.is_large_binary(kind):
        values = column.to_pandas().map(lambda value: value and value.decode("utf-8", "replace"))
    elif types.is_floating(kind):
        values = column.to_pandas().map(
            lambda value: f"{value:.0f}" if value % 1 == 0 else str(value)
        )
    else:
        values = column.to_pandas()
        values = values.astype(str).where(values.notna())
    return values.where(values.notna() & (values != "nan"), "").astype(str)


def _printable(name):
    """Return the name of a column for a sentence, escaped and shortened where needed."""
    return name if name.isprintable() and len(name) < 80 else files.quoted(name)


def _plain(texts):
    """Return numbers, float64[n]; nan for other texts."""
    return pd.to_numeric(texts, errors="coerce").to_numpy(np.float64, na_value=np.nan)


def _lengths(rule, texts, numbers):
    """Return seconds; texts may be durations such as ``1-02:00:00``."""
    seconds = numbers * UNITS[rule.get("unit", "s")]
    if np.isnan(seconds).any():
        clock = texts.where(np.isnan(seconds)).str.replace(r"^(\d+)-", r"\1 days ", regex=True)
        clock = pd.to_timedelta(clock, errors="coerce").dt.total_seconds().to_numpy()
        seconds = np.where(np.isnan(seconds), clock, seconds)
    return seconds


def _rounded(values):
    """Return whole numbers, -1 where unknown."""
    return np.rint(values.fillna(-1).to_numpy(np.float64)).astype(np.int32)
