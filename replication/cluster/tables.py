"""Tables of jobs, CSV or parquet, turned into logs by a map: which column is what, in which unit.

A map is a TOML file; docs/formats.md says what stands in it, and those of public data sets are in ``data/maps``. The
table is read in pieces; what is kept of a row takes about 50 bytes, and more where the machine's size has to be
worked out.
"""

import codecs
import io
import os
import tomllib
from csv import Error as CSVError
from csv import reader as rows
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as parquet

from replication.cluster.accounting.conversion import (
    LATEST,
    Account,
    header,
    moments,
    peak,
    seconds,
    zone,
)
from replication.simulator import files, paths
from replication.simulator.hints import among, did_you_mean
from replication.simulator.swf.trace import ordered

MAPS = paths.DATA / "maps"
TIMES = ("submit", "start", "end")
LENGTHS = ("run_time", "requested_time")
COUNTS = ("allocated_processors", "requested_processors")
NAMES = ("user", "group", "executable", "queue", "partition")
NEEDED = (("submit",), ("run_time", "end"), COUNTS)  # one of each
FIELDS = (*TIMES, *LENGTHS, *COUNTS, *NAMES, "status")
UNITS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86400}
BATCH = 1 << 16  # rows
_MOST = 2**31 - 1  # of a length or a count


class TableError(ValueError):
    """A map or a table that cannot be used: names file, field or column, value and what is allowed."""


@dataclass(frozen=True)
class Map:
    """What the columns of a table mean; see the module."""

    path: str
    title: str
    fields: dict
    source: str = ""
    processors: int | None = None
    time_zone: str = "UTC"
    unknown: tuple = ("",)
    only: dict = field(default_factory=dict)


def maps():
    """Names of the ready maps."""
    return sorted(path.stem for path in MAPS.glob("*.toml"))


def read_map(source):
    """A map from its file, or a ready one by its name; TableError for a file that is not there or
    no map.
    """
    path = MAPS / f"{source}.toml" if str(source) in maps() else Path(source)
    if not path.is_file():
        hint = did_you_mean(source, maps())
        raise TableError(f"map {source}: no such file{hint}; allowed: a file, {', '.join(maps())}")
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TableError(f"{path}: {error}; allowed: TOML") from None
    fields = told.get("fields", {})
    _check(f"{path}", "key", told, _TOP)
    _check(f"{path}, fields", "field", fields, dict.fromkeys(FIELDS, _COLUMN))
    for name, rule in fields.items():
        _check(f"{path}, {name}", "key", rule, _RULE)
    lacking = [" or ".join(any_of) for any_of in NEEDED if not {*any_of} & fields.keys()]
    if lacking:
        raise TableError(f"{path}: no field {lacking[0]}; allowed: a map that has it")
    return Map(str(path), **{"title": path.stem} | told)


def _check(where, what, given, kinds):
    """Refuse names that are unknown and values that are not of the kind that they must be."""
    for name, value in given.items():
        allowed, good = kinds[among(kinds, f"{where}: unknown {what}", name, TableError)]
        if not good(value):
            raise TableError(f"{where}: {name} {files.shown(value)}; allowed: {allowed}")


def _whole_number(least, most):
    kind = f"a whole number from {least} to {most}"
    return kind, lambda value: type(value) is int and least <= value <= most


_TEXT = ("text", lambda value: type(value) is str)
_STATUS, _IS_STATUS = _whole_number(0, 5)
#: What the values of a map may be, in words, and whether one is.
_TOP = {
    "fields": ("a table of columns", lambda v: type(v) is dict),
    "title": ("text", lambda v: type(v) is str and v.isprintable()),
    "source": _TEXT,
    "processors": _whole_number(1, _MOST),
    "time_zone": ("a name such as Europe/Rome", lambda v: type(v) is str and bool(zone(v))),
    "unknown": ("a list of texts", lambda v: type(v) is list and {*map(type, v)} <= {str}),
    "only": (
        "a column and a list of its values",
        lambda v: type(v) is dict and {*map(type, v.values())} <= {list},
    ),
}
_COLUMN = ("a table with the name of a column", lambda v: type(v) is dict and "column" in v)
_RULE = {
    "column": _TEXT,
    "unit": (", ".join(UNITS), lambda v: type(v) is str and v in UNITS),
    "times": _whole_number(1, 100_000),
    "values": (
        f"{_STATUS} for each text",
        lambda v: type(v) is dict and all(map(_IS_STATUS, v.values())),
    ),
}


