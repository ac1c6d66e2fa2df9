"""What every table of the paper is made of: predictors by the paper's names, readings, and the measures."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pandas as pd

from replication.evidence import variants
from replication.evidence.variants import Variant
from replication.predictors import CVH, Clairvoyant, Complete, Request, TopPercent, Tsafrir
from replication.schedule import measures
from replication.schedule.simulation import simulate
from replication.schedulers import EASY

REFERENCE = "Reqtime"
POLICIES = {
    "Reqtime": Request(),
    "Clairvoyant": Clairvoyant(),
    "Complete": Complete(),
    "CVH": CVH(),
    "Tsafrir": Tsafrir(),
    "Top02": TopPercent(2),
    "Top03": TopPercent(3),
    "Top04": TopPercent(4),
}
UNITS = {
    "avebsld": "x Reqtime",
    "af": "x Reqtime",
    "ap0waf": "x Reqtime",
    "ap1waf": "x Reqtime",
    "r2": "1",
}
TITLES = {"avebsld": "AVEbsld", "af": "AF", "ap0waf": "AP0WAF", "ap1waf": "AP1WAF", "r2": "R2"}


READINGS = {
    "words": Variant("words", "the paper's words, and the textbook where they end"),
    "coded": Variant(
        "coded",
        "what the paper's simulator does",
        scheduler={"order": "submissions-first", "passes": "if-fits"},
        predictor={"coded": True},
        cleaning={"drop": ("no-estimate",)},
    ),
}


def measured(schedule):
    """The paper's five measures of a schedule; R2 is of the predictions made at submission.

    Returns
    -------
    dict of str to float
        By the names in `UNITS`; all but R2 in their own units, not over Reqtime's.
    """
    w, wait = schedule.workload, schedule.wait
    return {
        "avebsld": float(measures.bounded_slowdown(wait, w.run_time).mean()),
        "af": measures.average_flow(wait, w.run_time),
        "ap0waf": measures.weighted_flow(wait, w.run_time, w.processors, 0),
        "ap1waf": measures.weighted_flow(wait, w.run_time, w.processors, 1),
        "r2": measures.determination(w.run_time, schedule.first_prediction),
    }


def run(workload, policy, reading=READINGS["words"], scheduler=EASY()):  # noqa: B008, it is frozen
    """The schedule of one row of the table.

    Parameters
    ----------
    workload : replication.logs.workload.Workload
    policy : str
        One of `POLICIES`.
    reading : replication.evidence.variants.Variant
        Options of it that the scheduler does not have are left out.
    scheduler : replication.schedulers.Scheduler
    """
    return simulate(workload, reading.of(replace(scheduler, predictor=POLICIES[policy])))


def normalised(rows):
    """Measures over those of Reqtime, but for R2.

    Parameters
    ----------
    rows : dict of str to dict
        What `measured` gives, by policy.

    Returns
    -------
    dict of str to dict
    """
    base = rows[REFERENCE]
    return {
        policy: {
            measure: value if measure == "r2" else value / base[measure]
            for measure, value in row.items()
        }
        for policy, row in rows.items()
    }


def blocks(tasks, workers=1):
    """Simulate blocks of the table, all their rows in one pool.

    Parameters
    ----------
    tasks : list of (dict, Workload, dict)
        For each block: what names it, the jobs, and keyword arguments for `run`.
    workers : int
        Threads; the kernels let go of Python's lock.

    Returns
    -------
    pandas.DataFrame
        The names, then policy, measure, value and unit.
    """
    rows = []
    with ThreadPoolExecutor(workers) as pool:
        waiting = [
            (
                names,
                {policy: pool.submit(_measured_run, workload, policy, how) for policy in POLICIES},
            )
            for names, workload, how in tasks
        ]
        for names, block in waiting:
            found = normalised({policy: result.result() for policy, result in block.items()})
            rows += [
                names
                | {"policy": policy, "measure": measure, "value": value, "unit": UNITS[measure]}
                for policy, row in found.items()
                for measure, value in row.items()
            ]
    return pd.DataFrame(rows)


def _measured_run(workload, policy, how):
    return measured(run(workload, policy, **how))


def jobs(page, reading):
    """The workload of each log of a page under a reading; as the page's, unless the reading drops more jobs.

    Parameters
    ----------
    page : replication.pages.page.Page
    reading : replication.evidence.variants.Variant

    Returns
    -------
    dict of str to replication.logs.workload.Workload
    """
    found = {}
    for log, workload in page.workloads.items():
        first = len(workload) if page.quick else None
        try:
            found[log] = variants.jobs(page.paper, page.workloads, log, reading, first)
        except variants.NotApplicable:
            found[log] = workload
    return found
