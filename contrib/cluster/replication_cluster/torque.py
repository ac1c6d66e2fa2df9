"""Conversion of accounting logs of TORQUE and PBS; decisions and counts are listed in
docs/formats.md.

A line is ``date;type;job;key=value key=value ...``. Records of type E, the end of a run, are jobs,
and those of type R (rerun) that have a start and an end; the end record of an array as a whole is
none.

Source: appendix "Job Logging and Accounting" of the TORQUE 6 administrator's guide; pbs_server's
account file.
"""

import re
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from replication_cluster import conversion, files
from replication_cluster.conversion import Account, FieldError

TYPES = conversion.WORDS["torque"]["types"]
NAMES = {"user": "user", "group": "group", "jobname": "name", "queue": "queue"}
_SLOT = "[0-9]{1,9}"
_DATE = r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d"
_RECORD = re.compile(f"({_DATE});([A-Za-z]);([^;]*);(?!.*{_DATE};[A-Za-z];)(.*)", re.DOTALL)
_KEY = re.compile(r"(?:^|\s)([A-Za-z_][\w.]*)=")


def convert(paths, processors=None, zone=None, key=None, size="processors", bad_records="refuse"):
    """Convert accounting logs of one machine, gzipped or not, in any order; ``-`` is standard
    input.

    Other parameters and the result are those of `replication_cluster.slurm.convert`; times of these
    logs need no time zone, so `zone` only enters the header.

    Raises
    ------
    LogError
        For lines that are no accounting records, invalid values, or no job that ran.
    """
    name = ", ".join(map(files.display_name, paths))
    account, unused = Account(name, zone, processors, key, bad_records), Counter()
    account.left_out[conversion.NEVER_STARTED] = 0
    columns = ["place", "id", *USED]
    texts = pd.DataFrame([*_end_records(paths, account, unused)], columns=columns, dtype="str")
    runs = account.check(_started(texts.set_index("place"), account, size), "ran")
    # Overlapping logs contain a run twice.
    repeated = runs.duplicated(["id", "start"], keep="last")
    account.left_out["repeated records of one run"] = int(repeated.sum())
    runs = _number(runs[~repeated].sort_values(["submit", "start", "id"]), account)
    no_limit = "without a wall time limit, so without estimate"
    account.remark(runs, {no_limit: runs["limit"] < 0})
    source = Path(str(paths[0])).name + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    form = f"accounting log of {(system := 'TORQUE or PBS')}"
    assumed, account.unit = [], size
    if unused:
        names = ", ".join(f"{name} {count:,}" for name, count in sorted(unused.items())[:40])
        assumed.append(f"Requests that are not used, with the number of records: {names}.")
    return account.conversion(runs, source, system, form, path=paths[0], assumed=tuple(assumed))


def _end_records(paths, account, unused):
    """Yield place, job and used fields of each record of a run; count the others, and the requests
    that are not used.
    """
    for path in paths:
        name = files.display_name(path)
        with files.open_text(path, ("pbs",)) as file:
            for number, line in files.lines(file, name):
                account.records += 1
                place = f"{name}, line {number}"
                found = _RECORD.fullmatch(line.strip())
                if not found or found[2] not in TYPES:
                    message = (
                        f"{place}: {files.quoted(line.strip())}; expected date;type;job;key=value "
                        f"..., with a type of {', '.join(TYPES)}"
                    )
                    account.bad[place] = "that are torn or no accounting records", message
                    continue
                _, kind, job, text = found.groups()
                fields = dict(_pairs(text)) if kind in "ER" else {}
                if kind == "E" and "end" not in fields:
                    message = f"{place}: {files.quoted(line)}; expected end=..."
                    account.bad[place] = "that are torn, without an end", message
                elif kind == "E" or {"start", "end"} <= fields.keys():
                    if re.fullmatch(conversion.ARRAY, job) or "array_indices" in fields:
                        account.left_out[conversion.ARRAYS] += 1
                        continue
                    unused.update(
                        name for name in fields.keys() - {*USED} if name.startswith(_REQUESTS)
                    )
                    yield place, job, *(fields.get(name, "") for name in USED)
                else:
                    account.left_out[f"records of type {kind} ({TYPES[kind]})"] += 1


def _pairs(text):
    """Yield the (key, value) pairs of a record; a value ends at the next key, so it may contain
    blanks.
    """
    keys = list(_KEY.finditer(text))
    for here, after in zip(keys, [*keys[1:], None]):
        yield here[1], text[here.end() : after.start() if after else len(text)].strip()


