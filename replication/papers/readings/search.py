"""The simulations behind a search over readings: each once, in any order, kept in files."""

import functools
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from replication.papers import variants
from replication.papers.readings import Found, Grid, kept_to_defaults
from replication.simulator import code, engines
from replication.simulator.grid import fingerprint_of

AT_ONCE = 8  # simulations in a task: few enough to spread, many enough for a file


@dataclass(frozen=True)
class Part:
    """Numbers that come from the same simulations."""

    name: str
    simulated: tuple  # dimensions that take a simulation of their own; others are ways of counting
    #: ``measure(workload, variant)``, with the alternatives of the simulated dimensions together, yields
    #: (policy, measure, counted, value): counted has the choice of each further dimension that the number depends
    #: on. A function of a module, so that it can be sent to other machines.
    measure: Callable
    #: These dimensions, on whose alternatives the rows depend too.
    counting: dict = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Task:
    """Some simulations of one log: the choices of each by dimension, and the variant that they make together."""

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
        """Hash of everything that the rows depend on, in hexadecimal; None where the code is unknown."""
        try:
            by = code.of(*self.things)
        except code.Unknown:
            return None
        facts = [by, fingerprint_of(self.workload), self.log, self.part.name]
        tried = repr(self.several), repr(self.part.counting)
        return hashlib.sha256(json.dumps([*facts, *tried]).encode()).hexdigest()

    @property
    def things(self):
        """The functions whose code the rows depend on."""
        return compute, self.part.measure


def compute(task):
    """Simulate a task and count: lists by column trace, policy, measure, chosen and value.

    What is chosen are the choices that the value depends on, as JSON.
    """
    rows = [
        (task.log, policy, measure, json.dumps(chosen | counted, sort_keys=True), float(value))
        for chosen, variant in task.several
        for policy, measure, counted, value in task.part.measure(task.workload, variant)
    ]
    names = "trace", "policy", "measure", "chosen", "value"
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def search(grid, parts, jobs, logs, workers=1, engine=None, folder=engines.RESULTS):
    """Run all simulations of a grid, or read what was found before: a pandas DataFrame with the
    columns of `compute`, a row for each number under each choice that it depends on.

    ``jobs(log, variant)`` are the jobs of a log under a variant, asked once for each cleaning;
    workers, engine and folder are as in `replication.simulator.engines.results`.
    """
    tasks, loaded = [], {}
    for part in parts:
        several = {}
        for k in grid.projections(part.simulated):
            alternatives = grid.variants(k, part.simulated)
            chosen = {name: one.name for name, one in alternatives.items()}
            for log in logs:
                variant = variants.together(alternatives.values(), log)
                key = log, variant.log, repr(sorted(variant.cleaning.items()))
                if key not in loaded:
                    loaded[key] = jobs(log, variant)
                several.setdefault(key, []).append((chosen, variant))
        tasks += [
            Task(part, key[0], loaded[key], tuple(some[k : k + AT_ONCE]))
            for key, some in several.items()
            for k in range(0, len(some), AT_ONCE)
        ]
    return engines.run(tasks, compute, workers, engine, folder)


def of_paper(paper, printed, workloads, dimensions, cleaning, parts, first=None, **how):
    """What the search over a paper's readings finds of the published numbers `printed`: a
    `replication.papers.readings.Found`. `search` takes the further keywords.

    `workloads` are the paper's logs by name; `cleaning` are those of its `dimensions` that need the
    log's own lines, which a stand-in has not. Where only the `first` jobs of each log are taken,
    and on stand-ins, only the default and single changes of it are tried.
    """
    stand_in = any(one.stand_in for one in workloads.values())
    clean = kept_to_defaults("a stand-in has no lines to read otherwise", cleaning)
    grid = Grid(dimensions, clean if stand_in else (), ({},) if stand_in or first else None)
    jobs = functools.partial(variants.jobs, paper, workloads, first=first)
    return Found(grid, search(grid, parts, jobs, workloads, **how), printed)
