"""Conversion of tables of jobs, CSV, JSON or parquet, by a map that states the meaning and unit of
each column.

A map is a TOML file, described in docs/formats.md. Maps of public data sets are in ``maps``.
"""

import csv
import itertools
import re
import tomllib
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow
from pyarrow import parquet

from replication.simulator.errors import among
from replication.simulator.logs.swf import display_name, quote
from replication_cluster import account, files, times
from replication_cluster.account import SIZES, Account
from replication_cluster.files import LogError
from replication_cluster.records import Assembler, Column, divide
from replication_cluster.records import separator as separator_of
from replication_cluster.times import LATEST, UNITS

MAPS = Path(__file__).parent / "maps"
TIMES = ("submit", "start", "end")
LENGTHS = ("wait", "run_time", "requested_time")
COUNTS = ("allocated_processors", "requested_processors")
NAMES = ("user", "group", "executable", "queue", "partition")
JOB = "job"  # an id, by which steps, arrays and repeated rows are recognised
ANY = "*"  # any known value, in [only]
NEEDED = (("submit",), ("run_time", "end"), COUNTS)  # one of each
FIELDS = (*TIMES, *LENGTHS, *COUNTS, *NAMES, "status", JOB)
JSON = ("json", "sacct-json", "slurm-json", "pbs-json", "batsim-json")
READS = ("parquet", "table", "schedule", "sacct", "bjobs", "squeue", "gwf", *JSON)
#: Kinds that a table without a header line may look like.
WITHOUT_HEADER = ("sacct-noheader", "sacct-columns", "swf", "grid-engine", "lsf", "pbs", "html")
RULE = ("column", "unit", "times", "values", "format", "pattern")
HEAD = 50  # lines that show the separator
COMMENTS = ("#", ";")  # beginnings of lines of a table without a header line
#: The unit of dates of a spreadsheet, days since 30 December 1899, and what recent ones are.
SHEET, SHEET_DAYS = "sheet", (20_000, 80_000)
#: Texts of batch systems for no limit.
NO_LIMIT = ("unlimited", "infinite", "partition_limit", "not_set")


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
    path = MAPS / f"{source}.toml" if str(source) in maps() else Path(source).expanduser()
    if not path.is_file():
        among(maps(), "no file and no included map", str(source), LogError)
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
        _check(f"{path}, {name}", "key", rule, RULE)
        _check_text_rules(f"{path}, {name}", name, rule)
        units = [*UNITS, *[SHEET] * (name in TIMES)]
        among(units, f"{path}, {name}: unit", rule.get("unit", "s"), LogError)
        if not isinstance(rule.get("times", 1), int | float | (str if name in COUNTS else int)):
            raise LogError(f"{path}, {name}: times {rule['times']!r}; expected a number")
    if times.time_zone(zone := content.get("time_zone", "UTC")) is None:
        raise LogError(f"{path}: time zone {zone!r}; expected a name such as Europe/Rome")
    missing = [" or ".join(any_of) for any_of in NEEDED if not {*any_of} & fields.keys()]
    if missing:
        raise LogError(f"{path}: no field {missing[0]}")
    return Map(str(path), **{"title": path.stem} | content)


def _check_text_rules(place, name, rule):
    """Raise LogError for a form of dates of what is no time, and an unusable pattern."""
    if "format" in rule and (name not in TIMES or not isinstance(rule["format"], str)):
        raise LogError(f"{place}: format {rule['format']!r}; expected one of {', '.join(TIMES)}")
    try:
        groups = re.compile(rule.get("pattern", "()")).groups
    except (re.error, TypeError) as error:
        raise LogError(f"{place}: pattern {rule['pattern']!r}: {error}") from None
    if groups != 1:
        raise LogError(f"{place}: pattern {rule['pattern']!r}: {groups} groups; expected one (...)")


def _check(place, what, names, allowed):
    for name in names:
        among(allowed, f"{place}: unknown {what}", name, LogError)


