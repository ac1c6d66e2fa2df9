"""Cleaning rules: from a log to the jobs of a simulation, with a count for every rule.

Rules that drop jobs apply in the order given; each counts the jobs that it drops. Sizes and
estimates are set afterwards.
"""

from pathlib import Path

import numpy as np

from replication.simulator.choices import among
from replication.simulator.errors import InputError
from replication.simulator.logs.swf import FIELDS, SWFError
from replication.simulator.workload import MACHINE, Workload

CANCELLED = 5

#: Rules that drop jobs, by name: the mask of the jobs as a function of (trace, sizes, machine).
DROP_RULES = {
    "no-run-time": lambda t, size, machine: t.run_time < 0,
    "zero-run-time": lambda t, size, machine: t.run_time == 0,
    "no-processors": lambda t, size, machine: size < 1,
    "not-allocated": lambda t, size, machine: t.allocated_processors < 1,
    "cancelled-before-start": lambda t, size, machine: (
        (t.status == CANCELLED) & ((t.run_time < 1) | (t.allocated_processors < 1))
    ),
    "no-estimate": lambda t, size, machine: t.requested_time < 1,
    "larger-than-machine": lambda t, size, machine: size > machine,
}
DEFAULT_DROP = ("no-run-time", "zero-run-time", "no-processors")
SIZES = ("requested", "allocated")
#: Anomalies of a trace, and the names of their counts.
ANOMALIES = {
    "submit_out_of_order": "submit-out-of-order",
    "preceding_job": "preceding-job-ignored",
    "rounded_seconds": "seconds-rounded",
}
#: Treatments of jobs that ran past their estimate, and the names of their counts.
OVERRUNS = {"raise-estimate": "estimate-raised", "cut-run": "run-cut", "as-is": "overrun-kept"}


class CleaningError(InputError):
    """An unknown rule; the message lists those that exist."""


def workload(
    trace,
    machine=None,
    size="requested",
    overrun="raise-estimate",
    drop=DEFAULT_DROP,
    name=None,
    draw_key="",
    more=(),
) -> Workload:
    """Return the jobs of a log as a workload.

    Parameters
    ----------
    trace : replication.simulator.logs.swf.Trace
    machine : int, processors, optional
        By default the header's ``MaxProcs``.
    size : {"requested", "allocated"}
        The field that is a job's size; where it is unknown, the other field.
    overrun : {"raise-estimate", "cut-run", "as-is"}
        Treatment of jobs that ran past their estimate: the estimate becomes the run time, the run
        time becomes the estimate, or neither changes. An unknown estimate becomes the run time.
    drop : sequence of str, or str with commas
        Names in `DROP_RULES`.
    name : str, optional
        By default the file's name.
    draw_key : str, optional
        See `Workload`.
    more : str or sequence of str
        Further fields of the log for the workload's `more`, with the values of the file.

    Returns
    -------
    Workload
        In order of submission, then of job number. Its `cleaning` counts the jobs of every rule in
        `drop` and of size-from-allocated or size-from-requested, estimate-from-run-time, and one of
        estimate-raised, run-cut, overrun-kept; if there are any, also of submit-out-of-order,
        preceding-job-ignored (a job is not held until the job that it names has ended),
        seconds-rounded (values), and of the skipped lines by kind, such as
        bad-line-unknown-submission.

    Raises
    ------
    CleaningError
        For an unknown rule, size, overrun, machine or field.
    SWFError
        If no machine is known, no job remains, or remaining jobs have no run time, no size, or one
        above the machine.
    """
    machine = _machine(trace, machine)
    if not np.iterable(drop):
        raise CleaningError(f"drop {drop!r}; allowed: names of {', '.join(DROP_RULES)}")
    drop = [rule.strip() for rule in (drop.split(",") if isinstance(drop, str) else drop)]
    drop = [among(DROP_RULES, "drop rule", rule, CleaningError) for rule in drop if rule]
    among(SIZES, "size", size, CleaningError)
    among(OVERRUNS, "overrun", overrun, CleaningError)
    other = SIZES[1 - SIZES.index(size)]
    processors, others = (getattr(trace, f"{one}_processors") for one in (size, other))
    replaced = (processors < 1) & (others >= 1)
    processors = np.where(replaced, others, processors)
    keep, counts = np.ones(len(trace), bool), {}
    for rule in drop:
        hit = DROP_RULES[rule](trace, processors, machine) & keep
        keep &= ~hit
        counts[rule] = hit
    _refuse_unusable(trace, keep, processors, machine)
    order = np.flatnonzero(keep)
    if len(order) == 0:
        dropped = ", ".join(f"{rule} {int(hit.sum())}" for rule, hit in counts.items() if hit.any())
        raise SWFError(f"{trace.path}: no jobs left to simulate; jobs dropped by rule: {dropped}")
    order = order[np.lexsort((trace.job_id[order], trace.submit[order]))]
    run_time, estimate = trace.run_time[order], trace.requested_time[order]
    unknown = estimate < 1
    estimate = np.where(unknown, run_time, estimate)
    counts |= {
        f"size-from-{other}": replaced[order],
        "estimate-from-run-time": unknown,
        OVERRUNS[overrun]: run_time > estimate,
    }
    if overrun == "raise-estimate":
        estimate = np.maximum(estimate, run_time)
    elif overrun == "cut-run":
        run_time = np.minimum(estimate, run_time)
    return Workload(
        name=name or Path(trace.path).name.removesuffix(".gz").removesuffix(".swf"),
        machine=machine,
        draw_key=draw_key,
        without_estimate=float(unknown.mean()),
        run_time=run_time,
        estimate=estimate,
        processors=processors[order],
        **{
            column: getattr(trace, column)[order]
            for column in ("job_id", "submit", "user", "group", "executable", "queue")
        },
        more={name: getattr(trace, name)[order] for name in further_fields(more)},
        provenance={
            "file": Path(trace.path).name,
            "sha256": trace.sha256,
            "machine": machine,
            "size": size,
            "overrun": overrun,
            "drop": drop,
            "anomalies": trace.anomalies,
            "bad_lines": trace.bad_lines,
        }
        | ({"times": trace.times} if trace.times else {}),
        cleaning=(
            *((rule, int(np.count_nonzero(hit))) for rule, hit in counts.items()),
            *(
                (ANOMALIES[name], count)
                for name, count in trace.anomalies.items()
                if name in ANOMALIES
            ),
            *((f"bad-line-{kind}", count) for kind, count in trace.bad_lines.items()),
        ),
    )


