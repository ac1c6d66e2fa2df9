"""Cleaning rules: from a log to the jobs of a simulation, with a count for every rule.

Rules that drop jobs apply in the order given; each counts the jobs that it drops. Sizes and
estimates are set afterwards.
"""

import re
import warnings
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from replication.simulator.choices import among
from replication.simulator.drop_rules import DEFAULT_DROP, DROP_RULES, CleaningError, hint, names
from replication.simulator.logs.swf import FIELDS, UNUSED, SWFError, stem
from replication.simulator.workload import (
    FAR,
    FAR_BELOW,
    MACHINE,
    MOST_FAR,
    UnitWarning,
    Workload,
    doubtful_estimates,
)

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
TOO_MANY = 1.01  # processors in use above a given machine from which it is too small
ZERO_SIMULATED = "zero-run-time-simulated"


def workload(
    trace,
    machine=None,
    size=None,
    overrun=None,
    rules=DEFAULT_DROP,
    name=None,
    draw_key="",
    more=(),
    smaller_machine=False,
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
    rules : sequence of str
        Names in `replication.simulator.drop_rules.DROP_RULES`: the jobs to leave out.
    name : str, optional
        By default the file's name.
    draw_key : str, optional
        See `Workload`.
    more : str or sequence of str
        Further fields of the log for the workload's `more`, with the values of the file.
    smaller_machine : bool
        Accept a machine with fewer processors than the log's jobs had in use at once.

    Returns
    -------
    Workload
        In order of submission, then of job number. Its `cleaning` counts the jobs of every rule in
        `rules` and of size-from-allocated or size-from-requested, estimate-from-run-time, and one
        of estimate-raised, run-cut, overrun-kept; if there are any, also of
        zero-run-time-simulated, submit-out-of-order, preceding-job-ignored (a job is not held until
        the job that it names has ended), seconds-rounded and unreadable-requested-memory (values),
        estimate-far-below-run-time, and of the skipped lines by kind, such as
        bad-line-unknown-submission.

    Warns
    -----
    UnitWarning
        If allocated work exceeds requested work by more than 5 % and the header does not say which
        the machine counts; if more than half of the estimates were raised by more than 10 %; if a
        log that is not registered has several partitions, which are simulated as one machine.

    Raises
    ------
    CleaningError
        For an unknown rule, size, overrun, machine or field, and for a given machine with fewer
        processors than were in use and than the header names.
    SWFError
        If no machine is known, no job remains, or remaining jobs have no run time, no size, or one
        above the machine.
    """
    rules = names(rules)
    size_of = among(SIZES, "size", size or _stated_size(trace), CleaningError)
    overrun_of = among(OVERRUNS, "overrun", overrun or "raise-estimate", CleaningError)
    given, machine = machine is not None, _machine(trace, machine)
    processors, replaced = _sizes(trace, size_of)
    dropped = _dropped(trace, processors, machine, rules)
    order = _remaining(trace, processors, machine, dropped)
    if given and not smaller_machine:
        _refuse_a_smaller_machine(trace, processors, order, machine)
    if size is None and size_of == "requested" and "Sizes" not in trace.header:
        _warn_of_unlike_sizes(trace, order)
    if not draw_key:
        _warn_of_partitions(trace, order, machine)
    run_time, estimate = trace.run_time[order], trace.requested_time[order]
    unknown = estimate < 1
    far = ~unknown & (run_time > FAR * estimate) & (overrun is None)
    if far.mean() > MOST_FAR:
        _warn(f"{doubtful_estimates(trace.path, run_time, estimate, far)}, and are raised to it")
    estimate = np.where(unknown, run_time, estimate)
    changed = {
        f"size-from-{_other(size_of)}": replaced[order],
        "estimate-from-run-time": unknown,
        OVERRUNS[overrun_of]: run_time > estimate,
    }
    run_time, estimate = _treat_overruns(overrun_of, run_time, estimate)
    columns = ("job_id", "submit", "user", "group", "executable", "queue")
    chosen = {"machine": machine, "size": size_of, "overrun": overrun_of, "drop": [*rules]}
    return Workload(
        name=name or stem(trace.path),
        machine=machine,
        draw_key=draw_key,
        without_estimate=float((unknown | far).mean()),
        run_time=run_time,
        estimate=estimate,
        processors=processors[order],
        **{column: getattr(trace, column)[order] for column in columns},
        more={name: getattr(trace, name)[order] for name in further_fields(more)},
        provenance=_provenance(trace, chosen),
        cleaning=_counts(trace, dropped | changed, run_time, far),
    )


def further_fields(names) -> list[str]:
    """Return one name of a log's field, or several, as a list; raise CleaningError for others."""
    names = [names] if isinstance(names, str) else names
    return [among((*FIELDS, "line"), "no field", name, CleaningError) for name in names]


def _stated_size(trace):
    """Return the size that the header names, such as ``Sizes: allocated processors``."""
    stated = trace.header.get("Sizes", [""])[0].partition(" ")[0].lower()
    return stated if stated in SIZES else "requested"


def _other(size):
    return SIZES[1 - SIZES.index(size)]


def _sizes(trace, size):
    """Return the size of each job, and whether it is from the other field."""
    processors, fallback = (getattr(trace, f"{of}_processors") for of in (size, _other(size)))
    replaced = (processors < 1) & (fallback >= 1)
    return np.where(replaced, fallback, processors), replaced


def _dropped(trace, processors, machine, rules):
    """Return the jobs that each rule leaves out, bool[n]; the first rule counts a job."""
    keep, dropped = np.ones(len(trace), bool), {}
    for rule in rules:
        dropped[rule] = DROP_RULES[rule](trace, processors, machine) & keep
        keep &= ~dropped[rule]
    return dropped


def _remaining(trace, processors, machine, dropped):
    """Return the jobs that remain, in order of submission; SWFError if there are none, or one
    cannot run.
    """
    keep = ~np.logical_or.reduce([*dropped.values(), np.zeros(len(trace), bool)])
    _refuse_unusable(trace, keep, processors, machine, [*dropped])
    order = np.flatnonzero(keep)
    if len(order) == 0:
        counts = {rule: int(hit.sum()) for rule, hit in dropped.items() if hit.any()}
        by_rule = ", ".join(f"{rule} {count}" for rule, count in counts.items())
        kept = [rule for rule in dropped if rule in NEEDED or rule not in counts]
        way = f"; {hint(kept)} simulates jobs" if counts.keys() - NEEDED.keys() else ""
        raise SWFError(
            f"{trace.path}: no jobs left to simulate; jobs dropped by rule: {by_rule}{way}"
        )
    return order[np.lexsort((trace.job_id[order], trace.submit[order]))]


def _treat_overruns(overrun, run_time, estimate):
    if overrun == "raise-estimate":
        return run_time, np.maximum(estimate, run_time)
    return (np.minimum(estimate, run_time) if overrun == "cut-run" else run_time), estimate


def _provenance(trace, chosen):
    source = {"file": Path(trace.path).name, "sha256": trace.sha256}
    facts = {"anomalies": trace.anomalies, "bad_lines": trace.bad_lines}
    return source | chosen | facts | ({"times": trace.times} if trace.times else {})


def _counts(trace, jobs, run_time, far):
    """Return the counts of the rules, with those of anomalies and bad lines."""
    events = {ZERO_SIMULATED: int((run_time == 0).sum())}
    events |= {
        ANOMALIES[name]: count for name, count in trace.anomalies.items() if name in ANOMALIES
    }
    events |= {FAR_BELOW: int(far.sum())}
    events |= {f"bad-line-{kind}": count for kind, count in trace.bad_lines.items()}
    counts = {rule: int(np.count_nonzero(hit)) for rule, hit in jobs.items()}
    return (*counts.items(), *((name, count) for name, count in events.items() if count))


def most_in_use(start, run_time, processors) -> tuple[int, int]:
    """Return the most processors in use at once, and the first instant of it, s."""
    instants = np.concatenate([start, start + run_time])
    instant, place = np.unique(instants, return_inverse=True)
    change = np.bincount(place, np.concatenate([processors, -processors]), len(instant))
    in_use = np.cumsum(change)
    most = int(np.argmax(in_use))
    return int(in_use[most]), int(instant[most])


def _refuse_a_smaller_machine(trace, processors, jobs, machine):
    """Raise CleaningError if the log's own starts had more processors in use than a given machine
    has, and the header names more.
    """
    jobs = jobs[(trace.wait[jobs] >= 0) & (trace.run_time[jobs] > 0)]
    if len(jobs) == 0:
        return
    start = trace.submit[jobs] + trace.wait[jobs]
    most, instant = most_in_use(start, trace.run_time[jobs], processors[jobs])
    if most > TOO_MANY * machine and machine < (trace.max_procs or most):
        raise CleaningError(
            f"{trace.path}: machine {machine:,}, but by the starts in the log at {instant:,} s"
            f"{_date(trace, instant)} {most:,} processors were in use; expected machine={most} "
            f"(--processors {most}), or smaller_machine=True (--smaller-machine) for the "
            "smaller one"
        )


def _date(trace, instant):
    begin = trace.header.get("UnixStartTime", [""])[0].split(" ")[0]
    if not begin.isdecimal() or not 0 < int(begin) < 10**11:
        return ""
    return f" ({datetime.fromtimestamp(int(begin) + instant, UTC):%Y-%m-%d %H:%M:%S} UTC)"


def _warn(text):
    warnings.warn(text, UnitWarning, stacklevel=5)  # the caller of load


def _warn_of_partitions(trace, order, machine):
    """Warn if the header or the jobs name several partitions, within which alone a job can run."""
    header = re.match(r"\d{1,9}", trace.header.get("MaxPartitions", [""])[0], re.ASCII)
    named = np.unique(trace.partition[order])
    partitions = max(int(header[0]) if header else 0, int(np.count_nonzero(named >= 0)))
    if partitions > 1:
        _warn(
            f"{trace.path}: {partitions:,} partitions (MaxPartitions, field 16) are simulated as "
            f"one machine of {machine:,} processors, on which any job can use any processor"
        )


def _warn_of_unlike_sizes(trace, order):
    """Warn if the jobs held more processors than they asked for."""
    requested, allocated = trace.requested_processors[order], trace.allocated_processors[order]
    comparable = (requested > 0) & (allocated > 0)
    run_time = trace.run_time[order][comparable].astype(np.float64)
    asked, held = run_time @ requested[comparable], run_time @ allocated[comparable]
    if held > MORE_WORK * asked:
        _warn(
            f"{trace.path}: jobs were given {held / asked - 1:.0%} more processor time than they "
            "requested, and requested sizes are simulated; if the machine counts allocated "
            "processors, give the file a header line '; Sizes: allocated' (in Python "
            "size='allocated')"
        )


def _machine(trace, machine):
    what, error = f"machine {machine!r:.40}", CleaningError
    if machine is None:
        header = trace.header.get("MaxProcs", [""])[0]
        if not header:
            raise SWFError(_no_machine(trace))
        machine = trace.max_procs or header
        what, error = f"{trace.path}: header field MaxProcs: {header!r:.40}", SWFError
    try:
        return MACHINE(machine)
    except ValueError as allowed:
        way = "" if error is CleaningError else "; machine=N (--processors N) replaces it"
        raise error(f"{what}; allowed: {allowed}{way}") from None


def _no_machine(trace):
    """Return the message on a log without a machine, with the numbers that may be its size."""
    nodes = re.match(r"\d{1,9}", trace.header.get("MaxNodes", [""])[0])
    number, says = (nodes[0], f" (MaxNodes: {nodes[0]})") if nodes else ("N", "")
    largest = max(trace.requested_processors.max(), trace.allocated_processors.max())
    return (
        f"{trace.path}: the header names no MaxProcs{says}; give the machine's processors: "
        f"machine={number} (--processors {number}; in a notebook a log's 'machine': {number}); "
        f"the largest job has {largest:,}"
    )


#: Rules that leave out jobs that cannot be simulated, and what the others have.
NEEDED = {
    "no-run-time": "a known run time",
    "no-processors": "1 or more processors",
    "larger-than-machine": "at most the machine's {machine}",
}


def _refuse_unusable(trace, keep, processors, machine, rules):
    """Raise SWFError for the first remaining job that cannot run, with the rules that leave it
    out.
    """
    for rule, needed in NEEDED.items():
        bad = np.flatnonzero(DROP_RULES[rule](trace, processors, machine) & keep)
        if len(bad) == 0:
            continue
        k = bad[0]
        name, value = "run_time", trace.run_time[k]
        if rule != "no-run-time":
            value = processors[k]
            requested = trace.requested_processors[k] == value
            name = "requested_processors" if requested else "allocated_processors"
        numbers = ", ".join(map(str, trace.job_id[bad[:5]])) + (", ..." if len(bad) > 5 else "")
        jobs = f"1 such job, number {numbers}"
        if len(bad) > 1:
            jobs = f"{len(bad):,} such jobs, numbers {numbers}"
        raise SWFError(
            f"{trace.path}, line {trace.line[k]}, field {FIELDS.index(name) + 1} ({name}): "
            f"{value}; allowed: {needed.format(machine=machine)} ({jobs}); "
            f"{hint([*rules, rule])} leaves out such jobs"
        )
