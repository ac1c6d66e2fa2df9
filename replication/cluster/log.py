"""A cluster's own log made ready to be replayed, with everything that had to be assumed said in a sentence.

Taken are a name of the registry, an SWF file, what ``sacct --parsable2`` wrote, and accounting logs of TORQUE and PBS.
"""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from replication.cluster.accounting import conversion, slurm, torque
from replication.simulator import archive, cleaning, files, plans, swf, traces
from replication.simulator.workload import usage

DROP = (*cleaning.DEFAULT_DROP, "larger-than-machine")
ENDLESS = 366 * 86400  # s; a request for longer stands for no limit
WEEK = 7 * 86400
RUN_TIMES = (60, 600, 3600, 8 * 3600)  # s
RUN_TIME_NAMES = ("up to 1 min", "1 to 10 min", "10 min to 1 h", "1 to 8 h", "above 8 h")
LARGEST = ("with the most work", "with the second most", "with the third most", "all others")
_ACCOUNTING = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Za-z];")
_NAMED = re.compile(r"\s*(\d{1,9})\s+(\S+)")
GENERATED = "The log is not to be had. These jobs were generated in its stead and prove nothing."
#: Cleaning rules that touched a job, in words.
_SETTLED = {
    **{rule: f"left out: {words}" for rule, (words, _) in cleaning.DROP_RULES.items()},
    **{f"bad-line-{kind}": f"left out: lines {words}" for kind, words in swf.KINDS.items()},
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
    workload : replication.simulator.workload.Workload
    logged_wait : float64[n], s
        How long each job waited in the log; nan where unknown.
    form : str
        What kind of log it was.
    estimated : float
        Share of the jobs that came with an estimate of their own.
    assumed : tuple of str
        What the log does not say, a sentence each.
    counted : tuple of (str, int)
        What was left out or changed, with how many jobs or records.
    began : int, s, optional
        Unix time of submission 0.
    partition : int64[n], optional
        Partition, or queue, of each job; None for a log with fewer than two.
    names : dict of int to str
        What the log calls them.
    sizes : tuple of int, optional
        The least and the largest machine that the log allows, where its size had to be worked out.
    """

    workload: object
    logged_wait: np.ndarray
    form: str
    estimated: float = 1.0
    assumed: tuple = ()
    counted: tuple = ()
    began: int | None = None
    partition: np.ndarray | None = None
    names: dict | None = None
    sizes: tuple | None = None

    def first(self, jobs):
        """The case of so many jobs alone; of all for None."""
        return replace(
            self,
            workload=self.workload.take(slice(jobs)),
            logged_wait=self.logged_wait[:jobs],
            partition=None if self.partition is None else self.partition[:jobs],
        )

    @cached_property
    def groups(self):
        """Groups of the jobs: a pandas Categorical each for week, size, run time, partition where there are several, and user."""
        w = self.workload
        week = (w.submit - w.submit[0]) // WEEK
        weeks = np.arange(week[-1] + 1)
        if self.began is not None:
            first = self.began + int(w.submit[0])
            weeks = pd.to_datetime(first + weeks * WEEK, unit="s").normalize()
        work = pd.Series(w.run_time * w.processors.astype(np.float64)).groupby(w.user).sum()
        largest = {user: k for k, user in enumerate(work.sort_values(kind="stable").index[:-4:-1])}
        coded = {
            "week": (week, weeks),
            "size": (plans.size_class(w.processors), plans.size_names()),
            "run time": (np.searchsorted(RUN_TIMES, w.run_time), RUN_TIME_NAMES),
            "user": (pd.Series(w.user).map(largest).fillna(3).astype(int), LARGEST),
        }
        if self.partition is not None:
            own, place = np.unique(self.partition, return_inverse=True)
            called = [
                (self.names or {}).get(one, "unknown" if one < 0 else str(one)) for one in own
            ]
            called = [
                f"{name} ({one})" if called.count(name) > 1 else name
                for name, one in zip(called, own)
            ]
            coded["partition"] = place, called
        return {by: pd.Categorical.from_codes(*both, ordered=True) for by, both in coded.items()}


def machines(source, processors=None, size=None, bad_lines="refuse", **options):
    """Make a log ready, each set of partitions on nodes of its own as a machine.

    Parameters
    ----------
    source : str or Path
        A name of the registry (a stand-in where the log is not to be had), an SWF file, sacct's output, or an
        accounting log of TORQUE or PBS.
    processors : int, optional
        Size of the machine.
    size : {"requested", "allocated"}, optional
        Which processors are a job's size; by default the allocated ones of a batch system's log, else the request.
    bad_lines : {"refuse", "skip"}
        What becomes of lines of an SWF file that cannot be jobs.
    **options
        For batch systems' logs, see `replication.cluster.accounting.slurm.convert` and
        `replication.cluster.accounting.torque.convert`.

    Returns
    -------
    list of Case

    Raises
    ------
    ClusterError, replication.simulator.traces.TraceError, replication.simulator.swf.SWFError, replication.cluster.accounting.slurm.SlurmError
        Where the log cannot be used.
    """
    options = {name: value for name, value in options.items() if value}
    if str(source) in traces.names():
        try:
            trace = traces.read(source, bad_lines)
        except archive.Unreachable:
            jobs = traces.load(source, stand_in=True, machine=processors)
            unknown = np.full(len(jobs), np.nan)
            return [Case(jobs, unknown, "generated stand-in", assumed=(GENERATED,))]
        machine = processors or traces.rules(source).machine
        return [_case(trace, machine, size or "requested", "job log", name=str(source))]
    system = batch_system(source)
    wrong = {"slurm": [], "torque": sorted({"cluster", "partitions"} & options.keys())}
    if refused := wrong.get(system, [*options]):
        whose = "sacct's output" if system else "a batch system's log"
        raise ClusterError(f"{source}: {', '.join(refused)} can be given for {whose} only")
    if system is None:
        trace = traces.read(source, bad_lines)
        return [_case(trace, processors, size or "requested", "job log in SWF")]
    if system == "torque":
        done = torque.convert([source], processors=processors, **options)
        return [_converted(source, done, processors, size)]
    done = slurm.convert(source, processors=processors, **options)
    if len(done.machines) < 2:
        return [_converted(source, done, processors, size)]
    if processors:
        raise ClusterError(
            f"{source}: processors of which machine? Partitions that share no node: "
            f"{'; '.join(map(', '.join, done.machines))}; choose some"
        )
    each = {names: options | {"partitions": names} for names in done.machines}
    return [
        _converted(source, slurm.convert(source, **own), None, size, names)
        for names, own in each.items()
    ]


def batch_system(path):
    """Which batch system wrote a file, by its first line: ``slurm``, ``torque``, or None for SWF and all else."""
    path = Path(path)
    if not path.is_file():
        return None
    first = next((line.strip() for _, line in files.lines(path, ClusterError)), "")
    if {"jobid", "jobidraw"} & set(first.casefold().replace("|", " ").split()):
        return "slurm"
    return "torque" if _ACCOUNTING.match(first) else None


def _converted(source, done, processors, size, partitions=()):
    name = re.sub(r"[^\w.-]+", "-", "-".join([Path(source).name.partition(".")[0], *partitions]))
    only = f"Only {', '.join(partitions)}: no other partition has nodes of it."
    given = "A job's size is what it was given, not what it asked for."
    return _case(
        replace(done.trace, path=str(source)),
        done.trace.max_procs,
        size or "allocated",
        done.form,
        (*[only] * bool(partitions), *done.assumed, *[given] * (not size)),
        done.left_out + done.changed,
        name,
        inferred=processors is None,
    )


def _case(trace, machine, size, form, assumed=(), counted=(), name=None, inferred=False):
    """The case of a trace: machine and estimates filled in, rules applied."""
    assumed = [*assumed]
    if machine is None:
        machine, inferred = _machine(trace, assumed)
    trace, known = _with_estimates(trace, assumed)
    workload = cleaning.workload(trace, machine, size, drop=DROP, name=name)
    order = np.argsort(trace.job_id, kind="stable")
    at = order[np.searchsorted(trace.job_id[order], workload.job_id)]
    wait = trace.wait[at].astype(np.float64)
    kind = "partition" if len(np.unique(trace.partition[at])) > 1 else "queue"
    partition = getattr(trace, kind)[at]
    named = filter(None, map(_NAMED.match, trace.header.get(kind.title(), ())))
    counted = [*counted, *((_SETTLED.get(rule, rule), count) for rule, count in workload.cleaning)]
    return Case(
        workload,
        np.where(wait < 0, np.nan, wait),
        form,
        float(known[at].mean()),
        tuple(assumed),
        tuple((what, count) for what, count in counted if count),
        trace.unix_start_time,
        partition if len(np.unique(partition)) > 1 else None,
        {int(one[1]): one[2] for one in named},
        sizes(trace) if inferred else None,
    )


def _with_estimates(trace, assumed):
    """The trace with an estimate for every job, and which had one; adds to what was assumed."""
    known = trace.requested_time > 0
    if known.all():
        return trace, known
    limits = trace.requested_time[trace.requested_time <= ENDLESS]
    filler = int(max(limits.max(initial=1), trace.run_time.max()))
    some = (
        f"Jobs without an estimate, those left out among them: {int((~known).sum()):,}."
        if known.any()
        else "No job has an estimate."
    )
    assumed.append(
        f"{some} The longest limit or run time of the log, {filler / 3600:,.1f} h, stands for one."
    )
    return replace(trace, requested_time=np.where(known, trace.requested_time, filler)), known


def _machine(trace, assumed):
    """The machine's size, and whether it had to be worked out; adds to what was assumed."""
    if trace.max_procs:
        return trace.max_procs, False
    if nodes := trace.number("MaxNodes"):
        assumed.append(
            f"The header names {nodes} nodes and no processors: sizes are taken as nodes."
        )
        return nodes, False
    machine = conversion.peak(*trace.runs())
    if not machine:
        raise ClusterError(
            f"{trace.path}: no MaxProcs in the header and no waits to work it out from; give --processors"
        )
    assumed.append(
        f"The machine has {machine:,} processors: the most that the log's jobs held at once."
    )
    return machine, True


def sizes(trace):
    """The least and the largest machine that a log allows which does not name it, see ``docs/cluster.md``."""
    start, run_time, size = trace.runs()
    instant, used = usage(start, start + run_time, size)
    length, used = np.diff(instant), used[:-1]
    order = np.argsort(-used, kind="stable")
    reached = np.searchsorted(np.cumsum(length[order]), 0.01 * length.sum())
    peaks = (
        pd.Series(used).groupby((instant[:-1] - instant[0]) // WEEK).max().sort_values().to_numpy()
    )
    most = int(peaks[-1])
    step = most - int(peaks[-2]) if len(peaks) > 1 else most
    return max(int(used[order[reached]]), int(size.max())), min(most + 19 * step, 2 * most)