def further_fields(names) -> list[str]:
    """Return one name of a log's field, or several, as a list; raise CleaningError for others."""
    names = [names] if isinstance(names, str) else names
    return [among((*FIELDS, "line"), "no field", name, CleaningError) for name in names]


def _machine(trace, machine):
    what, error = f"machine {machine!r:.40}", CleaningError
    if machine is None:
        header = trace.header.get("MaxProcs", [""])[0]
        if not header:
            raise SWFError(
                f"{trace.path}: the header names no MaxProcs; give the machine's processors"
            )
        machine = trace.max_procs or header
        what, error = f"{trace.path}: header field MaxProcs: {header!r:.40}", SWFError
    try:
        return MACHINE(machine)
    except ValueError as allowed:
        raise error(f"{what}; allowed: {allowed}") from None


def _refuse_unusable(trace, keep, processors, machine):
    """Raise SWFError for the first remaining job that cannot run; name the rule that drops it."""
    for rule, needed in {
        "no-run-time": "a known run time",
        "no-processors": "1 or more processors",
        "larger-than-machine": f"at most the machine's {machine}",
    }.items():
        bad = np.flatnonzero(DROP_RULES[rule](trace, processors, machine) & keep)
        if len(bad) == 0:
            continue
        k = bad[0]
        name, value = "run_time", trace.run_time[k]
        if rule != "no-run-time":
            value = processors[k]
            requested = trace.requested_processors[k] == value
            name = "requested_processors" if requested else "allocated_processors"
        jobs = ", ".join(map(str, trace.job_id[bad[:5]])) + (", ..." if len(bad) > 5 else "")
        raise SWFError(
            f"{trace.path}, line {trace.line[k]}, field {FIELDS.index(name) + 1} ({name}): "
            f"{value}; allowed: {needed} ({len(bad)} such jobs: {jobs}; the rule '{rule}' leaves "
            "them out)"
        )
