"""The simulations behind a search over readings: each once, in any order, kept in files."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass

from replication.basics import code
from replication.logs.workload import COLUMNS
from replication.sweep import kept

AT_ONCE = 8  # simulations in a task: few enough to spread, many enough for a file


@dataclass(frozen=True)
class Part:
    """Numbers that come from the same simulations.

    Parameters
    ----------
    name : str
    simulated : tuple of str
        Dimensions that take a simulation of their own; the others are ways of counting.
    measure : Callable
        ``measure(workload, chosen)`` with the choice of each simulated dimension yields (policy, measure,
        counted, value): counted has the choice of each further dimension that the number depends on. A
        function of a module, so that it can be sent to other machines.
    """

    name: str
    simulated: tuple
    measure: Callable


@dataclass(frozen=True, eq=False)
class Task:
    """Some simulations of one log."""

    part: Part
    log: str
    workload: object
    several: tuple

    @property
    def jobs(self):
        """Jobs to simulate."""
        return len(self.workload) * len(self.several)

    @property
    def key(self):
        """Hash of all that the rows depend on, in hexadecimal."""
        facts = [
            code.digest(__name__, self.part.measure.__module__),
            kept.fingerprint(self.workload, COLUMNS),
            self.log,
            self.part.name,
            self.several,
        ]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def compute(task):
    """Simulate a task and count.

    Returns
    -------
    dict of str to list
        Columns trace, policy, measure, value, chosen: the choices that the value depends on, as JSON.
    """
    columns = {name: [] for name in ("policy", "measure", "chosen", "value")}
    for chosen in task.several:
        for policy, measure, counted, value in task.part.measure(task.workload, chosen):
            whole = json.dumps(chosen | counted, sort_keys=True)
            for name, one in zip(columns, (policy, measure, whole, float(value)), strict=True):
                columns[name].append(one)
    return {"trace": [task.log] * len(columns["value"])} | columns


def search(grid, parts, cleaning, workload, logs, workers=1, executor=None, folder=kept.RESULTS):
    """Run all simulations of a grid, or read what was found before.

    Parameters
    ----------
    grid : replication.evidence.readings.Grid
    parts : sequence of Part
    cleaning : sequence of str
        Dimensions that the jobs depend on; every part simulates them.
    workload : Callable
        ``workload(log, chosen)``: the jobs of a log under choices in these; asked once for each.
    logs : sequence of str
    workers, executor, folder
        As in `replication.sweep.kept.run`.

    Returns
    -------
    pandas.DataFrame
        Columns of `compute`; a row for each number under each choice that it depends on.
    """
    tasks, jobs = [], {}
    for part in parts:
        by_jobs = {}
        for k in grid.projections(part.simulated):
            chosen = grid.chosen(k, part.simulated)
            for log in logs:
                key = (log, *(chosen[name] for name in cleaning))
                if key not in jobs:
                    jobs[key] = workload(log, {name: chosen[name] for name in cleaning})
                by_jobs.setdefault(key, []).append(chosen)
        tasks += [
            Task(part, key[0], jobs[key], tuple(several[k : k + AT_ONCE]))
            for key, several in by_jobs.items()
            for k in range(0, len(several), AT_ONCE)
        ]
    return kept.run(tasks, compute, workers, executor, folder)
