"""The same files read plainly: no speed, no limits, nothing shared with the package but the names of fields."""

import csv
import gzip
import io
import re
import zlib

from replication.simulator.swf import DECIMAL, FIELDS, KNOWN

NUMBER = re.compile(r"(-?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?")


def swf_value(name, token):
    """What SWF makes of a token in a field; None if it is refused."""
    match = NUMBER.fullmatch(token)
    if not match:
        return None
    value = float(token)
    if match[1] and (value or token.strip("-0.")):
        exact = value == -1 and not (match[3] or "").strip("0")
        return None if name in KNOWN or (name == "status" and not exact) else -1
    if name in DECIMAL:
        return value
    whole = not (match[3] or "").strip("0") and len(match[2].lstrip("0")) <= 18
    return int(match[1] + (match[2] or "0")) if whole else None


def swf_jobs(text):
    """Jobs and bad lines of a log: values by field for each job, and the number of the others."""
    jobs, seen, bad, columns = [], set(), 0, None
    for row in text.split("\n"):
        tokens = row.removesuffix("\r").strip(" \t").replace("\t", " ").split(" ")
        tokens = [token for token in tokens if token]
        if not tokens or tokens[0].startswith(";"):
            continue
        values = [swf_value(name, token) for name, token in zip(FIELDS, tokens)]
        good = len(tokens) >= len(FIELDS) and None not in values
        columns = columns or (len(tokens) if good else None)
        good = good and len(tokens) == columns and values[0] not in seen
        jobs += [values] if good else []
        seen |= {values[0]} if good else set()
        bad += not good
    return jobs, bad


def unpacked(content):
    """The text of a file that may be gzipped; None where that is damaged."""
    if content[:1] != b"\x1f":
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return None


def table_rows(text):
    """Rows of a CSV below its header, those of one empty line left out."""
    return [row for row in csv.reader(io.StringIO(text, newline="")) if row][1:]


def faults(jobs, machine):
    """What is wrong with a schedule, instant by instant.

    Parameters
    ----------
    jobs : list of (job_id, submit, start, end, processors)
    machine : int

    Returns
    -------
    dict
        As `replication.simulator.plans.check` calls them.
    """
    instants = {start for _, _, start, end, _ in jobs if end >= start}
    used = [sum(size for _, _, start, end, size in jobs if start <= now < end) for now in instants]
    return {
        "before_submission": sum(start < submit for _, submit, start, _, _ in jobs),
        "backwards": sum(end < start for _, _, start, end, _ in jobs),
        "larger": sum(size > machine for *_, size in jobs),
        "repeated": len(jobs) - len({job[0] for job in jobs}),
        "peak": max(used, default=0),
    }