def _started(texts, account, unit):
    """Return the runs of jobs that started, with sizes in a unit."""

    def numbers(name, function, rows):
        """Parse a field; -1 where a record lacks it."""
        values = account.parse(rows[name], name, lambda text: function(text) if text else -1)
        return values.astype(np.float64)

    start, end = (numbers(name, unix_time, texts) for name in ("start", "end"))
    submit = start
    for name in ("etime", "qtime", "ctime"):
        given = numbers(name, unix_time, texts)
        submit = np.where(given > 0, given, submit)
    submit = np.where(submit > 0, submit, end)
    submit, start, end = conversion.known_times(submit, start, end)
    runs = account.good(texts.assign(submit=submit, start=start, end=end))
    runs = account.leave_out(runs, ~(runs["start"] > 0), conversion.NEVER_STARTED)
    runs = account.leave_out(runs, runs["end"].isna(), conversion.NEVER)
    runs = account.leave_out(runs, runs["end"] < runs["start"], conversion.BACKWARDS)
    for which, sources in SIZES[unit].items():
        sizes = {name: numbers(name, function, runs) for name, function in sources.items()}
        runs = account.sized(runs, which, sizes)
    runs = runs.rename(columns=NAMES).assign(
        run_time=runs["end"] - runs["start"],
        limit=numbers("Resource_List.walltime", duration, runs),
        status=runs["Exit_status"].map({"0": 1, "": -1}).fillna(0),
        suspended=0,
    )
    return account.good(runs)


def unix_time(text):
    """Return a Unix time, s."""
    if not re.fullmatch(r"-?[0-9]{1,11}", text):
        raise FieldError("expected a Unix time in whole seconds")
    return int(text)


def duration(text):
    """Return the seconds of a duration such as ``48:00:00``, ``2:00:00:00`` or ``3600``."""
    if not re.fullmatch(r"[0-9]{1,9}(:[0-9]{1,2}){0,3}", text):
        raise FieldError("expected seconds, or [[days:]hours:]minutes:seconds")
    weights = (1, 60, 3600, 86400)
    return sum(int(part) * weight for part, weight in zip(reversed(text.split(":")), weights))


def count(text):
    """Return a number of processors or nodes."""
    if not re.fullmatch(_SLOT, text):
        raise FieldError(f"{files.quoted(text)}; expected a whole number")
    return int(text)


def listed(text, unit):
    """Return the processors of a list such as ``2:ppn=16:xe+nid00012:ppn=8``, a number of nodes or
    one by its name, or ``2:ncpus=16:mem=4gb+1:ncpus=1``.
    """
    total = 0
    for part in text.partition("#")[0].split("+"):
        first, *properties = part.split(":")
        each = [p.removeprefix(f"{unit}=") for p in properties if p.startswith(f"{unit}=")]
        named = unit == "ppn" and not first.isdecimal()
        total += count("1" if named else first) * count([*each, "1"][0])
    return total


def slots(text):
    """Return the number of slots of hosts such as ``nid00012/0-15+nid00013/3``, ``nid00012/0,2-4``
    or ``nid00012/0*16``; -1 for none.
    """
    total = 0
    for host in filter(None, text.split("+")):
        _, _, places = host.partition("/")
        ends = [part.partition("-") for part in places.split(",")]
        if re.fullmatch(rf"{_SLOT}\*{_SLOT}", places):
            total += int(places.partition("*")[2])
        elif not re.fullmatch(rf"{_SLOT}(-{_SLOT})?(,{_SLOT}(-{_SLOT})?)*", places) or any(
            last and int(last) < int(first) for first, _, last in ends
        ):
            raise FieldError(
                f"{files.quoted(host)}; expected host/slot, host/first-last or host/0*slots"
            )
        else:
            total += sum(int(last or first) - int(first) + 1 for first, _, last in ends)
    return total or -1


def nodes_of(text):
    """Return the number of different hosts; -1 for none."""
    return len({host.partition("/")[0] for host in filter(None, text.split("+"))}) or -1


def whole_select(text):
    """Return the processors of a select whose chunks all state them; -1 for others, whose ``ncpus``
    has the sum.
    """
    return listed(text, "ncpus") if all("ncpus=" in part for part in text.split("+")) else -1


#: Fields with the sizes in each unit, in order of preference.
SIZES = {
    "processors": {
        "requested": {
            "Resource_List.nodes": partial(listed, unit="ppn"),
            "Resource_List.neednodes": partial(listed, unit="ppn"),
            "Resource_List.select": whole_select,
            **{f"Resource_List.{name}": count for name in ("procs", "size", "ncpus")},
        },
        "allocated": {"total_execution_slots": count, "exec_host": slots},
    },
    "nodes": {
        "requested": {"Resource_List.nodect": count},
        "allocated": {"unique_node_count": count, "exec_host": nodes_of},
    },
}
USED = (
    *("ctime", "qtime", "etime", "start", "end", "Exit_status", "Resource_List.walltime"),
    *(*NAMES, *sorted({name for unit in SIZES.values() for own in unit.values() for name in own})),
)
_REQUESTS = ("Resource_List.", "req_information.")


def _number(runs, account):
    """Number the runs in order of submission; a requeued job waits again from the end of its
    previous run.
    """
    runs = runs.assign(number=np.arange(1, len(runs) + 1), end=conversion.end_times(runs))
    before = runs.groupby("id")["end"].shift()
    waiting = np.minimum(np.fmax(runs["submit"], before), runs["start"])
    again = before.notna()
    if again.any():
        account.remarks["further runs of requeued jobs, each a job of its own"] += int(again.sum())
    return runs.assign(submit=waiting.where(again, runs["submit"])).sort_values(
        ["submit", "number"]
    )
