"""The runs behind Figs. 3 to 16, as one sweep.

The loads are each log's own; high, that of SDSC; and low, that of CTC, by multiplying arrival times
(section 3). E_max of the truncated model is the longest estimate that a site ever allowed (table
under Fig. 13).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

import replication as rp
from replication.simulator.estimates import cut_runs
from replication.simulator.sweeps import grid as sweep
from replication.simulator.text import steps
from replication.verdicts import published

PAPER = "heel_and_toe"
HOUR = 3600
HIGH, LOW = "SDSC-SP2", "CTC-SP2"
LOADS = {"log": "as logged", "high": "high load", "low": "low load"}
VERY_SMALL = (0.1, 0.2, 0.3, 0.4, 0.5)
RANGES = {10: 0.1, 100: 1, 1000: 10, 10000: 100}  # largest f, step (section 3, footnotes 4 and 6)


@dataclass(frozen=True)
class Scale:
    """The part of the paper's campaign that is run.

    Attributes: runs with random estimates at each f; the strides through the paper's grids of f up
    to 10 and beyond; runs beyond; and runs with the modal model at each share.
    """

    seeds: int
    stride: int
    wide_stride: int
    wide_seeds: int
    modal_seeds: int


# The paper has 100 runs for each f beyond 10 too, which takes two processors hours; 20 decide what
# the claims ask of them.
PAPER_SCALE, QUICK_SCALE = Scale(100, 1, 1, 20, 20), Scale(5, 10, 25, 5, 3)


def utilization(log) -> float:
    """Return the load of a log as Table 1 prints it, per cent."""
    return published.value(PAPER, "table1", trace=log, policy="log", measure="utilization").value


def at_load(workload, load) -> rp.Workload:
    """Return a log at one of `LOADS`, by multiplying its submission times.

    The factor is the ratio of the utilizations in Table 1, as in the paper's example (76/80), so
    the log that sets a load is unchanged. A log that the paper does not have counts with its own
    load.
    """
    if load == "log":
        return workload
    if load not in LOADS:
        raise ValueError(f"load {load!r}, allowed: {', '.join(LOADS)}")
    in_table = workload.name in {row.trace for row in published.rows(PAPER, "table1")}
    load_of_log = utilization(workload.name) if in_table else 100 * workload.load
    return workload.scaled(load_of_log / utilization({"high": HIGH, "low": LOW}[load]))


def loads_of(log) -> list[str]:
    """Return the loads at which a log is run; its own load is listed once."""
    return [load for load, owner in (("log", None), ("high", HIGH), ("low", LOW)) if owner != log]


def limits(log) -> dict[str, float]:
    """Return the limits that the table under Fig. 13 gives for a log, h, by the names of their
    rows.
    """
    rows = published.rows(PAPER, "e_max")
    return {row.measure: row.value for row in rows if row.trace == log and row.unit == "h"}


def e_max(log, pick=max) -> int:
    """Return the longest estimate that a site allowed, s, or the one that `pick` selects; 0 if the
    paper has none.
    """
    return int(pick(limits(log).values(), default=0)) * HOUR


def cut_at(log, workload, pick=max) -> int:
    """Return the E_max that a log is run with, s: as `e_max`; of a log that the paper does not use,
    its longest estimate.
    """
    return e_max(log, pick) or int(workload.estimate.max())


def badness(largest, stride=1) -> list[float]:
    """Return the paper's values of f from 0 to `largest`."""
    return steps(0, largest, RANGES[largest])[::stride]


def models(fs, e_max=None) -> list[rp.EstimateModel]:
    """Return the users' estimates, and for each f the random model and the deterministic one of the
    same mean.

    With an E_max (s) no estimate is longer, and runs are cut there (section 7).
    """
    pairs = ((rp.FModel(f, e_max), rp.Deterministic(f / 2, e_max)) for f in fs)
    return [rp.Users(e_max=e_max), *(model for pair in pairs for model in pair)]


def at_one_load(workloads, load) -> Iterator[tuple[str, rp.Workload]]:
    """Yield the logs at a load, as (log, workload), except the log that sets the load."""
    for log, workload in workloads.items():
        if load in loads_of(log):
            yield log, at_load(workload, load)


