"""Conversion of accounting logs of TORQUE, PBS and Cobalt, and of ``qstat -x -F json``; decisions
and counts are listed in docs/formats.md.

A line is ``date;type;job;key=value key=value ...``. Records of type E, the end of a run, are jobs,
and those of type R (rerun) that have a start and an end; the end record of an array as a whole is
none. Records of types z and r say for how long a job was suspended.

Sources: appendix "Job Logging and Accounting" of the TORQUE 6 administrator's guide; types of
records of OpenPBS 23.06; public logs of Cobalt.
"""

import math
import re
from collections import Counter
from datetime import datetime, timedelta
from functools import partial

import numpy as np
import pandas as pd

from replication.simulator.logs.swf import display_name, quote
from replication_cluster import account, files
from replication_cluster.account import GAP, GAP_SHARE, Account, FieldError, number, whole
from replication_cluster.times import length

TYPES = account.WORDS["torque"]["types"]
READS = ("pbs", "pbs-json")
NAMES = {"user": "user", "group": "group", "executable": "jobname"}
_DATE = r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d"
_RECORD = re.compile(f"({_DATE});([A-Za-z]);([^;]*);(?!.*{_DATE};[A-Za-z];)(.*)", re.DOTALL)
#: The name of a file, and the number of a line, as grep writes them.
_NAME = re.compile(f"[^;]*[:-](?={_DATE};[A-Za-z];)")
_KEY = re.compile(r"(?:^|\s)([A-Za-z_][\w.]*)=")
_SLOT = "[0-9]{1,9}"
#: Slots of a host: the number of one, or a list of slots and ranges.
_NUMBER_OF_ONE = re.compile(rf"{_SLOT}\*({_SLOT})")
_LISTED = re.compile(rf"{_SLOT}(-{_SLOT})?(,{_SLOT}(-{_SLOT})?)*")
_TIMES = ("ctime", "qtime", "etime", "start", "end")
_LIST = "Resource_List."
_USED = "resources_used.walltime"
_FORMAT = "%a %b %d %H:%M:%S %Y"  # of dates in JSON
_DATE_FORMAT = "%m/%d/%Y %H:%M:%S"  # of records
#: Size-like requests of one number: a 1 is the queue's default where another is larger.
_COUNTS = ("procs", "size", "ncpus", "mppwidth")


def convert(paths, *, key=None, size=None, eligible=False, **options):
    """Convert accounting logs of one machine, gzipped or not, in any order; ``-`` is standard
    input.

    Parameters and the result are those of `replication_cluster.slurm.convert`. Times of accounting
    logs need no time zone, so that of the options only enters the header; those of JSON are local.

    Raises
    ------
    LogError
        For lines that are no accounting records, invalid values, or no job that ran.
    """
    paths = files.paths_of(paths)
    log = _Reader(paths, **options)
    runs = log.started(log.texts(paths), size, eligible)
    # Overlapping logs contain a run twice.
    repeated = runs.duplicated(["id", "start"], keep="last")
    runs = log.leave_out(runs, repeated, "repeated records of one run")
    runs = _number(runs.sort_values(["submit", "start", "id"]), log)
    log.remark("without a wall time limit, so without estimate", runs["limit"].isna())
    runs = log.numbered(runs, key, NAMES, "queue")
    notes = (*log.notes(), *[account.NO_KEY] * (key is None))
    return log.finish(runs, "accounting log of TORQUE or PBS", "TORQUE or PBS", notes)


