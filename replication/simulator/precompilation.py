"""Compile the kernels before their first use: in this process, or all of them on all processors."""

from collections.abc import Iterable

import joblib
from tqdm import tqdm

from replication.simulator import predictors
from replication.simulator.estimates import Modal
from replication.simulator.observation import observe
from replication.simulator.schedulers import (
    EASY,
    FCFS,
    Conservative,
    LargestAreaFirst,
    OrderedEASY,
    PVEasy,
    Scheduler,
)
from replication.simulator.schedules import measures
from replication.simulator.simulation import simulate
from replication.simulator.workload import Workload

#: Those of the explorer's first picture come first.
TEXTBOOK = (
    *(EASY(), PVEasy(), FCFS(), EASY(candidates="shortest"), Conservative()),
    *(LargestAreaFirst(), OrderedEASY()),
)
PREDICTORS = (
    *(predictors.Last(), predictors.Estimate(), predictors.Clairvoyant(), predictors.Virtual(0.2)),
    *(predictors.Tsafrir(), predictors.Complete(), predictors.TopPercent(3), predictors.CVH()),
)


def warm(schedulers: Iterable[Scheduler] = TEXTBOOK) -> None:
    """Compile the kernels of some schedulers: threads and processes find them in the cache."""
    for scheduler in schedulers:
        simulate(_tiny(), scheduler, Modal(3600))


def warm_all() -> None:
    """Compile all kernels on all processors."""
    schedulers = [*TEXTBOOK, *(EASY(predictor=predictor) for predictor in PREDICTORS)]
    schedulers += [EASY(reservations=2)]
    pool = joblib.Parallel(-1, backend="loky", return_as="generator_unordered")
    compiled = pool(joblib.delayed(_compile)(scheduler) for scheduler in schedulers)
    name, total = "compiling the kernels, once", len(schedulers)
    for _ in tqdm(compiled, name, total, bar_format="{desc}: {n} of {total}", disable=None):
        pass


def _tiny():
    return Workload.from_columns("tiny", 4, [0, 1, 2], [9, 5, 3], [3, 4, 1])


def _compile(scheduler):
    """Compile the kernels of a scheduler, and with EASY those of the measures."""
    schedule = simulate(_tiny(), scheduler, Modal(3600))
    if scheduler == EASY():
        schedule.measured()
        measures.mwbs(schedule.wait, schedule.workload.run_time, schedule.workload.processors)
    if isinstance(scheduler, EASY) and scheduler.reservations == 1:
        observe(schedule.workload, scheduler=scheduler)