def tasks(workloads, scale, load="log", largest=10, cut=False) -> Iterator[sweep.Task]:
    """Yield the runs of the f-model: Figs. 3, 4, 7 and 9 to 11 (``log``), 5 (``high``), 6
    (``low``), footnote 6 (`largest`).

    With estimates and runs `cut` at E_max they are those of Fig. 16 and footnote 8 (`largest`).
    """
    near = largest == 10
    fs = badness(largest, scale.stride if near else scale.wide_stride)
    runs = range(1, 1 + (scale.seeds if near else scale.wide_seeds))
    for log, workload in at_one_load(workloads, load):
        limit = cut_at(log, workload) if cut else None
        jobs = cut_runs(workload, limit) if cut else workload
        for model in models(fs, limit):
            seeds = sweep.seeds_of(sweep.TEXTBOOK, model, runs)
            yield sweep.Task(jobs, model, seeds=seeds, load=load, watched=near and not cut)


def barely(workloads, scale) -> Iterator[sweep.Task]:
    """Yield tasks of very small f on runs cut at E_max, once with the estimates cut as well and
    once with the estimates as they are.
    """
    seeds = tuple(range(1, scale.seeds + 1))
    for log, workload in workloads.items():
        limit = cut_at(log, workload)
        cut = cut_runs(workload, limit)
        for f in VERY_SMALL:
            yield sweep.Task(cut, rp.FModel(f, limit), seeds=seeds)
            yield sweep.Task(cut, rp.FModel(f), seeds=seeds)


def results(tasks, workers=1) -> pd.DataFrame:
    """Return the results of tasks with the names of the figures, see `on_axis`."""
    return on_axis(sweep.run(tasks, workers))


def all_loads(workloads, scale=PAPER_SCALE, workers=1) -> pd.DataFrame:
    """Return every run of the f-model with f up to 10 at the logs' own, high and low load.

    A log that sets a load has no runs there.
    """
    several = [tasks(workloads, scale, load) for load in LOADS]
    return pd.concat(
        [results(tasks_at_load, workers) for tasks_at_load in several if tasks_at_load],
        ignore_index=True,
    )


def sweep_at_loads(workloads, schedulers, models, seeds, loads=("log",), workers=1) -> pd.DataFrame:
    """Return one table of observed sweeps at several of `LOADS`, with the name of the load in the
    column ``load``.
    """
    tables = []
    for load in loads:
        logs = [workload for _, workload in at_one_load(workloads, load)]
        table = sweep.sweep(logs, schedulers, models, seeds, watched=True, workers=workers)
        tables.append(table.assign(load=load))
    return pd.concat(tables, ignore_index=True)


def with_other_loads(runs, workloads, scale=PAPER_SCALE, workers=1) -> pd.DataFrame:
    """Return runs at one load of `LOADS`, followed by the runs of the same logs at the
    other loads.
    """
    rest = all_loads(workloads, scale, workers)
    present = {*zip(runs["log"], runs["load"], strict=True)}
    new = [pair not in present for pair in zip(rest["log"], rest["load"], strict=True)]
    return pd.concat([runs, rest[new]], ignore_index=True)


def wide(workloads, scale=PAPER_SCALE, cut=False, workers=1) -> pd.DataFrame:
    """Return every run with f up to 10,000 at the logs' own loads, of the f-model or of the
    truncated one (`cut`).
    """
    ranges = (tasks(workloads, scale, largest=largest, cut=cut) for largest in RANGES)
    return join([results(tasks_of_range, workers) for tasks_of_range in ranges])


def on_axis(table, load=None) -> pd.DataFrame:
    """Return the rows of a sweep with the names and axis of the figures; `model` is random,
    deterministic or log.

    `f` is the random model's, twice the deterministic model's (section 2: both then have the same
    mean), nan for the log's own estimates. `load` is the name of the load where `at_load` made the
    workloads.
    """
    f = table["f"] * table["model"].map({"f-model": 1.0, "deterministic": 2.0, "users": np.nan})
    named = table.assign(f=f.round(6), model=table["model"].replace({"f-model": "random"}))
    if load is None:
        return named.assign(load=named["load"].astype(object).fillna("log"))
    return named.assign(load=[load if load in loads_of(log) else "log" for log in named["log"]])


def scale(quick) -> Scale:
    """Return the scale of quick or of complete runs."""
    return QUICK_SCALE if quick else PAPER_SCALE


def join(parts) -> pd.DataFrame:
    """Return the results of several ranges of f in one table; where two ranges share an f, the
    first range gives its results.
    """
    several = pd.concat(dict(enumerate(parts)), names=["part"]).reset_index("part")
    first = several.groupby(["log", "model", "f"], dropna=False)["part"].transform("min")
    return several[several["part"] == first].drop(columns="part").reset_index(drop=True)
