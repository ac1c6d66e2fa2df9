"""From a log as it stands to the jobs that are simulated: every rule has a name and a count.

Rules of leaving out are applied in the order given, and each counts the jobs that were still there. Then
sizes and estimates are settled for the jobs that stay.
"""

from pathlib import Path

import numpy as np

from replication.simulator.choices import Number, among
from replication.simulator.swf import FIELDS, SWFError
from replication.simulator.workload import Workload

#: Fields of a log that jobs are made from.
USED = (
    *("job_id", "submit", "run_time", "allocated_processors", "requested_processors", "status"),
    *("requested_time", "user", "group", "executable", "queue"),
)
CANCELLED = 5
MOST_PROCESSORS = 10**12

#: Jobs that can be left out, by the name of the rule: in words, and as a mask of (trace, sizes, machine).
DROP_RULES = {
    "no-run-time": ("the run time is unknown", lambda t, size, machine: t.run_time < 0),
    "zero-run-time": ("the run time is 0", lambda t, size, machine: t.run_time == 0),
    "no-processors": (
        "no processors, requested or allocated, are known",
        lambda t, size, machine: size < 1,
    ),
    "not-allocated": (
        "no processors were allocated",
        lambda t, size, machine: t.allocated_processors < 1,
    ),
    "cancelled-before-start": (
        "cancelled (status 5) without run time or without allocated processors",
        lambda t, size, machine: (
            (t.status == CANCELLED) & ((t.run_time < 1) | (t.allocated_processors < 1))
        ),
    ),
    "no-estimate": (
        "the user's estimate is unknown",
        lambda t, size, machine: t.requested_time < 1,
    ),
    "larger-than-machine": (
        "more processors than the machine has",
        lambda t, size, machine: size > machine,
    ),
}
DEFAULT_DROP = ("no-run-time", "zero-run-time", "no-processors")
SIZES = ("requested", "allocated")
#: What becomes of a job that ran past its estimate, and what such jobs are counted as.
OVERRUNS = {"raise-estimate": "estimate-raised", "cut-run": "run-cut", "as-is": "overrun-kept"}


class CleaningError(ValueError):
    """A rule that does not exist; the message lists those that do."""


