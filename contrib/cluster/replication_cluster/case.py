"""A cluster's own log prepared for a replay, with a sentence for each assumption.

Inputs are SWF files, output of ``sacct --parsable2``, and accounting logs of TORQUE and PBS.
"""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

import replication as rp
from replication_cluster import conversion, recognition, slurm, swf, torque
from replication_cluster.files import LogError

UNLIMITED = 366 * 86400  # s; a longer request stands for no limit
WEEK = 7 * 86400
RUN_TIMES = (60, 600, 3600, 8 * 3600)  # s
RUN_TIME_NAMES = ("up to 1 min", "1 to 10 min", "10 min to 1 h", "1 to 8 h", "above 8 h")
#: Largest size of each class but the last.
SIZES = (1, 8, 64, 512)
SIZE_NAMES = ("1", "2 to 8", "9 to 64", "65 to 512", "513 or more")
LARGEST = ("with the most work", "with the second most", "with the third most", "all others")
_NAMED = re.compile(r"\s*(\d{1,9})\s+(\S+)")


@dataclass(frozen=True)
class Case:
    """A log prepared for a replay.

    Parameters
    ----------
    workload : replication.Workload
    logged_wait : float64[n], s
        Wait of each job in the log; nan where unknown.
    form : str
        Kind of the log.
    estimated : float
        Share of the jobs with an estimate of their own.
    assumed : tuple of str
        What the log does not state, a sentence each.
    counted : tuple of (str, int)
        What was left out or changed, with the number of jobs or records.
    began : int, s, optional
        Unix time of submission 0.
    partition : int64[n], optional
        Partition, or queue, of each job; None for a log with fewer than two.
    names : dict of int to str
        Names of the partitions.
    inferred : bool
        The size of the machine was inferred from the processors in use.
    """

    workload: rp.Workload
    logged_wait: np.ndarray
    form: str
    estimated: float = 1.0
    assumed: tuple = ()
    counted: tuple = ()
    began: int | None = None
    partition: np.ndarray | None = None
    names: dict | None = None
    inferred: bool = False

    @cached_property
    def groups(self):
        """Groups of the jobs, a Categorical each: week, size, run time, user, and partition where
        there are several.
        """
        w = self.workload
        week = (w.submit - w.submit[0]) // WEEK
        weeks = np.arange(week[-1] + 1)
        if self.began is not None:
            first = self.began + int(w.submit[0])
            weeks = pd.to_datetime(first + weeks * WEEK, unit="s").normalize()
        work = pd.Series(w.run_time * w.processors.astype(np.float64)).groupby(w.user).sum()
        largest = {user: k for k, user in enumerate(work.sort_values(kind="stable").index[:-4:-1])}
        codes = {
            "week": (week, weeks),
            "size": (np.searchsorted(SIZES, w.processors), SIZE_NAMES),
            "run time": (np.searchsorted(RUN_TIMES, w.run_time), RUN_TIME_NAMES),
            "user": (pd.Series(w.user).map(largest).fillna(3).astype(int), LARGEST),
        }
        if self.partition is not None:
            numbers, place = np.unique(self.partition, return_inverse=True)
            known, names = self.names or {}, []
            for one in numbers:
                name = known.get(one, "unknown" if one < 0 else str(one))
                names.append(f"{name} ({one})" if name in names else name)
            codes["partition"] = place, names
        return {by: pd.Categorical.from_codes(*both, ordered=True) for by, both in codes.items()}


def load(source, processors=None, size=None, **options):
    """Prepare a log; its partitions are taken for one machine.

    Parameters
    ----------
    source : str or Path
        An SWF file, sacct's output, or an accounting log of TORQUE or PBS.
    processors : int, optional
        Size of the machine.
    size : {"requested", "allocated", "nodes"}, optional
        The field that is a job's size; by default the allocated one for a batch system's log, else
        the request. Nodes are the allocated ones.
    **options
        For batch systems' logs, see `replication_cluster.slurm.convert` and
        `replication_cluster.torque.convert`.

    Returns
    -------
    Case

    Raises
    ------
    LogError
        If the log cannot be used.
    """
    options = {name: value for name, value in options.items() if value not in (None, [], "refuse")}
    system = batch_system(source)
    if size == "nodes":
        size, options["size"] = "allocated", "nodes"
    of_slurm = {"cluster", "partitions", "columns"}
    invalid = {"slurm": [], "torque": sorted(of_slurm & options.keys())}
    if refused := invalid.get(system, [*options]):
        whose = "sacct's output" if system else "a batch system's log"
        raise LogError(f"{source}: {', '.join(refused)} can be given for {whose} only")
    if system is None:
        log = swf.read(source)
        return _case(log, processors, size or "requested", "job log in SWF")
    if system == "torque":
        result = torque.convert([source], processors=processors, **options)
    else:
        result = slurm.convert(source, processors=processors, **options)
    given = "A job's size is what it was given, not what it asked for."
    return _case(
        replace(result.log, path=str(source)),
        result.log.processors,
        size or "allocated",
        result.form,
        (*result.assumed, *result.sizes, *[given] * (not size)),
        result.left_out + result.remarks,
        inferred=processors is None,
    )