class _Reader(Account):
    """Reads accounting logs, and counts what it leaves out."""

    def texts(self, paths):
        """Return the used fields of each record of a run, a DataFrame by place."""
        self.unused, self.suspensions, records = Counter(), {}, []
        for path in paths:
            name = display_name(path)
            with files.open_text(path, READS) as file:
                read = self._json if file.kind == "pbs-json" else self._records
                records += read(file, name)
        table = pd.DataFrame(records, columns=["place", "id", "date", *USED], dtype="str")
        return table.set_index("place")

    def _records(self, file, name):
        """Yield place, job and used fields of each record of a run; note those that are bad."""
        for place, line in _joined(file, name):
            self.records += 1
            match = _RECORD.fullmatch(line.strip())
            if not match:
                line = quote(line.strip())
                message = f"{place}: {line}; expected date;type;job;key=value ..."
                self.bad[place] = "that are torn or no accounting records", message
                continue
            date, kind, job, text = match.groups()
            if kind in "zr":
                self.suspensions.setdefault(job, []).append((date, kind))
            if kind not in "ER":
                description = TYPES.get(kind, "of which no description is known")
                self.left_out[f"records of type {kind} ({description})"] += 1
                continue
            pairs = [*_pairs(text)]
            values = dict(pairs)
            twice = sorted({key for key, value in pairs if key in USED and values[key] != value})
            if kind == "E" and "end" not in values:
                message = f"{place}: {quote(line)}; expected end=..."
                self.bad[place] = "that are torn, without an end", message
            elif twice:
                message = f"{place}: {quote(line)}; expected {twice[0]}=... once"
                self.bad[place] = "with two values of a field", message
            elif kind == "R" and not {"start", "end"} <= values.keys():
                self.left_out[f"records of type {kind} ({TYPES[kind]})"] += 1
            else:
                yield from self._run(place, job, values | {"used": values.get(_USED, "")}, date)

    def _json(self, file, name):
        """Yield place, job and used fields of each job of ``qstat -x -F json`` that ended."""
        for place, job, record in files.json_records(file, name):
            self.records += 1
            if not isinstance(record, dict) or "job_state" not in record:
                message = f"{place}: {quote(record)}; expected a job of qstat -x -F json"
                self.bad[place] = "that are no jobs", message
                continue
            values = {key: str(value) for key, value in files.flat(record)}
            if values["job_state"] not in "FX":
                running = values["job_state"] in "RESBU"
                self.left_out[account.RUNNING if running else account.WAITING] += 1
                continue
            values["start"] = values.pop("stime", "0")
            for key in _TIMES:
                values[key] = _iso(values.get(key, ""))
            values["used"] = values.get(_USED, "")
            values["user"] = values.get("Job_Owner", "").partition("@")[0]
            values |= {"jobname": values.get("Job_Name", ""), "group": values.get("egroup", "")}
            if values.get("array") == "True":
                values["array_indices"] = ""
            yield from self._run(place, job or values.get("Job_Id", place), values)

    def _run(self, place, job, values, date=""):
        """Yield place, job and used fields of the record of a run that is no array."""
        if re.fullmatch(account.ARRAY, job) or "array_indices" in values:
            self.left_out[account.ARRAYS] += 1
            return
        sizes = requests(values)
        asked = {key for key in values if key.startswith((_LIST, "req_information."))}
        self.unused.update(asked - {*USED, *_READ})
        yield place, job, date, *({**values, **sizes}.get(name, "") for name in USED)

    def started(self, texts, size, eligible):
        """Return the runs of jobs that started, with sizes."""
        seconds = {name: self.times(texts[name], name, [""])[0] for name in _TIMES}
        used = self.parse(texts["used"], _USED, duration, bad={})  # missing where unreadable
        end = np.where(np.isnan(seconds["end"]), seconds["start"] + used, seconds["end"])
        elapsed = end - seconds["start"]
        texts = texts.assign(suspended=self._suspended(texts, elapsed, used))
        self.run_times(texts.index, elapsed, np.where(used > elapsed, used, np.nan), _USED)
        submit = seconds["start"]
        for name in ("etime", "qtime", "ctime"):
            submit = np.where(seconds[name] > 0, seconds[name], submit)
        submit = np.where(submit > 0, submit, end)
        submit, start, end = self.known_times(submit, seconds["start"], end)
        runs = texts.assign(submit=submit, start=start, end=end, etime=seconds["etime"])
        runs = self.eligible_from(self.good(runs), runs["etime"], eligible)
        runs = self.leave_out(runs, ~(runs["start"] > 0), account.NEVER_STARTED)
        runs = self.without(runs, runs["end"].isna(), "without an end")
        runs = self.without(runs, runs["end"] < runs["start"], account.BACKWARDS)
        stated = [*SIZES["processors"]["requested"], "total_execution_slots"]
        slots = (runs[stated] != "").any(axis=None) or runs["exec_host"].str.contains("/").any()
        self.asked = bool(size)
        self.counted = size or ("processors" if slots else "nodes")
        for which, sources in SIZES[self.counted].items():
            columns = {name: (runs[name], function) for name, function in sources.items()}
            runs = self.sized(runs, which, columns, FORMS)
        limit = self.parse(runs[f"{_LIST}walltime"], f"{_LIST}walltime", duration)
        status = runs["Exit_status"].map({"0": 1, "": -1}).fillna(0)
        run_time = runs["end"] - runs["start"] - runs["suspended"]
        runs = runs.assign(run_time=run_time, limit=limit, status=status)
        return self.good(runs)

    def _suspended(self, texts, elapsed, used):
        """Return the seconds for which each run was suspended, by its records of types z and r, or
        by a wall time shorter than start to end.
        """
        gap = elapsed - used
        long = (used > 0) & (gap > np.maximum(GAP, GAP_SHARE * elapsed))
        suspended = np.where(long, gap, 0.0)
        for k in np.flatnonzero(texts["id"].isin([*self.suspensions])):
            end = datetime.strptime(texts["date"].iloc[k], _DATE_FORMAT)
            begin = end - timedelta(seconds=max(np.nan_to_num(elapsed[k]), 0))
            recorded = _recorded(self.suspensions[texts["id"].iloc[k]], begin, end)
            suspended[k] = min(max(recorded, suspended[k]), np.nan_to_num(elapsed[k]))
        return suspended

    def notes(self):
        """Yield what the records state and no log needs, a sentence."""
        if self.unused:
            names = ", ".join(f"{name} {n:,}" for name, n in sorted(self.unused.items())[:40])
            yield f"Requests that are not used, with the number of records: {names}."


