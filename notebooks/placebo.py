"""Placebos for comparisons of groups of jobs: the same scheduler on the same jobs, submitted up to
a minute later.

Jobs that a schedule selects by an outcome, such as those that it blocks, do better in nearly every
other schedule. A placebo shows by how much, in a comparison without an effect. The rule is in
docs/decisions/causes.md.
"""

import numpy as np

from replication.simulator.schedules.schedule import Schedule
from replication.simulator.simulation import simulate
from replication.simulator.workload import Workload, generator

MINUTE = 60
DRAWS = 10


def shifted(workload, draw) -> Workload:
    """Return the workload with submissions shifted at random by up to a minute, its jobs in their
    order.

    The shifted submissions are sorted, so that a job keeps its index; also then none moves by more
    than a minute.
    """
    later = generator(workload.draw_key, len(workload), "shifted submissions", draw)
    submit = workload.submit + later.integers(0, MINUTE + 1, len(workload))
    return workload.replace(submit=np.sort(submit))


def again(schedule, draws=DRAWS) -> list[Schedule]:
    """Return schedules of the same jobs by the same scheduler, estimates and seed, with shifted
    submissions.
    """
    jobs = (shifted(schedule.workload, draw) for draw in range(1, draws + 1))
    return [
        simulate(workload, schedule.scheduler, schedule.estimate, schedule.seed)
        for workload in jobs
    ]
