"""Conservative backfilling and largest area first, both on predicted run times."""

import numpy as np

from replication.schedulers import Scheduler, predictors
from replication.schedulers.predicted import OPTIONS, check_room

CONSERVATIVE = {name: OPTIONS[name] for name in ("predictor", "refresh", "correction", "order")}
LARGEST = {name: OPTIONS[name] for name in ("predictor", "refresh", "order")}


def _columns(workload):
    """Empty columns of a schedule: start, backfilled, first and last prediction."""
    start, first, prediction = (np.full(len(workload), -1, np.int64) for _ in range(3))
    return start, np.zeros(len(workload), bool), first, prediction


def _decided(start, backfilled, first, prediction):
    return {
        "start": start,
        "backfilled": backfilled,
        "prediction": prediction,
        "first_prediction": first,
    }


def conservative(workload, estimate, seed, *, predictor, refresh, correction, order):
    """Conservative backfilling with compression (Mu'alem and Feitelson 2001)."""
    from replication.core import conservative as kernel

    check_room(workload, estimate)
    columns = _columns(workload)
    kernel.conservative(
        predictors.make(workload, estimate, predictor, seed),
        workload.machine,
        refresh == "pass",
        OPTIONS["correction"].allowed.index(correction),
        order == "submissions-first",
        *columns,
    )
    return _decided(*columns)


def largest_area_first(workload, estimate, seed, *, predictor, refresh, order):
    """Largest area first (Top Percent, section IV); no reservation."""
    from replication.core import laf as kernel

    check_room(workload, estimate)
    columns = _columns(workload)
    kernel.largest_area_first(
        predictors.make(workload, estimate, predictor, seed),
        workload.machine,
        refresh == "pass",
        order == "submissions-first",
        *columns,
    )
    return _decided(*columns)


SCHEDULERS = {
    "conservative": Scheduler(
        "conservative backfilling with compression, on predictions", conservative, CONSERVATIVE
    ),
    "laf": Scheduler("largest predicted area first, no reservation", largest_area_first, LARGEST),
}