def convert(paths, by, *, zone=None, processors=None, columns=None, **options):
    """Convert tables of jobs as one log: parquet, JSON, or CSV, compressed or not; equal tables
    give equal logs.

    Parameters
    ----------
    paths : str, Path or sequence of them
    by : Map, str or Path
        A map, its file, or the name of an included one.
    zone, processors : optional
        In place of the map's; without either, the machine is the most processors in use at once.
    columns : sequence of str, optional
        Names of the columns of text without a header line, in order.
    **options
        bad_records, since and smaller_machine of `replication_cluster.account.Account`.

    Returns
    -------
    replication_cluster.account.Conversion
        Job numbers are the numbers of the rows, from 1.

    Raises
    ------
    LogError
        For a table that cannot be read, lacks a needed column, or has no job.
    """
    paths = files.paths_of(paths)
    by = by if isinstance(by, Map) else read_map(by)
    settings = {"zone": zone or by.time_zone, "processors": processors or by.processors}
    reader = _Reader(paths, **settings, **options)
    reader.by, reader.column_names = by, columns or []
    jobs = reader.jobs(reader.read(paths))
    return reader.finish(jobs, f"table of jobs, {by.title}", by.title, (*reader.notes(),))


class _Reader(Account):
    """Reads tables, and counts what it leaves out and cannot parse."""

    def notes(self):
        """Yield a sentence each about unused and missing columns."""
        if self.unused:
            names = ", ".join([*map(_printable, self.unused)][:40])
            more = ", ..." * (len(self.unused) > 40)
            yield f"{len(self.unused)} columns are not used: {names}{more}."
        if self._starts_at_submission():
            yield "No start, wait or run time is known, so jobs start when they are submitted."
        for name, files_without in self.missing.items():
            column = _printable(self.by.fields[name]["column"])
            yield f"No column {column} in {', '.join(files_without)}, so {name} is unknown there."

    def read(self, paths):
        """Return the wanted columns of the tables as texts, a DataFrame by place with the numbers
        of the rows.
        """
        rules = self.by.fields.values()
        columns = [rule[key] for rule in rules for key in ("column", "times") if key in rule]
        columns = [column for column in columns if isinstance(column, str)]
        self.wanted = [*dict.fromkeys([*columns, *self.by.only])]
        self.unused, self.missing, self.present, tables = {}, {}, set(), []
        for path in paths:
            name = display_name(path)
            reads = READS + WITHOUT_HEADER * bool(self.column_names)
            with files.open_text(path, reads, newline="") as file:
                if file.kind == "parquet":
                    table = self._parquet(path, name)
                elif file.kind in JSON:
                    table = self._json(file, name)
                else:
                    table = self._csv(file, name)
            tables.append(table.reindex(columns=["row", *self.wanted], fill_value=""))
        table = pd.concat(tables)
        return table.apply(lambda column: column if column.name == "row" else _canonical(column))

    def _parquet(self, path, name):
        try:
            schema = parquet.read_schema(path)
            if any(map(pyarrow.types.is_nested, schema.types)):
                tops = {re.split(r"[.\[]", column)[0] for column in self.wanted} | {*self.wanted}
                self.unused |= dict.fromkeys(
                    column for column in schema.names if column not in tops
                )
                rows = parquet.read_table(path, columns=[*tops & {*schema.names}]).to_pylist()
                places = (f"{name}, row {k}" for k in range(1, len(rows) + 1))
                return self._objects(zip(places, itertools.repeat(None), rows), name)
            columns = self._choose(schema.names, name)
            table = parquet.read_table(path, columns=columns)
            texts = {column: _texts(table[column]) for column in columns}
        except (OSError, pyarrow.ArrowException, ValueError) as error:
            raise error if isinstance(error, LogError) else LogError(
                f"{name}: {str(error).splitlines()[0]}"
            ) from None  # fmt: skip
        rows = np.arange(1, table.num_rows + 1)
        self.records += len(rows)
        table = pd.DataFrame(texts, dtype="str").assign(row=rows + self.records - len(rows))
        return table.set_axis([f"{name}, row {k}" for k in rows])

    def _json(self, file, name):
        submit = self.by.fields["submit"]["column"]
        return self._objects(files.json_records(file, name, submit), name)

    def _objects(self, objects, name):
        records = []
        counts = {self.by.fields[which]["column"] for which in COUNTS if which in self.by.fields}
        for place, key, record in objects:
            self.records += 1
            if isinstance(record, dict):
                flat = dict(files.flat(record))
                inner = {c: files.at(record, c) for c in self.wanted if c not in flat}
                for column, value in inner.items():
                    # A number of processors is the length of a list; a time names its entry.
                    if value is not None and (column in counts or not isinstance(value, list)):
                        flat[column] = value
                records.append({"row": self.records, "place": place, "": key, **flat})
            else:
                message = f"{place}: {quote(record)}; expected an object"
                self.bad[place] = "that are no objects", message
        table = pd.DataFrame(records, dtype=object).set_index("place")
        columns = self._choose([name for name in table if name not in ("row", "")], name)
        for column in columns:
            count = column in counts
            table[column] = [_json_text(value, count) for value in table[column]]
        return table[["row", *columns]]

    def _csv(self, file, name):
        rows, separator = self._separated(file, name)
        assembler, table, number = None, [], 0
        try:
            for parts in filter(None, itertools.chain([self.column_names], rows)):
                if assembler is not None and not self._is_header(parts):
                    number += 1
                    table += self._rows(assembler.add(number, parts), name)
                    continue
                if assembler is not None:
                    table += self._rows(assembler.rest(), name)
                    self.records += 1
                    self.left_out[account.HEADERS] += 1
                columns = {*self._choose(parts, name)}
                used = [self._column(c, c in columns) for c in parts]
                assembler = Assembler(used, separator, self.remarks)
        except csv.Error as error:
            raise LogError(f"{name}, row {number + 1}: {error}") from None
        if assembler is None:
            raise LogError(f"{name}: an empty file; expected a header line and rows")
        table += self._rows(assembler.rest(), name)
        return pd.DataFrame(table).set_index("place") if table else pd.DataFrame(columns=["row"])

    def _separated(self, file, name):
        """Return the fields of each line of an open file, and their separator."""
        head = [*itertools.islice(itertools.dropwhile(str.isspace, file), HEAD)]
        lines = itertools.chain(head, file)
        if not head:
            return lines, ","
        if self.column_names:
            head = [line for line in head if not line.startswith(COMMENTS)] or head
            lines = (line for line in lines if not line.startswith(COMMENTS))
            separator = self._given_separator(head, name)
        else:
            comments = sum(1 for _ in itertools.takewhile(lambda line: line.startswith("#"), head))
            names = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in self.wanted]
            has_names = (sum(bool(name.search(line)) for name in names) >= 3 for line in head)
            begin = next((k for k, has in enumerate(has_names) if has), comments % len(head))
            above = sum(not line.isspace() for line in head[comments:begin])
            self.records += above
            self.left_out[account.ABOVE] += above
            head = [head[begin].lstrip("# "), *head[max(begin + 1, comments) :]]
            lines = itertools.chain(head, file)
            separator = max(",;\t|", key=head[0].count)
            separator = separator if separator in head[0] else " "
        if separator.isspace() and separator != "\t":  # columns that blanks align
            return map(str.split, lines), " "
        if len(separator) == 1:
            return csv.reader(lines, delimiter=separator, strict=True), separator
        return (divide(line.strip("\r\n"), separator) for line in lines), separator

    def _given_separator(self, head, name):
        """Return the separator that gives as many fields as there are names of columns."""
        count = len(self.column_names)
        if any(len(line.split()) == count for line in head):
            return " "
        rows = {by: csv.reader(head, delimiter=by) for by in ",;\t|"}
        of_csv = (by for by in rows if 2 * sum(len(row) == count for row in rows[by]) > len(head))
        separator = next(of_csv, None) or separator_of([line.strip("\r\n") for line in head], count)
        if separator is None:
            line = quote(head[0].strip())
            raise LogError(f"{name}: {line}; no separator gives the {count} columns of --columns")
        return separator

    def _rows(self, records, name):
        """Yield the fields of records; note those that are bad."""
        for number, record, text in records:
            self.records += 1
            place = f"{name}, row {number}"
            if record is not None:
                yield {"place": place, "row": self.records, **record}
            else:
                message = f"{place}: {quote(text)}; expected the columns of the header"
                self.bad[place] = "with more or fewer fields than the header", message

    def _is_header(self, parts):
        submit = self.by.fields["submit"]["column"]
        return submit in parts and len({*self.wanted} & {*parts}) >= 3

    def _column(self, name, used):
        """Return a column as a `Column`: what its values match by the map."""
        fields = {field for field, rule in self.by.fields.items() if rule["column"] == name}
        unknown = "|".join(map(re.escape, ["", *map(str, self.by.unknown)]))
        pattern = None
        if any({"pattern", "format"} & self.by.fields[field].keys() for field in fields):
            return Column(name)
        if fields & {*TIMES, *LENGTHS, *COUNTS}:
            pattern = rf"[0-9][0-9.eE+:/TZ -]*( days?,? [0-9:.]+)?|{unknown}"
        elif fields or used:
            pattern = r"[\w.@+/()-]*|" + unknown
        evident = bool(fields & {*TIMES, *LENGTHS, *COUNTS})
        return Column(name if used else None, pattern and re.compile(pattern), evident)

    def _choose(self, names, place):
        """Return the wanted columns of a table; note the unused and the missing ones."""
        fields = {name: rule["column"] for name, rule in self.by.fields.items()}
        wanted = [name for name in names if name in self.wanted]
        twice = next((name for name in wanted if wanted.count(name) > 1), None)
        if twice is not None:
            raise LogError(f"{place}: column {_printable(twice)} occurs twice")
        self.unused |= dict.fromkeys(name for name in names if name not in wanted)
        present = {name for name, column in fields.items() if column in names}
        self.present |= present
        for name in fields.keys() - present:
            self.missing.setdefault(name, {})[place] = None
        absent = [
            " or ".join(fields[name] for name in any_of if name in fields)
            for any_of in NEEDED
            if not present & {*any_of}
        ] + [column for column in self.by.only if column not in names]
        if absent:
            raise LogError(
                f"{place}: no column {_printable(absent[0])}; "
                f"the table has {quote(', '.join(names))}{self._way(absent[0], names)}"
            )
        return wanted

    def _way(self, absent, names):
        """Return the hint for a column that a table does not have."""
        top, dot, rest = absent.partition(".")
        if dot and top in names:
            return (
                f"; in a list, {top}.0.{rest} is its first value, {top}.-1.{rest} its last, "
                f"{top}[type=x].{rest} that of an entry by its type"
            )
        if any(re.match("[0-9]", name) for name in names):
            return "; without a header line, --columns names the columns in order"
        return ""

    def jobs(self, table):
        """Return the jobs of a table, runs as in `Account`."""
        for column, values in self.by.only.items():
            texts, why = table[column], "without" if ANY in values else "of another"
            wanted = texts.isin([*map(_plain_text, values)])
            wanted |= ~self._is_unknown(texts) & (ANY in values)
            table = self.leave_out(table, ~wanted, f"{why} {_printable(column)}")
        ids = self._texts(JOB, table) if JOB in self.present else None
        if ids is not None:
            for form, why in ((account.STEP, account.STEPS), (account.ARRAY, account.ARRAYS)):
                summary = ids[table.index].str.fullmatch(form).astype(bool)
                table = self.leave_out(table, summary, why)
        fields = {}
        for name in [name for name in self.by.fields if name in self.present - {JOB}]:
            texts = self._texts(name, table)
            fields[name] = self.by.fields[name], texts, self._is_unknown(texts)
        nan = np.full(len(table), np.nan)
        get = {name: self._times(*fields[name]) if name in fields else (nan, nan) for name in TIMES}
        value = {name: self._lengths(*fields[name]) if name in fields else nan for name in LENGTHS}
        # Where an hour of autumn occurred twice, the order of the times decides.
        (submit, _), (start, start_late), (end, end_late) = get.values()
        start = times.not_before(start, start_late, submit)
        end = times.not_before(end, end_late, start)
        counted_from_0 = start == 0
        submit, start, end = self.known_times(submit, start, end)
        counted_from_0 &= np.isnan(start)
        start = np.where(np.isnan(start), submit + value["wait"], start)
        if self._starts_at_submission():
            start = submit
        status = nan
        if "status" in fields:
            rule, texts, unknown = fields["status"]
            codes = {_plain_text(text): code for text, code in rule.get("values", {}).items()}
            status = texts.map(codes).to_numpy(np.float64)
            remark = f"with a status that the map does not have ({_printable(rule['column'])})"
            self.remark(remark, np.isnan(status) & ~unknown)
        run_time = value["run_time"]
        run_time = np.where(counted_from_0 & (run_time > end - submit), np.nan, run_time)
        column = _printable(self.by.fields.get("run_time", {}).get("column", ""))
        run_time = self.run_times(table.index, end - start, run_time, column)
        has_both = {"start", "wait"} & self.present and "end" in fields
        started = ~np.isnan(start) | (status == 1) | (not has_both)
        ended = ~np.isnan(end) | (status == 0) | (status == 5) | (not has_both)
        run_time = np.where(np.isnan(run_time) & ~started & ended, 0, run_time)
        begun = np.isnan(run_time) & ~ended
        columns = {"submit": submit, "start": start, "end": end, "run_time": run_time}
        columns |= {"limit": value["requested_time"], "status": status, "begun": begun}
        jobs = pd.DataFrame(columns, table.index).assign(job_id=table["row"])
        for name in NAMES:
            if name in fields:
                _, texts, unknown = fields[name]
                jobs[name] = account.in_order(texts.where(~unknown))
        for which in SIZES:
            rule, texts, unknown = fields.get(f"{which}_processors", ({}, None, None))
            label = _printable(rule.get("column", ""))
            if isinstance(rule.get("times"), str):
                factor = table[rule["times"]]
                texts = texts + "*" + factor
                unknown |= self._is_unknown(factor)
                label += f" * {_printable(rule['times'])}"
            sizes = {label: (texts.where(~unknown, ""), partial(_size, rule))} if rule else {}
            jobs = self.sized(jobs, which, sizes)
        jobs = self.good(jobs)
        column = self.by.fields["submit"]["column"]
        way = f' (in the map [only] "{column}" = ["{ANY}"] leaves such rows out)'
        jobs = self.without(jobs, jobs["submit"].isna(), "without a submission", way)
        jobs = self.without(jobs, jobs["run_time"] < 0, account.BACKWARDS)
        jobs = self.leave_out(jobs, jobs["begun"] & jobs["start"].isna(), account.WAITING)
        jobs = self.leave_out(jobs, jobs["begun"], account.RUNNING)
        if ids is not None:
            same = jobs[["submit", "start"]].assign(id=ids[jobs.index]).duplicated(keep="last")
            named = ids[jobs.index] != ""
            jobs = self.leave_out(jobs, same & named, "repeated rows of one run")
        unstarted = jobs["start"].isna() & (jobs["run_time"] == 0) & bool(has_both)
        self.remark(account.NEVER_STARTED, unstarted)
        return jobs.assign(end=jobs["end"].fillna(jobs["start"] + jobs["run_time"]))

    def _starts_at_submission(self):
        """Return whether only a submission and an end say how long a job ran."""
        return not {"start", "wait", "run_time"} & self.present

    def _texts(self, name, table):
        """Return the texts of a field: of its column, or what its pattern takes out of them."""
        rule = self.by.fields[name]
        texts = table[rule["column"]]
        if "pattern" not in rule:
            return texts
        values = texts.str.extract(rule["pattern"], expand=False)
        missing = values.isna() & ~self._is_unknown(texts)
        column = _printable(rule["column"])
        self.remark(f"without {name}, as {column} does not match its pattern", missing)
        return _canonical(values)

    def _is_unknown(self, texts):
        return texts.isin(["", *map(_plain_text, self.by.unknown)])

    def _times(self, rule, texts, unknown):
        texts, name = texts.where(~unknown, ""), _printable(rule["column"])
        numbers = pd.to_numeric(texts, errors="coerce")
        if rule.get("unit") == SHEET:
            days = pd.Timestamp("1899-12-30") + pd.to_timedelta(numbers, unit="D").dt.round("s")
            texts = days.astype("str").where(numbers.notna(), texts)
        elif not {"unit", "format"} & rule.keys() and numbers.dropna().between(*SHEET_DAYS).all():
            if (numbers % 1 > 0).sum() > account.MOST * len(numbers):
                place = numbers.first_valid_index()
                problem = f"{place}, {name}: {quote(texts[place])}; days of a spreadsheet? expected"
                raise LogError(f'{problem} unit = "{SHEET}" in the map (or "s")')
        rule = rule if rule.get("unit") != SHEET else {}
        expected = f"{account.ISO}, the map's format,"
        return self.times(texts, name, [""], rule.get("unit", "s"), expected, rule.get("format"))

    def _lengths(self, rule, texts, unknown):
        """Return seconds, float64[n]; nan for none."""
        factor = UNITS[rule.get("unit", "s")] * rule.get("times", 1)
        texts = texts.where(~(unknown | texts.str.casefold().isin(NO_LIMIT)), "")
        return self.parse(texts, _printable(rule["column"]), partial(_length, factor))