def workload(
    trace,
    machine=None,
    size="requested",
    overrun="raise-estimate",
    drop=DEFAULT_DROP,
    name=None,
    draw_key="",
):
    """The jobs of a log, ready to be simulated.

    Parameters
    ----------
    trace : replication.simulator.swf.Trace
    machine : int, processors, optional
        By default the header's ``MaxProcs``.
    size : {"requested", "allocated"}
        The field that is a job's size; the other one where it is not known.
    overrun : {"raise-estimate", "cut-run", "as-is"}
        For a job that ran past its estimate: the estimate becomes the run time, or the run time the
        estimate, or nothing. A job without an estimate gets its run time.
    drop : sequence of str
        Names in `DROP_RULES`: jobs left out.
    name : str, optional
        By default the file's name.
    draw_key : str, optional
        See `Workload`.

    Returns
    -------
    Workload
        Ordered by submission, then job number. Its `cleaning` counts the jobs of every rule in `drop` and
        of size-from-allocated or size-from-requested, estimate-from-run-time, and one of estimate-raised,
        run-cut, overrun-kept; and where there are any submit-out-of-order, and bad-line with the kind of the
        lines that could not be jobs and were skipped.

    Raises
    ------
    CleaningError
        For a rule, size or overrun that does not exist.
    SWFError
        If no machine is known, or jobs that stay have no run time, no size, or one above the machine.
    """
    machine, counts = _machine(trace, machine), []
    drop = [rule.strip() for rule in (drop.split(",") if isinstance(drop, str) else drop)]
    drop = [among(DROP_RULES, "drop rule", rule, CleaningError) for rule in drop if rule]
    second = SIZES[among(SIZES, "size", size, CleaningError) == SIZES[0]]
    processors, instead = (getattr(trace, f"{which}_processors") for which in (size, second))
    other = (processors < 1) & (instead >= 1)
    processors, keep = np.where(other, instead, processors), np.ones(len(trace), bool)
    for rule in drop:
        hit = DROP_RULES[rule][1](trace, processors, machine) & keep
        keep &= ~hit
        counts.append((rule, hit))
    _refuse_unusable(trace, keep, processors, machine)
    # Where all jobs stay as they are, the workload has the log's own columns: no copies.
    order = slice(None) if keep.all() else np.flatnonzero(keep)
    if np.any(np.diff(trace.job_id[order])[np.diff(trace.submit[order]) == 0] < 0):
        order = np.flatnonzero(keep)
        order = order[np.lexsort((trace.job_id[order], trace.submit[order]))]
    run_time, estimate = trace.run_time[order], trace.requested_time[order]
    unknown = estimate < 1
    estimate = np.where(unknown, run_time, estimate)
    counts += [
        (f"size-from-{second}", other[order]),
        ("estimate-from-run-time", unknown),
        (OVERRUNS[among(OVERRUNS, "overrun", overrun, CleaningError)], run_time > estimate),
    ]
    if overrun == "raise-estimate":
        estimate = np.maximum(estimate, run_time)
    elif overrun == "cut-run":
        run_time = np.minimum(estimate, run_time)
    late, bad = trace.anomalies.get("submit_out_of_order", 0), dict(trace.bad_lines)
    return Workload(
        name=name or Path(trace.path).name.removesuffix(".gz").removesuffix(".swf"),
        machine=machine,
        draw_key=draw_key,
        run_time=run_time,
        estimate=estimate,
        processors=processors[order],
        **{
            column: getattr(trace, column)[order]
            for column in ("job_id", "submit", "user", "group", "executable", "queue")
        },
        provenance={
            "file": Path(trace.path).name,
            "sha256": trace.sha256,
            "machine": machine,
            "size": size,
            "overrun": overrun,
            "drop": drop,
            "anomalies": dict(trace.anomalies),
        }
        | ({"bad_lines": bad} if bad else {}),
        cleaning=(
            *((rule, int(np.count_nonzero(hit))) for rule, hit in counts),
            *([("submit-out-of-order", late)] if late else []),
            *((f"bad-line-{kind}", count) for kind, count in bad.items()),
        ),
    )


def _machine(trace, machine):
    if machine is None:
        machine = trace.max_procs
        if machine is None:
            raise SWFError(
                f"{trace.path}: the header names no MaxProcs; give the machine's processors"
            )
    try:
        return Number(1, MOST_PROCESSORS, whole=True)(machine)
    except ValueError as allowed:
        raise CleaningError(f"machine {machine!r:.40}; allowed: {allowed}") from None


def _refuse_unusable(trace, keep, processors, machine):
    """An error for the first job that is neither left out nor fit to run; it says which rule would do."""
    for rule, needed in {
        "no-run-time": "a known run time",
        "no-processors": "1 or more processors",
        "larger-than-machine": f"at most the machine's {machine}",
    }.items():
        bad = np.flatnonzero(DROP_RULES[rule][1](trace, processors, machine) & keep)
        if len(bad):
            k, name, values = bad[0], "run_time", trace.run_time
            if rule != "no-run-time":
                values, same = processors, trace.requested_processors[k] == processors[k]
                name = "requested_processors" if same else "allocated_processors"
            jobs = ", ".join(map(str, trace.job_id[bad[:5]])) + (", ..." if len(bad) > 5 else "")
            raise SWFError(
                f"{trace.path}, line {trace.line[k]}, field {FIELDS.index(name) + 1} ({name}): "
                f"{values[k]}; allowed: {needed} ({len(bad)} such jobs: {jobs}; "
                f"the rule '{rule}' leaves them out)"
            )
