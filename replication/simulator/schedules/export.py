"""Schedules as logs in SWF.

Lines of status 2 to 4 after the line of a preempted job are its partial executions; its own line
has the run time of the run that completed, or of all runs if it is resumed.
"""

import numpy as np

from replication import __version__
from replication.simulator.logs import swf


def as_trace(schedule) -> swf.Trace:
    """Return a schedule as a log in SWF, with estimates as requested times
    and sizes in both fields of processors.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule

    Returns
    -------
    replication.simulator.logs.swf.Trace
    """
    w = schedule.workload
    note = ", ".join(f"{name} {value}" for name, value in schedule.provenance.items())
    labels = {
        "Version": 2.2,
        "Computer": f"simulated from {w.label}",
        "Conversion": f"replication {__version__}",
        "MaxJobs": len(w),
        "MaxRecords": len(w),
        "MaxProcs": w.machine,
        "Note": note,
    }
    start, run_time = schedule.start.copy(), schedule.end - schedule.start
    if schedule.length is not None:  # resumed: all parts together did the work
        job, begin, end = schedule.killed_runs.T
        np.minimum.at(start, job, begin)
        np.add.at(run_time, job, end - begin)
    return swf.Trace.from_columns(
        w.submit,
        comments=[f" {label}: {value}" for label, value in labels.items()],
        path=w.name,
        parts=_parts(schedule),
        job_id=w.job_id,
        wait=start - w.submit,
        run_time=run_time,
        allocated_processors=w.processors,
        requested_processors=w.processors,
        requested_time=schedule.estimate,
        status=np.ones(len(w), np.int64),
        user=w.user,
        group=w.group,
        executable=w.executable,
        queue=w.queue,
    )


def _parts(schedule):
    """Return the runs of preempted jobs as `swf.Trace.parts`:
    all but the last of status 2, the last of status 3.
    """
    w, killed = schedule.workload, schedule.killed_runs
    jobs = np.unique(killed[:, 0])
    last = np.stack([jobs, schedule.start[jobs], schedule.end[jobs]], axis=1)
    runs = np.concatenate([killed, last])
    status = np.repeat([2, 3], [len(killed), len(last)])
    order = np.lexsort((status, runs[:, 2], runs[:, 1], runs[:, 0]))
    job, start, end = runs[order].T
    before = np.where(np.diff(job, prepend=-1) != 0, w.submit[job], np.roll(end, 1))
    columns = w.job_id[job], start - before, end - start, w.processors[job], status[order]
    return np.stack(columns, axis=1)
