"""Schedules of this package in the form of a file of any program."""

from replication_exchange.formats import Plan


def as_plan(schedule):
    """Return a schedule in the form of `replication_exchange.formats.read`."""
    w = schedule.workload
    times = {"submit": w.submit, "start": schedule.start, "end": schedule.end}
    times = {name: values.astype(float) for name, values in times.items()}
    estimate, ids = schedule.estimate.astype(float), w.job_id.astype(str)
    return Plan(w.name, ids, **times, estimate=estimate, processors=w.processors, machine=w.machine)
