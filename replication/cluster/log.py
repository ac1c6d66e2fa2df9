"""A cluster's own log made ready to be replayed, with everything that had to be assumed said in a sentence.

Taken are a name of the registry, an SWF file, what ``sacct --parsable2`` wrote, and accounting logs of TORQUE
and PBS.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from replication.logs import archive, cleaning, files, swf, traces
from replication.logs.accounting import conversion, slurm, torque
from replication.logs.workload import usage

DROP = (*cleaning.DEFAULT_DROP, "larger-than-machine")
#: A quarter of the log that never uses this share of what the fullest one does hints at a smaller machine.
SMALLER = 0.8
ENDLESS = 366 * 86400  # s; a request for longer stands for no limit
_ACCOUNTING = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Za-z];")
_SETTLED = {
    "size-from-allocated": "size taken from what was allocated, for want of a request",
    "size-from-requested": "size taken from the request, for want of an allocation",
    "estimate-raised": "ran past their estimate, which was raised to the run time",
    "submit-out-of-order": "submissions out of order, put in order",
}


class ClusterError(ValueError):
    """A log that cannot be replayed; the message says what would help."""


@dataclass(frozen=True)
class Case:
    """A log ready to be replayed.

    Parameters
    ----------
    workload : replication.logs.workload.Workload
    logged_wait : float64[n], s
        How long each job waited in the log; nan where unknown.
    form : str
        What kind of log it was.
    estimates : {"all", "some", "none"}
        How many jobs came with an estimate of their own.
    assumed : tuple of str
        What the log does not say, a sentence each.
    counted : tuple of (str, int)
        What was left out or changed, with how many jobs or records.
    """

    workload: object
    logged_wait: np.ndarray
    form: str
    estimates: str
    assumed: tuple = ()
    counted: tuple = ()


def load(source, processors=None, size=None, bad_lines="refuse", **options):
    """Make a log ready.

    Parameters
    ----------
    source : str or Path
        A name of the registry (a stand-in where the log is not to be had), an SWF file, sacct's output, or an
        accounting log of TORQUE or PBS.
    processors : int, optional
        Size of the machine.
    size : {"requested", "allocated"}, optional
        Which processors are a job's size; by default the allocated ones of a batch system's log, else the
        request.
    bad_lines : {"refuse", "skip"}
        What becomes of lines of an SWF file that cannot be jobs.
    **options
        For batch systems' logs, see `replication.logs.accounting.slurm.convert` and `replication.logs.accounting.torque.convert`.

    Returns
    -------
    Case

    Raises
    ------
    ClusterError, replication.logs.traces.TraceError, replication.logs.swf.SWFError, replication.logs.accounting.slurm.SlurmError
        Where the log cannot be used.
    """
    if str(source) in traces.names():
        try:
            trace = traces.read(source, bad_lines)
        except archive.Unreachable:
            return _stand_in(source, processors)
        machine = processors or traces.rules(source).machine
        return _ready(trace, machine, size or "requested", "job log", name=source)
    options = {name: value for name, value in options.items() if value}
    system = batch_system(source)
    if system:
        return _converted(source, system, processors, size, options)
    if options:
        raise ClusterError(
            f"{source}: {', '.join(options)} can be given for a batch system's log only"
        )
    return _from_swf(source, processors, size or "requested", bad_lines)


def batch_system(path):
    """Which batch system wrote a file, by its first line.

    Returns
    -------
    {"slurm", "torque", None}
        None for SWF and all else.
    """
    path = Path(path)
    if not path.is_file():
        return None
    first = next((line.strip() for _, line in files.lines(path, ClusterError)), "")
    columns = set(first.casefold().split("|"))
    if len(columns) > 1 and {"jobid", "jobidraw"} & columns:
        return "slurm"
    return "torque" if _ACCOUNTING.match(first) else None


def _converted(source, system, processors, size, options):
    if system == "slurm":
        done = slurm.convert(source, processors=processors, **options)
    else:
        wrong = sorted({"cluster", "partitions"} & options.keys())
        if wrong:
            raise ClusterError(f"{source}: {', '.join(wrong)} can be given for sacct's output only")
        done = torque.convert([source], processors=processors, **options)
    by_given = "A job's size is what it was given, not what it asked for."
    assumed = done.assumed if size else (*done.assumed, by_given)
    return _ready(
        replace(done.trace, path=str(source)),
        done.trace.max_procs,
        size or "allocated",
        done.form,
        assumed,
        done.left_out + done.changed,
        Path(source).name.partition(".")[0],
    )


def _stand_in(name, processors):
    workload = traces.load(name, stand_in=True, machine=processors)
    return Case(
        workload,
        np.full(len(workload), np.nan),
        "generated stand-in",
        "all",
        ("The log is not to be had. These jobs were generated in its stead and prove nothing.",),
    )


def _from_swf(path, processors, size, bad_lines):
    trace, assumed = traces.read(path, bad_lines), []
    machine = processors or trace.max_procs
    if machine is None and trace.max_nodes:
        machine = trace.max_nodes
        assumed.append(
            f"The header names {machine} nodes and no processors: sizes are taken as nodes."
        )
    if machine is None:
        machine = _peak(trace)
        if not machine:
            raise ClusterError(
                f"{path}: no MaxProcs in the header and no waits to work it out from; "
                "give --processors"
            )
        assumed.append(
            f"The machine has {machine:,} processors: the most that the log's jobs held at once."
        )
    return _ready(trace, machine, size, "job log in SWF", assumed)


def _ready(trace, machine, size, form, assumed=(), counted=(), name=None):
    """The case of a trace: estimates filled in, rules applied, the machine's size looked at."""
    trace, estimates, told = _with_estimates(trace)
    over = _over_time(trace, machine)
    workload = cleaning.workload(trace, machine, size, drop=DROP, name=name)
    at = np.searchsorted(np.sort(trace.job_id), workload.job_id)
    wait = trace.wait[np.argsort(trace.job_id, kind="stable")][at].astype(np.float64)
    return Case(
        workload,
        np.where(wait < 0, np.nan, wait),
        form,
        estimates,
        (*assumed, *told, *over),
        (*((what, count) for what, count in counted if count), *_settled(workload)),
    )


