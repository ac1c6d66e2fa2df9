"""Predictors by the paper's names, interpretations, and the measures of every table of
the paper.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

import replication as rp
from notebooks import variants
from replication.simulator.schedules import measures
from replication.simulator.sweeps import engines

PAPER, REFERENCE = "top_percent", "Reqtime"
POLICIES = {
    "Reqtime": rp.Estimate(),
    "Clairvoyant": rp.Clairvoyant(),
    "Complete": rp.Complete(),
    "CVH": rp.CVH(),
    "Tsafrir": rp.Tsafrir(),
    "Top02": rp.TopPercent(2),
    "Top03": rp.TopPercent(3),
    "Top04": rp.TopPercent(4),
}
#: What the paper calls a scheduler.
SCHEDULERS = {"EASY": rp.EASY(), "Conservative": rp.Conservative(), "LAF": rp.LargestAreaFirst()}
TITLES = {"avebsld": "AVEbsld", "af": "AF", "ap0waf": "AP0WAF", "ap1waf": "AP1WAF", "r2": "R2"}
UNITS = dict.fromkeys(TITLES, "x Reqtime") | {"r2": "1"}
#: The paper's words, and what its simulator is known to do.
VARIANTS = {variant.name: variant for variant in variants.entered(PAPER, "variants")}


def class_of(workload) -> tuple[np.ndarray, np.ndarray]:
    """Return the predictor's class of each job, int[n], by program, user, estimate and size, and
    the size of each class.
    """
    columns = workload.executable, workload.user, workload.estimate, workload.processors
    counted = np.unique(np.column_stack(columns), axis=0, return_inverse=True, return_counts=True)
    return counted[1:]


def measure(schedule) -> dict[str, float]:
    """Return the paper's five measures of a schedule, by the names in `UNITS`.

    All but R2 are in their own units and not over Reqtime's. R2 is of the predictions made at
    submission.
    """
    w, wait = schedule.workload, schedule.wait
    return {
        "avebsld": float(measures.bounded_slowdown(wait, w.run_time).mean()),
        "af": measures.average_flow(wait, w.run_time),
        "ap0waf": measures.weighted_flow(wait, w.run_time, w.processors, 0),
        "ap1waf": measures.weighted_flow(wait, w.run_time, w.processors, 1),
        "r2": measures.determination(w.run_time, schedule.first_prediction),
    }


def run(workload, policy, variant=VARIANTS["words"], scheduler=rp.EASY()) -> rp.Schedule:  # noqa: B008, it is frozen
    """Return the schedule of one row of the table (a policy of `POLICIES`) under an
    interpretation.
    """
    return rp.simulate(workload, variant.of(replace(scheduler, predictor=POLICIES[policy])))


def schedules(workloads, variant=VARIANTS["words"], workers=1) -> dict[str, dict[str, rp.Schedule]]:
    """Return EASY's schedule with each predictor of `POLICIES`, by log and policy."""
    schedulers = {
        policy: variant.of(rp.EASY(predictor=predictor)) for policy, predictor in POLICIES.items()
    }
    return {log: by_scheduler(jobs, schedulers, workers) for log, jobs in workloads.items()}


def by_scheduler(workload, schedulers, workers=1) -> dict[str, rp.Schedule]:
    """Return the schedule of each of several schedulers, by their names."""
    done = engines.each(
        lambda scheduler: rp.simulate(workload, scheduler), schedulers.values(), workers
    )
    return dict(zip(schedulers, done, strict=True))


def scale_run_times(
    workloads, variant=VARIANTS["words"], factors=(0.5, 1.5)
) -> dict[str, dict[str, rp.Schedule]]:
    """Return for each log the schedules with all predictions too short (``short``) and all too long
    (`REFERENCE`).
    """
    return {
        log: {
            name: rp.simulate(workload, variant.of(rp.EASY(predictor=rp.Virtual(0, factor - 1))))
            for name, factor in zip(("short", REFERENCE), factors, strict=True)
        }
        for log, workload in workloads.items()
    }


def shortest_first(schedules, variant=VARIANTS["words"]) -> dict[str, dict[str, rp.Schedule]]:
    """Return for each log the two schedules with perfect predictions: shortest candidate first, and
    candidates in queue order (`REFERENCE`).
    """
    scheduler = rp.EASY(candidates="shortest")
    return {
        log: {
            "short": run(several["Clairvoyant"].workload, "Clairvoyant", variant, scheduler),
            REFERENCE: several["Clairvoyant"],
        }
        for log, several in schedules.items()
    }


def predictors_by_name(texts) -> dict[str, rp.Predictor]:
    """Return predictors from texts such as ``top-percent=3``, by the paper's names or their text;
    Reqtime is always included.
    """
    names = {predictor: name for name, predictor in POLICIES.items()}
    asked = {
        predictor: names.get(predictor, text)
        for text in texts
        for predictor in [rp.Predictor.check(text)]
    }
    return {
        name: predictor for predictor, name in ({POLICIES[REFERENCE]: REFERENCE} | asked).items()
    }


def over_estimates(rows) -> pd.DataFrame:
    """Return each measure but R2 over the measure with Reqtime, with a row for each number.

    Takes a row for each schedule: the names of its block (log, scheduler, ...), policy, and the
    results of `measure`.
    """
    table = pd.DataFrame(rows)
    block = [name for name in table if name not in UNITS and name != "policy"]
    base = table[[*block]].merge(table[table["policy"] == REFERENCE], on=block, how="left")
    ratios = [measure for measure in UNITS if measure != "r2"]
    table[ratios] /= base[ratios]
    long = table.set_index([*block, "policy"])[[*UNITS]].rename_axis("measure", axis=1).stack()
    return long.rename("value").reset_index().assign(unit=lambda rows: rows["measure"].map(UNITS))


def under_schedulers(
    workloads, schedulers, predictors, variant=VARIANTS["words"]
) -> Iterator[tuple]:
    """Yield rows for `simulate_rows`: each log under each scheduler with each predictor, by their
    names.
    """
    for log, workload in workloads.items():
        for about, scheduler in schedulers.items():
            for policy, predictor in predictors.items():
                names = {"trace": log, "scheduler": about, "policy": policy}
                yield names, workload, variant.of(replace(scheduler, predictor=predictor))


def simulate_rows(tasks, workers=1) -> pd.DataFrame:
    """Simulate rows of the table, each given by its names (policy among them), jobs and scheduler;
    return `over_estimates`.
    """
    return over_estimates(
        engines.each(lambda task: task[0] | measure(rp.simulate(*task[1:])), tasks, workers)
    )


def jobs(workloads, variant, quick=False) -> dict[str, rp.Workload]:
    """Return the workload of each log under an interpretation; unchanged unless that drops more
    jobs.

    At quick scale they are the first jobs of their logs.
    """
    by_log = {}
    for log, workload in workloads.items():
        first = len(workload) if quick else None
        try:
            by_log[log] = variants.jobs(PAPER, workloads, log, variant, first)
        except variants.NotApplicable:
            by_log[log] = workload
    return by_log
