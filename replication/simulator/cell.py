"""EASY with estimates of any model, measured, without leaving compiled code: the engine of the largest sweeps.

Nothing else is imported here, so that kept results outlive changes to what they do not depend on.
"""

import numpy as np

from replication.simulator.estimates.models import FModel
from replication.simulator.kernels import cells

UNLIMITED = np.iinfo(np.int64).max


def rows(workload, model, seeds, left_out, watched, check):
    """Measures of EASY, a row for each seed.

    Parameters
    ----------
    workload : replication.simulator.workload.Workload
    model : replication.simulator.estimates.EstimateModel
    seeds : sequence of int
    left_out : int
        How many of the first jobs to end are not measured.
    watched : bool
        Whether to measure wild backfills and SJFness as well; nan otherwise.
    check : Callable
        ``check(workload, estimate)`` refuses times and sizes that cannot be counted.

    Returns
    -------
    float64[len(seeds), len(replication.simulator.kernels.cells.ROW)]
    """
    found = np.full((len(seeds), len(cells.ROW)), np.nan)
    run = cells.watched_cell if watched else cells.cell
    for row, (jobs, estimate) in zip(found, _estimates(workload, model, seeds, check), strict=True):
        run(jobs.submit, jobs.run_time, estimate, jobs.processors, jobs.machine, left_out, row)
    return found


def _estimates(workload, model, seeds, check):
    """Jobs and estimates for each seed; those of the f-model are made in compiled code, in one place."""
    if type(model) is not FModel or not _never_too_long(workload, model, check):
        for seed in seeds:
            jobs, estimate = model.make(workload, seed)
            yield jobs, check(jobs, estimate)
        return
    jobs, _ = model.make(workload, seeds[0])
    estimate, draws = np.empty(len(jobs), np.int64), np.empty(len(jobs))
    for seed in seeds:
        model.draws(jobs, seed, out=draws)
        cells.stretch(jobs.run_time, model.f, draws, model.e_max or UNLIMITED, estimate)
        yield jobs, estimate


def _never_too_long(workload, model, check):
    """Whether the longest estimates that the f-model can draw pass the check: then all do."""
    longest = workload.run_time * (1 + model.f)
    try:
        check(workload, longest if model.e_max is None else np.minimum(longest, model.e_max))
    except ValueError:
        return False
    return True
