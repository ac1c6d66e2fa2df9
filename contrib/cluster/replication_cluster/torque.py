"""Conversion of accounting logs of TORQUE and PBS; decisions and counts are listed in docs/formats.md.

A line is ``date;type;job;key=value key=value ...``. Only records of type E, the end of a run, are jobs.

Source: appendix "Job Logging and Accounting" of the TORQUE 6 administrator's guide; pbs_server's account file.
"""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from replication_cluster import conversion, files
from replication_cluster.conversion import BACKWARDS, Account, FieldError, end_times
from replication_cluster.files import LogError

TYPES = conversion.WORDS["torque"]["types"]
NEVER_STARTED = "ended without having started"
NAMES = {"user": "user", "group": "group", "jobname": "name", "queue": "queue"}
_SLOT = "[0-9]{1,9}"
_KEY = re.compile(r"(?:^|\s)([A-Za-z_][\w.]*)=")


def convert(paths, processors=None, zone=None, key=None):
    """Convert accounting logs of one machine, gzipped or not, in any order; ``-`` is standard input.

    Parameters and result are those of `replication_cluster.slurm.convert`; times of these logs need no time zone, so
    `zone` only enters the header.

    Raises
    ------
    LogError
        For a line that is no accounting record, an invalid value, or no job that ran.
    """
    name = ", ".join(map(files.display_name, paths))
    account = Account(name, zone, processors, key)
    account.left_out[NEVER_STARTED] = 0
    columns = ["place", "id", *USED]
    texts = pd.DataFrame([*_end_records(paths, account)], columns=columns, dtype="str")
    runs = account.check(_started(texts.set_index("place"), account), "ran")
    # Overlapping logs contain a run twice.
    repeated = runs.duplicated(["id", "start"], keep="last")
    account.left_out["repeated records of one run"] = int(repeated.sum())
    runs = _number(runs[~repeated].sort_values(["submit", "start", "id"]), account)
    no_limit = "without a wall time limit, so without estimate"
    account.remark(runs, {no_limit: runs["limit"] < 0})
    source = Path(str(paths[0])).name + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    system = "TORQUE or PBS"
    return account.conversion(runs, source, system, f"accounting log of {system}", path=paths[0])


def _end_records(paths, account):
    """Yield place, job and used fields of each E record; count the others."""
    for path in paths:
        for number, line in files.lines(path):
            place = f"{files.display_name(path)}, line {number}"
            parts = line.split(";", 3)
            if len(parts) != 4 or parts[1] not in TYPES:
                raise LogError(
                    f"{place}: {files.quoted(line.strip())}; expected date;type;job;key=value ..., "
                    f"with a type of {', '.join(TYPES)}"
                )
            account.records += 1
            if parts[1] == "E":
                fields = dict(_pairs(parts[3]))
                yield place, parts[2], *(fields.get(name, "") for name in USED)
            else:
                account.left_out[f"records of type {parts[1]} ({TYPES[parts[1]]})"] += 1


def _pairs(text):
    """Yield the (key, value) pairs of a record; a value ends at the next key, so it may contain blanks."""
    keys = list(_KEY.finditer(text))
    for here, after in zip(keys, [*keys[1:], None]):
        yield here[1], text[here.end() : after.start() if after else len(text)].strip()


def _started(texts, account):
    """Return the runs of jobs that started."""

    def numbers(name, function, rows):
        """Parse a field; -1 where a record lacks it."""
        values = account.parse(rows[name], name, lambda text: function(text) if text else -1)
        return values.astype(np.float64)

    start, end = (numbers(name, unix_time, texts) for name in ("start", "end"))
    began = start > 0
    texts, start, end = account.leave_out(texts, ~began, NEVER_STARTED), start[began], end[began]
    texts = account.leave_out(texts, end < start, BACKWARDS)
    start, end = start[end >= start], end[end >= start]
    submit = start
    for name in ("etime", "qtime", "ctime"):
        given = numbers(name, unix_time, texts)
        submit = np.where(given > 0, given, submit)
    requested = np.full(len(texts), -1.0)
    for name, function in SIZES.items():
        here = (requested < 0) & (texts[name] != "").to_numpy()
        requested[here] = numbers(name, function, texts[here])
    allocated = numbers("total_execution_slots", count, texts)
    here = allocated < 0
    allocated[here] = numbers("exec_host", slots, texts[here])
    return texts.rename(columns=NAMES).assign(
        submit=submit,
        start=start,
        run_time=end - start,
        allocated=allocated,
        requested=requested,
        limit=numbers("Resource_List.walltime", duration, texts),
        status=texts["Exit_status"].map({"0": 1, "": -1}).fillna(0),
        suspended=0,
    )


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
    """Return the processors of a list such as ``2:ppn=16:xe+nid00012:ppn=8``, a number of nodes or one by its name, or
    ``2:ncpus=16:mem=4gb+1:ncpus=1``.
    """
    total = 0
    for part in text.partition("#")[0].split("+"):
        first, *properties = part.split(":")
        each = [p.removeprefix(f"{unit}=") for p in properties if p.startswith(f"{unit}=")]
        named = unit == "ppn" and not first.isdecimal()
        total += count("1" if named else first) * count([*each, "1"][0])
    return total


def slots(text):
    """Return the number of slots of hosts such as ``nid00012/0-15+nid00013/3``, ``nid00012/0,2-4`` or ``nid00012/0*16``; -1 for none."""
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


#: Fields with the requested size, in order of preference.
SIZES = {
    "Resource_List.nodes": partial(listed, unit="ppn"),
    "Resource_List.neednodes": partial(listed, unit="ppn"),
    "Resource_List.select": partial(listed, unit="ncpus"),
} | {f"Resource_List.{name}": count for name in ("procs", "size", "ncpus")}
USED = (
    *("ctime", "qtime", "etime", "start", "end", "Exit_status", "exec_host"),
    *("total_execution_slots", "Resource_List.walltime"),
    *(*NAMES, *SIZES),
)


def _number(runs, account):
    """Number the runs in order of submission; a requeued job waits again from the end of its previous run."""
    runs = runs.assign(number=np.arange(1, len(runs) + 1), end=end_times(runs))
    before = runs.groupby("id")["end"].shift()
    waiting = np.minimum(np.fmax(runs["submit"], before), runs["start"])
    again = before.notna()
    if again.any():
        account.remarks["further runs of requeued jobs, each a job of its own"] += int(again.sum())
    return runs.assign(submit=waiting.where(again, runs["submit"])).sort_values(
        ["submit", "number"]
    )