def convert(path, by, processors=None):
    """Read a table of jobs: parquet where the name ends so, else CSV with a header line, gzipped or
    not.

    `by` is a `Map`, its file, or the name of a ready one; `processors` is the size of the machine,
    instead of the map's, and without either the most that were in use at once. Returned is a
    `replication.cluster.accounting.conversion.Conversion`, whose jobs have the number of their row,
    from 1. TableError for a table that cannot be read, lacks a column that is needed, or has no
    job.
    """
    by = by if isinstance(by, Map) else read_map(by)
    reader = _Reader(path, by)
    columns = _gathered(reader)
    if not columns:
        reasons = reader.reasons() or "none left out"
        raise TableError(f"{path}: no job among {reader.records} rows ({reasons})")
    trace, assumed = _trace(path, by, columns, processors, reader)
    return reader.done(Path(path).name, f"table of jobs, {by.title}", trace, assumed)


def _gathered(reader):
    """The columns of all jobs; they grow in place, so that there is never a second copy."""
    columns, rows = {}, 0
    for batch in reader.batches():
        piece = reader.take(batch)
        if piece is None:
            continue
        columns = columns or {name: values[:0].copy() for name, values in piece.items()}
        end = rows + len(piece["submit"])
        for name, values in piece.items():
            if end > len(columns[name]):
                columns[name].resize(end + end // 8 + BATCH, refcheck=False)
            columns[name][rows:end] = values
        rows = end
    for column in columns.values():
        column.resize(rows, refcheck=False)
    return columns


def _trace(path, by, columns, processors, reader):
    """The log, ordered by submission, and what was assumed."""
    n, first, last = len(columns["submit"]), int(columns["submit"].min()), 0
    for k in range(0, n, BATCH):
        submit, *lengths = (columns[name][k : k + BATCH] for name in ("submit", "wait", "run_time"))
        last = max(last, int((submit + sum(np.maximum(one, 0) for one in lengths)).max()))
    columns["submit"] -= first
    trace = ordered(columns, columns["job_id"], path=str(path))
    machine, assumed = processors or by.processors, list(reader.assumed())
    if machine is None:
        machine = peak(*trace.runs())
        if machine < 1:
            raise TableError(f"{path}: no job with a start and a size; give the processors")
        assumed.append(
            f"The machine has {machine} processors: the most that the table's jobs held at once."
        )
    comments = header(by.title, first, last, by.time_zone, machine, 0, assumed, n)
    return replace(trace, comments=comments), tuple(assumed)


class _Reader(Account):
    """Goes through a table in pieces, and counts what it leaves out and cannot read."""

    def __init__(self, path, by):
        super().__init__(path, TableError)
        self.by = by
        self._numbers = {name: {} for name in NAMES}
        self.wanted, self.unused, self.missing = [], [], []

    def assumed(self):
        """What became of columns, a sentence each."""
        if self.unused:
            shown = ", ".join(map(_plain, self.unused[:40])) + (", ..." if self.unused[40:] else "")
            yield f"{len(self.unused)} columns are not used: {shown}."
        for name, column in self.missing:
            yield f"No column {_plain(column)}, so {name} is unknown."

    def batches(self):
        """Pieces of the table, with the columns that are wanted only."""
        try:
            if str(self.path).endswith((".parquet", ".pq")):
                with parquet.ParquetFile(self.path) as file:
                    self._choose(file.schema_arrow.names)
                    self._refuse_bomb(file.metadata.num_rows)
                    yield from file.iter_batches(BATCH, columns=self.wanted)
                return
            stream = _Text(self.path)
            self._choose(stream.names)
            texts = dict.fromkeys(self.wanted, pa.string())
            convert = csv.ConvertOptions(include_columns=self.wanted, column_types=texts)
            rule = csv.ParseOptions(invalid_row_handler=self._skip, newlines_in_values=True)
            with pa.PythonFile(stream, "r") as file:
                yield from csv.open_csv(file, parse_options=rule, convert_options=convert)
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            if getattr(error, "errno", None):
                raise
            told = files.shown(str(error).splitlines()[0])
            raise TableError(f"{self.path}, after row {self.records:,}: {told}") from None

    def _refuse_bomb(self, count):
        """Refuse a parquet of so many rows that they would be far larger than the file, as `files.pieces` does."""
        size, large = os.stat(self.path).st_size, 8 * count * len(self.wanted)
        if large > max(files.FREE_BYTES, files.MOST_RATIO * size):
            raise TableError(
                f"{self.path}: {large / size:,.0f} times as large in memory; "
                f"allowed: up to {files.MOST_RATIO} times"
            )

    def _skip(self, row):
        """Count a row with another number of fields."""
        self.records += 1
        self.left_out["with more or fewer fields than the header"] += 1
        return "skip"

    def _choose(self, names):
        """Which columns are wanted, not used, and not there."""
        fields = {name: rule["column"] for name, rule in self.by.fields.items()}
        needed = {*fields.values(), *self.by.only}
        self.wanted = [name for name in names if name in needed]
        twice = next((name for name in self.wanted if self.wanted.count(name) > 1), None)
        if twice is not None:
            raise TableError(f"{self.path}: column {_plain(twice)} is there twice; allowed: once")
        self.unused = [name for name in names if name not in needed]
        self.missing = [(n, column) for n, column in fields.items() if column not in names]
        there = fields.keys() - dict(self.missing)
        lacking = [
            " or ".join(fields[name] for name in any_of if name in fields)
            for any_of in NEEDED
            if not there & {*any_of}
        ] + [column for column in self.by.only if column not in names]
        if lacking:
            raise TableError(
                f"{self.path}: no column {_plain(lacking[0])}; "
                f"the table has {files.shown(', '.join(names))}"
            )

    def take(self, batch):
        """The jobs of a piece, by field; None where there are none."""
        table = {name: batch.column(name).to_pandas() for name in batch.schema.names}
        row = np.arange(self.records + 1, self.records + 1 + batch.num_rows)
        self.records += batch.num_rows
        keep = np.ones(batch.num_rows, bool)

        def leave(bad, why):
            self._count(self.left_out, why, bad & keep)
            np.logical_and(keep, ~bad, out=keep)

        for column, values in self.by.only.items():
            leave(~table[column].isin(values).to_numpy(), f"of another {_plain(column)}")
        field = {
            name: self._read(name, rule, table[rule["column"]])
            for name, rule in self.by.fields.items()
            if rule["column"] in table
        }
        nan = np.full(batch.num_rows, np.nan)
        submit, start, end = (field.get(name, nan) for name in TIMES)
        run_time = field.get("run_time", nan)
        run_time = np.where(np.isnan(run_time), end - start, run_time)
        leave(np.isnan(submit), "of unknown submission")
        leave(run_time < 0, "that ended before they started")
        if not keep.any():
            return None
        early = start < submit
        late = "started before their submission, so their wait is unknown"
        self._count(self.remarks, late, early & keep)
        self._count(self.remarks, "of unknown run time", np.isnan(run_time) & keep)
        whole = {"wait": np.where(early, np.nan, start - submit), "run_time": run_time}
        plain = ("requested_time", *COUNTS, "status")
        whole |= {name: field[name] for name in plain if name in field}
        kept = {name: _whole(values[keep]) for name, values in whole.items()}
        kept |= {name: field[name][keep] for name in NAMES if name in field}
        return {
            "job_id": row[keep].astype(np.int32),
            "submit": np.floor(submit[keep]).astype(np.int64),
            **kept,
        }

    def _count(self, counter, what, which):
        counter[what] += int(which.sum())

    def _read(self, name, rule, values):
        """A column as float64, nan where unknown; names as numbers."""
        texts = not pd.api.types.is_numeric_dtype(values) and not _dated(values)
        unknown = values.isna().to_numpy()
        if texts:
            unknown = unknown | values.isin(self.by.unknown).to_numpy()
        if name in NAMES:
            return self._numbered(name, values, unknown)
        if name == "status":
            found, most = values.map(rule.get("values", {})).to_numpy(np.float64), 5
        elif name in TIMES:
            found, most = self._dates(rule, values, texts), LATEST
        else:
            found = _lengths(rule, values, texts) if name in LENGTHS else _numbers(values, {})
            found, most = found * rule.get("times", 1), _MOST
        found = np.where(unknown, np.nan, found)
        with np.errstate(invalid="ignore"):
            odd = ~unknown & ~((found >= 0) & (found <= most))
            negative = odd & (found < 0)
        unread = f"with a {name} that could not be read ({_plain(rule['column'])})"
        self._count(self.remarks, f"with a {name} below 0, taken as unknown", negative)
        self._count(self.remarks, unread, odd & ~negative)
        return np.where(odd, np.nan, found)

    def _dates(self, rule, values, texts):
        """Seconds since 1970."""
        if _dated(values):
            return seconds(values, self.by.time_zone)
        number = _numbers(values, rule)
        if not texts:
            return number
        dated, *_ = moments(values.where(np.isnan(number)), self.by.time_zone)
        return np.where(np.isnan(number), dated, number)

    def _numbered(self, name, values, unknown):
        """Numbers 1, 2, ... of the names in a column; -1 where unknown."""
        codes, found = pd.factorize(values.where(~unknown), use_na_sentinel=True)
        known = self._numbers[name]
        numbers = [known.setdefault(one, len(known) + 1) for one in found]
        return np.append(np.array(numbers, np.int32), np.int32(-1))[codes]


def _plain(name):
    """A column's name for a sentence: as it is, but for one that is long or not of letters and signs."""
    return name if name.isprintable() and len(name) < 80 else files.shown(name)


class _Text(io.RawIOBase):
    """A CSV as UTF-8, whatever it holds, read once and within the limits of `files.pieces`; `names`
    are those of its columns.
    """

    def __init__(self, path):
        self._pieces = files.pieces(path, TableError)
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._rest = self._next()
        if not self._rest.strip():
            raise TableError(f"{path}: an empty file; allowed: a header line and rows")
        try:
            self.names = next(row for row in rows(io.StringIO(self._rest.decode())) if row)
        except CSVError as error:
            raise TableError(
                f"{path}, header: {error}; allowed: names of columns, separated by commas"
            ) from None

    def _next(self):
        piece = next(self._pieces, b"")
        return self._decoder.decode(piece, final=not piece).encode()

    def readable(self):
        return True

    def read(self, size=-1):
        self._rest = self._rest or self._next()
        found, self._rest = self._rest[:size], self._rest[size:]
        return found


def _dated(values):
    return pd.api.types.is_datetime64_any_dtype(values)


def _numbers(values, rule):
    """Numbers in their unit, float64[n]; nan for what is none."""
    number = pd.to_numeric(values, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    return number * UNITS[rule.get("unit", "s")]


def _lengths(rule, values, texts):
    """Seconds; texts may be lengths on a clock."""
    if pd.api.types.is_timedelta64_dtype(values):
        return values.dt.total_seconds().to_numpy()
    found = _numbers(values, rule)
    if texts and np.isnan(found).any():
        clock = values.str.replace(r"^(\d+)-", r"\1 days ", regex=True)
        clock = pd.to_timedelta(clock, errors="coerce").dt.total_seconds().to_numpy()
        found = np.where(np.isnan(found), clock, found)
    return found


def _whole(values):
    """Whole numbers, -1 where unknown."""
    return np.where(np.isnan(values), -1, np.rint(values)).astype(np.int32)
