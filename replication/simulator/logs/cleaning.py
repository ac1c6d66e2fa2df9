"""Cleaning rules: from a log to the jobs of a simulation, with a count for every rule.

Rules that drop jobs apply in the order given; each counts the jobs that it drops. Sizes and
estimates are set afterwards.
"""

import warnings
from pathlib import Path

import numpy as np

from replication.simulator.choices import among
from replication.simulator.errors import InputError
from replication.simulator.logs.swf import FIELDS, UNUSED, SWFError
from replication.simulator.workload import FAR_BELOW, MACHINE, Workload

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
    **{f"unreadable_{name}": f"unreadable-{name.replace('_', '-')}" for name in UNUSED},
}
#: Treatments of jobs that ran past their estimate, and the names of their counts.
OVERRUNS = {"raise-estimate": "estimate-raised", "cut-run": "run-cut", "as-is": "overrun-kept"}


#: Allocated above requested work from which the header's machine may not count requested sizes.
MORE_WORK = 1.05
#: A run longer than its estimate by this factor is no overrun that a batch system allows.
FAR = 1.1


class CleaningError(InputError):
    """An unknown rule; the message lists those that exist."""


class UnitWarning(UserWarning):
    """Sizes or estimates of a log may be in another unit than its machine or its run times."""


def workload(
    trace, machine=None, size=None, overrun=None, drop=DEFAULT_DROP, name=None, draw_key="", more=()
) -> Workload:
    """Return the jobs of a log as a workload.

    Parameters
    ----------
    trace : replication.simulator.logs.swf.Trace
    machine : int, processors, optional
        By default the header's ``MaxProcs``.
    size : {"requested", "allocated"}, optional
        The field that is a job's size; where it is unknown, the other field. By default the one
        that the header's ``Sizes`` names, else "requested".
    overrun : {"raise-estimate", "cut-run", "as-is"}, optional
        Treatment of jobs that ran past their estimate: the estimate becomes the run time, the run
        time becomes the estimate, or neither changes. An unknown estimate becomes the run time. By
        default "raise-estimate", and estimates that were raised by more than 10 % count as missing
        ones in the workload's `without_estimate`.
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
        seconds-rounded and unreadable-requested-memory (values), estimate-far-below-run-time, and
        of the skipped lines by kind, such as bad-line-unknown-submission.

    Warns
    -----
    UnitWarning
        If allocated work exceeds requested work by more than 5 % and the header does not say which
        the machine counts, and if more than half of the estimates were raised by more than 10 %.

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
    default_size, raise_by_default = size is None, overrun is None
    size = among(SIZES, "size", size or _stated_size(trace), CleaningError)
    overrun = among(OVERRUNS, "overrun", overrun or "raise-estimate", CleaningError)
    alternative = SIZES[1 - SIZES.index(size)]
    processors, fallback = (getattr(trace, f"{kind}_processors") for kind in (size, alternative))
    replaced = (processors < 1) & (fallback >= 1)
    processors = np.where(replaced, fallback, processors)
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
    if default_size and size == "requested" and "Sizes" not in trace.header:
        _warn_of_unlike_sizes(trace, order)
    run_time, estimate = trace.run_time[order], trace.requested_time[order]
    unknown = estimate < 1
    far = ~unknown & (run_time > FAR * estimate) & raise_by_default
    if far.mean() > 0.5:
        _warn_of_unlike_estimates(trace, run_time[far], estimate[far], len(order))
    estimate = np.where(unknown, run_time, estimate)
    counts |= {
        f"size-from-{alternative}": replaced[order],
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
        without_estimate=float((unknown | far).mean()),
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
            *([(FAR_BELOW, int(far.sum()))] if far.any() else []),
            *((f"bad-line-{kind}", count) for kind, count in trace.bad_lines.items()),
        ),
    )


def further_fields(names) -> list[str]:
    """Return one name of a log's field, or several, as a list; raise CleaningError for others."""
    names = [names] if isinstance(names, str) else names
    return [among((*FIELDS, "line"), "no field", name, CleaningError) for name in names]


def _stated_size(trace):
    """Return the size that the header names, such as ``Sizes: allocated processors``."""
    stated = trace.header.get("Sizes", [""])[0].partition(" ")[0].lower()
    return stated if stated in SIZES else "requested"


def _warn_of_unlike_sizes(trace, order):
    """Warn if the jobs held more processors than they asked for."""
    requested, allocated = trace.requested_processors[order], trace.allocated_processors[order]
    comparable = (requested > 0) & (allocated > 0)
    run_time = trace.run_time[order][comparable].astype(np.float64)
    asked, held = run_time @ requested[comparable], run_time @ allocated[comparable]
    if held > MORE_WORK * asked:
        warnings.warn(
            f"{trace.path}: jobs were given {held / asked - 1:.0%} more processor time than they "
            "requested, and requested sizes are simulated; if the machine counts allocated "
            "processors, give size='allocated', or the file a header line '; Sizes: allocated'",
            UnitWarning,
            stacklevel=4,  # the caller of load
        )


def _warn_of_unlike_estimates(trace, run_time, estimate, jobs):
    """Warn of estimates that are far below most run times, and guess their unit."""
    units = {"minutes": 60, "hours": 3600, "days": 86_400}
    fits = (unit for unit, s in units.items() if np.all(run_time <= FAR * s * estimate))
    guess = next((f"; are they in {unit} in place of seconds?" for unit in fits), "")
    warnings.warn(
        f"{trace.path}: {len(estimate):,} of {jobs:,} estimates are more than 10 % below the run "
        f"time, and are raised to it{guess}",
        UnitWarning,
        stacklevel=4,  # the caller of load
    )


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