def _length(factor, text):
    """Return the seconds of a number of some unit or of a duration; None for none."""
    if text in ("", "-1"):
        return None
    if account.NUMBER.fullmatch(text):
        if times.NO_VALUE <= float(text) <= times.NO_VALUE + 1:  # NO_VAL and INFINITE
            return None
        seconds = float(text) * factor
    else:
        seconds = times.length(text)
    if seconds is None or seconds > LATEST:
        raise account.FieldError("expected a number >= 0 or a duration such as 1-02:00:00 or 1h30m")
    return seconds


def _size(rule, text):
    """Return the number of processors of a size; None where unknown."""
    if text in ("", "-1"):
        return None
    expected = "expected a whole number of processors or nodes (pattern takes one out of a text)"
    if isinstance(factor := rule.get("times", 1), str):
        text, _, factor = text.partition("*")
        factor = account.number(factor, expected)
    value = account.number(text, expected) * factor
    if abs(value - round(value)) > 1e-6:
        raise account.FieldError(f"{expected}, not {value:g} (times in the map changes the unit)")
    return round(value) or None


def _json_text(value, count=False):
    """Return a value of JSON as text, as a CSV file has it; a list as its length, or its first."""
    if isinstance(value, list):
        value = len(value) if count else (value or [""])[0]
    return "" if value is None or value != value else str(value)


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
    plain = np.array([*map(_plain_text, distinct)], object)
    return pd.Series(plain[codes], texts.index, dtype="str")


def _texts(column):
    """Return a column of a parquet file as texts, as a CSV file has them; "" for none."""
    if pyarrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    values = column.to_pandas(types_mapper=pd.ArrowDtype)
    if pyarrow.types.is_binary(column.type) or pyarrow.types.is_large_binary(column.type):
        values = values.map(lambda value: value.decode("utf-8", "replace"), na_action="ignore")
    texts = values.astype(str)
    return texts.where(values.notna() & (texts != "nan"), "")


def _printable(name):
    """Return the name of a column for a sentence, escaped and shortened where needed."""
    return name if name.isprintable() and len(name) < 80 else quote(name)
