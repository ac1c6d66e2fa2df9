"""Compile the kernels before their first use: in this process, or all of them on all processors."""

import os
import shutil
import threading
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context, parent_process

import joblib
from tqdm import tqdm

from replication.simulator import predictors
from replication.simulator.compile_clock import fitted
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
    WildEASY,
)
from replication.simulator.schedules import measures
from replication.simulator.simulation import simulate
from replication.simulator.workload import Workload

#: Those of the explorer's first picture come first.
TEXTBOOK = (
    *(EASY(), PVEasy(), FCFS(), EASY(candidates="sjf"), Conservative()),
    *(LargestAreaFirst(), OrderedEASY()),
)
PREDICTORS = (
    *(predictors.Last(), predictors.Request(), predictors.Clairvoyant(), predictors.Virtual(0.2)),
    *(predictors.Tsafrir(), predictors.Complete(), predictors.TopPercent(3), predictors.CVH()),
)
LINE = "Compiling the kernels: {n_fmt} of {total_fmt}, {elapsed}{postfix}"


def warm(schedulers: Iterable[Scheduler] = TEXTBOOK) -> None:
    """Compile the kernels of some schedulers: threads and processes find them in the cache."""
    for scheduler in schedulers:
        simulate(_tiny(), scheduler, Modal(3600))


def warm_all() -> None:
    """Compile all kernels on all processors, and count them on standard error."""
    schedulers = [*TEXTBOOK, *(EASY(predictor=one) for one in PREDICTORS)]
    schedulers += [WildEASY(wild="forbidden"), EASY(reservations=2)]
    # A process started by fork would share threads and locks.
    pool = ProcessPoolExecutor(joblib.cpu_count(), get_context("spawn"), _end_with_parent)
    with pool:
        waiting = {pool.submit(_compile, one): one for one in schedulers}
        with tqdm(total=len(waiting), bar_format=LINE, disable=None) as bar:
            while waiting:
                for future in wait(waiting, 1, FIRST_COMPLETED).done:
                    future.result()
                    del waiting[future]
                    bar.update()
                names = [repr(one) for future, one in waiting.items() if future.running()]
                room = shutil.get_terminal_size().columns - len(
                    "Compiling the kernels: 00 of 00, 00:00, "
                )
                bar.set_postfix_str(fitted("; ".join(names[: joblib.cpu_count()]), room))


def _end_with_parent():
    """End this process when the one that started it ends, however that happens."""
    ended = threading.Thread(target=lambda: (parent_process().join(), os._exit(1)), daemon=True)
    ended.start()


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