def _recorded(records, begin, end):
    """Return the seconds between each suspension and the next resumption or the end, within a run;
    all dates in local time.
    """
    total, since = 0.0, None
    for date, kind in sorted(
        (datetime.strptime(date, _DATE_FORMAT), kind) for date, kind in records
    ):
        if not begin <= date <= end:
            continue
        if kind == "r" and since is not None:
            total += (date - since).total_seconds()
        since = (since or date) if kind == "z" else None
    return total + ((end - since).total_seconds() if since else 0.0)


def _joined(file, name):
    """Yield the place and the text of each record; lines of an end record are put together where
    that gives it its end.
    """
    waiting = []
    for k, line in files.lines(file):
        if not re.match(_DATE, line):
            line = _NAME.sub("", line)
        begins = re.match(f"{_DATE};", line)
        if begins:
            yield from _released(waiting)
            waiting = []
        waiting.append((f"{name}, line {k}", line))
        if not (waiting and re.match(f"{_DATE};E;", waiting[0][1])) or (begins and _ends(line)):
            yield from _released(waiting)
            waiting = []
    yield from _released(waiting)


def _released(waiting):
    text = "\n".join(line for _, line in waiting)
    if len(waiting) > 1 and _ends(text) and not _ends(waiting[0][1]):
        yield waiting[0][0], text
    else:
        yield from waiting


def _ends(text):
    return re.search(r"\send=\d", text)


def _pairs(text):
    """Yield the (key, value) pairs of a record; a value ends at the next key, so it may contain
    blanks.
    """
    keys = list(_KEY.finditer(text))
    for here, after in zip(keys, [*keys[1:], None]):
        yield here[1], text[here.end() : after.start() if after else len(text)].strip()


def _iso(text):
    """Return a date of JSON in ISO 8601; another text unchanged."""
    try:
        return datetime.strptime(text, _FORMAT).isoformat()
    except ValueError:
        return text


def requests(values):
    """Return the fields that state the requested size, without defaults beside larger requests.

    A default of a queue (``nodes=1``, ``ncpus=1``) stands beside what the user asked for. A select
    without ``ncpus`` in all chunks is left to ``Resource_List.ncpus``, which has the sum.
    """
    nodes = values.get(f"{_LIST}nodes", "") or values.get(f"{_LIST}neednodes", "")
    select = values.get(f"{_LIST}select", "")
    counts = {name: values.get(f"{_LIST}{name}", "") for name in _COUNTS}
    if select and not all("ncpus=" in part for part in select.split("+")) and counts["ncpus"]:
        select = ""
    larger = {name: text for name, text in counts.items() if text not in ("", "0", "1")}
    tasks = _tasks(values)
    if nodes == "1" and (larger or select or tasks):
        nodes = ""
    elif nodes.isdecimal() and larger and {*larger.values()} != {nodes}:
        nodes = f"{nodes} beside " + ", ".join(f"{name}={n}" for name, n in larger.items())
        larger = {}
    if larger or nodes or select or tasks:
        counts = dict.fromkeys(counts, "") | larger
    if counts["mppwidth"] and values.get(f"{_LIST}mppdepth", "1") != "1":
        counts["mppwidth"] += f" * {values[f'{_LIST}mppdepth']}"
    counts = {f"{_LIST}{name}": text for name, text in counts.items()}
    return {f"{_LIST}nodes": nodes, f"{_LIST}select": select, "tasks": tasks, **counts}


def _tasks(values):
    """Return the tasks and processors of each request of ``qsub -L``, such as ``2*4+1*8``."""
    name = "req_information.task_count."
    tasks = [key.removeprefix(name) for key in values if key.startswith(name)]
    parts = [f"{values[name + k]}*{values.get(f'req_information.lprocs.{k}', '1')}" for k in tasks]
    unread = values.get(f"{_LIST}tasks") or values.get(f"{_LIST}lprocs")
    return "+".join(parts) or (f"tasks={unread}" if unread else "")


