"""What every converter of accounting logs gives: the trace, and an account of how it was made."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Conversion:
    """A log of another format as a trace, with nothing left unsaid.

    Parameters
    ----------
    source : str
        Name of the file.
    form : str
        What kind of log it is.
    trace : replication.logs.swf.Trace
    records : int
        Records read from the file.
    left_out : tuple of (str, int)
        Each reason for leaving records out, with how many.
    changed : tuple of (str, int)
        What else was decided about records that were kept, with how many.
    assumed : tuple of str
        What the log does not say and was taken for granted, a sentence each.
    """

    source: str
    form: str
    trace: object
    records: int
    left_out: tuple
    changed: tuple
    assumed: tuple

    def lines(self):
        """The account in lines of text.

        Yields
        ------
        str
        """
        yield (
            f"{self.source}: {self.form}, {self.records:,} records, {len(self.trace):,} jobs kept, "
            f"{self.trace.max_procs:,} processors"
        )
        for title, counts in (("left out", self.left_out), ("kept, with a remark", self.changed)):
            found = [(what, count) for what, count in counts if count]
            if found:
                yield f"{title}:"
                yield from (f"  {count:>10,}  {what}" for what, count in found)
        if self.assumed:
            yield "assumed:"
            yield from (f"  - {sentence}" for sentence in self.assumed)

    def facts(self):
        """The account as plain values, for JSON."""
        return {
            "source": self.source,
            "form": self.form,
            "records": self.records,
            "jobs": len(self.trace),
            "processors": self.trace.max_procs,
            "left_out": dict(self.left_out),
            "changed": dict(self.changed),
            "assumed": list(self.assumed),
        }


def peak(start, length, size):
    """Most processors in use at once.

    Parameters
    ----------
    start, length : int64[n], s
    size : int64[n], processors

    Returns
    -------
    int
    """
    from replication.schedule.schedule import usage

    return int(usage(start, start + length, size)[1].max(initial=0)) if len(start) else 0


def header(computer, started, ended, zone, processors, nodes, assumed, records):
    """Comment lines of a converted log, as the format's version 2.2 asks for.

    Parameters
    ----------
    computer : str
        What wrote the log.
    started, ended : int, s
        Unix times of the first submission and the last end.
    zone : str
        Name of the time zone.
    processors, nodes : int
        Size of the machine; 0 where unknown.
    assumed : sequence of str
    records : int
        Jobs in the file.

    Returns
    -------
    tuple of str
    """
    from datetime import UTC, datetime

    def date(moment):
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

    lines = {
        "Version": 2.2,
        "Computer": computer,
        "Conversion": "replication convert",
        "MaxJobs": records,
        "MaxRecords": records,
        "UnixStartTime": int(started),
        "TimeZoneString": zone,
        "StartTime": date(started),
        "EndTime": date(ended),
        "MaxNodes": nodes,
        "MaxProcs": processors,
    }
    return (
        *(f" {label}: {value}" for label, value in lines.items() if value not in (0, "")),
        *(f" Note: {sentence}" for sentence in assumed),
    )


def numbered(names):
    """Numbers 1, 2, ... for names in the order in which they first appear; -1 for an empty one.

    Returns
    -------
    int64[n]
    """
    known = {}
    return np.array(
        [known.setdefault(name, len(known) + 1) if name else -1 for name in names], np.int64
    )
