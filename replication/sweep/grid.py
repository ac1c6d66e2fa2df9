"""Many simulations of EASY: a grid of (log, load, estimate model, amount, seed) to one tidy table.

A task is one point of the grid with all its seeds. What it finds depends on the task alone, so tasks may run
in any order, on any number of workers, in threads or on other machines. Each task's rows are kept, found
again by a hash of everything they depend on; a run that was stopped goes on where it was.
"""

import hashlib
import json
from dataclasses import dataclass

import numpy as np

from replication.basics import code
from replication.core import cells
from replication.estimates import Deterministic, FModel, Modal, Users
from replication.logs.workload import Workload
from replication.schedule.measures import WARM_UP
from replication.sweep import kept

RESULTS = kept.RESULTS
UNLIMITED = np.iinfo(np.int64).max
KEY = ("log", "load", "model", "amount", "e_max", "seed")


class SweepError(ValueError):
    """A task that cannot be run; the message lists what is allowed."""


@dataclass(frozen=True, eq=False)
class Task:
    """One point of the grid.

    Parameters
    ----------
    workload : replication.logs.workload.Workload
        As simulated: scaled to its load, and its run times cut where there is an `e_max`.
    load : str
        What the load is called in the table.
    model : str
        One of `MODELS`.
    amount : float
        Badness f; the factor of model log; the share of jobs at `e_max` of model modal, nan for its default.
    seeds : tuple of int
        One row each. Models that draw nothing need only one.
    e_max : int, s, optional
        No estimate is longer.
    watched : bool
        Whether to measure what `replication.schedule.observed` does; nan otherwise.

    Raises
    ------
    SweepError
        For an unknown model, no seeds, or run times above `e_max`.
    """

    workload: Workload
    load: str
    model: str
    amount: float
    seeds: tuple = (1,)
    e_max: int | None = None
    watched: bool = False

    def __post_init__(self):
        where = f"{self.workload.name}, {self.load} load"
        if self.model not in MODELS:
            raise SweepError(f"{where}: model {self.model!r}, allowed: {', '.join(MODELS)}")
        if not self.seeds:
            raise SweepError(f"{where}: no seeds, allowed: one or more")
        if self.e_max is not None and (self.workload.run_time > self.e_max).any():
            raise SweepError(
                f"{where}: run times reach {self.workload.run_time.max()} s, allowed: up to E_max "
                f"{self.e_max} s (see estimates.cut_runs)"
            )
        object.__setattr__(self, "seeds", tuple(int(seed) for seed in self.seeds))

    @property
    def jobs(self):
        """Jobs to simulate, over all seeds."""
        return len(self.workload) * len(self.seeds)

    @property
    def key(self):
        """Hash of all that the rows depend on, in hexadecimal."""
        amount = None if np.isnan(self.amount) else float(self.amount)
        facts = [
            code.digest(__name__),
            fingerprint(self.workload),
            self.load,
            self.model,
            amount,
            self.seeds,
            self.e_max,
            self.watched,
        ]
        return hashlib.sha256(json.dumps(facts, allow_nan=False).encode()).hexdigest()


def _random(task, seed, room):
    estimate, draws = room
    FModel(task.amount).draws(task.workload, seed, out=draws)
    cells.stretch(
        task.workload.run_time, float(task.amount), draws, task.e_max or UNLIMITED, estimate
    )
    return estimate


def _deterministic(task, seed, room):
    return Deterministic(task.amount, task.e_max).make(task.workload)[1]


def _log(task, seed, room):
    return Users(task.amount, task.e_max).make(task.workload)[1]


def _modal(task, seed, room):
    share = None if np.isnan(task.amount) else task.amount
    return Modal(task.e_max, share).make(task.workload, seed)[1]


#: How each model makes its estimates.
MODELS = {"random": _random, "deterministic": _deterministic, "log": _log, "modal": _modal}


def fingerprint(workload):
    """Hash of a workload's name, machine and columns, in hexadecimal."""
    return kept.fingerprint(workload, ("submit", "run_time", "estimate", "processors"))


def compute(task):
    """Simulate a task.

    Parameters
    ----------
    task : Task

    Returns
    -------
    dict of str to list
        Columns `KEY`, stand_in, and `replication.core.cells.ROW`; a row for each seed.
    """
    w = task.workload
    rows = np.full((len(task.seeds), len(cells.ROW)), np.nan)
    room = np.empty(len(w), np.int64), np.empty(len(w))
    run = cells.watched_cell if task.watched else cells.cell
    for row, seed in zip(rows, task.seeds, strict=True):
        estimate = MODELS[task.model](task, seed, room)
        run(w.submit, w.run_time, estimate, w.processors, w.machine, int(len(w) * WARM_UP), row)
    same = {
        "log": w.name,
        "load": task.load,
        "model": task.model,
        "amount": float(task.amount),
        "e_max": task.e_max or 0,
        "stand_in": w.stand_in,
    }
    columns = {name: [value] * len(rows) for name, value in same.items()}
    return columns | {"seed": list(task.seeds)} | dict(zip(cells.ROW, rows.T.tolist(), strict=True))


def run(tasks, workers=1, executor=None, folder=RESULTS, progress=None):
    """Run tasks, or read what was found before.

    Parameters
    ----------
    tasks : iterable of Task
    workers : int
        Threads; the compiled loops let go of the interpreter's lock.
    executor : concurrent.futures.Executor, optional
        Where to run instead. Tasks and rows are plain data, so it may be on other machines.
    folder : pathlib.Path
        Where results are kept.
    progress : bool, optional
        Show a bar with the time left on standard error; by default if that is a terminal.

    Returns
    -------
    pandas.DataFrame
        As `compute` gives it, in the order of the tasks and their seeds.
    """
    return kept.run(tasks, compute, workers, executor, folder, progress)