def duration(text):
    """Return the seconds of a duration such as ``48:00:00``, ``2:00:00:00`` or ``3600``; None for
    none.
    """
    if not text:
        return None
    seconds = length(text, short=True)
    expected = "expected seconds, or [[days:]hours:]minutes:seconds"
    return number(text, expected) if seconds is None else seconds


def count(text):
    """Return a number of processors or nodes; None for none."""
    return whole(text, "expected a whole number") if text else None


def product(text):
    """Return the number of processors of products such as ``2*4+1*8``; None for none."""
    if not text:
        return None
    products = (part.split("*") for part in text.split("+"))
    return sum(math.prod(count(factor.strip() or "?") for factor in part) for part in products)


#: Properties of a node or chunk that are no number of processors.
_OTHER = re.compile(account.WORDS["torque"]["properties"])


def listed(text, unit):
    """Return the processors of a list such as ``2:ppn=16:xe+nid00012:ppn=8``, a number of nodes or
    one by its name, or ``2:ncpus=16:mem=4gb+1:ncpus=1``; None for none.
    """
    total = 0
    for part in filter(None, text.partition("#")[0].split("+")):
        nodes, *properties = part.split(":")
        if unit == "ncpus" and not nodes.isdecimal():
            nodes, properties = "1", [nodes, *properties]
        each = [p.partition("=")[2] for p in properties if re.match("(ppn|ncpus)=", p)]
        others = (p for p in properties if "=" in p and not re.match("(ppn|ncpus)=", p))
        wrong = len(each) > 1 or (unit == "ncpus" and not each)
        if wrong or not all(map(_OTHER.fullmatch, others)):
            raise FieldError(f"expected nodes:{unit}=n")
        named = unit == "ppn" and not nodes[:1].isdecimal()
        total += count("1" if named else nodes) * count([*each, "1"][0])
    return total or None


def slots(text):
    """Return the number of slots of hosts such as ``nid00012/0-15+nid00013/3``, ``nid00012/0,2-4``
    or ``nid00012/0*16``; None for none.
    """
    total = 0
    for host in filter(None, text.split("+")):
        places = host.partition("/")[2]
        if several := _NUMBER_OF_ONE.fullmatch(places):
            total += int(several[1])
            continue
        if not _LISTED.fullmatch(places):
            raise FieldError(HOSTS)
        for first, _, last in (part.partition("-") for part in places.split(",")):
            if last and int(last) < int(first):
                raise FieldError(HOSTS)
            total += int(last or first) - int(first) + 1
    return total or None


def nodes_of(text):
    """Return the number of different hosts; None for none."""
    hosts = [*filter(None, text.split("+"))]
    if not all("/" in host for host in hosts):
        raise FieldError(HOSTS)
    return len({host.partition("/")[0] for host in hosts}) or None


#: Fields whose form may be that of another system: not needed if other fields have the size.
FORMS = ("exec_host", f"{_LIST}nodes", f"{_LIST}select", "tasks", f"{_LIST}mppwidth")
HOSTS = "expected host/slot, host/first-last or host/0*slots"
#: Fields with the sizes in each unit, in order of preference.
SIZES = {
    "processors": {
        "requested": {
            f"{_LIST}nodes": partial(listed, unit="ppn"),
            f"{_LIST}select": partial(listed, unit="ncpus"),
            "tasks": product,
            **{f"{_LIST}{name}": count for name in _COUNTS[:-1]},
            f"{_LIST}mppwidth": product,
        },
        "allocated": {"total_execution_slots": count, "exec_host": slots},
    },
    "nodes": {
        "requested": {f"{_LIST}nodect": count},
        "allocated": {
            "unique_node_count": count,
            "exec_host": nodes_of,
            "resources_used.nodect": count,
        },
    },
    "gpus": {"requested": {f"{_LIST}ngpus": count}, "allocated": {}},
}
USED = (
    *(*_TIMES, "used", "Exit_status", f"{_LIST}walltime", *NAMES.values(), "queue"),
    *sorted({name for unit in SIZES.values() for sources in unit.values() for name in sources}),
)
_READ = (f"{_LIST}neednodes", f"{_LIST}mppdepth", "tasks")


def _number(runs, log):
    """Number the runs in order of submission; a requeued job waits again from the end of its
    previous run.
    """
    runs = runs.assign(job_id=np.arange(1, len(runs) + 1))
    before = runs.groupby(["id", "user"])["end"].shift()
    waiting = np.minimum(np.fmax(runs["submit"], before), runs["start"])
    again = before.notna()
    log.remark("further runs of requeued jobs, each a job of its own", again)
    runs = runs.assign(submit=waiting.where(again, runs["submit"]))
    return runs.sort_values(["submit", "job_id"])