def batch_system(path):
    """Return the batch system that wrote a file, by its first bytes: slurm, torque, or None for SWF
    and others.
    """
    if not Path(path).is_file():
        return None
    kind = recognition.recognize(path)
    name = kind and kind.name
    return "slurm" if name in slurm.READS else "torque" if name == "pbs" else None


def _case(log, machine, size, form, assumed=(), counted=(), inferred=False):
    """Return the case of a log: missing machine and estimates filled in, unusable jobs left out."""
    assumed, counted = [*assumed], [*counted]
    if machine is None:
        machine, inferred = _machine(log, assumed)
    jobs = log.jobs.assign(
        estimate=_estimates(log, assumed), estimated=log.jobs["requested_time"] > 0
    )
    jobs = _usable(jobs, machine, size, counted)
    if jobs.empty:
        raise LogError(f"{log.path}: no job can be simulated on {machine:,} processors")
    jobs = jobs.sort_values(["submit", "job_id"], kind="stable")
    columns = ("submit", "run_time", "processors", "estimate", "job_id", "user", "group", "queue")
    workload = rp.Workload.from_columns(
        Path(log.path).name.partition(".")[0],
        machine,
        **{column: jobs[column].to_numpy(np.int64) for column in columns},
    )
    kind = "partition" if jobs["partition"].nunique() > 1 else "queue"
    named = filter(None, map(_NAMED.match, log.header.get(kind.title(), ())))
    return Case(
        workload,
        jobs["wait"].where(jobs["wait"] >= 0).to_numpy(np.float64),
        form,
        float(jobs["estimated"].mean()),
        tuple(assumed),
        tuple((what, count) for what, count in counted if count),
        log.number("UnixStartTime"),
        jobs[kind].to_numpy(np.int64) if jobs[kind].nunique() > 1 else None,
        {int(one[1]): one[2] for one in named},
        inferred,
    )


def _usable(jobs, machine, size, counted):
    """Return the jobs that can be simulated, with sizes; add the others, and changes, to the
    counts.
    """
    second = "requested" if size == "allocated" else "allocated"
    first, other = jobs[f"{size}_processors"], jobs[f"{second}_processors"]
    substituted = (first < 1) & (other >= 1)
    jobs = jobs.assign(processors=first.where(~substituted, other), substituted=substituted)
    for words, bad in (
        ("the run time is unknown", lambda j: j["run_time"] < 0),
        ("the run time is 0", lambda j: j["run_time"] == 0),
        ("the size is unknown or 0", lambda j: j["processors"] < 1),
        ("more processors than the machine has", lambda j: j["processors"] > machine),
    ):
        counted.append((f"left out: {words}", int(bad(jobs).sum())))
        jobs = jobs[~bad(jobs)]
    raised = jobs["run_time"] > jobs["estimate"]
    odd = conversion.implausible(jobs["submit"].to_numpy(), jobs["run_time"].to_numpy())
    counted += [
        ("ran longer than the log or than a year", int(odd.sum())),
        ("name a preceding job, which is ignored", int((jobs["preceding_job"] > 0).sum())),
        (f"size taken from the {second} processors", int(jobs["substituted"].sum())),
        ("ran past their estimate, which was raised to the run time", int(raised.sum())),
    ]
    return jobs.assign(estimate=jobs[["estimate", "run_time"]].max(axis=1))


def _estimates(log, assumed):
    """Return an estimate for every job; add to what was assumed."""
    requested = log.jobs["requested_time"]
    known = requested > 0
    if known.all():
        return requested
    longest = requested[requested <= UNLIMITED].max()
    substitute = int(max(longest, log.jobs["run_time"].max(), 1))
    count = (
        f"Jobs without an estimate, including those left out: {int((~known).sum()):,}."
        if known.any()
        else "No job has an estimate."
    )
    hours = f"{substitute / 3600:,.1f} h"
    assumed.append(f"{count} The longest limit or run time of the log, {hours}, replaces it.")
    return requested.where(known, substitute)


def _machine(log, assumed):
    """Return the size of the machine, and whether it was inferred; add to what was assumed."""
    if log.processors:
        return log.processors, False
    if nodes := log.number("MaxNodes"):
        assumed.append(
            f"The header states {nodes} nodes and no processors: sizes are taken as nodes."
        )
        return nodes, False
    machine = conversion.peak(*log.runs())
    if not machine:
        raise LogError(
            f"{log.path}: no MaxProcs in the header and no waits to infer it from; give "
            f"--processors"
        )
    assumed.append(f"The machine has {machine:,} processors, the most in use at once.")
    return machine, True