def _settled(workload):
    """The cleaning rules that touched a job, in words."""
    for rule, count in workload.cleaning:
        if count and rule in cleaning.DROP_RULES:
            yield f"left out: {cleaning.DROP_RULES[rule][0]}", count
        elif count and rule.startswith("bad-line-"):
            yield f"left out: lines {swf.KINDS[rule.removeprefix('bad-line-')]}", count
        elif count:
            yield _SETTLED.get(rule, rule), count


def _with_estimates(trace):
    """The trace with an estimate for every job, how many had one, and what was assumed."""
    known = trace.requested_time > 0
    if known.all():
        return trace, "all", ()
    limits = trace.requested_time[trace.requested_time <= ENDLESS]
    filler = int(max(limits.max(initial=1), trace.run_time.max()))
    filled = replace(trace, requested_time=np.where(known, trace.requested_time, filler))
    hours = f"{filler / 3600:,.1f} h"
    if known.any():
        return (
            filled,
            "some",
            (
                f"{int((~known).sum()):,} jobs have no estimate. Each was given the "
                f"longest of "
                f"the log, {hours}, as a queue's limit would be.",
            ),
        )
    return (
        filled,
        "none",
        (
            f"No job has an estimate. All were given the log's longest run time, {hours}, as "
            "one limit for all would be. What predictions and perfect estimates gain is "
            "measured against that.",
        ),
    )


def _runs(trace):
    """Starts, run times and sizes of the jobs whose start is known."""
    size = np.where(
        trace.allocated_processors > 0, trace.allocated_processors, trace.requested_processors
    )
    ran = (trace.wait >= 0) & (trace.run_time > 0) & (size > 0)
    return (trace.submit + trace.wait)[ran], trace.run_time[ran], size[ran]


def _peak(trace):
    return conversion.peak(*_runs(trace))


def _over_time(trace, machine):
    """Sentences about a machine that seems to have been larger or smaller, by quarters of the log."""
    start, run_time, size = _runs(trace)
    if not len(start):
        return ("The log has no waits, so the machine's size over time could not be looked at.",)
    instant, used = usage(start, start + run_time, size)
    found = []
    if used.max() > machine:
        found.append(
            f"The log's own jobs hold up to {used.max():,} processors at once, more than the "
            f"{machine:,} simulated: the machine was larger at times, or times overlap."
        )
    quarter = np.minimum(4 * (instant - instant[0]) // max(instant[-1] - instant[0], 1), 3)
    peaks = [int(used[quarter == k].max(initial=0)) for k in range(4)]
    low = [f"{k + 1}" for k in range(4) if peaks[k] < SMALLER * max(peaks)]
    if low:
        found.append(
            f"In quarter {' and '.join(low)} of the log no more than {min(peaks):,} processors "
            f"were in "
            f"use at once: the machine may have been smaller then. It is simulated with {machine:,} "
            "throughout."
        )
    return tuple(found)
