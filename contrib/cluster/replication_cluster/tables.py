"""Conversion of tables of jobs, CSV or parquet, by a map that states the meaning and unit of each column.

A map is a TOML file, described in docs/formats.md. Maps of public data sets are in ``maps``.
"""

import csv
import difflib
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from replication_cluster import files, swf
from replication_cluster.conversion import (
    BACKWARDS,
    LATEST,
    Account,
    dates_to_seconds,
    time_zone,
    unix_times,
)
from replication_cluster.files import LogError

MAPS = Path(__file__).parent / "maps"
TIMES = ("submit", "start", "end")
LENGTHS = ("run_time", "requested_time")
COUNTS = ("allocated_processors", "requested_processors")
NAMES = ("user", "group", "executable", "queue", "partition")
NEEDED = (("submit",), ("run_time", "end"), COUNTS)  # one of each
FIELDS = (*TIMES, *LENGTHS, *COUNTS, *NAMES, "status")
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
    """Read a map from its file, or an included one by its name; LogError if it is missing or invalid."""
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
    if time_zone(content.get("time_zone", "UTC")) is None:
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


def convert(path, by, processors=None):
    """Convert a table of jobs: parquet if the name says so, else CSV with a header line, gzipped or not.

    Parameters
    ----------
    path : str or Path
    by : Map, str or Path
        A map, its file, or the name of an included one.
    processors : int, optional
        Size of the machine instead of the map's; without either, the most processors in use at once.

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
    reader = _Reader(path, by, processors or by.processors)
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

    def __init__(self, path, by, processors):
        super().__init__(path, processors=processors)
        self.by = by
        self.wanted, self.unused, self.missing = [], [], []

    def assumed(self):
        """Yield a sentence each about unused and missing columns."""
        if self.unused:
            names = ", ".join(map(_printable, self.unused[:40])) + ", ..." * (len(self.unused) > 40)
            yield f"{len(self.unused)} columns are not used: {names}."
        for name, column in self.missing:
            yield f"No column {_printable(column)}, so {name} is unknown."

    def read(self):
        """Return the wanted columns of the table, a DataFrame indexed by row number, from 1."""
        if str(self.path).endswith((".parquet", ".pq")):
            try:
                from pyarrow import parquet  # noqa: PLC0415, optional

                self._choose(parquet.read_schema(self.path).names)
                table = pd.read_parquet(self.path, columns=self.wanted)
            except (OSError, ImportError, ValueError) as error:
                raise LogError(f"{self.path}: {str(error).splitlines()[0]}") from None
            self.records = len(table)
            return table.set_index(np.arange(1, len(table) + 1))
        with files.open_text(self.path, newline="") as file:
            rows = csv.reader(file)
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
        keep = np.ones(len(table), bool)

        def leave_out(bad, why):
            self.left_out[why] += int((bad & keep).sum())
            np.logical_and(keep, ~bad, out=keep)

        for column, values in self.by.only.items():
            leave_out(~table[column].isin(values).to_numpy(), f"of another {_printable(column)}")
        column = {
            name: self._column(name, rule, table[rule["column"]])
            for name, rule in self.by.fields.items()
            if rule["column"] in table
        }
        nan = np.full(len(table), np.nan)
        submit, start, end = (column.get(name, nan) for name in TIMES)
        run_time = column.get("run_time", nan)
        run_time = np.where(np.isnan(run_time), end - start, run_time)
        leave_out(np.isnan(submit), "of unknown submission")
        leave_out(run_time < 0, BACKWARDS)
        early = start < submit
        late = "started before their submission, so their wait is unknown"
        self.remarks[late] += int((early & keep).sum())
        self.remarks["of unknown run time"] += int((np.isnan(run_time) & keep).sum())
        numbers = {"wait": np.where(early, np.nan, start - submit), "run_time": run_time}
        plain = ("requested_time", *COUNTS, "status")
        numbers |= {name: column[name] for name in plain if name in column}
        jobs = {name: _rounded(values[keep]) for name, values in numbers.items()}
        jobs |= {name: column[name][keep] for name in NAMES if name in column}
        jobs |= {"job_id": table.index.to_numpy()[keep].astype(np.int32)}
        return pd.DataFrame(jobs | {"submit": np.floor(submit[keep]).astype(np.int64)})

    def _column(self, name, rule, values):
        """Return a column as float64, nan where unknown; names as numbers."""
        texts = not pd.api.types.is_numeric_dtype(values) and not _is_date(values)
        unknown = values.isna().to_numpy()
        if texts:
            unknown = unknown | values.isin(self.by.unknown).to_numpy()
        if name in NAMES:
            return np.where(unknown, -1, pd.factorize(values.where(~unknown))[0] + 1)
        if name == "status":
            numbers, most = values.map(rule.get("values", {})).to_numpy(np.float64), 5
        elif name in TIMES:
            numbers, most = self._dates(rule, values, texts), LATEST
        else:
            numbers = _lengths(rule, values, texts) if name in LENGTHS else _plain(values, {})
            numbers, most = numbers * rule.get("times", 1), _MOST
        numbers = np.where(unknown, np.nan, numbers)
        with np.errstate(invalid="ignore"):
            bad = ~unknown & ~((numbers >= 0) & (numbers <= most))
            negative = bad & (numbers < 0)
        unreadable = f"with a {name} that could not be read ({_printable(rule['column'])})"
        self.remarks[f"with a {name} below 0, taken as unknown"] += int(negative.sum())
        self.remarks[unreadable] += int((bad & ~negative).sum())
        return np.where(bad, np.nan, numbers)

    def _dates(self, rule, values, texts):
        if _is_date(values):
            return dates_to_seconds(values, self.by.time_zone)
        number = _plain(values, rule)
        if not texts:
            return number
        dates, *_ = unix_times(values.where(np.isnan(number)), self.by.time_zone)
        return np.where(np.isnan(number), dates, number)


def _printable(name):
    """Return the name of a column for a sentence, escaped and shortened where needed."""
    return name if name.isprintable() and len(name) < 80 else files.quoted(name)


def _is_date(values):
    return pd.api.types.is_datetime64_any_dtype(values)


def _plain(values, rule):
    """Return numbers in their unit, float64[n]; nan for other texts."""
    number = pd.to_numeric(values, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    return number * UNITS[rule.get("unit", "s")]


def _lengths(rule, values, texts):
    """Return seconds; texts may be durations such as ``1-02:00:00``."""
    if pd.api.types.is_timedelta64_dtype(values):
        return values.dt.total_seconds().to_numpy()
    seconds = _plain(values, rule)
    if texts and np.isnan(seconds).any():
        clock = values.str.replace(r"^(\d+)-", r"\1 days ", regex=True)
        clock = pd.to_timedelta(clock, errors="coerce").dt.total_seconds().to_numpy()
        seconds = np.where(np.isnan(seconds), clock, seconds)
    return seconds


def _rounded(values):
    """Return whole numbers, -1 where unknown."""
    return np.where(np.isnan(values), -1, np.rint(values)).astype(np.int32)
